"""*Check first*: check the addresses and accounts of a payment file before anything is requested.

A job with a board in the file's thread. Each address is looked up once at the e-mail service and once at the payments
service, and stored; a restart continues where it stopped. The results open the form of *Pay in bulk* with the
undeliverable rows left out, and are reused for the request.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import structlog

from bot.clients.emails import EmailsClient
from bot.domain.content import Content
from bot.domain.emails.lists import Answer, Outcome, RunState
from bot.domain.errors import OperatorError, ServiceNow, ServiceTrouble
from bot.domain.payments.bulk import BulkItem, BulkProgress
from bot.domain.payments.bulk_file import Checked, FormMetadata
from bot.domain.payments.deliverability import Choice, Doubt, DoubtfulRow
from bot.domain.payments.instruction import Recipient
from bot.domain.payments.lookups import CHECK, FileCheck, Lookup
from bot.domain.proof import MAX_CREATES
from bot.domain.reasons import Reason
from bot.domain.references import ulid
from bot.domain.tracking import back_off
from bot.domain.troubles import FileTrouble, full_reason, unusable
from bot.presentation.payments import checks
from bot.tables.delimited import write_csv
from bot.workflows.context import Attachment, Context, Subject, Unit
from bot.workflows.payments.accounts import AT_ONCE, WAITS, read_accounts
from bot.workflows.payments.bulk_request import LIMITS, OF_FILE, as_payments, requested_in
from bot.workflows.services import check_addresses
from bot.workflows.slack.boards import post_file, post_job, show_board
from bot.workflows.slack.dropped_files import TROUBLE, TableFile, offer_of, read_table_file
from bot.workflows.workers import Work, elsewhere
from storage.rows import Hold, Job

log = structlog.get_logger(__name__)

SUBJECT: Final = "check"
RESULT: Final = "result"
_EXAMPLE: Final = "email,amount,note"
_READ_TRIES: Final = 6
_SLOTS: Final = 4
_NOTHING: Final[Mapping[str, Lookup]] = MappingProxyType({})
_VERDICTS: Final = frozenset({Outcome.ANSWERED, Outcome.REFUSED})
_NAMED: Final = 10
"""Most rows of each kind that the board names; the form and the file name all."""


async def request_check(ctx: Context, seen: Checked, carried: FormMetadata, *, requester: str, source_key: str) -> bool:
    """Store the job, shown by its file's offer or a board of its own; False if the same form made it before."""
    now = ctx.clock.now()
    job = Job(
        id=ulid(now),
        kind=CHECK,
        state=RunState.PREPARING,
        payload={"file": carried.file, "name": seen.name, "places": dict(carried.places), "decimals": carried.decimals},
        detail={},
        requester=requester,
        channel=carried.channel,
        thread_ts=carried.thread_ts or None,
        source_key=source_key,
        created_at=now,
        due_at=now,
    )
    return await ctx.write(
        lambda uow: post_job(uow, job, shown_in=offer_of(uow, carried.file, channel=carried.channel)), name="ask_check"
    )


async def carried_by(ctx: Context, job_id: str) -> tuple[FormMetadata, Mapping[str, int]] | None:
    """Return the form metadata and columns for a checked file; None if the check is unknown or unfinished."""
    job = await ctx.read(lambda uow: uow.jobs.get(job_id))
    if job is None or job.kind != CHECK or job.state != RunState.DONE:
        return None
    file, thread = str(job.payload["file"]), job.thread_ts or ""
    carried = FormMetadata(file=file, channel=job.channel, key=f"{OF_FILE}{file}", thread_ts=thread, check=job.id)
    return replace(carried, decimals=_choice(job).decimals), job.payload["places"]


def _choice(job: Job) -> Choice:
    return Choice(decimals=str(job.payload.get("decimals", "")))


async def _step(ctx: Context, job: Job) -> None:
    try:
        found = await read_table_file(ctx, str(job.payload["file"]), limits=LIMITS)
        seen = await _read(ctx, job, found)
    except ServiceNow as silent:
        await _later(ctx, job, silent, most=_READ_TRIES)
    except TROUBLE as trouble:
        await _fail(ctx, job, trouble)
    else:
        await _look_up(ctx, job, found, seen)


