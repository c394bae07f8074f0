"""Production: a route that moves money and that nobody has confirmed is refused when somebody asks, by its name."""

import pytest

from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, ZOE, Rig
from tests.workflows.looking import alerts, ephemerals, newest, requests, told_once

pytestmark = pytest.mark.rig(environment="production", services="")

COMMIT = "payments.commit_payout"
ONE_STEP = "payments.one_step_payout"
ENTRY_OF = {"send": COMMIT, "now": ONE_STEP}
ASKING = [pytest.param(f"{verb} ana@example.com 25.00 x", entry, id=verb) for verb, entry in ENTRY_OF.items()]
FILLED = {"email": "ana@example.com", "amount": "25.00", "description": "x"}


async def moved_to(rig: Rig, environment: str) -> None:
    await rig.switchboard.stop()
    rig.settings = type(rig.settings)(_env_file=None, **{**rig.settings.model_dump(), "environment": environment})
    await rig.start()
    await rig.settle()


async def confirmed(rig: Rig, entry: str) -> None:
    assert rig.settings.services_file is not None
    rig.settings.services_file.write_text(f"[{entry}]\nconfirmed = true\n")
    await rig.start_again()


async def nothing_happened(rig: Rig) -> bool:
    return not (rig.payments.calls or await requests(rig) or rig.cards(APPROVALS) or rig.cards(FINANCE))


def mend(entry: str) -> str:
    path = "{id}/commit" if entry == COMMIT else "one-step"
    return (
        f"An admin has to fix this: {entry} (POST /payouts/{path}) is an assumption (A1) that "
        "moves money and that nobody has confirmed; nothing was sent."
    )


@pytest.mark.parametrize(("text", "entry"), [*ASKING, *ENTRY_OF.items()])
async def test_asking_is_refused_with_the_name_of_the_entry(rig: Rig, text: str, entry: str) -> None:
    """A whole line, or a verb that would open its form."""
    await rig.pay(text)
    assert rig.workspace.modal(MARIA) is None
    assert ephemerals(rig, MARIA) == [f":warning: {mend(entry)}"]
    assert await nothing_happened(rig)


@pytest.mark.parametrize(("verb", "entry"), ENTRY_OF.items())
async def test_a_form_that_was_open_before_says_the_same(rig: Rig, verb: str, entry: str) -> None:
    await moved_to(rig, "sandbox")
    await rig.pay(verb)
    await moved_to(rig, "production")
    await rig.submit(MARIA, FILLED)
    assert mend(entry) in rig.form().plain
    assert await nothing_happened(rig)


async def test_non_requester_is_refused_without_operator_details(rig: Rig) -> None:
    await rig.pay(user=ZOE)
    assert "You don't have permission to request payments." in ephemerals(rig, ZOE)[-1]


async def test_collect_without_public_url_is_refused(rig: Rig) -> None:
    await rig.pay("collect ben@example.com Campaign web=2x10.00")
    assert "PUBLIC_URL" in ephemerals(rig, MARIA)[-1]
    assert await nothing_happened(rig)


@pytest.mark.rig(environment="production", services="", public_url="https://switchboard.example.com")
async def test_buyers_return_to_the_public_url(rig: Rig) -> None:
    await rig.pay("collect ben@example.com Campaign web=2x10.00")
    (call,) = rig.payments.calls_of("create_purchase")
    assert str(call.body["confirmation_uri"]).startswith("https://switchboard.example.com/")  # type: ignore[index]


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_confirmed_it_is_paid(rig: Rig, text: str, entry: str) -> None:
    await confirmed(rig, entry)
    await rig.pay(text)
    await rig.press("approve")
    await rig.payments.advance()
    await rig.pass_time(60)
    told_once(rig, "*paid*")
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_confirming_one_entry_allows_that_one(rig: Rig, text: str, entry: str) -> None:
    [other] = set(ENTRY_OF.values()) - {entry}
    await confirmed(rig, other)
    await rig.pay(text)
    assert ephemerals(rig, MARIA)[-1] == f":warning: {mend(entry)}"
    assert await nothing_happened(rig)


@pytest.mark.parametrize(("text", "entry"), ASKING)
async def test_sandbox_request_is_not_sent_in_production(rig: Rig, text: str, entry: str) -> None:
    await moved_to(rig, "sandbox")
    await rig.pay(text)
    await moved_to(rig, "production")
    await rig.press("approve", user=ADA)
    await rig.pass_time(300, steps=10)
    assert not rig.paid
    assert not rig.payments.calls_of(entry.partition(".")[2])
    [alarm] = alerts(rig)
    assert alarm.splitlines()[1].startswith(f"{mend(entry)[:-1]}; check it against")
    assert f"[{entry}] confirmed = true" in alarm
    await rig.pass_time(7_200, steps=10)
    assert (await newest(rig)).state.value == "expired"
