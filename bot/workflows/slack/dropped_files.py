"""Files from Slack: tables are parsed in another process; dropped files are recorded, examined and offered once."""

import asyncio
import hashlib
import io
import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from functools import partial
from typing import BinaryIO, Final, cast

import structlog

from bot.domain.content import Content
from bot.domain.errors import (
    OperatorError,
    OutcomeUnknown,
    PersonError,
    ServiceNever,
    ServiceNow,
    ServiceTrouble,
    SwitchboardError,
)
from bot.domain.files.dropped import LARGEST, DroppedFile, FileInfo, FileTrouble, Share, UnusableFile
from bot.domain.files.playing import probe
from bot.domain.files.sniffing import HEAD_BYTES, FileKind, sniff
from bot.domain.files.tables import MEBIBYTE, Limits, Table, TableProblem
from bot.domain.files.together import FULL, MOST_FILES, belong_together
from bot.domain.tracking import back_off
from bot.presentation.files import offers
from bot.tables.apart import BOUNDS, Bounds, read_apart
from bot.workflows.context import Context, OfferedAction, Subject, Unit
from bot.workflows.slack.boards import post_board, show_board, split
from bot.workflows.slack.outbox import posted_between
from bot.workflows.workers import Work
from storage.rows import DropRow, DropState
from storage.transaction import Tx

log = structlog.get_logger(__name__)

TROUBLE = (PersonError, TableProblem, ServiceTrouble, OperatorError)
"""Errors raised while reading a file that should contain a table."""

_PROBE_SECONDS = 10.0
"""Time limit for reading all parts of a video that are needed to find its duration."""
_TABLE_SECONDS = 1.0
"""Time limit for reading all rows of a small table; an offer isn't delayed further to show the sum."""
_IN_MEMORY = 1024 * 1024

_LIMITS: Final = Limits(size=10 * MEBIBYTE, columns=60, unpacked=80 * MEBIBYTE, sample=1, addresses=True)
_BOUNDS: Final = Bounds(cpu=2, wall=2.0)
_NAME: Final = 100
"""Characters kept of a column name; the names that matter here are shorter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableFile:
    """A table that was read from a file, with the SHA-256 of the file as ``fingerprint``."""

    info: FileInfo
    table: Table
    fingerprint: str


async def read_table_file(ctx: Context, file_id: str, *, limits: Limits) -> TableFile:
    """Download a file and read it as a whole; raises one of :data:`TROUBLE`."""
    return await fetch_table(ctx, await ctx.downloads.info(file_id), limits=limits)


async def fetch_table(ctx: Context, info: FileInfo, *, limits: Limits, bounds: Bounds = BOUNDS) -> TableFile:
    """Like :func:`read_table_file`, but with the file's metadata already loaded."""
    digest = hashlib.sha256()
    with tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY) as spooled:
        async with ctx.downloads.open(info, limit=limits.size) as body:
            async for chunk in body:
                digest.update(chunk)
                spooled.write(chunk)
        table = await read_apart(cast(BinaryIO, spooled), name=info.name, limits=limits, bounds=bounds)
    return TableFile(info=info, table=table, fingerprint=digest.hexdigest())


async def first_row(ctx: Context, info: FileInfo, head: bytes, *, patience: float = 1.0) -> tuple[str, ...] | None:
    """Return the names in the first row, or None if they can't be read in time. ``head`` is the start of the file."""
    try:
        async with asyncio.timeout(patience):
            if head.startswith(b"PK") and len(head) < info.size:
                table = (await fetch_table(ctx, info, limits=_LIMITS, bounds=_BOUNDS)).table
            else:  # without the line in which the first bytes of a longer file end
                lines = head if len(head) >= info.size else head[: head.rfind(b"\n") + 1] or head
                table = await read_apart(io.BytesIO(lines), name=info.name, limits=_LIMITS, bounds=_BOUNDS)
    except (TimeoutError, *TROUBLE) as reason:
        log.info("the first row of a dropped table is not known", file=info.id, reason=type(reason).__name__)
        return None
    return _names(table)


