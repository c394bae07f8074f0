"""A call that ends without a result."""

from bot.domain.localization.progress import CallProgress, CallState
from bot.domain.reasons import Reason
from bot.workflows.context import Context, Unit
from bot.workflows.keeping import keep
from bot.workflows.localization.request import show_queue, subject_of
from bot.workflows.localization.subject import FAILURE
from bot.workflows.slack.boards import post_line, show_board
from storage.rows import Job


async def end(ctx: Context, job: Job, state: CallState, *, reason: Reason | None, words: str = "") -> None:
    """Close it, edit its message and tell the requester; nothing when it was ended meanwhile."""
    now = ctx.clock.now()

    def work(uow: Unit) -> None:
        progress = CallProgress.read(job.detail).but(ended_at=now, reason=reason, words=words, deliveries=())
        if uow.jobs.change(job, now=now, state=state, detail=progress.detail(), close=True) is None:
            return
        subject = subject_of(job.id)
        show_board(uow, subject, last=True)
        post_line(uow, subject=subject, key="end", payload={"what": FAILURE}, last=True)
        show_queue(uow, job.kind)

    await keep(ctx, work, name="end_localization")
    ctx.wake()
