"""Production: a route that moves money and that nobody has confirmed is refused when somebody asks, by its name."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest

from tests.support.clock import ManualClock
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, ZOE, Rig
from tests.workflows.looking import alerts, ephemerals, newest, requests, told_once

Open = Callable[[str], Awaitable[Rig]]

COMMIT = "payments.commit_payout"
ONE_STEP = "payments.one_step_payout"
ENTRY_OF = {"send": COMMIT, "now": ONE_STEP}
ASKING = [pytest.param(f"{verb} ana@example.com 25.00 x", entry, id=verb) for verb, entry in ENTRY_OF.items()]
FILLED = {"email": "ana@example.com", "amount": "25.00", "description": "x"}


def confirmed(entry: str) -> str:
    return f"[{entry}]\nconfirmed = true\n"


@pytest.fixture
async def open_rig(sqlite_url: str, tmp_path: Path) -> AsyncIterator[Open]:
    """Open the product in production, with a SERVICES_FILE of this content."""
    opened: list[Rig] = []

    async def open_it(services: str = "") -> Rig:
        file = tmp_path / "services.toml"
        file.write_text(services)
        rig = await Rig.open(database_url=sqlite_url, clock=ManualClock(), environment="production", services_file=file)
        opened.append(rig)
        return rig

    yield open_it
    for rig in opened:
        await rig.close()


async def moved_to(rig: Rig, environment: str) -> None:
    """Start again with another ENVIRONMENT."""
    await rig.switchboard.stop()
    rig.settings = type(rig.settings)(_env_file=None, **{**rig.settings.model_dump(), "environment": environment})
    await rig.start()
    await rig.settle()


async def nothing_happened(rig: Rig) -> bool:
    return not (rig.payments.calls or await requests(rig) or rig.cards(APPROVALS) or rig.cards(FINANCE))


def names_the_mend(text: str, entry: str) -> None:
    for part in ("The operator of Switchboard has to mend this", entry, f"[{entry}] confirmed = true", "SERVICES_FILE"):
        assert part in text


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_asking_is_refused_with_the_name_of_the_entry(open_rig: Open, text: str, entry: str) -> None:
    rig = await open_rig("")
    ack = await rig.pay(text)
    assert ack.ok
    [told] = ephemerals(rig, MARIA)
    names_the_mend(told, entry)
    assert await nothing_happened(rig)


@pytest.mark.parametrize(("verb", "entry"), ENTRY_OF.items())
async def test_the_form_does_not_even_open(open_rig: Open, verb: str, entry: str) -> None:
    rig = await open_rig("")
    await rig.pay(verb)
    assert rig.workspace.modal(MARIA) is None
    names_the_mend(ephemerals(rig, MARIA)[-1], entry)


@pytest.mark.parametrize(("verb", "entry"), ENTRY_OF.items())
async def test_a_form_that_was_open_before_says_the_same(open_rig: Open, verb: str, entry: str) -> None:
    rig = await open_rig("")
    await moved_to(rig, "sandbox")
    await rig.pay(verb)
    await moved_to(rig, "production")
    await rig.submit(MARIA, FILLED)
    view = rig.workspace.modal(MARIA)
    assert view is not None
    names_the_mend(view.plain, entry)
    assert await nothing_happened(rig)


async def test_who_may_not_ask_hears_that_and_nothing_of_the_operators(open_rig: Open) -> None:
    rig = await open_rig("")
    await rig.pay(user=ZOE)
    assert "confirmed" not in ephemerals(rig, ZOE)[-1]


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_confirmed_it_is_paid(open_rig: Open, text: str, entry: str) -> None:
    rig = await open_rig(confirmed(entry))
    await rig.pay(text)
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(60)
    told_once(rig, "completed")
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_confirming_one_entry_allows_that_one(open_rig: Open, text: str, entry: str) -> None:
    [other] = set(ENTRY_OF.values()) - {entry}
    rig = await open_rig(confirmed(other))
    await rig.pay(text)
    names_the_mend(ephemerals(rig, MARIA)[-1], entry)
    assert await nothing_happened(rig)


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_what_was_asked_in_the_sandbox_is_not_sent_in_production(open_rig: Open, text: str, entry: str) -> None:
    rig = await open_rig("")
    await moved_to(rig, "sandbox")
    await rig.pay(text)
    await moved_to(rig, "production")
    await rig.press("approve", user=ADA)
    await rig.pass_time(300, steps=10)
    assert not rig.paid
    assert not rig.payments.calls_of(entry.partition(".")[2])
    [alarm] = alerts(rig)
    assert "cannot go on" in alarm
    assert entry in alarm
    await rig.pass_time(7_200, steps=10)
    assert (await newest(rig)).state.value == "expired"
