"""Look at requests without changing anything."""

from bot.domain.instruction import Instruction, Kind, State, Vote
from bot.workflows.announce import Place
from bot.workflows.context import Context
from storage.rows import OutboxState
from storage.transaction import Tx

_UNDER_WAY = (OutboxState.SENDING, OutboxState.UNKNOWN)
_WAITING = (State.AWAITING, State.NEEDS_HUMAN)


async def find(ctx: Context, text: str) -> tuple[Instruction, list[Vote]] | None:
    """A request by its reference, code or the service's id, with the votes of its round."""

    def work(tx: Tx) -> tuple[Instruction, list[Vote]] | None:
        found = tx.instructions.find(text)
        return (found, tx.votes.of(found.id, found.round)) if found is not None else None

    return await ctx.store.read(work)


async def find_votes(ctx: Context, instruction: Instruction) -> list[Vote]:
    """The votes of a request's present round."""
    return await ctx.store.read(lambda tx: tx.votes.of(instruction.id, instruction.round))


async def waiting(ctx: Context) -> list[tuple[Instruction, list[Vote]]]:
    """What waits for people, oldest first."""

    def work(tx: Tx) -> list[tuple[Instruction, list[Vote]]]:
        found = (one for one in tx.instructions.awaiting(_WAITING) if one.kind is not Kind.PURCHASE)
        return [(one, tx.votes.of(one.id, one.round)) for one in found]

    return await ctx.store.read(work)


async def shown_as(ctx: Context, instruction_id: str, *, channel: str, ts: str) -> Instruction | None:
    """The request with this id, if this message is a copy of its card that we posted.

    A person can be faster than Slack's answer to our post: while the post of a card to this conversation
    is under way, a button in it is that card's.
    """

    def work(tx: Tx) -> Instruction | None:
        copy = tx.copies.find(channel, ts)
        if copy is not None:
            return tx.instructions.get(instruction_id) if copy.instruction_id == instruction_id else None
        posts = (tx.outbox.by_key(f"card:{instruction_id}:{place}") for place in Place)
        if any(post is not None and post.channel == channel and post.state in _UNDER_WAY for post in posts):
            return tx.instructions.get(instruction_id)
        return None

    return await ctx.store.read(work)
