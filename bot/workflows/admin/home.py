"""One person's App Home: requests that wait for them, their own requests, and what is under way."""

from collections.abc import Sequence
from dataclasses import dataclass

from bot.domain.approvals import No, Role, Standing, full_member, listed, may_decide, may_see_balance
from bot.domain.overview import Running, Service, Waiting
from bot.domain.payments.instruction import Instruction, State, Vote
from bot.workflows.admin.overview import services, under_way
from bot.workflows.context import Context
from bot.workflows.requests.lookup import waiting, with_votes
from bot.workflows.requests.reach import OutOfReach, all_short
from storage.transaction import Tx

_ASKED = 25
"""Open requests of one person that are read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """One person's view of everything.

    Attributes:
        refusal: why they see nothing; None: they see everything below.
        waiting: requests that wait for approvers, those they can decide first.
        asked: their own requests that are not over, newest first, with their votes.
        running: what is under way: everybody's for approvers and admins, else their own.
    """

    refusal: No | None
    waiting: Sequence[Waiting] = ()
    asked: Sequence[tuple[Instruction, Sequence[Vote]]] = ()
    running: Sequence[Running] = ()
    services: Sequence[Service] = ()
    out_of_reach: Sequence[OutOfReach] = ()
    """For admins: requests that too few people can approve."""


async def look(ctx: Context, user: str) -> Home:
    """Read it.

    Raises:
        ServiceNow: Slack does not say who this is.
    """
    standing = await ctx.people.standing(user)
    refusal = full_member(standing.person, home=ctx.home)
    if refusal is not None:
        return Home(refusal=refusal)
    in_charge = may_see_balance(standing, people=ctx.policy.people, home=ctx.home) is None
    moving = await under_way(ctx, even_waiting=False)
    return Home(
        refusal=None,
        waiting=[one for one in await decisions(ctx, standing, user) if one.mine],
        asked=await ctx.read(lambda uow: _asked(uow, user)),
        running=[one for one in moving.rows if in_charge or one.requester == user],
        services=await ctx.read(services),
        out_of_reach=await ctx.read(all_short) if listed(Role.ADMIN, standing, ctx.policy.people) else (),
    )


async def decisions(ctx: Context, standing: Standing, user: str) -> list[Waiting]:
    """Requests that wait for approvers, as far as this person may see them; those they could decide come first."""
    sees_all = any(listed(role, standing, ctx.policy.people) for role in Role)
    found = [
        Waiting(one, votes, _is_mine(ctx, standing, user, one, votes))
        for one, votes in await waiting(ctx)
        if sees_all or one.requester == user
    ]
    return sorted(found, key=lambda one: (not one.mine, one.instruction.id))


def _is_mine(ctx: Context, standing: Standing, user: str, one: Instruction, votes: Sequence[Vote]) -> bool:
    no = may_decide(standing, requester=one.requester, people=ctx.policy.people, home=ctx.home)
    voted = any(vote.person == user for vote in votes)
    return no is None and not voted and one.state in (State.AWAITING, State.NEEDS_HUMAN)


def _asked(tx: Tx, user: str) -> list[tuple[Instruction, Sequence[Vote]]]:
    return [*with_votes(tx, tx.instructions.open_for_requester(user, limit=_ASKED))]
