"""Processes every due list, several at a time, until none is left.

One per process. It is a worker: every tick runs it, and it claims what is due. While it works it looks for more by
itself.
"""

import asyncio
import secrets
from collections.abc import Callable
from datetime import timedelta
from functools import partial

import structlog

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import RUN, WHOLE, RunState
from bot.domain.errors import OutcomeUnknown, ServiceNow
from bot.domain.tracking import named_or
from bot.domain.troubles import FileTrouble, unusable
from bot.workflows import quarantine
from bot.workflows.context import Context, Unit
from bot.workflows.emails.lists import EXAMPLE, prepare, tell
from bot.workflows.emails.run import Pressure, Run, hold_lease
from bot.workflows.emails.whole import lose_whole, send_whole
from bot.workflows.reading_only import reading_only
from bot.workflows.slack.table_files import TROUBLE
from storage.errors import StorageError
from storage.leases import LEASE_SECONDS
from storage.rows import Job
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_AT_ONCE = 10
_LOOK_SECONDS = 1.0
_LEASE_EVERY = LEASE_SECONDS / 4
_READ_AGAIN = 5.0
_READ_TRIES = 6
_STOP_SECONDS = 2.0
_AFTER_STORAGE = timedelta(seconds=5)


class EmailEngine:
    """The lists that this process works on.

    Args:
        monotonic: seconds of a clock that is never set.
    """

    def __init__(self, *, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._pressure = Pressure(clock=monotonic)
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news = asyncio.Event()
        self._stopping = False
        self._leased_at = 0.0

    def wake(self, *, at_once: bool = False) -> None:
        """Look for due lists. ``at_once``: a person resumes; ignore the wait that the service asked for."""
        if at_once:
            self._pressure.forget()
        self._news.set()

    async def stop(self) -> None:
        """Send nothing more and store the answers that arrive in a moment; the next process asks for the rest again."""
        self._stopping = True
        self._news.set()
        if not self._tasks:
            return
        _, late = await asyncio.wait(self._tasks.values(), timeout=_STOP_SECONDS)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    async def run_due(self, ctx: Context) -> int:
        """Work until nothing is due; returns how many lists there were."""
        client = ctx.emails.client
        if client is None:
            return 0
        found = 0
        while not self._stopping:
            found += await self._begin_due(ctx, client)
            if not self._tasks:
                return found
            await self._wait()
            await self._keep_leases(ctx)
        if self._tasks:
            await asyncio.gather(*self._tasks.values(), return_exceptions=True)
        return 0

    async def _begin_due(self, ctx: Context, client: EmailsClient) -> int:
        now = ctx.clock.now()

        def claim(uow: Unit) -> list[Job]:
            return [
                job
                for kind in ((RUN,) if reading_only(uow) else (RUN, WHOLE))  # a whole file is sent once
                for job in uow.jobs.claim_due(
                    kind=kind, now=now, owner=ctx.owner, lease_seconds=LEASE_SECONDS, limit=_AT_ONCE
                )
            ]

        if not await ctx.read(lambda uow: any(job.due_at and job.due_at <= now for job in _open(uow))):
            return 0
        begun = [job for job in await ctx.write(claim, name="claim_emails", wakes=False) if job.id not in self._tasks]
        for job in begun:
            task = asyncio.create_task(self._work(ctx, client, job), name=f"list {job.id}")
            self._tasks[job.id] = task
            task.add_done_callback(partial(self._ended, job.id))
        return len(begun)

    def _ended(self, job_id: str, task: asyncio.Task[None]) -> None:
        """Drop the task; a list that could not be put off is claimed again when its lease has run out."""
        self._tasks.pop(job_id, None)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("a list could not be put off", job=job_id, error=type(error).__name__)
        self._news.set()

    async def _wait(self) -> None:
        try:
            async with asyncio.timeout(_LOOK_SECONDS):
                await self._news.wait()
        except TimeoutError:
            pass  # time to look whether something became due
        self._news.clear()

    async def _keep_leases(self, ctx: Context) -> None:
        if self._monotonic() - self._leased_at < _LEASE_EVERY:
            return
        self._leased_at = self._monotonic()
        for job_id in list(self._tasks):
            await hold_lease(ctx, job_id)

    async def _work(self, ctx: Context, client: EmailsClient, job: Job) -> None:
        """Process one list as far as possible; an error of the file itself ends it with a sentence."""
        try:
            await self._step(ctx, client, job)
        except ServiceNow as silent:
            await _read_later(ctx, job, silent)
        except OutcomeUnknown as silent:
            await _read_later(ctx, job, ServiceNow(silent.service, silent.reason))
        except TROUBLE as trouble:
            await _fail(ctx, job, trouble)
        except StorageError as busy:
            log.warning("a list waits for the database", job=job.id, reason=str(busy))
            await _put_off(ctx, job.id, _AFTER_STORAGE)
        except Exception as error:
            # One list must not stop the others; it is claimed again later and continues.
            number = secrets.token_hex(4)
            log.exception("the work on a list failed", job=job.id, error_id=number)
            await quarantine.stumbled(ctx, "job", job, number=number, error=type(error).__name__)

    async def _step(self, ctx: Context, client: EmailsClient, job: Job) -> None:
        if job.kind == WHOLE:
            await (lose_whole(ctx, job) if job.state == RunState.SENDING else send_whole(ctx, client, job))
            return
        if job.state == RunState.PREPARING:
            await prepare(ctx, job)
            await ctx.write(lambda uow: _begin_run(uow, job.id), name="email_run", wakes=False)
            job = await ctx.read(partial(_again, job=job))
        await Run(ctx=ctx, client=client, job=job, pressure=self._pressure, stopping=lambda: self._stopping).go()


def _again(tx: Tx, *, job: Job) -> Job:
    return tx.jobs.get(job.id) or job


def _open(tx: Tx) -> list[Job]:
    return [*tx.jobs.open(RUN), *tx.jobs.open(WHOLE)]


def _begin_run(uow: Unit, job_id: str) -> None:
    job = uow.jobs.get(job_id)
    if job is not None and job.state == RunState.PREPARING:
        uow.jobs.move(job, RunState.RUNNING, keep_lease=True)


async def _read_later(ctx: Context, job: Job, silent: ServiceNow) -> None:
    """The file could not be read for now; nothing was sent."""
    tries = int(job.detail.get("reads", 0)) + 1
    if tries >= _READ_TRIES:
        await _fail(ctx, job, silent)
        return
    wait = named_or(silent.retry_after, timedelta(seconds=_READ_AGAIN * tries))

    def later(uow: Unit) -> None:
        current = uow.jobs.get(job.id)
        if current is not None:
            detail = {**current.detail, "reads": tries}
            uow.jobs.touch(current, detail=detail, due_at=uow.now + wait)

    await ctx.write(later, name="email_read_later", wakes=False)


async def _fail(ctx: Context, job: Job, trouble: FileTrouble) -> None:

    def fail(uow: Unit) -> None:
        current = uow.jobs.get(job.id)
        if current is not None:
            reason = unusable(trouble, example=EXAMPLE)
            detail = {**current.detail, "reason": reason.stored()}
            uow.jobs.move(current, RunState.FAILED, detail=detail)
            tell(uow, job.id, key="end", state=RunState.FAILED, reason=reason)

    log.info("a list could not be processed", job=job.id, reason=type(trouble).__name__)
    await ctx.write(fail, name="email_fail", wakes=False)


async def _put_off(ctx: Context, job_id: str, pause: timedelta) -> None:
    def put_off(uow: Unit) -> None:
        job = uow.jobs.get(job_id)
        if job is not None and job.closed_at is None:
            uow.jobs.touch(job, due_at=uow.now + pause)

    await ctx.write(put_off, name="email_put_off", wakes=False)
