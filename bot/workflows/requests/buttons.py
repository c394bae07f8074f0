"""The request that a pressed button belongs to."""

from bot.domain.payments.instruction import Instruction, Vote
from bot.slack.messenger import Posted
from bot.workflows.context import Context
from bot.workflows.requests.announce import Place
from bot.workflows.slack.outbox import adopt
from storage.rows import OutboxState
from storage.transaction import Tx

_UNDER_WAY = (OutboxState.SENDING, OutboxState.UNKNOWN)


Shown = tuple[Instruction, list[Vote]]
"""A request with the votes of its round."""


async def shown_as(ctx: Context, instruction_id: str, *, channel: str, ts: str) -> Shown | None:
    """The request with this id, if this message is a copy of its card that we posted.

    A click can arrive before Slack's answer to our post: while the post of a card to this conversation is in
    flight, the button is taken as that card's. After a lost answer, the click tells where the card was posted.
    """

    def look(tx: Tx) -> tuple[Shown | None, bool]:
        card = tx.boards.find(channel, ts)
        if card is not None:
            return (_shown(tx, instruction_id) if card.instruction_id == instruction_id else None), False
        posts = [tx.outbox.by_key(f"card:{instruction_id}:{place}") for place in Place]
        states = [post.state for post in posts if post is not None and post.channel == channel]
        under_way = any(state in _UNDER_WAY for state in states)
        return (_shown(tx, instruction_id) if under_way else None), OutboxState.UNKNOWN in states

    def keep(tx: Tx) -> None:
        posts = [tx.outbox.by_key(f"card:{instruction_id}:{place}") for place in Place]
        here = [post for post in posts if post is not None and post.channel == channel]
        if len(here) == 1 and here[0].state is OutboxState.UNKNOWN:
            adopt(ctx, tx, here[0], Posted(channel, ts))

    found, lost = await ctx.store.read(look)
    if found is None or not lost:
        return found
    await ctx.write(keep, name="found_post")
    return await ctx.store.read(lambda tx: _shown(tx, instruction_id))


def _shown(tx: Tx, instruction_id: str) -> Shown | None:
    found = tx.instructions.get(instruction_id)
    return None if found is None else (found, tx.votes.of(found.id, found.round))
