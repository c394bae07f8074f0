"""Votes and the standing of their voters: people are read before a transaction, votes read and counted inside it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

from bot.domain.approvals import Count, Membership, counting
from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Instruction, Vote
from bot.domain.payments.sealed import RECOUNTED
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit, witness
from storage.transaction import Tx

Standings = Mapping[str, Membership]


class OutdatedError(Exception):
    """A person was not read, or too long ago. The transaction is rolled back, and people are read again."""


async def involved_in(ctx: Context, instruction_id: str) -> frozenset[str]:
    """The requester and everybody who has voted in the present round."""

    def involved(uow: Unit) -> frozenset[str]:
        found = uow.instructions.get(instruction_id)
        if found is None:
            return frozenset()
        return frozenset({found.requester, *(vote.person for vote in uow.votes.of(found.id, found.round))})

    return await ctx.read(involved)


async def standings_of(ctx: Context, instruction_id: str) -> Standings:
    """Standings of all of them, for a claim: it waits for Slack's own answer, where a click takes a known one."""
    return await ctx.people.standings(await involved_in(ctx, instruction_id), patient=True)


async def standing_of_voter(ctx: Context, person: str, instruction_id: str) -> Membership:
    """Membership of who presses a button; where Slack is too slow, all on whom the vote depends are asked for."""
    try:
        return await ctx.people.standing(person)
    except ServiceNow:
        ctx.people.expect(await involved_in(ctx, instruction_id))
        raise


def require_fresh(ctx: Context, people: Collection[str], standings: Standings) -> None:
    """Require that all of these people were read, and recently enough for a payment.

    Raises:
        OutdatedError: somebody voted after the others were read, or reading them is too long ago.
    """
    at = ctx.clock.boottime()
    if not all(person in standings and standings[person].fresh(at) for person in people):
        raise OutdatedError


def count(
    ctx: Context, instruction: Instruction, votes: Sequence[Vote], standings: Standings, *, seconds: float
) -> Count:
    """Votes of the present round that count: not of people who were not read, nor older than ``seconds``."""
    return counting(
        votes,
        instruction=instruction,
        standings=standings,
        people=ctx.policy.people,
        home=ctx.home,
        since=ctx.clock.now() - timedelta(seconds=seconds),
    )


def next_round(tx: Tx, instruction: Instruction, votes: Sequence[Vote], counted: Collection[str]) -> int | None:
    """Copy the votes that count into a new round; its number, None when every vote counts.

    The others stay in their round, for the record; their voters can vote again once they count again.
    """
    if all(vote.person in counted for vote in votes):
        return None
    number = instruction.round + 1
    for vote in votes:
        if vote.person in counted:
            tx.votes.cast(replace(vote, round=number))
    return number


def without_the_others(uow: Unit, instruction: Instruction, votes: Sequence[Vote], found: Count) -> Instruction | None:
    """The instruction with only the votes that count; None when somebody else changed it first.

    Its card says why the others do not count.
    """
    number = next_round(uow, instruction, votes, found.counted)
    if number is None:
        return instruction
    reason = why_more(instruction, found) or instruction.reason
    after = uow.instructions.touch(instruction, show=True, round=number, reason=reason, due_at=instruction.due_at)
    if after is not None:
        witness(uow, RECOUNTED, {"round": number, "counted": sorted(found.counted)}, about=after)
    return after


def why_more(instruction: Instruction, found: Count) -> Reason | None:
    """Reason, for the card, why more approvals are needed again; None when there are enough."""
    missing = instruction.requirement.quorum - len(found.counted)
    void = sorted({why.value for why in found.void.values()})
    return Reason(OfRequest.VOTES_VOID, void=void, missing=missing) if missing > 0 else None