async def _with_table(ctx: Context, file: DroppedFile, info: FileInfo, head: bytes) -> DroppedFile:
    """Add the names in the first row; for a small table that can be read completely, also the row count and sum."""
    if len(head) < info.size:
        return replace(file, header=await first_row(ctx, info, head))
    try:
        async with asyncio.timeout(_TABLE_SECONDS):
            limits = replace(_LIMITS, sample=0)
            table = await read_apart(io.BytesIO(head), name=info.name, limits=limits, bounds=_BOUNDS)
    except (TimeoutError, *TROUBLE):  # perhaps not because of its first row
        return replace(file, header=await first_row(ctx, info, head))
    file = replace(file, header=_names(table))
    sums = (action.total(table) for action in suggested(ctx, file))
    rows, cents = next((one for one in sums if one is not None), (len(table.rows), None))
    return replace(file, rows=rows, cents=cents)


def _names(table: Table) -> tuple[str, ...]:
    return tuple(name[:_NAME] for name in table.header)


def fitting(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    """Return the configured actions that fit this file, in the order of the offer: suggested actions come first."""
    fit = [action for action in ctx.file_actions if action.works(ctx) and action.fits(file)]
    return sorted(fit, key=lambda action: not action.suggested(file))


def suggested(ctx: Context, file: DroppedFile) -> list[OfferedAction]:
    return [action for action in fitting(ctx, file) if action.suggested(file)]


SUBJECT = "file"
_PATIENCE = 12
"""Retries for a file that Slack is still processing or can't deliver: about ten minutes with backoff."""
_LATELY = timedelta(minutes=15)
"""How far back to search for files that were dropped together with one."""
_MOMENT = timedelta(seconds=1)
_AT_ONCE = 30
"""Files examined at a time: more than hang when Slack hangs, few enough for memory."""
_PLACE_PATIENCE = 5
"""Retries for finding the message that shares a file; a file uploaded in a form has no message."""
_SEARCHED_FROM = 2
"""Attempts after which the conversation is searched for the message."""


async def notice(
    ctx: Context, files: Sequence[str], *, channel: str, user: str, message_ts: str = "", thread_ts: str = ""
) -> None:
    """Queue the files of an event for examination unless known. ``message_ts`` is empty if the event has none."""
    now = ctx.clock.now()
    rows = [_noticed(file, now, channel, user, message_ts=message_ts, thread_ts=thread_ts) for file in files]
    if any(await ctx.write(lambda uow: [uow.dropped.notice(row) for row in rows], name="notice_files", wakes=False)):
        ctx.wake()


def _noticed(
    file_id: str, now: datetime, channel: str, user: str, *, message_ts: str = "", thread_ts: str = ""
) -> DropRow:
    return DropRow(
        id=file_id,
        channel=channel,
        message_ts=message_ts,
        thread_ts=thread_ts or message_ts,
        user=user,
        created_at=now,
        due_at=now if message_ts else now + _MOMENT,  # the message event, which has more details, follows shortly
    )


async def pass_over(ctx: Context, files: Sequence[str], *, channel: str, user: str, message_ts: str) -> None:
    """Offer nothing for the files in an app's message, even if another event for them arrived earlier."""
    now = ctx.clock.now()
    rows = [_noticed(file, now, channel, user, message_ts=message_ts) for file in files]

    def work(uow: Unit) -> None:
        for row in rows:
            if not uow.dropped.quiet(row.id) and uow.dropped.get(row.id) is None:
                uow.dropped.notice(replace(row, due_at=None, state=DropState.QUIET))

    await ctx.write(work, name="pass_over_files", wakes=False)


async def forget(ctx: Context, file_id: str) -> None:
    def strike(uow: Unit) -> bool:
        if is_news := uow.dropped.gone(file_id):
            row = uow.dropped.get(file_id)
            show_board(uow, f"{SUBJECT}:{(row.batch if row is not None else '') or file_id}")
        return is_news

    if await ctx.write(strike, name="file_gone", wakes=False):
        ctx.wake()


async def _look(ctx: Context, row: DropRow) -> None:
    try:
        info = await ctx.downloads.info(row.id)
        if await _is_of_app(ctx, row, info):
            await _keep_quiet(ctx, row, "of an app")
            return
        placed = await _placed(ctx, row, info)
        if placed is None:
            await _later(ctx, row, "its message is not known", most=_PLACE_PATIENCE)
            return
        file, head = await _examined(ctx, info, placed, timed=True)
        if file.kind is FileKind.TABLE:
            file = await _with_table(ctx, file, info, head)
    except UnusableFile as unusable:
        if unusable.trouble in (FileTrouble.PROCESSING, FileTrouble.CHANGED):
            await _later(ctx, row, unusable.trouble)
        else:
            await _keep_quiet(ctx, row, unusable.trouble)
        if unusable.trouble is FileTrouble.EMPTY:
            await _tell(ctx, row, offers.unusable(unusable))
    except (ServiceNow, OutcomeUnknown) as silent:
        await _later(ctx, row, str(silent.reason), wait=silent.retry_after)
    except (ServiceNever, OperatorError) as refused:
        log.error("a dropped file could not be looked at", file=row.id, reason=str(refused))  # noqa: TRY400
        await _later(ctx, row, str(refused))
    else:
        await _decide(ctx, row, file)


async def _is_of_app(ctx: Context, row: DropRow, info: FileInfo) -> bool:
    people = {one for one in (row.user, info.user) if one}
    return info.by_app or ctx.bot_user in people or any([await ctx.people.is_bot(one) for one in sorted(people)])


async def _decide(ctx: Context, row: DropRow, file: DroppedFile) -> None:
    fit = suggested(ctx, file)
    if not fit:
        await ctx.write(lambda uow: uow.dropped.quiet(file.id), name="file_quiet", wakes=False)
        if offers.is_archive(file):
            await _tell(ctx, row, offers.no_use(file))
        return

    shared = any(action.for_all for action in fit)

    def offer(uow: Unit) -> bool:
        lately = uow.dropped.lately(file.channel, since=uow.now - _LATELY) if shared else []
        first = _joined(uow, file, lately)
        if not uow.dropped.offered(file, batch=first):
            return False
        if first:
            show_board(uow, f"{SUBJECT}:{first}", progress=True)
            return True
        # Other files of the message are still being examined; a short delay allows one offer for all of them.
        more = any(
            row.message_ts == file.message_ts and row.state is DropState.NOTICED and row.id != file.id for row in lately
        )
        return post_board(
            uow,
            subject=f"{SUBJECT}:{file.id}",
            channel=file.channel,
            thread_ts=file.thread_ts,
            due_at=uow.now + _MOMENT if more else None,
        )

    await ctx.write(offer, name="offer_file")


def _joined(uow: Unit, file: DroppedFile, lately: Sequence[DropRow]) -> str:
    """Return the id of a file dropped together with this one whose unused offer can include it; empty if none can."""
    full = [ts for ts, count in Counter(row.message_ts for row in lately).items() if count >= FULL]
    for row in lately:
        if row.state is not DropState.OFFERED or row.batch or row.kind is FileKind.TABLE:
            continue
        held = [_dropped(one) for one in uow.dropped.together(row.id)]
        near = any(belong_together(one, file, full=full) for one in held)
        if near and len(held) < MOST_FILES and not uow.boards.within(f"{SUBJECT}:{row.id}"):
            return row.id
    return ""


async def _examined(ctx: Context, info: FileInfo, share: Share, *, timed: bool = False) -> tuple[DroppedFile, bytes]:
    """Return the file with its kind detected from the first bytes, and those bytes.

    ``timed``: also find the duration of a video. Raises what :class:`bot.slack.files.Downloads` raises.
    """
    if info.size > LARGEST:  # too large for every action, whatever its kind
        raise UnusableFile(FileTrouble.TOO_LARGE, name=info.name, limit=LARGEST, size=info.size)
    head = await ctx.downloads.head(info, most=HEAD_BYTES)
    kind, found = sniff(head, info.claim)
    file = DroppedFile(
        id=info.id,
        name=info.name,
        size=info.size,
        mimetype=info.mimetype,
        kind=kind,
        format=found,
        duration_ms=await playing_ms(ctx, info, found) if timed and kind is FileKind.VIDEO else info.duration_ms,
        channel=share.channel,
        message_ts=share.ts,
        thread_ts=share.thread_ts or share.ts,
        user=info.user,
    )
    return file, head


async def playing_ms(ctx: Context, info: FileInfo, kind: str) -> int | None:
    """Return the duration of a video in milliseconds, from Slack or else from its headers; None if unknown."""
    if info.duration_ms:
        return info.duration_ms
    asks = probe(kind, info.size)
    try:
        at, most = next(asks)
        async with asyncio.timeout(_PROBE_SECONDS):
            while True:
                at, most = asks.send(await ctx.downloads.part(info, start=at, most=most))
    except StopIteration as told:
        return None if told.value is None else round(told.value * 1_000)
    except (SwitchboardError, TimeoutError) as silent:
        log.info("the length of a video could not be read", file=info.id, reason=type(silent).__name__)
        return None


async def still_there(ctx: Context, file_id: str, share: Share, *, vouched: bool = False) -> DroppedFile:
    """Return the current file for a person who wants to use it in this conversation; raises UnusableFile if they can't.

    ``vouched``: a Slack event has just shown that it is shared there, which Slack's record may not list yet.
    """
    try:
        info = await ctx.downloads.info(file_id)
    except UnusableFile as unusable:
        if unusable.trouble is FileTrouble.DELETED:
            await forget(ctx, file_id)
        raise
    row = await ctx.read(lambda uow: uow.dropped.get(file_id))
    was_seen = row is not None and row.channel == share.channel  # according to a Slack event
    if not (share.channel in info.channels or (not info.channels and (vouched or was_seen))):
        raise UnusableFile(FileTrouble.UNKNOWN, name=info.name)
    if vouched and row is None and not info.channels:
        # Stored for the click that follows. The message event can still offer the file.
        noticed = _noticed(file_id, ctx.clock.now(), share.channel, info.user)
        place = replace(noticed, due_at=None, state=DropState.QUIET)
        await ctx.write(lambda uow: uow.dropped.notice(place), name="keep_place", wakes=False)
    if row is None or row.state is not DropState.OFFERED or row.size != info.size:
        return (await _examined(ctx, info, share))[0]
    thread_ts = share.thread_ts or share.ts
    return replace(_dropped(row), channel=share.channel, message_ts=share.ts, thread_ts=thread_ts, name=info.name)


async def dropped_together(ctx: Context, first: str, kind: FileKind, *, channel: str) -> list[DroppedFile]:
    """Return the files of one kind that share the offer of ``first`` in this conversation, sorted by name."""
    rows = await ctx.read(lambda uow: uow.dropped.together(first))
    there = [row for row in rows if row.state is DropState.OFFERED and row.channel == channel]
    return _by_name([_dropped(row) for row in there if row.kind is kind])


def offer_of(tx: Tx, file_id: str, *, channel: str) -> str:
    """Return the subject of the file's offer in this conversation, which also shows its jobs; empty if none exists."""
    row = tx.dropped.get(file_id) if file_id else None
    if row is None or row.state is not DropState.OFFERED:
        return ""
    subject = f"{SUBJECT}:{row.batch or row.id}"
    board = tx.boards.get(subject)
    return subject if board is not None and board.channel == channel else ""


class FileOffers(Subject):
    """Content of the offers, see :class:`bot.workflows.context.Subject`. A file is offered once.

    Jobs for the file are shown in the same message, below its name; the remaining actions stay in a menu.
    """

    async def board(self, ctx: Context, id: str) -> Content | None:  # noqa: A002 - what it is
        rows, works = await ctx.read(lambda uow: (uow.dropped.together(id), uow.boards.within(f"{SUBJECT}:{id}")))
        row = next((one for one in rows if one.id == id), None)
        if row is None:
            return None
        parts = [await ctx.subjects[kind].part(ctx, name) for kind, name in map(split, works)]
        shown = [part for part in parts if part is not None]
        there = [_dropped(one) for one in rows if one.state is DropState.OFFERED]
        if len(rows) > 1 and there:
            return offers.together(id, _by_kind(ctx, there), shown)
        file = _dropped(row)
        offered = [] if row.state is DropState.GONE else suggested(ctx, file)
        if works:
            return offers.worked(file, offered, shown)
        return offers.gone(file) if row.state is DropState.GONE else offers.offer(file, offered)

    async def lasts(self, ctx: Context, id: str) -> bool:  # noqa: A002
        return bool(await ctx.read(lambda uow: uow.boards.within(f"{SUBJECT}:{id}")))


def _by_name(files: Sequence[DroppedFile]) -> list[DroppedFile]:
    """Sort by name in natural order: ``take-2`` before ``take-10``."""
    parts = {file.id: [one.zfill(12) for one in re.split(r"(\d+)", file.name.casefold())] for file in files}
    return sorted(files, key=lambda file: (parts[file.id], file.id))


def _by_kind(ctx: Context, files: Sequence[DroppedFile]) -> list[tuple[Sequence[DroppedFile], Sequence[OfferedAction]]]:
    """Group the files by kind, each with the actions for all files of that kind, or for the only one."""
    found: list[tuple[Sequence[DroppedFile], Sequence[OfferedAction]]] = []
    for kind in FileKind:
        some = _by_name([file for file in files if file.kind is kind])
        if len(some) == 1:
            found.append((some, suggested(ctx, some[0])))
        elif some:
            fit = {action.name: action for file in some for action in suggested(ctx, file) if action.for_all}
            found.append((some, [action for action in ctx.file_actions if action.name in fit]))
    return found


async def _placed(ctx: Context, row: DropRow, info: FileInfo) -> Share | None:
    """Return the message that shares the file; search the conversation if Slack's record doesn't list it yet."""
    if row.message_ts:
        return Share(channel=row.channel, ts=row.message_ts, thread_ts=row.thread_ts)
    named = info.share_in(row.channel)
    if named is not None or row.attempts < _SEARCHED_FROM:
        return named
    try:
        oldest, _ = posted_between(ctx, row.created_at)
        return await ctx.messenger.find_upload(channel=row.channel, file_id=row.id, oldest=oldest)
    except ServiceTrouble as silent:
        log.info("a conversation could not be searched for a file", file=row.id, reason=str(silent.reason))
        return None


def _dropped(row: DropRow) -> DroppedFile:
    kept = {one.name: getattr(row, one.name) for one in fields(DroppedFile)}
    return DroppedFile(**{**kept, "header": None if row.header is None else tuple(row.header)})


async def _tell(ctx: Context, row: DropRow, content: Content) -> None:
    """Show only the uploader why there is no offer, and only for the message event, so that it is shown once."""
    if not row.message_ts:
        return
    thread_ts = row.thread_ts if row.thread_ts and row.thread_ts != row.message_ts else None
    try:
        await ctx.messenger.post_ephemeral(channel=row.channel, user=row.user, content=content, thread_ts=thread_ts)
    except ServiceTrouble as silent:
        log.info("reason for not offering a file wasn't posted", file=row.id, reason=str(silent.reason))


async def _keep_quiet(ctx: Context, row: DropRow, reason: str) -> None:
    log.info("a dropped file is not offered", file=row.id, reason=str(reason))
    await ctx.write(lambda uow: uow.dropped.quiet(row.id), name="file_quiet", wakes=False)


async def _later(ctx: Context, row: DropRow, reason: str, *, wait: float | None = None, most: int = _PATIENCE) -> None:
    if row.attempts >= most:
        await _keep_quiet(ctx, row, reason)
        return
    pause = max(back_off(first=1.0, attempts=row.attempts, ceiling=60.0), timedelta(seconds=wait or 0.0))
    due = ctx.clock.now() + pause
    await ctx.write(lambda uow: uow.dropped.again(row.id, due_at=due), name="file_later", wakes=False)


FILES: Work[DropRow] = Work(
    name="files",
    table="dropped_file",
    slots=_AT_ONCE,
    claim=lambda uow, hold: uow.dropped.claim_due(**hold),
    step=lambda ctx: partial(_look, ctx),
)
"""Examine queued files."""
