"""The request that a pressed button belongs to."""

from bot.domain.payments.instruction import Instruction, Vote
from bot.slack.messenger import Posted
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import Place
from bot.workflows.slack.outbox import adopt
from storage.rows import OutboxRow, OutboxState
from storage.transaction import Tx

_UNDER_WAY = (OutboxState.SENDING, OutboxState.UNKNOWN)


Shown = tuple[Instruction, list[Vote]]
"""A request with the votes of its round."""


async def shown_as(ctx: Context, instruction_id: str, *, channel: str, ts: str) -> Shown | None:
    """The request with this id, if this message is a copy of its card that we posted.

    A click can arrive before Slack's answer to our post: while the post of a card to this conversation is in
    flight, the button is taken as that card's. After a lost answer, the click tells where the card was posted.
    A card that has been posted anew since is outdated.
    """
    after = _time_of(ts)

    def posts_here(uow: Unit) -> list[OutboxRow]:
        posts = [uow.outbox.by_key(f"card:{instruction_id}:{place}") for place in Place]
        return [post for post in posts if post and post.channel == channel and _time_of(post.sent_ts) < after]

    def look(uow: Unit) -> tuple[Shown | None, bool]:
        card = uow.boards.find(channel, ts)
        if card is not None:
            return (_shown(uow, instruction_id) if card.instruction_id == instruction_id else None), False
        states = [post.state for post in posts_here(uow)]
        under_way = any(state in _UNDER_WAY for state in states)
        return (_shown(uow, instruction_id) if under_way else None), OutboxState.UNKNOWN in states

    def keep(uow: Unit) -> None:
        here = posts_here(uow)
        if len(here) == 1 and here[0].state is OutboxState.UNKNOWN:
            adopt(uow, here[0], Posted(channel, ts))

    found, lost = await ctx.read(look)
    if found is None or not lost:
        return found
    await ctx.write(keep, name="found_post")
    return await ctx.read(lambda uow: _shown(uow, instruction_id))


def _time_of(ts: str) -> tuple[int, ...]:
    """Slack's time stamp as something to compare; of none: earlier than any other."""
    return tuple(int(part) if part.isdecimal() else 0 for part in ts.split("."))


def _shown(tx: Tx, instruction_id: str) -> Shown | None:
    found = tx.instructions.get(instruction_id)
    return None if found is None else (found, tx.votes.of(found.id, found.round))
