"""After a request with an effect has left: an answer counts, no answer is looked up, and nothing is sent twice."""

from typing import Any

import pytest

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import AttemptOutcome, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.requests import decide
from bot.workflows.requests.decide import Decision
from tests.laws.effects import (
    APPROVED,
    COMMIT,
    CREATE,
    EFFECTS,
    EXECUTED,
    ONE_STEP,
    PAYING,
    PURCHASE,
    SUBMIT,
    VANISHED,
    Effect,
    amount,
    before,
    closed,
    over,
    retried,
)
from tests.support.clock import DAY, HOUR, MINUTE, QUIET
from tests.support.rig import APPROVALS, FINANCE, LIN, Rig
from tests.workflows.looking import (
    alerts,
    buttons,
    everywhere,
    newest,
    operation,
    read,
    state,
    told,
    told_once,
)

DONE, UNKNOWN, NOT_EXECUTED = AttemptOutcome.DONE, AttemptOutcome.UNKNOWN, AttemptOutcome.NOT_EXECUTED
REFUSED = "“The request is not valid; request: was refused”"


async def reserved(rig: Rig) -> int:
    day = rig.clock.now().date().isoformat()
    return await read(rig, lambda tx: tx.reservations.sum(day))


async def once(rig: Rig, effect: Effect, found: State, *outcomes: AttemptOutcome) -> None:
    assert (await state(rig), effect.sent(rig), effect.done(rig)) == (found, len(outcomes), 1)
    assert await effect.outcomes(rig) == list(outcomes)


@over(EFFECTS)
async def test_claim_makes_one_request_and_one_attempt(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    await once(rig, effect, effect.found, DONE)
    assert (await newest(rig)).kind is effect.kind
    await rig.pass_time(HOUR, steps=4)
    assert effect.sent(rig) == 1


@over(EFFECTS)
@pytest.mark.parametrize("kind", [*EXECUTED, FaultKind.DONE_REFUSED])
async def test_executed_effect_is_found_and_never_resent(rig: Rig, effect: Effect, kind: FaultKind) -> None:
    await effect.leaves(rig, effect.fault(kind))
    if kind in EXECUTED:
        assert await state(rig) is effect.unknown
        if effect in PAYING:
            assert everywhere(rig, "Don't send it again.")
            told_once(rig, "not confirmed yet")
    await rig.pass_time(5)
    assert (await state(rig), effect.sent(rig), effect.done(rig)) == (effect.found, 1, 1)
    await rig.pass_time(DAY / 2, steps=4)
    assert effect.sent(rig) == 1
    assert not told(rig, FINANCE, "*failed*")
    assert not [text for text in alerts(rig) if "hasn't changed at the provider" not in text]


@over(EFFECTS)
@pytest.mark.parametrize("kind", VANISHED)
async def test_vanished_request_is_only_read_until_it_cannot_arrive(rig: Rig, effect: Effect, kind: FaultKind) -> None:
    """Then what moves no money is sent again, by the same code, and people are asked about all else."""
    await effect.leaves(rig, effect.fault(kind))
    await rig.pass_time(QUIET - MINUTE, steps=6)
    assert (await state(rig), effect.sent(rig)) == (effect.unknown, 1)
    await rig.pass_time(3 * MINUTE, steps=3)
    if effect.again:
        await once(rig, effect, effect.found, UNKNOWN, DONE)
        bodies: list[Any] = [call.body for call in rig.payments.calls_of(effect.operation)]
        assert {body["code"] for body in bodies} == {(await newest(rig)).code}
        return
    assert (await state(rig), effect.sent(rig), effect.done(rig)) == (State.NEEDS_HUMAN, 1, 0)
    assert not told(rig, FINANCE, "needs a decision"), "one alert calls who decides"
    assert everywhere(rig, "Needs a decision")
    assert len(alerts(rig)) == 1
    close = "Close as not paid" if effect in PAYING else "Close"
    assert (buttons(rig, APPROVALS) - {"View list"}, buttons(rig, FINANCE) - {"View list"}) == ({"Retry", close}, set())
    await retried(rig)
    await rig.pass_time(MINUTE)
    await once(rig, effect, effect.found, UNKNOWN, DONE)


@over([CREATE, ONE_STEP, PURCHASE, SUBMIT])
async def test_second_list_corrects_the_first(rig: Rig, effect: Effect) -> None:
    rig.payments.switches.lists_lag_seconds = QUIET + MINUTE / 2  # after the first look that counts
    await effect.leaves(rig, effect.fault(FaultKind.DONE_DROPPED))
    await rig.pass_time(QUIET, steps=5)
    await rig.pass_time(4 * MINUTE, steps=4)
    await once(rig, effect, effect.found, UNKNOWN)
    assert not alerts(rig)


async def unreadable(rig: Rig, effect: Effect) -> None:
    """It was done, and what would show it cannot be read for an hour: a person is asked."""
    await effect.leaves(rig, effect.fault(FaultKind.DONE_DROPPED))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, effect.read, times=None))
    await rig.pass_time(HOUR - MINUTE, steps=12)
    assert await state(rig) is effect.unknown
    await rig.pass_time(3 * MINUTE, steps=3)
    if effect.kind is Kind.BULK_CANCEL:  # nothing is paid twice by it, so nobody has to decide
        assert await state(rig) is effect.unknown
        return
    assert await state(rig) is State.NEEDS_HUMAN
    assert "it answered 500, saying “Internal server error”" in alerts(rig)[-1].splitlines()[1]


