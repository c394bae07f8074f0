"""Boards: one message for a job or a booking, edited in place; lines and files in its thread.

What is queued here is posted by :mod:`bot.workflows.slack.outbox` with the same guarantees as cards and their news.
What a board says is the business of its kind: see :class:`bot.workflows.context.Subject`.
"""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.content import Content
from bot.domain.references import ulid
from bot.slack.messenger import Posted
from bot.workflows.context import Context
from bot.workflows.slack.editing import Edited, NotYet, edit, edits, or_later
from storage.rows import Action, Board, OutboxRow
from storage.transaction import Tx

_ELSEWHERE = "elsewhere"
_THREAD = "thread"


def post_board(
    tx: Tx, *, subject: str, channel: str, thread_ts: str | None, now: datetime, requester: str = ""
) -> bool:
    """Queue the message; False when this subject has its board already.

    ``subject`` is the kind (a key of ``Context.subjects``), a colon and the id; ``thread_ts`` the thread to stand
    in, or None; ``requester`` who gets it as a direct message where the bot cannot post in ``channel``.
    """
    if not tx.boards.add(subject, channel=channel, thread_ts=thread_ts, requester=requester):
        return False
    return _queue(tx, Action.BOARD, subject, f"board:{subject}", channel=channel, payload={}, now=now)


def show_board(tx: Tx, subject: str, *, now: datetime, progress: bool = False) -> None:
    """Queue an edit: what it shows has changed. ``progress``: only by how far the work is."""
    tx.boards.mark(subject, now=now, progress=progress)


def post_line(
    tx: Tx,
    *,
    subject: str,
    key: str,
    payload: Mapping[str, object],
    now: datetime,
    channel: str | None = None,
) -> bool:
    """Queue one message for the thread; False when this key was queued before for this subject.

    ``channel`` is another conversation, where it stands by itself.
    """
    board = tx.boards.get(subject)
    where = channel or (board.channel if board is not None else "")
    place = _ELSEWHERE if channel else _THREAD
    full = f"line:{subject}:{key}"
    return _queue(tx, Action.LINE, subject, full, channel=where, payload=payload, now=now, place=place)


def post_file(tx: Tx, *, subject: str, key: str, payload: Mapping[str, object], now: datetime) -> bool:
    """Queue one file for the thread, built when it is posted; False when this key was queued before."""
    board = tx.boards.get(subject)
    where = board.channel if board is not None else ""
    return _queue(tx, Action.FILE, subject, f"file:{subject}:{key}", channel=where, payload=payload, now=now)


async def _refresh(ctx: Context, board: Board) -> None:
    subject, version = board.subject, board.wanted_version
    at = Posted(board.channel, board.ts)
    edited = await or_later(ctx, _edit(ctx, board, at), at=at, attempts=board.attempts)
    if isinstance(edited, NotYet):
        due, failed = edited.due_at, edited.failed
        await ctx.store.write(lambda tx: tx.boards.delay(subject, due, failed=failed), name="edit_later")
        return
    now = ctx.clock.now()
    await ctx.store.write(lambda tx: tx.boards.shown(subject, version, now), name="shown")


async def _edit(ctx: Context, board: Board, at: Posted) -> Edited | NotYet:
    kind, name = _split(board.subject)
    content = await ctx.subjects[kind].board(ctx, name)
    if content is None:
        return Edited.GONE
    return await edit(ctx, at, content, attempts=board.attempts, progress=board.progress)


async def where(ctx: Context, row: OutboxRow, board: Board | None) -> tuple[str, str | None]:
    """The conversation and the thread that a queued message belongs to."""
    if row.payload.get("direct") and board is not None:
        channel = await ctx.messenger.direct_message(board.requester)
        return channel, board.thread if board.channel == channel else None
    if row.place == _ELSEWHERE or board is None:
        return row.channel, None
    return board.channel, board.thread_ts if row.action == Action.BOARD else board.thread


async def post(ctx: Context, row: OutboxRow, *, channel: str, thread_ts: str | None, plain: bool) -> Posted | None:
    """Post what is queued; None when there is nothing to say any more. ``plain``: Slack refused its blocks before.

    Raises:
        ServiceNow, ServiceNever, OutcomeUnknown: see :func:`bot.slack.calls.call`.
    """
    kind, name = _split(row.subject or "")
    speaker = ctx.subjects[kind]
    if row.action == Action.FILE:
        attachment = await speaker.file(ctx, name, row.payload)
        if attachment is None:
            return None
        return await ctx.files.share(
            name=attachment.name,
            content=attachment.content,
            title=attachment.title,
            alt=attachment.alt,
            comment=attachment.comment,
            channel=channel,
            thread_ts=thread_ts,
        )
    said = speaker.board(ctx, name) if row.action == Action.BOARD else speaker.line(ctx, name, row.payload)
    content = await said
    if content is None:
        return None
    if plain:
        content = Content(text=content.text, blocks=content.plainer)
    return await ctx.messenger.post(channel=channel, content=content, marker=row.id, thread_ts=thread_ts)


async def names(ctx: Context, row: OutboxRow) -> frozenset[str]:
    """By what a queued file is found again; empty for a message, which has its marker."""
    if row.action != Action.FILE:
        return frozenset()
    kind, name = _split(row.subject or "")
    attachment = await ctx.subjects[kind].file(ctx, name, row.payload)
    return frozenset() if attachment is None else frozenset({attachment.name, attachment.title})


def posted(tx: Tx, row: OutboxRow, at: Posted, *, version: int, now: datetime) -> None:
    """Remember where a board stands. ``version``: what it shows, 0 when nobody knows."""
    if row.action == Action.BOARD and row.subject is not None:
        tx.boards.posted(row.subject, channel=at.channel, ts=at.ts, version=version, now=now)


def _queue(
    tx: Tx,
    action: Action,
    subject: str,
    key: str,
    *,
    channel: str,
    payload: Mapping[str, object],
    now: datetime,
    place: str = _THREAD,
) -> bool:
    return tx.outbox.add(
        id=ulid(now), subject=subject, key=key, action=action, place=place, channel=channel, payload=payload, now=now
    )


def _split(subject: str) -> tuple[str, str]:
    kind, _, name = subject.partition(":")
    return kind, name


BOARDS = edits("boards", table="board", rows=lambda tx: tx.boards, step=_refresh)
"""Edit the boards that no longer show the latest."""