async def _read(ctx: Context, job: Job, found: TableFile, known: Mapping[str, Lookup] = _NOTHING) -> Checked:
    name, places, requested = str(job.payload["name"]), job.payload["places"], await requested_in(ctx, found.table)
    given = {"places": places, "choice": _choice(job), "known": known, "requested": requested}
    return await asyncio.to_thread(lambda: as_payments(found.table, name, **given))


async def _look_up(ctx: Context, job: Job, file: TableFile, seen: Checked) -> None:
    payments, emails = ctx.payments.required(), None if ctx.emails.missing_single else ctx.emails.client
    emails_of = [one.email for one in seen.items] + [one.email for one in seen.doubtful if one.email]
    people = {email.casefold(): email for email in emails_of}
    known = await ctx.read(lambda uow: uow.lookups.of(job.id))
    left = [email for payee, email in people.items() if payee not in known]
    held, silent = job, None
    for first in range(0, len(left), AT_ONCE):
        few = left[first : first + AT_ONCE]
        accounts = read_accounts(payments, few) if silent is None else _unread(few, silent)
        (found, trouble), answers = await asyncio.gather(accounts, _answers(emails, few))
        if trouble is not None and int(held.detail.get("tries", 0)) < MAX_CREATES:
            await _later(ctx, held, trouble, most=MAX_CREATES + 1)
            return
        if trouble is not None:  # from here on only the addresses are checked
            log.warning("the accounts of a file could not be read", job=job.id)
            silent = full_reason(trouble)
            found, _ = await _unread(few, silent)
        looked_up = [replace(one, answer=answers.get(one.email)) for one in found]
        detail = {"done": len(people) - len(left) + first + len(few), "total": len(people)}

        def store(uow: Unit) -> Job | None:
            uow.lookups.add(job.id, looked_up, uow.now)  # noqa: B023 - runs before the next iteration
            show_board(uow, job.subject, progress=True)
            return uow.jobs.touch(held, detail=detail, keep_lease=True)  # noqa: B023

        after = await ctx.write(store, name="check_store", wakes=False)
        if after is None:
            return
        held = after
        if ctx.clock.now() - job.created_at >= WAITS:
            break
        if ctx.workers.stopping:
            await ctx.write(lambda uow: uow.jobs.touch(held, due_at=uow.now), name="check_stopped", wakes=False)  # noqa: B023
            return
    await _finish(ctx, held, file)


async def _unread(emails: Sequence[str], why: Reason) -> tuple[list[Lookup], None]:
    return [Lookup(email=email, recipient=Recipient(problem=why)) for email in emails], None


async def _answers(client: EmailsClient | None, emails: Sequence[str]) -> dict[str, Answer]:
    """Return the e-mail service's answers by address; empty, which is not a verdict, if it cannot be asked."""
    if client is None:
        return {}
    try:
        return dict(await check_addresses(client, emails))
    except (OperatorError, ServiceTrouble) as trouble:
        log.warning("the e-mail service could not be asked", reason=str(trouble))
        return {}


async def _finish(ctx: Context, job: Job, file: TableFile) -> None:
    known = await ctx.read(lambda uow: uow.lookups.of(job.id))
    seen = await _read(ctx, job, file, known)
    doubts = {doubt: [one.row for one in seen.doubtful if one.kind is doubt] for doubt in Doubt}
    progress = seen.accounts or BulkProgress()
    left = progress.to_look_up - progress.looked_up
    progress = progress.model_copy(update={"looked_up": progress.to_look_up, "not_read": progress.not_read + left})
    detail = {
        **job.detail,
        "payments": len(seen.items),
        "cents": sum(item.cents for item in seen.items),
        "accounts": progress.model_dump(mode="json", exclude_defaults=True),
        "doubts": {doubt.value: [len(rows), rows[:_NAMED]] for doubt, rows in doubts.items() if rows},
        "answered": sum(one.answer is not None and one.answer.outcome in _VERDICTS for one in known.values()),
    }

    def finish(uow: Unit) -> None:
        running = uow.jobs.move(job, RunState.RUNNING, show=False) if job.state == RunState.PREPARING else job
        if running is not None and uow.jobs.move(running, RunState.DONE, detail=detail) is not None:
            post_file(uow, subject=job.subject, key=RESULT, payload={"what": RESULT}, last=True)

    await ctx.write(finish, name="check_done")


