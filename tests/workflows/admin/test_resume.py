"""Sending again after a restore: which votes are void, whose clock begins anew, what is merely released."""

from datetime import timedelta
from typing import Any

from bot.domain.payments.instruction import Choice, State, Vote
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import ReadingOnly
from bot.workflows.admin.resume import _reopen
from bot.workflows.context import Unit
from tests.support.reasons import own_words
from tests.support.rig import ADA, Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig, planted, stored

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
DAY = timedelta(hours=24)


@on_one_rig(
    [
        # state, age when it was noticed, votes, more, then: asked again, state, round, time to decide
        (State.APPROVED, HOUR, True, {"posted_at": True}, True, State.AWAITING, 2, DAY),
        (State.APPROVED, HOUR, True, {}, True, State.AWAITING, 2, None),
        (State.APPROVED, timedelta(), False, {"commits": 1, "posted_at": True}, True, State.NEEDS_HUMAN, 2, DAY),
        (State.APPROVED, -SECOND, True, {}, False, State.APPROVED, 1, HOUR),
        (State.AWAITING, HOUR, True, {"posted_at": True}, True, State.AWAITING, 2, DAY),
        (State.AWAITING, HOUR, True, {}, True, State.AWAITING, 2, None),
        (State.AWAITING, HOUR, False, {}, False, State.AWAITING, 1, HOUR),
        (State.AWAITING, -SECOND, True, {}, False, State.AWAITING, 1, HOUR),
        (State.NEEDS_HUMAN, HOUR, True, {"posted_at": True}, True, State.NEEDS_HUMAN, 2, HOUR),
        (State.NEW, HOUR, False, {}, False, State.NEW, 1, HOUR),
    ]
)
async def test_what_was_decided_before_is_decided_again(
    rig: Rig,
    state: State,
    age: timedelta,
    voted: bool,
    like: dict[str, Any],
    again: bool,
    after: State,
    number: int,
    expires: timedelta | None,
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    posted: dict[str, Any] = {"posted_at": now - HOUR} if like.pop("posted_at", False) else {}
    one = await planted(
        rig, state=state, created_at=now - age, expires_at=now + HOUR, exec_deadline=now + HOUR, decided_by=ADA,
        due_at=now + HOUR, **posted, **like,
    )  # fmt: skip
    if voted:
        vote = Vote(instruction_id=one.id, round=1, person=ADA, choice=Choice.APPROVE, at=now)
        await ctx.store.write(lambda tx: tx.votes.cast(vote))
    mode = ReadingOnly(since=now, reason=own_words("put back"), until=now)
    assert await ctx.store.write(lambda tx: _reopen(Unit(tx, now=now), mode, one)) is again
    found = await stored(rig, one)
    assert (found.state, found.round) == (after, number)
    assert found.expires_at == (None if expires is None else now + expires)
    assert found.reason == (Reason(OfRequest.ASK_AGAIN) if again else None)
    assert found.due_at == (now if again else now + HOUR)
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == one.id])
    assert [row.action for row in rows[1:]] == (["approve_again"] if again else [])
    if state is State.APPROVED and again:
        assert (found.decided_by, found.exec_deadline) == ("", None)


async def test_what_was_held_is_released_at_once(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    mode = ReadingOnly(since=now, reason=own_words("put back"), until=now)
    one = await planted(rig, state=State.NEW, reason=Reason(OfRequest.RESTORED), due_at=now + HOUR)
    assert not await ctx.store.write(lambda tx: _reopen(Unit(tx, now=now), mode, one))
    after = await stored(rig, one)
    assert (after.reason, after.due_at) == (None, now)
