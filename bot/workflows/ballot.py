"""Votes and who they belong to by now: people are read before a transaction, votes read and counted inside it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from bot.domain.approvals import Standing, counting
from bot.domain.instruction import Instruction, Vote
from bot.workflows.context import Context
from storage.transaction import Tx


async def standings_of_voters(ctx: Context, instruction_id: str, number: int, *others: str) -> dict[str, Standing]:
    """Standings of everybody who voted in a round so far, and of ``others``."""
    votes = await ctx.store.read(lambda tx: tx.votes.of(instruction_id, number))
    return await ctx.people.standings([*others, *(vote.person for vote in votes)])


def count(
    ctx: Context, instruction: Instruction, votes: Sequence[Vote], standings: Mapping[str, Standing]
) -> frozenset[str]:
    """Ids of those whose votes of the present round count; who was not read does not."""
    return counting(votes, instruction=instruction, standings=standings, people=ctx.policy.people, home=ctx.home)


def all_read(votes: Sequence[Vote], standings: Mapping[str, Standing]) -> bool:
    """Whether the standing of everybody who has voted is known: somebody may have voted after they were read."""
    return all(vote.person in standings for vote in votes)


def next_round(tx: Tx, instruction: Instruction, votes: Sequence[Vote], counted: frozenset[str]) -> int | None:
    """Carry the votes that count into a round of their own; its number, None when every vote counts.

    The others stay where they were cast, for the record: nobody is shown as approving who does not count, and
    who counts again later can vote again.
    """
    if all(vote.person in counted for vote in votes):
        return None
    number = instruction.round + 1
    for vote in votes:
        if vote.person in counted:
            tx.votes.cast(replace(vote, round=number))
    return number


def without_the_others(
    tx: Tx, instruction: Instruction, votes: Sequence[Vote], counted: frozenset[str], now: datetime
) -> Instruction | None:
    """The instruction with the votes that count and no others; None when somebody else changed it first."""
    number = next_round(tx, instruction, votes, counted)
    return instruction if number is None else tx.instructions.touch(instruction, now=now, show=True, round=number)
