"""Lists as due work: each is prepared and asked row by row, or sent as a whole file once."""

from collections.abc import Awaitable, Callable
from datetime import timedelta
from functools import partial

import structlog

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import RUN, WHOLE, RunState
from bot.domain.errors import OutcomeUnknown, ServiceNow
from bot.domain.tracking import named_or
from bot.domain.troubles import FileTrouble, unusable
from bot.workflows.context import Context, Unit
from bot.workflows.emails.lists import EXAMPLE, prepare, tell
from bot.workflows.emails.run import Run
from bot.workflows.emails.whole import send_whole
from bot.workflows.reading_only import reading_only
from bot.workflows.slack.dropped_files import TROUBLE
from bot.workflows.workers import Work, elsewhere
from storage.rows import Hold, Job

log = structlog.get_logger(__name__)

_AT_ONCE = 100
"""Lists of a kind that a process works on: all of them share the requests that the service allows."""
_READ_AGAIN = 5.0
_READ_TRIES = 6

Step = Callable[[Context, EmailsClient, Job], Awaitable[None]]


async def _row_by_row(ctx: Context, client: EmailsClient, job: Job) -> None:
    """Prepare the list, if that is still to be done, and ask for its addresses as far as possible."""
    if job.state == RunState.PREPARING:
        await prepare(ctx, job)

        def begin(uow: Unit) -> Job:
            current = uow.jobs.get(job.id) or job
            if current.state != RunState.PREPARING:
                return current
            return uow.jobs.move(current, RunState.RUNNING, keep_lease=True) or current

        job = await ctx.write(begin, name="email_run", wakes=False)
    await Run(ctx=ctx, client=client, job=job).go()


async def _step(ctx: Context, step: Step, job: Job) -> None:
    """Process one list as far as possible; an error of the file itself ends it with a sentence."""
    try:
        await step(ctx, ctx.emails.required(), job)
    except (ServiceNow, OutcomeUnknown) as trouble:  # the file could not be read for now; nothing was sent
        silent = trouble if isinstance(trouble, ServiceNow) else ServiceNow(trouble.service, trouble.reason)
        tries = int(job.detail.get("reads", 0)) + 1
        if tries >= _READ_TRIES:
            await _fail(ctx, job, silent)
            return
        wait = named_or(silent.retry_after, timedelta(seconds=_READ_AGAIN * tries))

        def later(uow: Unit) -> None:
            current = uow.jobs.get(job.id)
            if current is not None:
                uow.jobs.touch(current, detail={**current.detail, "reads": tries}, due_at=uow.now + wait)

        await ctx.write(later, name="email_read_later", wakes=False)
    except TROUBLE as trouble:
        await _fail(ctx, job, trouble)


async def _fail(ctx: Context, job: Job, trouble: FileTrouble) -> None:
    def fail(uow: Unit) -> None:
        current = uow.jobs.get(job.id)
        if current is not None:
            reason = unusable(trouble, example=EXAMPLE)
            uow.jobs.move(current, RunState.FAILED, detail={**current.detail, "reason": reason.stored()})
            tell(uow, job, key="end", state=RunState.FAILED, reason=reason)

    log.info("a list could not be processed", job=job.id, reason=type(trouble).__name__)
    await ctx.write(fail, name="email_fail", wakes=False)


def _work(name: str, kind: str, step: Step, *, once: bool) -> Work[Job]:
    """``once``: its request is sent once, so it waits while the database may be older than the service."""

    def claim(uow: Unit, hold: Hold) -> list[Job]:
        if once and reading_only(uow):
            return []
        return elsewhere(uow, "job", uow.jobs.claim_due(kind=kind, **hold))

    return Work(
        name=name,
        table="job",
        kind=kind,
        slots=_AT_ONCE,
        claim=claim,
        step=lambda ctx: partial(_step, ctx, step),
        ready=lambda ctx: ctx.emails.is_configured,
    )


WORKS = (_work("lists", RUN, _row_by_row, once=False), _work("whole files", WHOLE, send_whole, once=True))
