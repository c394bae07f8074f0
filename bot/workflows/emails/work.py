"""Lists as due work: each is prepared and checked row by row, or sent once as a whole file.

The result of a whole file is passed on, with formulas neutralized and secrets redacted.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any

import structlog

from bot.clients.emails import RESULT_BYTES, SERVICE, EmailsClient
from bot.clients.transport import Guard
from bot.domain.emails.lists import (
    RUN,
    WHOLE,
    Answer,
    FileAnswer,
    Link,
    Receipt,
    Returned,
    ReturnedRows,
    RunState,
    is_shortened,
)
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.files.columns import address_in
from bot.domain.files.tables import Flaw, Limits, Table, TableProblem
from bot.domain.outcome import NotExecuted, Unknown
from bot.domain.reasons import OfList, Reason
from bot.domain.tracking import back_off, named_or
from bot.domain.troubles import FileTrouble, unusable
from bot.tables.apart import read_apart
from bot.tables.delimited import rewritten, write_csv
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Permit, once
from bot.workflows.emails.lists import EXAMPLE, check_column, prepare, read_list, stem, tell
from bot.workflows.emails.run import RESULT, Run
from bot.workflows.restored import restored
from bot.workflows.slack.boards import post_file
from bot.workflows.slack.dropped_files import TROUBLE
from bot.workflows.workers import Work, elsewhere
from storage.rows import EmailRun, Hold, Job

log = structlog.get_logger(__name__)

_AT_ONCE = 100
"""Lists of one kind in progress per process: all of them share the requests that the service allows."""
_READ_TRIES = 6
_BLOCK = 256 * 1024
_NO_NAME = "list"
_TRIES = 5
_NO_LIMITS = Limits(size=10 * RESULT_BYTES, rows=10_000_000, columns=1_000)

Step = Callable[[Context, EmailsClient, Job], Awaitable[None]]


async def _row_by_row(ctx: Context, client: EmailsClient, job: Job) -> None:
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
    """Process one list as far as possible; an error in the file itself ends it with a reason."""
    tries = int(job.detail.get("reads", 0)) + 1
    try:
        await step(ctx, ctx.emails.required(), job)
    except (ServiceNow, OutcomeUnknown) as silent:  # the file can't be read now; nothing was sent
        named = silent.retry_after if isinstance(silent, ServiceNow) else None
        trouble: FileTrouble = silent if isinstance(silent, ServiceNow) else ServiceNow(silent.service, silent.reason)
        again_in = named_or(named, timedelta(seconds=5.0 * tries)) if tries < _READ_TRIES else None
    except TROUBLE as unreadable:
        trouble, again_in = unreadable, None
    else:
        return

    def work(uow: Unit) -> None:
        current = uow.jobs.get(job.id)
        if current is None:
            return
        if again_in is not None:
            uow.jobs.touch(current, detail={**current.detail, "reads": tries}, due_at=uow.now + again_in)
            return
        reason = unusable(trouble, example=EXAMPLE)
        uow.jobs.move(current, RunState.FAILED, detail={**current.detail, "reason": reason.stored()})
        tell(uow, job, key="end", state=RunState.FAILED, reason=reason)

    if again_in is None:
        log.info("a list could not be processed", job=job.id, reason=type(trouble).__name__)
    await ctx.write(work, name="email_fail" if again_in is None else "email_read_later", wakes=False)


@dataclass(frozen=True, slots=True)
class _Ended:
    state: RunState
    detail: dict[str, Any]
    file: Returned | None = None


async def send_whole(ctx: Context, client: EmailsClient, job: Job) -> None:
    """Read the file, claim the only attempt, send it, store the outcome. Raises like ``read_list``, before sending."""
    if job.state == RunState.SENDING:  # its process died, so it is unknown whether the service has the file
        lost = _Ended(RunState.UNKNOWN, {**job.detail, "reason": Reason(OfList.ANSWER_LOST).stored()})
        await ctx.write(lambda uow: _end(uow, job, lost), name="email_lost", wakes=False)
        return
    column = int(job.payload["column"])

    def content_of(table: Table) -> tuple[Table, bytes]:
        check_column(table, column)
        cells = (row.cells for row in table.rows)
        rows = ([*one[:column], address_in(one[column]) or one[column], *one[column + 1 :]] for one in cells)
        return table, write_csv(table.header, rows, for_people=False)

    _, (table, content) = await read_list(ctx, str(job.payload["file"]), content_of)
    name = f"{stem(str(job.payload['name'])) or _NO_NAME}-processed.csv"
    sizes: dict[str, Any] = {"rows": len(table.rows), "skipped": 0, "total": 0, "taken": 0, "repeated": 0}

    def sending(uow: Unit) -> Job | None:
        current = uow.jobs.get(job.id)
        if current is None or current.state != RunState.PREPARING:
            return None
        uow.emails.begin(EmailRun(job_id=job.id, header=table.header, outcomes={}, **sizes))
        return uow.jobs.move(current, RunState.SENDING, keep_lease=True)

    async def claim(permit: Permit) -> Job | None:
        return await permit.claim(
            sending, name="email_send", read_back=lambda uow: uow.jobs.held(job.id, RunState.SENDING, owner=uow.owner)
        )

    async def send(_: Job, guard: Guard) -> NotExecuted | _Ended:
        answer = await client.process_file(content, column=column, name=name, guard=guard)
        if isinstance(answer, NotExecuted) and answer.again:
            return answer
        return await _ended(ctx, client, answer, name)

    def store(uow: Unit, claimed: Job, became: NotExecuted | _Ended) -> None:
        if isinstance(became, NotExecuted):
            _later(uow, claimed, became)
        else:
            _end(uow, claimed, became)

    await once(ctx, None, claim, send, store, name="email_sent")


def _later(uow: Unit, job: Job, refusal: NotExecuted) -> None:
    """Schedule a retry, because the service certainly doesn't have the file; after too many, end the list."""
    tries = int(job.detail.get("tries", 0)) + 1
    if tries >= _TRIES:
        reason = Reason(OfList.GIVEN_UP, why=refusal.reason, times=tries)
        _end(uow, job, _Ended(RunState.FAILED, {**job.detail, "reason": reason.stored()}))
        return
    wait = back_off(first=5.0, attempts=tries, ceiling=120.0, named=refusal.retry_after)
    detail = {**job.detail, "tries": tries, "reason": refusal.reason.stored()}
    uow.jobs.move(job, RunState.PREPARING, detail=detail, due_at=uow.now + wait)


