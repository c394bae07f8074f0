"""T11 to T13: everything is checked again, one claim is one request, and what did not happen is tried again."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, POLICY, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    DAY,
    HOUR,
    MINUTE,
    actions,
    alerts,
    approved,
    asked,
    attempts,
    buttons,
    everywhere,
    newest,
    operation,
    read,
    requests,
    state,
    told_once,
)

GUARD_SECONDS = 5.0


def arm(rig: Rig, kind: FaultKind, *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, "commit_payout", times=times, seconds=0.1))


async def outcomes(rig: Rig) -> list[AttemptOutcome]:
    return [attempt.outcome for attempt in await attempts(rig) if attempt.kind is AttemptKind.COMMIT]


async def test_what_was_approved_is_read_again_and_sent_once(rig: Rig) -> None:
    await rig.pay()
    reads = asked(rig, "get_operation")
    await rig.press("approve")
    assert asked(rig, "get_operation") == reads + 1
    assert asked(rig, "commit_payout") == 1
    assert await outcomes(rig) == [AttemptOutcome.DONE]
    assert await state(rig) is State.COMMITTED
    assert (await actions(rig))[-3:] == ["approve", "send", "observed"]
    assert everywhere(rig, "*sent*")


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("cents", 9900, "the amount is 99.00 instead of 25.00"),
        ("email", "mallory@example.com", "the recipient is another one"),
        ("code", "01KAGT0000000000000OTHERS1", "the code is another one"),
        ("operation_type", "purchase", "it is no payout"),
    ],
)
async def test_what_changed_at_the_service_since_the_approval_is_not_sent(
    rig: Rig, field: str, value: object, said: str
) -> None:
    await rig.pay()
    setattr(operation(rig), field, value)
    await rig.press("approve")
    assert await state(rig) is State.MISMATCH
    assert asked(rig, "commit_payout") == 0
    why = "not sent, because the service's record is not what was asked for"
    assert told_once(rig, "failed").partition(" has *failed*: ")[2] == f"{why}. Reason: {said}."
    alone = f"{said[0].upper()}{said[1:]}."
    assert alerts(rig)[0].splitlines()[1] == alone
    assert rig.cards(FINANCE)[0].text.partition(" *failed*: ")[2] == f"{why}. {alone} Approved by <@{ADA}>."
    assert buttons(rig) == set()


@pytest.mark.parametrize("status", ["committed", "completed", "canceled", "failed"])
async def test_what_somebody_committed_elsewhere_is_not_ours_and_not_sent(rig: Rig, status: str) -> None:
    await rig.pay()
    await rig.payments.settle(operation(rig).id, status, force=True)
    await rig.press("approve")
    assert await state(rig) is State.MISMATCH
    assert asked(rig, "commit_payout") == 0
    reason = told_once(rig, "failed").partition("what was asked for. Reason: ")[2]
    assert (
        reason == f"the service says {'sent' if status == 'committed' else status}, although Switchboard sent nothing."
    )


@pytest.mark.parametrize("seconds", [None, 40])
async def test_too_many_requests_is_an_attempt_that_did_not_happen(rig: Rig, seconds: int | None) -> None:
    arm(rig, FaultKind.TOO_MANY)
    await approved(rig)
    assert await state(rig) is State.APPROVED
    assert await outcomes(rig) == [AttemptOutcome.NOT_EXECUTED]
    assert buttons(rig, FINANCE) == {"Withdraw"}
    await rig.pass_time(3)
    assert await outcomes(rig) == [AttemptOutcome.NOT_EXECUTED, AttemptOutcome.DONE]
    assert rig.paid == [("ana@example.com", 2500)]
    numbers = [attempt.n for attempt in await attempts(rig)]
    assert numbers == sorted(set(numbers))


async def waits(rig: Rig) -> float:
    """Seconds until the newest request goes on."""
    due = (await newest(rig)).due_at
    assert due is not None
    return (due - rig.clock.now()).total_seconds()


async def test_the_wait_that_the_service_names_is_the_wait_after_any_number_of_them(rig: Rig) -> None:
    for read_or_commit in ("get_operation", "commit_payout"):
        rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, read_or_commit, times=4, wait="1"))
    await approved(rig)
    named = []
    for _ in range(8):
        named.append(await waits(rig))
        await rig.pass_time(1)
    assert named == [1.0] * 8
    assert asked(rig, "commit_payout") == 5
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize("named", [None, "0", "soon", "Fri, 20 Nov 2026 10:00:00 GMT"])
async def test_without_a_wait_in_seconds_the_pauses_grow(rig: Rig, named: str | None) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "commit_payout", times=8, wait=named))
    await approved(rig)
    pauses = []
    for _ in range(8):
        pauses.append(await waits(rig))
        await rig.pass_time(pauses[-1])
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert rig.paid == [("ana@example.com", 2500)]


async def test_a_named_wait_of_minutes_is_kept(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "commit_payout", wait="600"))
    await approved(rig)
    assert await waits(rig) == 600
    await rig.pass_time(599)
    assert asked(rig, "commit_payout") == 1
    await rig.pass_time(1)
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize("where", ["get_operation", "commit_payout"])
async def test_a_named_wait_beyond_the_window_ends_with_it_and_the_expiry_is_told_in_time(rig: Rig, where: str) -> None:
    for named in ("1800", "999999999"):
        rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, where, wait=named))
    await approved(rig)
    await rig.pass_time(30 * MINUTE)
    assert await waits(rig) == 30 * MINUTE
    await rig.pass_time(30 * MINUTE)
    assert await state(rig) is State.EXPIRED
    assert not rig.paid


async def test_a_read_of_an_unknown_outcome_waits_as_long_as_the_service_says(rig: Rig) -> None:
    arm(rig, FaultKind.DONE_DROPPED)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "get_operation", skip=1, wait="7"))
    await approved(rig)
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(2)
    assert await waits(rig) == 7
    await rig.pass_time(7)
    assert await state(rig) is State.COMMITTED


@pytest.mark.parametrize(("named", "pause"), [("3", 3.0), ("300", 300.0)])
async def test_a_poll_waits_as_long_as_the_service_says(rig: Rig, named: str, pause: float) -> None:
    await approved(rig)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "get_operation", wait=named))
    before = asked(rig, "get_operation")
    await rig.pass_time(30)
    assert asked(rig, "get_operation") == before + 1
    await rig.pass_time(pause - 0.5)
    assert asked(rig, "get_operation") == before + 1
    await rig.pass_time(0.5)
    assert asked(rig, "get_operation") == before + 2


async def test_a_poll_that_was_named_no_wait_keeps_its_pace(rig: Rig) -> None:
    await approved(rig)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "get_operation", wait="0"))
    before = asked(rig, "get_operation")
    await rig.pass_time(60, steps=60)
    assert asked(rig, "get_operation") == before + 1
    await rig.pass_time(60, steps=60)
    assert asked(rig, "get_operation") == before + 2


async def test_a_storm_of_429_backs_off_and_pays_once(rig: Rig) -> None:
    arm(rig, FaultKind.TOO_MANY, times=6)
    await approved(rig)
    await rig.pass_time(10 * MINUTE, steps=20)
    assert rig.paid == [("ana@example.com", 2500)]
    assert asked(rig, "commit_payout") == 7


async def test_a_service_that_cannot_be_reached_is_waited_for(rig: Rig) -> None:
    await rig.pay()
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve")
    await rig.pass_time(5 * MINUTE, steps=10)
    assert await state(rig) is State.APPROVED
    await rig.payments.start(port=port)
    await rig.pass_time(MINUTE, steps=2)
    assert rig.paid == [("ana@example.com", 2500)]


async def test_what_the_service_refuses_for_good_is_told(rig: Rig) -> None:
    arm(rig, FaultKind.REFUSED)
    await approved(rig)
    assert await state(rig) is State.REFUSED
    assert shown(told_once(rig, "failed")) == snapshot(
        ":x: <@U0MARIA> 25.00 USD to ana@example.com (P-······) has *failed*: the service refused it; its "
        "record says it is not paid. Reason: answer 422, saying “The request is not valid; request: was "
        "refused”."
    )
    assert asked(rig, "get_operation") == 2  # before it was sent, and after it was refused
    assert buttons(rig) == set()
    await rig.pass_time(DAY, steps=6)
    assert asked(rig, "commit_payout") == 1
    assert not rig.paid


@pytest.mark.rig(simulator={"balance_cents": 1000})
async def test_too_little_money_is_a_refusal(rig: Rig) -> None:
    await approved(rig)
    assert await state(rig) is State.REFUSED
    assert not rig.paid


LIMITED = POLICY.replace('daily_limit = "25000.00"', 'daily_limit = "50.00"')


@pytest.mark.rig(policy=LIMITED)
async def test_the_daily_limit_is_checked_when_it_is_sent(rig: Rig) -> None:
    await approved(rig, "send ana@example.com 30.00 first")
    await approved(rig, "send luis@example.com 30.00 second")
    assert rig.paid == [("ana@example.com", 3000)]
    assert await state(rig) is State.APPROVED
    assert rig.cards(APPROVALS)[1].text.partition("Silva (maria). ")[2] == snapshot(
        ":hourglass_flowing_sand: *approved*: not sent yet. The daily limit is reached. Approved by <@U0ADA>. Needed 1 "
        "approval besides the requester."
    )
    await approved(rig, "send luis@example.com 20.00 third")
    assert rig.paid == [("ana@example.com", 3000), ("luis@example.com", 2000)]
    await rig.pass_time(HOUR, steps=6)
    second = (await requests(rig))[1]
    assert second.state is State.EXPIRED
    assert rig.cards(FINANCE)[1].text.partition("Silva. ")[2] == snapshot(
        ":alarm_clock: *expired*: the daily limit is reached. Nothing was paid. Approved by <@U0ADA>."
    )


@pytest.mark.rig(policy=LIMITED)
async def test_a_new_day_has_a_limit_of_its_own(rig: Rig) -> None:
    await rig.pass_time(14.5 * HOUR)  # half past eleven at night, UTC
    await approved(rig, "send ana@example.com 30.00 first")
    await approved(rig, "send luis@example.com 30.00 second")
    assert len(rig.paid) == 1
    await rig.pass_time(31 * MINUTE, steps=10)
    assert rig.paid == [("ana@example.com", 3000), ("luis@example.com", 3000)]


@pytest.mark.parametrize(("kind", "left"), [(FaultKind.REFUSED, 0), (FaultKind.LOST, 3000)])
@pytest.mark.rig(policy=LIMITED)
async def test_the_limit_is_given_back_only_when_it_certainly_was_not_paid(
    rig: Rig, kind: FaultKind, left: int
) -> None:
    arm(rig, kind)
    await approved(rig, "send ana@example.com 30.00 first")
    day = rig.switchboard.context.clock.now().date().isoformat()
    assert await read(rig, lambda tx: tx.reservations.sum(day)) == left


async def test_a_claim_that_is_too_old_is_abandoned_unsent(rig: Rig) -> None:
    """The machine sleeps between the claim and the request."""
    naps = ["write.after:claim_commit"]

    def probe(point: str) -> None:
        if point in naps:
            naps.remove(point)
            rig.clock.advance(GUARD_SECONDS + 1)

    await rig.start_again(probe=probe)
    await approved(rig)
    assert await outcomes(rig) == [AttemptOutcome.ABANDONED]
    assert asked(rig, "commit_payout") == 0
    await rig.pass_time(MINUTE)
    assert await outcomes(rig) == [AttemptOutcome.ABANDONED, AttemptOutcome.DONE]
    assert rig.paid == [("ana@example.com", 2500)]


async def test_only_the_quorum_of_the_moment_sends(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    for user in (ADA, LIN):
        assert asked(rig, "commit_payout") == 0
        await rig.press("approve", user=user)
        await rig.submit(user, {forms.AMOUNT: "1500.00"})
    assert asked(rig, "commit_payout") == 1
    assert (await newest(rig)).commits == 1
