"""A call that ends without a result."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from bot.domain.localization.progress import Progress, State
from bot.workflows.boards import post_line, show_board
from bot.workflows.localization.asking import show_queue, subject_of
from bot.workflows.localization.subject import FAILURE
from storage.errors import StorageError
from storage.rows import Job
from storage.transaction import Tx

if TYPE_CHECKING:  # the context holds what runs
    from bot.workflows.context import Context


T = TypeVar("T")

_TRIES, _PAUSE = 6, 0.5


async def durably(ctx: "Context", work: Callable[[Tx], T], *, name: str) -> T:
    """Store what came of a call, which may have been billed: a busy database is asked again for a few seconds.

    Doing it twice changes nothing, because each change names the version that it changes.
    """
    for left in range(_TRIES - 1, -1, -1):
        try:
            return await ctx.store.write(work, name=name)
        except StorageError:
            if not left:
                raise
            await asyncio.sleep(_PAUSE)
    raise AssertionError("the last try returns or raises")


async def end(ctx: "Context", job: Job, state: State, *, reason: str, words: str = "") -> None:
    """Close it, edit its message and tell who asked; nothing when somebody else has ended it meanwhile."""
    now = ctx.clock.now()

    def work(tx: Tx) -> None:
        progress = Progress.read(job.detail).but(ended_at=now, reason=reason, words=words, deliveries=())
        if tx.jobs.change(job, now=now, state=state, detail=progress.detail(), close=True) is None:
            return
        subject = subject_of(job.id)
        show_board(tx, subject, now=now)
        post_line(tx, subject=subject, key="end", payload={"what": FAILURE}, now=now)
        show_queue(tx, job.kind, now=now)

    await durably(ctx, work, name="end_localization")
    ctx.wake()
