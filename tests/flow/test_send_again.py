"""A payout that was not paid is sent again below its news: as it was, or edited; once, by its requester alone."""

import asyncio

import pytest

from bot.domain.payments.instruction import Instruction, State
from bot.playground.workspace import Message
from bot.presentation.payments import forms
from tests.support.rig import APPROVALS, FINANCE, MARIA, POLICY, TOM, Rig
from tests.support.shown import shown
from tests.workflows.looking import requests

pytestmark = pytest.mark.rig(on="both")
REFUSED = "The recipient's account refused the money"


def below(rig: Rig) -> Message:
    """The news with the ways on."""
    return next(one for one in reversed(rig.workspace.messages(FINANCE)) if "payout.resend" in str(one.blocks))


async def press(rig: Rig, action: str, *, user: str = MARIA, value: str | None = None) -> str:
    before = len(rig.workspace.ephemerals(user))
    news = below(rig)
    await rig.click(news, f"payout.{action}", user=user, value=value, force=value is not None)
    return "\n".join(shown(one.text) for one in rig.workspace.ephemerals(user)[before:])


async def by_state(rig: Rig) -> list[Instruction]:
    return sorted(await requests(rig), key=lambda one: one.state in (State.FAILED, State.REJECTED))


async def test_failed_payment_is_resent_and_paid_once(rig: Rig) -> None:
    await rig.pay()
    await rig.approve_and_fail(REFUSED)
    assert [one.text for one in below(rig).buttons] == ["Try again", "Edit and resend", "Details"]
    assert "Only the requester can send this again." in await press(rig, "again", user=TOM)
    await asyncio.gather(press(rig, "again"), press(rig, "again"))
    again, first = await by_state(rig)
    replaced = first.payload.model_copy(update={"again_of": first.reference})
    assert (first.state, again.state, again.payload) == (State.FAILED, State.AWAITING, replaced)
    assert f"replaces {first.reference}" in (await rig.card(APPROVALS)).text
    assert "*waiting for approval*" in await press(rig, "again")
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(60)
    assert [one.kind.value for one in rig.payments.ledger.entries] == ["payout", "refund", "payout"]
    assert "*paid*" in await press(rig, "again")
    assert len(await requests(rig)) == 2


async def test_rejected_request_can_be_edited_and_resent(rig: Rig) -> None:
    await rig.pay("send ana@example.com 40.00 Proofreading")
    await rig.reject()
    assert [one.text for one in below(rig).buttons] == ["Edit and resend"]
    await press(rig, "resend")
    assert [field["element"]["initial_value"] for field in rig.form().blocks[:3]] == [
        "ana@example.com",
        "40.00",
        "Proofreading",
    ]
    filled = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "40.00"}
    await rig.submit(MARIA, {**filled, forms.DESCRIPTION: "Proofreading, invoice 17"})
    again, _ = await by_state(rig)
    assert (again.payload.description, again.state) == ("Proofreading, invoice 17", State.AWAITING)
    assert "Proofreading, invoice 17" in (await rig.card(APPROVALS)).text
    await press(rig, "resend")
    await rig.submit(MARIA, {**filled, forms.DESCRIPTION: "Once more"})
    assert len(await requests(rig)) == 2


async def test_only_proven_failures_are_resent(rig: Rig) -> None:
    await rig.pay("send ana@example.com 40.00 Proofreading")
    await rig.reject("no")
    await rig.pay("send ana@example.com 41.00 Proofreading")
    await rig.press("approve")
    paid, _ = await by_state(rig)
    assert "is now *sent*" in await press(rig, "again", value=paid.id)
    assert "has changed since" in await press(rig, "again", value="nothing")
    assert await press(rig, "details", value=paid.id, user=TOM) == ""
    assert rig.form(TOM).title == "Details"
    assert len(await requests(rig)) == 2


@pytest.mark.rig(on="sqlite")
async def test_second_attempt_over_a_lowered_daily_limit_is_refused(rig: Rig) -> None:
    await rig.pay()
    await rig.approve_and_fail(REFUSED)
    rig.settings.policy_file.write_text(POLICY.replace('daily_limit = "25000.00"', 'daily_limit = "20.00"'))
    await rig.start_again()
    await rig.settle()
    assert "everyone's daily limit of $20.00" in await press(rig, "again")
    assert len(await requests(rig)) == 1