async def _later(ctx: Context, job: Job, trouble: ServiceNow | OperatorError, *, most: int) -> None:
    tries = int(job.detail.get("tries", 0)) + 1
    if tries >= most:
        await _fail(ctx, job, trouble)
        return
    pause = back_off(first=2.0, attempts=tries, ceiling=60.0, named=trouble.retry_after)
    detail = {**job.detail, "tries": tries}
    due: dict[str, Any] = {"due_at": ctx.clock.now() + pause}
    await ctx.write(lambda uow: uow.jobs.touch(job, detail=detail, **due), name="check_later", wakes=False)


async def _fail(ctx: Context, job: Job, trouble: FileTrouble) -> None:
    detail = {**job.detail, "reason": unusable(trouble, example=_EXAMPLE).stored()}
    await ctx.write(lambda uow: uow.jobs.move(job, RunState.FAILED, detail=detail), name="check_failed", wakes=False)


class FileChecks(Subject):
    """The board of a check, and the table of everyone whom the file pays."""

    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - the protocol's name
        job = await ctx.read(lambda uow: uow.jobs.get(id))
        return None if job is None else checks.board(_shown(job))

    async def part(self, ctx: Context, id: str) -> Content | None:  # noqa: A002
        job = await ctx.read(lambda uow: uow.jobs.get(id))
        return None if job is None else checks.board(_shown(job), named=False)

    async def file(self, ctx: Context, id: str, payload: Mapping[str, object]) -> Attachment | None:  # noqa: A002, ARG002
        job, known = await ctx.read(lambda uow: (uow.jobs.get(id), uow.lookups.of(id)))
        if job is None:
            return None
        try:
            found = await read_table_file(ctx, str(job.payload["file"]), limits=LIMITS)
            seen = await _read(ctx, job, found)
        except ServiceNow:
            raise
        except TROUBLE as gone:  # deleted meanwhile: the board and the form still show the results
            log.info("a checked file cannot be read any more", job=id, reason=type(gone).__name__)
            return None
        doubtful = [one for one in seen.doubtful if one.email]
        rows: list[BulkItem | DoubtfulRow] = [*seen.items, *doubtful]
        rows.sort(key=lambda one: one.row)
        lines = [checks.cells(row, known.get(row.email.casefold())) for row in rows]
        content = await asyncio.to_thread(write_csv, checks.HEADER, lines)
        title, alt, comment = checks.about_file(_shown(job))
        name = f"recipients-{id[-6:].lower()}.csv"
        return Attachment(name=name, content=content, title=title, alt=alt, comment=comment, own_title=False)


def _shown(job: Job) -> FileCheck:
    detail = job.detail
    return FileCheck(
        id=job.id,
        file=str(job.payload["name"]),
        state=RunState(job.state),
        requester=job.requester,
        done=int(detail.get("done", 0)),
        total=int(detail.get("total", 0)),
        payments=int(detail.get("payments", 0)),
        cents=int(detail.get("cents", 0)),
        accounts=BulkProgress.model_validate(detail.get("accounts") or {}),
        doubts={Doubt(name): (int(count), tuple(rows)) for name, (count, rows) in (detail.get("doubts") or {}).items()},
        answered=int(detail.get("answered", 0)),
        reason=Reason.read(detail.get("reason")),
    )


def _claim(uow: Unit, hold: Hold) -> list[Job]:
    return elsewhere(uow, "job", uow.jobs.claim_due(kind=CHECK, **hold))


WORK: Final[Work[Job]] = Work(
    name="file checks",
    table="job",
    kind=CHECK,
    slots=_SLOTS,
    claim=_claim,
    step=lambda ctx: partial(_step, ctx),
    ready=lambda ctx: ctx.payments.is_configured,
)
