"""What a process that died left behind: claims whose request may or may not have left."""

import structlog

from bot.domain.instruction import AttemptOutcome, Instruction, State
from bot.workflows import commit, create
from bot.workflows.bookings import book
from bot.workflows.context import Context
from bot.workflows.deliver import SCAN_AFTER
from storage.transaction import Tx

log = structlog.get_logger(__name__)


async def recover(ctx: Context) -> int:
    """Turn abandoned claims into unknown outcomes; returns how many there were.

    Where no other process can be alive (SQLite) every claim of another owner is abandoned; otherwise
    only those whose lease has run out.
    """
    count = await ctx.store.write(lambda tx: _recover(ctx, tx), name="recover")
    if count:
        log.warning("found requests that an earlier process left without an outcome", count=count)
        ctx.wake()
    return count


def _recover(ctx: Context, tx: Tx) -> int:
    now = ctx.clock.now()
    exclusive = ctx.store.exclusive
    left = tx.instructions.abandoned(now=now, owner=ctx.owner, exclusive=exclusive)
    for instruction in left:
        _lose(ctx, tx, instruction)
    posts = tx.outbox.recover(owner=ctx.owner, now=now, exclusive=exclusive, look_at=now + SCAN_AFTER)
    lost = tx.bookings.abandoned(now=now, owner=ctx.owner, exclusive=exclusive)
    for booking in lost:
        book.lose(ctx, tx, booking, "the process ended before the answer was stored", now)
    if exclusive:
        # What a dead process merely read needs no care, only its lease must not stand in the way.
        tx.instructions.recover(owner=ctx.owner)
        tx.inbox.recover(ctx.owner)
        tx.tracked.recover(ctx.owner)
        tx.jobs.recover(ctx.owner)
        tx.dropped.recover(ctx.owner)
        tx.bookings.recover(ctx.owner)
        tx.store_events.recover(ctx.owner)
    return len(left) + len(lost) + posts


def _lose(ctx: Context, tx: Tx, instruction: Instruction) -> None:
    now = ctx.clock.now()
    still_open = [a for a in tx.attempts.of(instruction.id) if a.outcome is AttemptOutcome.OPEN]
    if not still_open:
        raise LookupError(f"{instruction.reference} is {instruction.state} without an open attempt")
    lose = create.lose if instruction.state is State.CREATING else commit.lose
    lose(ctx, tx, instruction, still_open[-1], "the process ended before the answer was stored", now)
