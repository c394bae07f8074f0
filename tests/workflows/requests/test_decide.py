"""A person's decision, case by case: what refuses it, what it stores, and what the last vote sets off."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.approvals import Count, No, Refusal
from bot.domain.payments.instruction import Choice, Instruction, Kind, State, Vote
from bot.domain.reasons import OfRequest, Reason
from bot.playground.faults import Fault, FaultKind
from bot.workflows.requests import authority, decide, send
from bot.workflows.requests.decide import Decision
from tests.support.reasons import own_words
from tests.support.rig import ADA, LIN, MARIA, OLGA, ZOE, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import read, there
from tests.workflows.planted import everything_stored, made, on_one_rig, planted, stored, voted, write

HOUR, SECOND = timedelta(hours=1), timedelta(seconds=1)


def click(one: Instruction, person: str, **changes: Any) -> Decision:
    return Decision(**{"instruction_id": one.id, "round": one.round, "person": person, **changes})


async def audited(rig: Rig, one: Instruction) -> list[tuple[str, str]]:
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == one.id])
    return [(row.actor, row.action) for row in rows[1:]]


async def test_the_requester_and_the_voters_of_this_round_are_involved(rig: Rig) -> None:
    one = await planted(rig, round=2)
    await voted(rig, one, ADA, round=1)
    await voted(rig, one, LIN)
    assert await authority.involved_in(rig.switchboard.context, one.id) == {MARIA, LIN}


async def test_what_is_not_there_cannot_be_decided(rig: Rig) -> None:
    with pytest.raises(LookupError, match="nothing"):
        await decide.withdraw(rig.switchboard.context, Decision(instruction_id="nothing", round=1, person=MARIA))


@on_one_rig([
    ("1500.00", None), ("1500", None), ("$1,500.00", None), ("1500usd", None),
    ("$1,500.00", None), ("1,500.00 USD", None), ("1500", None), ("1,500", Refusal.WRONG_AMOUNT),
    ("1500.01", Refusal.WRONG_AMOUNT), ("", Refusal.WRONG_AMOUNT), (None, Refusal.WRONG_AMOUNT),
    ("1500.00 EUR", Refusal.WRONG_AMOUNT), ("150000", Refusal.WRONG_AMOUNT),
])  # fmt: skip
async def test_the_typed_amount_is_that_of_the_request(rig: Rig, typed: str | None, refusal: Refusal | None) -> None:
    one = made(rig, payload=made(rig).payload.model_copy(update={"cents": 150_000}))
    assert decide._is_amount(typed, one) is (refusal is None)


@on_one_rig([(-SECOND, False), (timedelta(), True)])
async def test_what_expired_is_neither_approved_nor_rejected(rig: Rig, late: timedelta, refused: bool) -> None:
    one = await planted(rig, expires_at=rig.clock.now() - late)
    assert (decide._expired(one, rig.clock.now()) is Refusal.EXPIRED) is refused
    assert decide._expired(replace(one, expires_at=None), rig.clock.now()) is None


@on_one_rig(
    [
        ({"creates": 2, "commits": 0}, State.CREATE_UNKNOWN, 0, 4, True),
        ({"creates": 1, "commits": 1}, State.APPROVED, 1, 3, False),
    ]
)
async def test_the_last_vote_for_another_attempt_sends_again_or_looks_again_for_what_was_created(
    rig: Rig, like: dict[str, Any], state: State, creates: int, number: int, anew: bool
) -> None:
    now = rig.clock.now()
    one = await planted(
        rig, state=State.NEEDS_HUMAN, round=3, reason=own_words("unclear"), unknown_since=now - HOUR, **like
    )
    last = Vote(instruction_id=one.id, round=3, person=LIN, choice=Choice.RETRY, at=now)
    await write(rig, lambda uow: decide._counted(uow, one, last, Count(frozenset({LIN}), {})))
    after = await stored(rig, one)
    assert (after.state, after.creates, after.round, after.decided_by) == (state, creates, number, LIN)
    assert (after.reason, after.due_at) == (None, now)
    assert after.unknown_since == (now if anew else now - HOUR)
    assert after.exec_deadline == (None if anew else now + HOUR)


async def test_closing_what_was_sent_has_it_read_an_hour_later(rig: Rig) -> None:
    ctx = rig.switchboard.context
    rig.payments.faults.arm(Fault(FaultKind.LOST, "commit_payout"))
    await rig.pay()
    await rig.press("approve", user=ADA)
    await rig.pass_time(1_200, steps=6)
    (one,) = await read(rig, lambda tx: tx.instructions.awaiting([State.NEEDS_HUMAN]))
    assert (await decide.close_as_not_paid(ctx, click(one, ZOE), reason="no")).refusal is No.NOT_APPROVER
    assert (await decide.retry(ctx, click(one, LIN), typed_amount="24.99")).refusal is Refusal.WRONG_AMOUNT
    said = await decide.close_as_not_paid(ctx, click(one, LIN), reason="no")
    assert (said.instruction.state, said.instruction.due_at) == (State.CLOSED, rig.clock.now() + HOUR)


@pytest.mark.parametrize(("state", "more", "refusal"), [
    (State.NEW, {}, None), (State.AWAITING, {}, None), (State.APPROVED, {}, None),
    (State.CREATING, {}, Refusal.TOO_EARLY), (State.CREATE_UNKNOWN, {}, Refusal.TOO_EARLY),
    (State.APPROVED, {"commits": 1}, Refusal.TOO_LATE), (State.SENDING, {}, Refusal.TOO_LATE),
    (State.NEEDS_HUMAN, {}, Refusal.TOO_LATE), (State.COMPLETED, {}, Refusal.TOO_LATE),
])  # fmt: skip
async def test_a_request_is_withdrawn_while_nothing_was_sent(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, state: State, more: dict[str, Any], refusal: Refusal | None
) -> None:
    ctx = rig.switchboard.context
    monkeypatch.setattr(decide, "may_decide_on", lambda *_: True)  # what was planted has no sealed rows
    one = await planted(rig, state=state, **more)
    assert (await decide.withdraw(ctx, click(one, ADA), reason="mine")).refusal is Refusal.NOT_YOURS
    unsaid = await decide.withdraw(ctx, click(one, OLGA), reason=" ")
    assert unsaid.refusal is (refusal or Refusal.NO_REASON)
    said = await decide.withdraw(ctx, click(one, MARIA))
    assert (said.refusal, said.instruction.state) == (refusal, state if refusal else State.WITHDRAWN)


async def test_one_that_is_no_longer_held_is_looked_at_when_it_would_have_been(rig: Rig) -> None:
    now = rig.clock.now()
    reason = Reason(OfRequest.HELD, no=No.GONE.value, sent_before=False)
    one = await planted(rig, reason=reason, due_at=now + HOUR)
    await write(rig, lambda uow: send.resumed(uow, one))
    after = await stored(rig, one)
    assert (after.reason, after.due_at) == (None, now + HOUR)


@on_one_rig(
    [
        (State.NEW, {}, State.NEW, None),
        (State.AWAITING, {}, State.AWAITING, None),
        (State.APPROVED, {}, State.AWAITING, timedelta()),
        (State.APPROVED, {"commits": 1}, State.NEEDS_HUMAN, HOUR),
        (State.NEEDS_HUMAN, {"commits": 1}, State.NEEDS_HUMAN, None),
    ]
)
async def test_what_its_requester_may_no_longer_ask_for_goes_back_with_every_approval_void(
    rig: Rig, state: State, like: dict[str, Any], back: State, due: timedelta | None
) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=state, decided_by=ADA, exec_deadline=now + HOUR, **like)
    await voted(rig, one, ADA)
    await write(rig, lambda uow: send.suspend(uow, one, No.GONE))
    after = await stored(rig, one)
    assert (after.state, after.round) == (back, 2)
    assert after.reason == Reason(OfRequest.HELD, no=No.GONE.value, sent_before=bool(like))
    if state is State.APPROVED:
        assert (after.decided_by, after.exec_deadline, after.due_at) == ("", None, now + (due or timedelta()))
    before = everything_stored(rig)
    again = await write(rig, lambda uow: send.suspend(uow, after, No.GONE))
    assert (again, everything_stored(rig)) == (after, before), "nothing is new"


async def test_without_votes_the_round_stays_when_it_is_held(rig: Rig) -> None:
    one = await planted(rig, Kind.ONE_STEP)
    held_back = there(await write(rig, lambda uow: send.suspend(uow, one, No.GONE)))
    assert held_back.round == 1
    assert await audited(rig, one) == [("switchboard", "suspended")]
