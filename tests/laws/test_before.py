"""Before a request with an effect leaves: everything that keeps it from leaving does, for every kind of request."""

from typing import Any

import pytest

from bot.domain.payments.instruction import Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.presentation.reasons import worded
from tests.laws.effects import APPROVED, EFFECTS, PAYING, Effect, over
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, OLGA, Rig
from tests.workflows.looking import (
    actions,
    alerts,
    attempts,
    buttons,
    everywhere,
    newest,
    operation,
    requests,
    state,
    told,
    told_once,
    votes,
)

IN_A_ROW = 3


@over(EFFECTS)
async def test_request_is_stored_once_before_sending(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    before = len(await requests(rig))
    if effect.asks:
        ack = await rig.workspace.slash(MARIA, FINANCE, "/pay", effect.asks)
        assert not rig.payments.calls
        assert (await rig.workspace.resend(ack)).ok
        before += 1
    found = await newest(rig)
    assert (found.kind, found.requester, found.state) == (
        effect.kind,
        MARIA,
        State.NEW if effect.asks else State.AWAITING,
    )
    assert found.intact()
    assert (await actions(rig))[0] == "requested"
    assert len(await requests(rig)) == before
    assert (effect.sent(rig), effect.done(rig)) == (0, 0)


@over(APPROVED)
async def test_approval_sends_exactly_once(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    await rig.pass_time(HOUR, steps=3)
    assert (await state(rig), effect.sent(rig)) == (State.AWAITING, 0)
    assert buttons(rig, APPROVALS) - {"View list"} == {"Approve", "Reject"}
    await rig.press("approve", user=ADA)
    assert effect.sent(rig) == 1
    assert everywhere(rig, f"Approved by <@{ADA}>")
    assert "Approve" not in buttons(rig)


async def rejected(rig: Rig) -> None:
    await rig.press("reject", user=LIN)
    await rig.submit(LIN, {forms.REASON: "the invoice is from last year"})


async def withdrawn(rig: Rig) -> None:
    await rig.press("withdraw", user=MARIA, channel=FINANCE)


async def withdrawn_by_an_admin(rig: Rig) -> None:
    await rig.press("withdraw", user=OLGA)
    await rig.submit(OLGA, {forms.REASON: "the contract ended"})


async def expired(rig: Rig) -> None:
    await rig.pass_time(DAY)


ENDS = [
    (rejected, State.REJECTED, f"Rejected by <@{LIN}>: “the invoice is from last year”."),
    (withdrawn, State.WITHDRAWN, f"Withdrawn by <@{MARIA}>"),
    (withdrawn_by_an_admin, State.WITHDRAWN, f"Withdrawn by <@{OLGA}>: “the contract ended”."),
    (expired, State.EXPIRED, "Not approved in time."),
]


@over(APPROVED)
@pytest.mark.parametrize(("ends", "into", "said"), ENDS, ids=lambda one: getattr(one, "__name__", ""))
async def test_request_ended_before_sending_is_announced_once(
    rig: Rig, effect: Effect, ends: Any, into: State, said: str
) -> None:
    await effect.before(rig)
    card = await rig.card()
    value = card.button("payout.approve").value
    await ends(rig)
    assert await state(rig) is into
    assert everywhere(rig, said)
    heard = len(told(rig, FINANCE, f"*{into.value}*"))
    assert (heard, told(rig, APPROVALS, f"*{into.value}*")) == (0 if ends is withdrawn else 1, [])
    assert buttons(rig) == set()
    story = await actions(rig)
    for action in ("approve", "reject", "withdraw"):
        await rig.workspace.click(ADA, APPROVALS, card.ts, f"payout.{action}", value=value, force=True)
    await rig.pass_time(2 * HOUR, steps=4)
    assert (await state(rig), await votes(rig), await actions(rig)) == (into, [], story)
    heard = len(told(rig, FINANCE, f"*{into.value}*"))
    assert (heard, told(rig, APPROVALS, f"*{into.value}*")) == (0 if ends is withdrawn else 1, [])
    assert (effect.sent(rig), effect.done(rig), alerts(rig)) == (0, 0, [])


@over(APPROVED)
async def test_approved_unsent_request_can_be_withdrawn(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig, effect.fault(FaultKind.TOO_MANY, wait="30"))
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    assert await state(rig) is State.WITHDRAWN
    await rig.pass_time(5 * MINUTE, steps=5)
    assert (effect.sent(rig), effect.done(rig)) == (1, 0)


@over(PAYING)
async def test_while_payments_are_frozen_no_money_leaves(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    await effect.decided(rig)
    await rig.workspace.slash(OLGA, FINANCE, "/pay", "freeze the bank called")
    await rig.settle()
    await rig.pass_time(10 * MINUTE, steps=5)
    assert (await state(rig), effect.sent(rig)) == (effect.ready, 0)
    assert "ayments are frozen: the bank called." in rig.cards(FINANCE)[-1].text
    await rig.pay("unfreeze", user=ADA)
    await rig.submit(ADA, {})
    assert effect.sent(rig) == 1, "at once"
    assert "frozen" not in rig.cards(FINANCE)[-1].text


@over(EFFECTS)
async def test_unreachable_service_is_waited_for(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    port = rig.payments.port
    await rig.payments.stop()
    await effect.decided(rig)
    await rig.pass_time(5 * MINUTE, steps=10)
    assert await state(rig) is effect.ready
    assert buttons(rig, FINANCE) == {"Withdraw"}
    await rig.payments.start(port=port)
    await rig.pass_time(2 * MINUTE, steps=4)
    assert (effect.sent(rig), effect.done(rig), await state(rig)) == (1, 1, effect.found)


@over(EFFECTS)
async def test_silent_service_holds_the_request_and_the_card_says_since_when(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    rig.payments.faults.arm(Fault(FaultKind.LOST, "*", times=None))
    payments = rig.switchboard.context.payments.client
    assert payments is not None
    for _ in range(IN_A_ROW):
        payments.circuit.silent(payments.circuit.mark())
    made = len(await attempts(rig)) if not effect.asks else 0
    await effect.decided(rig)
    await rig.pass_time(5 if effect.asks else 0)
    assert worded((await newest(rig)).reason).startswith("Payments has not answered since 2026-11-20 09:0")
    assert "Payments has not answered since <!date^" in rig.cards(FINANCE)[-1].text
    assert (await state(rig), effect.sent(rig), len(await attempts(rig))) == (effect.ready, 0, made)
    rig.payments.faults.clear()
    await rig.pass_time(31)
    assert (effect.sent(rig), effect.done(rig), await state(rig)) == (1, 1, effect.found)
    assert "has not answered" not in rig.cards(FINANCE)[-1].text


@over(APPROVED)
async def test_unsent_request_expires_with_its_reason(rig: Rig, effect: Effect) -> None:
    await effect.before(rig)
    port = rig.payments.port
    await rig.payments.stop()
    await effect.decided(rig)
    await rig.pass_time(HOUR - 1, steps=12)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(1)
    assert effect not in PAYING or await state(rig) is State.EXPIRED
    await rig.payments.start(port=port)
    await rig.pass_time(HOUR, steps=4)
    assert await state(rig) is State.EXPIRED
    assert "It wasn't sent in time after approval: Payments has not answered since " in told_once(rig, "*expired*")
    assert (effect.sent(rig), effect.done(rig)) == (0, 0)


async def test_decision_window_starts_when_the_card_is_posted(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=None))
    await rig.pay()
    await rig.pass_time(2 * DAY, steps=10)
    found = await newest(rig)
    assert (found.state, found.posted_at, found.expires_at) == (State.AWAITING, None, None)
    rig.workspace.faults.clear()
    await rig.pass_time(2 * MINUTE, steps=4)
    found = await newest(rig)
    assert found.posted_at is not None
    assert found.expires_at is not None
    assert (found.expires_at - found.posted_at).total_seconds() == DAY
    assert len(rig.cards(APPROVALS)) == len(rig.cards(FINANCE)) == 1
    assert everywhere(rig, f"<!date^{int(found.expires_at.timestamp())}^")


THEIRS = {"committed": "sent", "completed": "paid"}
DIFFERENT = [
    ("cents", 9900, "the amount is 99.00 instead of 25.00"),
    ("email", "mallory@example.com", "the recipient is different"),
    ("code", "01KAGT0000000000000OTHERS1", "the code is different"),
    ("operation_type", "purchase", "it isn't a payout"),
    *(
        (
            "status",
            status,
            f"the provider lists it as {THEIRS.get(status, status)}, although we sent nothing",
        )
        for status in ("committed", "completed", "canceled", "failed")
    ),
]


@pytest.mark.parametrize(("field", "value", "said"), DIFFERENT)
async def test_changed_request_is_not_sent(rig: Rig, field: str, value: object, said: str) -> None:
    await rig.pay()
    setattr(operation(rig), field, value)
    await rig.press("approve")
    assert await state(rig) is State.MISMATCH
    assert not rig.payments.calls_of("commit_payout")
    told_once(rig, f"wasn't sent: the provider's record isn't what was requested. {said[0].upper()}{said[1:]}.")
    alone = f"{said[0].upper()}{said[1:]}."
    assert alerts(rig)[0].splitlines()[1] == alone
    assert everywhere(rig, f"Not sent: the provider's record isn't what was requested. {alone}")
    assert buttons(rig) == set()
    assert (await newest(rig)).kind is Kind.PAYOUT
