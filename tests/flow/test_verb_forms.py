"""A verb that was typed without the arguments it needs opens a form with one field for each."""

from collections.abc import AsyncIterator

import pytest

from bot.playground.workspace import View
from tests.support.clock import ManualClock
from tests.support.rig import ADA, APPROVALS, MARIA, Rig


@pytest.fixture
async def rig(sqlite_url: str) -> AsyncIterator[Rig]:
    rig = await Rig.open(database_url=sqlite_url, clock=ManualClock())
    yield rig
    await rig.close()


def form(rig: Rig, user: str) -> View:
    view = rig.workspace.modal(user)
    assert view is not None
    return view


async def test_what_was_meant_is_shown_in_the_form(rig: Rig) -> None:
    await rig.pay()
    reference = next(word for word in rig.cards(APPROVALS)[0].text.split() if word.startswith("P-")).rstrip(":.,")
    await rig.pay("show", user=MARIA)
    assert "operation" in form(rig, MARIA).plain.lower()
    await rig.submit(MARIA, {"operation": reference})
    assert "ana@example.com" in form(rig, MARIA).plain


async def test_a_mistake_stands_at_its_field(rig: Rig) -> None:
    await rig.pay("freeze", user=ADA)
    await rig.submit(ADA, {"reason": " "})
    assert "missing" in form(rig, ADA).errors["reason"]


async def test_what_is_found_out_later_is_said_in_the_form(rig: Rig) -> None:
    await rig.pay("show", user=ADA)
    await rig.submit(ADA, {"operation": "P-000000"})
    assert "operation" in form(rig, ADA).plain
    assert "P-000000" in form(rig, ADA).plain


@pytest.mark.parametrize("verb", ["show", "events", "freeze"])
async def test_every_such_verb_opens_one(rig: Rig, verb: str) -> None:
    await rig.pay(verb, user=ADA)
    assert form(rig, ADA).title == f"/pay {verb}"


async def test_what_needs_nothing_opens_nothing(rig: Rig) -> None:
    await rig.pay("approvals", user=ADA)
    assert rig.workspace.modal(ADA) is None
