"""Who may look at what, what mistakes are answered with, and how trouble of a service is told."""

from itertools import product

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from tests.support.answers import ask
from tests.support.rig import ADA, EVE, FINANCE, GUS, MARIA, TOM, ZOE, Rig
from tests.workflows.looking import newest


def foreign(rig: Rig) -> str:
    """A payout that the service knows and we do not."""
    order = PayoutOrder(
        email="rita@example.com", description="theirs", cents=700, confirmation_uri="http://x", failure_uri="http://x"
    )
    return rig.payments.add_payout(order).id


LOOKS = ("list", "account ana@example.com", "events {id}", "show {id}", "partner")
UNKNOWN = ":pencil2: I can't find "
NO_ROLE = ":no_entry_sign: You don't have permission to see payments. Ask an admin to add you."


async def test_people_without_a_role_cause_no_service_call(rig: Rig) -> None:
    known = foreign(rig)
    for user, text in product((ZOE, GUS), LOOKS):
        await ask(rig, text.format(id=known), user=user)
    for text in LOOKS:
        assert (await rig.workspace.slash(EVE, FINANCE, "/pay", text.format(id=known), force=True)).body == ""
    assert not rig.workspace.ephemerals(EVE)
    assert not rig.payments.calls


async def test_requester_sees_own_request_without_a_role(rig: Rig) -> None:
    await rig.pay()
    asked = await newest(rig)
    rig.workspace.set_group("S0FINANCE", [TOM])
    rig.clock.advance(60)
    told = (await ask(rig, f"show {asked.reference}")).text
    assert told.splitlines().count("*History*") == 1
    assert (await ask(rig, f"show {asked.reference}", user=ZOE)).text.startswith(UNKNOWN)


async def test_lost_role_gets_no_next_page_or_answer(rig: Rig) -> None:
    for _ in range(12):
        foreign(rig)
    told = await ask(rig, "list")
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "account")
    rig.workspace.set_group("S0FINANCE", [TOM])
    rig.clock.advance(60)
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next")
    refusal = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[1:])
    assert refusal[0].text == NO_ROLE
    await rig.workspace.submit(MARIA, {"email": "ana@example.com"})
    assert NO_ROLE in rig.form().plain.splitlines()
    assert [call.operation for call in rig.payments.calls] == ["list_operations"]


@pytest.mark.parametrize("value", ["", ":", "payout:0", "payout:x", "evil:1", ":99999999999", "purchase:1:2"])
async def test_tampered_button_does_nothing(rig: Rig, value: str) -> None:
    for _ in range(12):
        foreign(rig)
    told = await ask(rig, "list")
    await rig.workspace.click(MARIA, FINANCE, told.ts, "operations.next", value=value)
    answer = await rig.workspace.until(lambda: rig.workspace.ephemerals(MARIA)[1:])
    assert "This request has changed since" in answer[0].text
    assert len(rig.payments.calls_of("list_operations")) == 1


@pytest.mark.parametrize(("line", "rule"), [
    ("partner now", "`now` isn't expected here."), ("list payouts 1 2", "`2` isn't expected here."),
    ("list payouts 0", "`page=0` isn't a page number."),
])  # fmt: skip
async def test_wrong_word_is_named_and_reads_nothing(rig: Rig, line: str, rule: str) -> None:
    told = (await ask(rig, line)).text.splitlines()
    assert (told[0], told[1].startswith(f"Example: `/pay {line.split(maxsplit=1)[0]}")) == (f":pencil2: {rule}", True)
    assert not rig.payments.calls


@pytest.mark.rig(payments_base_url=None)
async def test_missing_settings_of_a_service_are_named(rig: Rig) -> None:
    for text in ("list", "events x", "account ana@example.com", "account", "partner"):
        told = (await ask(rig, text, user=TOM)).text
        assert told.endswith("An admin has to set `PAYMENTS_BASE_URL`.")
    assert (await ask(rig, "show x")).text.startswith(UNKNOWN)


@pytest.mark.parametrize(("kind", "said"), [
    (FaultKind.ERROR_500, "Payments is having problems. Try again in a minute."),
    (FaultKind.TOO_MANY, "Payments is too busy. Try again in 1 s."),
    (FaultKind.LOST, "Couldn't reach Payments. Try again in a minute."),
    (FaultKind.GARBAGE, "Payments sent an unexpected reply. Try again in a minute."),
])  # fmt: skip
async def test_each_trouble_is_one_sentence(rig: Rig, kind: FaultKind, said: str) -> None:
    known = foreign(rig)
    for text in LOOKS:
        rig.payments.faults.arm(Fault(kind))
        told = (await ask(rig, text.format(id=known), user=TOM)).text
        assert told == f":warning: {said}", text
        rig.payments.faults.clear()
        await ask(rig, "partner", user=TOM)  # three in a row without an answer, and the service is not asked any more


async def test_silent_service_is_not_called(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.LOST, times=3))
    for _ in range(3):
        assert "Couldn't reach Payments" in (await ask(rig, "partner", user=TOM)).text
    told = (await ask(rig, "partner", user=TOM)).text
    assert told == (":warning: Payments has not answered for a while. Try again in 5 s.")


async def test_wrong_credentials_are_the_operators(rig: Rig) -> None:
    rig.payments.partner_secret = "changed"
    rig.payments.switches.forbidden = True
    for text in LOOKS:
        assert "An admin has to fix this" in (await ask(rig, text.format(id="x"), user=TOM)).text


async def test_internal_error_beside_the_ack_is_answered(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(_: object) -> None:
        raise RuntimeError("ours")

    monkeypatch.setattr(rig.switchboard.context.payments.client, "partner", lambda: broken(None))
    assert "Something went wrong on our side." in (await ask(rig, "partner", user=ADA)).text
