"""Keep every copy of a card current. Edits are repeated freely: they show the newest state."""

from collections.abc import Mapping, Sequence

from bot.domain.content import Content
from bot.domain.payments.instruction import Instruction, Kind, Vote
from bot.presentation.payments import cards, purchases
from bot.slack.messenger import Posted
from bot.workflows.context import Context
from bot.workflows.payments.purchase import link_of
from bot.workflows.requests.announce import Place
from bot.workflows.slack.editing import Edited, NotYet, edit, edits, or_later
from storage.rows import CardCopy
from storage.transaction import Tx


async def _refresh(ctx: Context, copy: CardCopy) -> None:
    found = await ctx.store.read(
        lambda tx: (tx.instructions.get(copy.instruction_id), _votes_shown(tx, copy.instruction_id))
    )
    instruction, votes = found
    if instruction is None:
        return
    at = Posted(copy.channel, copy.ts)
    edited = await or_later(ctx, _edit(ctx, copy, instruction, votes), at=at, attempts=copy.attempts)
    if isinstance(edited, NotYet):
        due, failed = edited.due_at, edited.failed
        await ctx.store.write(
            lambda tx: tx.copies.delay(copy.instruction_id, copy.place, due_at=due, failed=failed), name="edit_later"
        )
    else:
        await _shown(ctx, copy, instruction)


async def _edit(ctx: Context, copy: CardCopy, instruction: Instruction, votes: Sequence[Vote]) -> Edited | NotYet:
    direct = copy.place == Place.REQUESTER and copy.channel != instruction.origin_channel
    names = await ctx.people.names([instruction.requester])
    content = card_for(ctx, instruction, votes, copy.place, names=names, direct=direct)
    at = Posted(copy.channel, copy.ts)
    return await edit(ctx, at, content, attempts=copy.attempts, progress=copy.only_progress)


async def _shown(ctx: Context, copy: CardCopy, instruction: Instruction) -> None:
    now = ctx.clock.now()
    await ctx.store.write(
        lambda tx: tx.copies.shown(copy.instruction_id, copy.place, version=instruction.version, now=now),
        name="shown",
    )


def _votes_shown(tx: Tx, instruction_id: str) -> list[Vote]:
    instruction = tx.instructions.get(instruction_id)
    return tx.votes.of(instruction_id, instruction.round) if instruction is not None else []


def card_for(
    ctx: Context,
    instruction: Instruction,
    votes: Sequence[Vote],
    place: str,
    *,
    names: Mapping[str, str],
    direct: bool = False,
) -> Content:
    """The card as it is now, for one of its places; ``direct`` when it goes to the requester alone."""
    hint = instruction.origin_channel if direct and not instruction.origin_channel.startswith("D") else ""
    if instruction.kind is Kind.PURCHASE:
        return purchases.card(instruction, link=link_of(ctx, instruction), invite_to=hint)
    return cards.card(
        instruction,
        votes,
        for_approvers=place == Place.APPROVALS,
        approvals_channel=ctx.policy.channels.approvals,
        invite_to=hint,
        names=names,
        approvers=ctx.policy.people.approvers,
    )


CARDS = edits("cards", table="card_copy", rows=lambda tx: tx.copies, step=_refresh)
"""Edit the copies of cards that no longer show the newest state."""
