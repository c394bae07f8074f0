"""What a process that died left behind: claims whose request may or may not have left."""

import structlog

from bot.workflows.context import Context, Unit

log = structlog.get_logger(__name__)


async def recover(ctx: Context) -> int:
    """At start: end the leases of steps that only read, then as :func:`recover_claims`.

    It looks at every row that may have a lease, so it is for the start alone.
    """
    if ctx.store.exclusive:
        await ctx.write(_free, name="free", wakes=False)
    return await recover_claims(ctx)


async def recover_claims(ctx: Context) -> int:
    """Turn abandoned claims into unknown outcomes; returns how many there were.

    Where no other process can be alive (SQLite) every claim of another owner is abandoned; otherwise
    only those whose lease has run out.
    """
    count = await ctx.write(lambda uow: sum(each(uow) for each in ctx.recoveries), name="recover", wakes=False)
    if count:
        log.warning("found requests that an earlier process left without an outcome", count=count)
        ctx.wake()
    return count


def _free(uow: Unit) -> None:
    """A step of a dead process that only read needs nothing but the end of its lease."""
    for rows in (uow.instructions, uow.inbox, uow.tracked, uow.jobs, uow.dropped, uow.bookings, uow.store_events):
        rows.recover(uow.owner)
    uow.boards.hasten(uow.now)