@over(one for one in EFFECTS if one is not CREATE)
async def test_unreadable_outcome_is_polled_after_asking_people(rig: Rig, effect: Effect) -> None:
    await unreadable(rig, effect)
    rig.payments.faults.clear()
    await rig.pass_time(3 * HOUR, steps=3)
    await once(rig, effect, effect.found, UNKNOWN)


@over([CREATE, *PAYING])
async def test_new_attempt_reads_first_and_adopts_what_it_finds(rig: Rig, effect: Effect) -> None:
    await unreadable(rig, effect)
    rig.payments.faults.clear()
    await retried(rig)
    await rig.pass_time(MINUTE)
    await once(rig, effect, effect.found, UNKNOWN)


async def test_after_asking_people_nothing_is_created_automatically(rig: Rig) -> None:
    unlisted = Fault(FaultKind.ERROR_500, "list_operations", times=None)
    await PURCHASE.leaves(rig, PURCHASE.fault(FaultKind.LOST), unlisted)
    await rig.pass_time(5 * QUIET, steps=20)
    assert await state(rig) is State.NEEDS_HUMAN
    rig.payments.faults.clear()
    await rig.pass_time(5 * HOUR, steps=5)
    assert (await state(rig), PURCHASE.sent(rig)) == (State.CLOSED, 1)


@over([CREATE, PURCHASE])
async def test_missing_payout_is_created_at_most_three_times(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig, effect.fault(FaultKind.LOST, times=None))
    await rig.pass_time(4 * QUIET, steps=40)
    assert (effect.sent(rig), effect.done(rig)) == (3, 0)
    assert await state(rig) is (State.NEEDS_HUMAN if effect is CREATE else State.CLOSED)
    if effect is not CREATE:
        told_once(rig, "failed", FINANCE)


