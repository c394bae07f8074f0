"""One post of the outbox: its place, its content, and by what it is found again."""

from dataclasses import replace

from bot.domain.content import Content
from bot.slack.messenger import TOO_RICH, Posted
from bot.workflows.context import PLAIN, Attachment, Context, Subject
from bot.workflows.slack.boards import ELSEWHERE, split
from storage.rows import Action, Board, OutboxRow

DIRECT = "direct"
"""Key in a payload: it goes to the requester instead of the board's conversation."""
_FILE_TRIES = 4
"""Attempts at a file before it is said without one, where that is possible: it must not hold back what follows."""


def speaker_of(ctx: Context, row: OutboxRow) -> tuple[Subject, str]:
    """The subject that supplies the row's content, and the id to ask it for."""
    kind, name = split(row.subject)
    return ctx.subjects[kind], name


async def where(ctx: Context, row: OutboxRow, board: Board | None) -> tuple[str, str | None]:
    """The conversation and the thread that it belongs to.

    Raises:
        ServiceTrouble: Slack does not name a person's direct messages.
    """
    if board is None or row.place == ELSEWHERE:
        return row.channel, None
    channel = board.channel
    if row.payload.get(DIRECT) or not channel:
        channel = await ctx.messenger.direct_message(board.requester)
    if row.action == Action.BOARD:
        return channel, board.thread_ts
    return channel, board.thread if channel == board.channel else None


async def post(ctx: Context, row: OutboxRow, *, channel: str, thread_ts: str | None) -> Posted | None:
    """Post it; None when there is nothing to say any more. In plain words where Slack refused its blocks before.

    Raises:
        ServiceTrouble: see :func:`bot.slack.calls.call`.
    """
    found = await _content(ctx, row)
    if found is None:
        return None
    if isinstance(found, Attachment):
        return await ctx.files.share(
            name=found.name,
            content=found.content,
            title=found.title,
            alt=found.alt,
            comment=found.comment,
            channel=channel,
            thread_ts=thread_ts,
        )
    if row.last_error in TOO_RICH:
        found = Content(text=found.text, blocks=found.plainer)
    return await ctx.messenger.post(channel=channel, content=found, marker=row.id, thread_ts=thread_ts)


async def names(ctx: Context, row: OutboxRow) -> frozenset[str]:
    """By what a file is found again; empty for a message, which has its marker."""
    if row.action != Action.FILE:
        return frozenset()
    plain_or_not = replace(row, attempts=0, payload={key: row.payload[key] for key in row.payload.keys() - {PLAIN}})
    found = await _content(ctx, plain_or_not)
    if not isinstance(found, Attachment):
        return frozenset()
    return frozenset({found.name, found.title} if found.own_title else {found.name})


async def _content(ctx: Context, row: OutboxRow) -> Attachment | Content | None:
    speaker, name = speaker_of(ctx, row)
    match Action(row.action):
        case Action.BOARD:
            return await speaker.board(ctx, name)
        case Action.LINE:
            return await speaker.line(ctx, name, row.payload)
        case Action.FILE:
            payload = {**row.payload, PLAIN: True} if row.attempts > _FILE_TRIES else row.payload
            return await speaker.file(ctx, name, payload)
