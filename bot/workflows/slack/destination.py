"""What a queued post is about, where it goes, and by what it is known there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bot.domain.payments.instruction import Instruction, Vote
from bot.workflows.context import Context
from bot.workflows.payments import bulk_files
from bot.workflows.requests.announce import Place, thread_of
from bot.workflows.slack import boards, pictures
from storage.rows import Action, Board, CardCopy, OutboxRow
from storage.transaction import Tx

ALONE = "alone"
"""In the payload: the thread it belonged to is gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What a row is about; nothing for a notice that concerns no single instruction."""

    instruction: Instruction | None = None
    votes: Sequence[Vote] = ()
    copies: Mapping[str, CardCopy] = field(default_factory=dict)
    board: Board | None = None


def about_of(tx: Tx, row: OutboxRow) -> About:
    """Read it."""
    if row.subject is not None:
        return About(board=tx.boards.get(row.subject))
    instruction = tx.instructions.get(row.instruction_id) if row.instruction_id else None
    if instruction is None:
        return About()
    return About(
        instruction=instruction,
        votes=tx.votes.of(instruction.id, instruction.round),
        copies={copy.place: copy for copy in tx.copies.all_of(instruction.id)},
    )


async def where(ctx: Context, row: OutboxRow, about: About) -> tuple[str, str | None]:
    """The conversation, and the thread in it: news belong to the thread of the card they are about."""
    if row.subject is not None:
        return await boards.where(ctx, row, about.board)
    root = about.copies.get(row.place) if row.action != Action.CARD else None
    if about.instruction is not None and row.place == Place.REQUESTER and row.payload.get("direct"):
        direct = await ctx.messenger.direct_message(about.instruction.requester)
        return direct, root.ts if root is not None and root.channel == direct else None
    inside = thread(row, about)
    if root is None:
        return row.channel, inside
    return root.channel, (inside if root.channel == row.channel else None) or root.ts


def thread(row: OutboxRow, about: About) -> str | None:
    """The thread of a file that this was asked for with; None: the copy of the card is the root of its own."""
    if about.instruction is None or row.place != Place.REQUESTER or row.payload.get(ALONE):
        return None
    return thread_of(about.instruction) or None


async def names(ctx: Context, row: OutboxRow, about: About) -> frozenset[str]:
    """By what a file is found again; empty for a message, which has its marker."""
    if row.subject is not None:
        return await boards.names(ctx, row)
    if row.action == Action.LINK and about.instruction is not None:
        return pictures.names(about.instruction)
    if row.action == Action.FILE and about.instruction is not None:
        return frozenset({bulk_files.file_name(about.instruction, str(row.payload["what"]))})
    return frozenset()