async def _ended(  # noqa: PLR0911 - one return per kind of answer
    ctx: Context, client: EmailsClient, answer: FileAnswer | NotExecuted | Unknown, name: str
) -> _Ended:
    match answer:
        case Returned():
            return _Ended(RunState.DONE, {}, await _passed_on(client, answer))
        case ReturnedRows(header=header, rows=rows):
            content = await asyncio.to_thread(write_csv, header, rows)
            return _Ended(RunState.DONE, {}, Returned(name=name, content=content))
        case Link(url=url):
            return await _fetched(ctx, client, url, name)
        case Receipt(id=number, pairs=pairs):
            return _said(pairs, name, receipt=number)
        case Answer(pairs=pairs, text=text):
            return _said(pairs or (("answer", text or "nothing at all"),), name)
        case NotExecuted():
            return _Ended(RunState.FAILED, {"reason": answer.full_reason.stored()})
        case Unknown(reason=reason):
            return _Ended(RunState.UNKNOWN, {"reason": reason.stored()})


def _said(pairs: Sequence[tuple[str, str]], name: str, **detail: str) -> _Ended:
    """Return the end for an answer in words; with the complete answer as a file if the message shortens it."""
    file = Returned(name=name, content=write_csv(("field", "value"), pairs)) if is_shortened(pairs) else None
    return _Ended(RunState.DONE, {**detail, "said": [list(pair) for pair in pairs]}, file)


async def _fetched(ctx: Context, client: EmailsClient, url: str, name: str) -> _Ended:
    """Fetch the result from its address at once, because such addresses expire."""
    content, said = bytearray(), [["result", client.secrets.hidden(url)]]
    try:
        async with ctx.emails.results.open(url, service=SERVICE, limit=RESULT_BYTES) as result:
            async for piece in result:
                content += piece
            name = result.name or name
    except (ServiceNow, ServiceNever) as trouble:
        reason = Reason(OfList.RESULT_NOT_FETCHED, why=trouble.reason)
        return _Ended(RunState.DONE, {"reason": reason.stored(), "said": said})
    if not content:
        return _Ended(RunState.DONE, {"reason": Reason(OfList.EMPTY_RESULT).stored(), "said": said})
    return _Ended(RunState.DONE, {}, await _passed_on(client, Returned(name=name, content=bytes(content))))


async def _passed_on(client: EmailsClient, file: Returned) -> Returned:
    """Return the file for people. Secrets are redacted last: in a workbook or UTF-16 text they wouldn't be found."""
    made = await _made_safe(file)
    content = await asyncio.to_thread(client.secrets.hidden_bytes, made.content)
    return Returned(name=client.secrets.hidden(made.name), content=content)


async def _made_safe(file: Returned) -> Returned:
    """Return the file with formulas neutralized; a file that is neither table nor text is returned unchanged."""
    try:
        table = await read_apart(BytesIO(file.content), name=file.name, limits=_NO_LIMITS)
    except TableProblem as problem:
        binary = problem.flaw in (Flaw.OTHER_KIND, Flaw.LOCKED, Flaw.DAMAGED, Flaw.BOMB)
        if binary or (problem.flaw is Flaw.TOO_COMPLEX and file.content.startswith(b"PK")):
            return file
        return Returned(name=file.name, content=await asyncio.to_thread(rewritten, file.content))
    content = await asyncio.to_thread(write_csv, table.header, (row.cells for row in table.rows))
    return Returned(name=f"{stem(file.name) or _NO_NAME}.csv" if table.sheet else file.name, content=content)


def _end(uow: Unit, job: Job, ended: _Ended) -> None:
    current = uow.jobs.get(job.id) or job
    detail = dict(ended.detail)
    if ended.file is not None:
        detail["result"] = ended.file.name
        uow.emails.drop_blocks(job.id, part=RESULT)
        content = ended.file.content
        for n, first in enumerate(range(0, len(content), _BLOCK)):
            uow.emails.add_block(job.id, part=RESULT, n=n, content=content[first : first + _BLOCK])
        post_file(uow, subject=job.subject, key=RESULT, payload={"what": RESULT}, last=True)
    else:
        tell(uow, job, key="end", state=ended.state, reason=Reason.read(detail.get("reason")))
    uow.jobs.move(current, ended.state, detail=detail)


def _work(name: str, kind: str, step: Step, *, once: bool) -> Work[Job]:
    """Return the work for one kind of list.

    ``once``: its request is sent only once, so it waits while the database may be older than the service.
    """

    def claim(uow: Unit, hold: Hold) -> list[Job]:
        if once and restored(uow):
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
