"""What becomes of an attempt: its outcome, its reservation, its state; and those that a dead process left behind."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bot.clients.transport import Guard
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, Kind, State
from bot.domain.payments.moves import CREATES
from bot.domain.reasons import Exchange, Reason
from bot.workflows.effect import Permit
from bot.workflows.payments import payout
from bot.workflows.requests import attempt
from bot.workflows.requests.attempt import Claimed
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import on_one_rig, planted, stored, tried, write

DAY = "2026-11-20"
NO = own_words("no")


@pytest.mark.parametrize(("works_on_it", "given_up"), [(True, 0), (False, 1)])
async def test_an_attempt_that_this_process_works_on_is_not_given_up_although_its_lease_ran_out(
    rig: Rig, works_on_it: bool, given_up: int
) -> None:
    ctx = rig.switchboard.context
    over = rig.clock.now() - timedelta(seconds=1)
    one = await planted(rig, state=State.SENDING, commits=1, lease_owner=ctx.owner, lease_until=over)
    await tried(rig, one)
    with ctx.leases.kept("instruction", (one.id if works_on_it else "another",)):
        assert await write(rig, attempt.LOST.recover) == given_up
    assert (await stored(rig, one)).state is (State.COMMIT_UNKNOWN if given_up else State.SENDING)


@on_one_rig(
    [
        (AttemptKind.CREATE, True, State.NEW, (1, 4)),
        (AttemptKind.COMMIT, False, State.APPROVED, (2, 3)),
    ]
)
async def test_what_was_certainly_not_executed_is_as_it_was_before_and_tried_again(
    rig: Rig, kind: AttemptKind, creates: bool, now_in: State, counts: tuple[int, int]
) -> None:
    now = rig.clock.now()
    state = State.CREATING if creates else State.SENDING
    one = await planted(rig, state=state, creates=2, commits=4, puts_off=1)
    made = await tried(rig, one, kind=kind)
    await write(rig, lambda tx: tx.reservations.reserve(one.id, 1, DAY, 2500, 10_000))
    outcome = NotExecuted(reason=Reason(Exchange.TOO_MANY), again=True, retry_after=7.0)
    await write(rig, lambda uow: attempt.record(uow, Claimed(made, one, False), outcome, payout.COMMITTED))
    after = await stored(rig, one)
    assert (after.state, (after.creates, after.commits), after.puts_off) == (now_in, counts, 2)
    assert after.due_at == now + timedelta(seconds=7), "the wait that the service named"
    assert await read(rig, lambda tx: tx.reservations.sum(DAY)) == 0
    assert (await read(rig, lambda tx: tx.attempts.of(one.id)))[0].outcome is AttemptOutcome.NOT_EXECUTED


@on_one_rig(
    [
        (State.SENDING, AttemptKind.COMMIT, None, 2, 0),
        (State.SENDING, AttemptKind.COMMIT, NO, 2, 0),
        (State.CREATING, AttemptKind.CREATE, None, 2, 3),
        (State.CREATING, AttemptKind.CREATE, NO, 0, 3),
    ]
)
async def test_an_unknown_outcome_is_read_after_two_seconds_and_that_of_a_refused_create_at_once(
    rig: Rig, state: State, kind: AttemptKind, refusal: Reason | None, due: int, puts_off: int
) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=state, reads=2, last_read_at=now, suspect="r8", puts_off=3)
    made, outcome = await tried(rig, one, kind=kind), Unknown(reason=NO_ANSWER, refusal=refusal)
    await write(rig, lambda uow: attempt.lose(uow, one, made, outcome))
    after = await stored(rig, one)
    assert after.due_at == now + timedelta(seconds=due)
    assert (after.unknown_since, after.refusal, after.suspect) == (now, refusal, None)
    assert (after.reads, after.last_read_at, after.puts_off) == (0, None, puts_off)


@on_one_rig(sorted(CREATES))
async def test_a_stopped_process_leaves_a_create_behind_whose_attempt_is_missing(rig: Rig, kind: Kind) -> None:
    one = await planted(rig, kind, state=State.CREATING, creates=1, lease_owner="dead")
    assert await write(rig, attempt.LOST.recover) == 1
    assert (await stored(rig, one)).state is State.CREATE_UNKNOWN


@pytest.mark.parametrize("outcome", [None, AttemptOutcome.OPEN, AttemptOutcome.DONE])
async def test_a_state_that_somebody_wrote_keeps_no_other_from_being_recovered(
    rig: Rig, outcome: AttemptOutcome | None
) -> None:
    """A request that was only created, written as being sent: it is read as one that may have been."""
    forged = await planted(rig, state=State.SENDING, creates=1, lease_owner="dead")
    if outcome is not None:
        await tried(rig, forged, kind=AttemptKind.CREATE, outcome=outcome)
    other = await planted(rig, state=State.SENDING, commits=1, lease_owner="dead")
    await tried(rig, other)
    assert await write(rig, attempt.LOST.recover) == 2
    assert (await stored(rig, forged)).state is State.COMMIT_UNKNOWN
    assert (await stored(rig, other)).state is State.COMMIT_UNKNOWN


async def test_after_a_claim_that_made_no_attempt_the_workers_look_again(rig: Rig) -> None:
    client = there(rig.switchboard.context.payments.client)
    looked: list[str] = []
    ctx = replace(rig.switchboard.context, wake=lambda: looked.append("again"))

    async def claim(_: Permit) -> Claimed | None:
        return None

    async def request(_claimed: Claimed, _guard: Guard) -> NotExecuted:
        raise AssertionError("nothing was claimed")

    await attempt.attempt_once(ctx, client.circuit, claim, request, payout.COMMITTED, name="sent")
    assert looked == ["again"]