async def test_refused_new_attempt_after_an_unknown_one_proves_nothing(rig: Rig) -> None:
    await COMMIT.leaves(rig, COMMIT.fault(FaultKind.LOST), COMMIT.fault(FaultKind.REFUSED))
    await rig.pass_time(QUIET + MINUTE, steps=4)
    await retried(rig)
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(QUIET + MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    assert len([text for text in alerts(rig) if "couldn't be confirmed" in text]) == 2
    assert not rig.paid


@over(PAYING)
async def test_payment_of_a_request_closed_as_unpaid_is_one_alert(rig: Rig, effect: Effect) -> None:
    await unreadable(rig, effect)
    before = len(alerts(rig))
    await closed(rig)
    assert everywhere(rig, f"Closed as not paid by <@{LIN}>: “not in their list”.")
    told_once(rig, "as not paid: “not in their list”.")
    assert buttons(rig) == set()
    rig.payments.faults.clear()
    await rig.pass_time(3 * HOUR, steps=6)
    paid = [text for text in alerts(rig)[before:] if "was closed as not paid, but the provider shows a payment" in text]
    assert (await state(rig), len(paid)) == (State.CLOSED, 1)
    assert not told(rig, FINANCE, "*paid*")
    await rig.pass_time(31 * DAY, steps=6)
    assert (await newest(rig)).due_at is None, "it is not watched for ever"
    assert effect.sent(rig) == 1


@over([ONE_STEP, CREATE, SUBMIT])
async def test_similar_record_without_our_code_blocks_retry(rig: Rig, effect: Effect) -> None:
    await before(rig)
    earlier = effect.sent(rig)
    if effect is SUBMIT:
        rig.payments.switches.bulk_rewrites_notes = "Sent in bulk"
    await effect.leaves(rig, effect.fault(FaultKind.DONE_DROPPED))
    if effect is not SUBMIT:
        rig.payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))
    await rig.pass_time(HOUR + 2 * MINUTE, steps=16)
    held = rig.payments.bulk_payments[-1].id if effect is SUBMIT else operation(rig).id
    found = await newest(rig)
    assert (found.state, found.suspect) == (State.NEEDS_HUMAN, held)
    assert everywhere(rig, held)
    assert buttons(rig, APPROVALS) - {"View list"} == {"Close as not paid"}
    click = Decision(instruction_id=found.id, round=found.round, person=LIN)
    refused = await decide.retry(rig.switchboard.context, click, typed_amount=amount(found))
    assert refused.refusal is Refusal.SUSPECT
    await rig.pass_time(10 * MINUTE, steps=10)
    assert effect.sent(rig) == earlier + 1
    await closed(rig)
    assert await state(rig) is State.CLOSED


@over(EFFECTS)
async def test_refusal_is_final_once_the_record_agrees(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig, effect.fault(FaultKind.REFUSED))
    listed = effect in (ONE_STEP, SUBMIT)
    if listed:
        assert (await state(rig), await reserved(rig) > 0) == (State.COMMIT_UNKNOWN, True)
        assert everywhere(rig, f"The provider declined it: {REFUSED}.")
        assert everywhere(rig, "Don't send it again.")
        await rig.pass_time(QUIET, steps=6)
        assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(3 * MINUTE, steps=3)
    assert (await state(rig), effect.done(rig)) == (effect.refused, 0)
    assert buttons(rig, FINANCE) == set()
    if effect.refused is State.REFUSED:
        assert REFUSED in told_once(rig, "failed", *([FINANCE] if effect.again else []))
        assert await reserved(rig) == 0
    await rig.pass_time(32 * DAY, steps=6)
    assert (effect.sent(rig), effect.done(rig), (await newest(rig)).due_at) == (1, 0, None)
    assert not alerts(rig)


@over(PAYING)
async def test_refused_but_paid_request_raises_one_alert(rig: Rig, effect: Effect) -> None:
    """Whatever could be read agreed: the service's lists and records lag behind."""
    rig.payments.callbacks.switches.drop = True
    if effect.read == "get_operation":
        rig.payments.switches.stale_reads = 1
    else:
        rig.payments.switches.lists_lag_seconds = QUIET + 3 * MINUTE
    await effect.leaves(rig, effect.fault(FaultKind.DONE_REFUSED))
    await rig.pass_time(QUIET + 2 * MINUTE if effect.read != "get_operation" else 0, steps=9)
    assert (await state(rig), alerts(rig)) == (State.REFUSED, [])
    for _ in range(4):
        await rig.payments.advance()
        await rig.pass_time(DAY, steps=2)
    assert await state(rig) is State.REFUSED
    paid = [text for text in alerts(rig) if "ended as not paid, but the provider shows a payment." in text]
    assert len(paid) == 1


