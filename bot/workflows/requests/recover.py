"""What a process that died left behind: claims whose request may or may not have left."""

import structlog

from bot.domain.outcome import Unknown
from bot.domain.payments.instruction import AttemptOutcome, Instruction, State
from bot.workflows.bookings import book
from bot.workflows.context import Context
from bot.workflows.payments import commit, create
from bot.workflows.slack.outbox import SCAN_AFTER
from storage.transaction import Tx

_ENDED = "the process ended before the answer was stored"

log = structlog.get_logger(__name__)


async def recover(ctx: Context) -> int:
    """At start: let go of what an earlier process merely read, then as :func:`recover_claims`.

    It looks at every row that somebody may hold, so it is for the start alone.
    """
    if ctx.store.exclusive:
        await ctx.store.write(lambda tx: _free(ctx, tx), name="free")
    return await recover_claims(ctx)


async def recover_claims(ctx: Context) -> int:
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
    left = [one for one in left if not ctx.leases.holds("instruction", (one.id,))]
    for instruction in left:
        lose(ctx, tx, instruction, _ENDED)
    posts = tx.outbox.recover(owner=ctx.owner, now=now, exclusive=exclusive, look_at=now + SCAN_AFTER)
    lost = tx.bookings.abandoned(now=now, owner=ctx.owner, exclusive=exclusive)
    lost = [one for one in lost if not ctx.leases.holds("booking", (one.id,))]
    for booking in lost:
        book.lose(ctx, tx, booking, Unknown(reason=_ENDED), now)
    return len(left) + len(lost) + posts


def _free(ctx: Context, tx: Tx) -> None:
    """What a dead process merely read needs no care, only its lease must not stand in the way."""
    tx.instructions.recover(owner=ctx.owner)
    tx.inbox.recover(ctx.owner)
    tx.tracked.recover(ctx.owner)
    tx.jobs.recover(ctx.owner)
    tx.dropped.recover(ctx.owner)
    tx.bookings.recover(ctx.owner)
    tx.store_events.recover(ctx.owner)
    now = ctx.clock.now()
    tx.boards.hasten(now)


def lose(ctx: Context, tx: Tx, instruction: Instruction, reason: str) -> None:
    """Nobody knows what became of the request that was under way: from here on it is read."""
    now = ctx.clock.now()
    attempts = tx.attempts.of(instruction.id)
    still_open = [one for one in attempts if one.outcome is AttemptOutcome.OPEN]
    if not still_open:
        # No path leads here; but one row that nobody understands must not keep every other from being recovered.
        log.error("an attempt is over and its request is not", reference=instruction.reference, state=instruction.state)
    give_up = create.lose if instruction.state is State.CREATING else commit.lose
    give_up(ctx, tx, instruction, (still_open or attempts)[-1], Unknown(reason=reason), now)