@over(EFFECTS)
async def test_retry_after_is_honored_before_sending_once(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig, effect.fault(FaultKind.TOO_MANY, times=2, wait="7"))
    for sent in (1, 2):
        found = await newest(rig)
        assert found.due_at is not None
        assert (found.state, (found.due_at - rig.clock.now()).total_seconds()) == (effect.ready, 7)
        assert not rig.cards(FINANCE) or buttons(rig, FINANCE) == {"Withdraw"}
        await rig.pass_time(6)
        assert effect.sent(rig) == sent
        await rig.pass_time(1)
    await once(rig, effect, effect.found, NOT_EXECUTED, NOT_EXECUTED, DONE)


@over(APPROVED)
async def test_retry_after_beyond_the_window_expires_in_time(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig, effect.fault(FaultKind.TOO_MANY, wait="999999999"))
    await rig.pass_time(HOUR - 1, steps=2)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(1)
    assert (await state(rig), effect.sent(rig), effect.done(rig)) == (State.EXPIRED, 1, 0)
    told_once(rig, "*expired*")


async def left(rig: Rig, effect: Effect) -> None:
    await effect.decided(rig)
    await rig.settle()


class Crash(BaseException):
    """The process died."""


@over(EFFECTS)
@pytest.mark.parametrize("sent", [False, True], ids=["after its claim", "before its answer is stored"])
async def test_claim_of_a_dead_process_has_one_effect(rig: Rig, effect: Effect, sent: bool) -> None:
    await effect.before(rig)
    answered = [f"write.before:{effect.stored}"]

    def dies() -> None:
        raise Crash

    def probe(reached: str) -> None:
        if reached in answered:
            answered.clear()
            dies()

    await rig.start_again(probe=probe if sent else effect.at_its_claim(dies))
    with pytest.raises(Crash):
        await left(rig, effect)
    assert (effect.sent(rig), effect.done(rig)) == (int(sent), int(sent))
    await rig.start_again()
    await rig.pass_time(QUIET + 2 * MINUTE, steps=9)
    if sent or effect.again:
        assert (await state(rig), effect.sent(rig), effect.done(rig)) == (effect.found, 1, 1)
    else:
        assert (await state(rig), effect.sent(rig)) == (State.NEEDS_HUMAN, 0)


@over(EFFECTS)
async def test_stale_claim_is_abandoned_unsent(rig: Rig, effect: Effect) -> None:
    """The machine sleeps between the claim and the request."""
    await effect.before(rig)
    await rig.start_again(probe=effect.at_its_claim(lambda: rig.clock.advance(6)))
    await left(rig, effect)
    assert (await effect.outcomes(rig), effect.sent(rig)) == ([AttemptOutcome.ABANDONED], 0)
    await rig.pass_time(MINUTE)
    assert await effect.outcomes(rig) == [AttemptOutcome.ABANDONED, DONE]
    assert (effect.sent(rig), effect.done(rig)) == (1, 1)


@over(EFFECTS)
async def test_defect_after_the_claim_leaves_an_unknown_outcome(rig: Rig, effect: Effect) -> None:
    payments: Any = rig.switchboard.context.payments.client
    method = "submit_bulk" if effect is SUBMIT else effect.operation
    was, met = getattr(payments, method), []

    async def poisoned(*args: Any, **more: Any) -> Any:
        met.append(await was(*args, **more))
        raise ZeroDivisionError("a defect")

    await effect.before(rig)
    setattr(payments, method, poisoned)
    await left(rig, effect)
    assert await effect.outcomes(rig) == [UNKNOWN]
    await rig.pass_time(QUIET, steps=5)
    assert (await state(rig), effect.sent(rig), len(met), (await newest(rig)).stopped) == (effect.found, 1, 1, "")
