"""Whether enough people can approve a request: counted before it is stored, and every minute while it waits.

A request that its rules' own quorum can never approve is refused before it is stored. A slow Slack blocks no request:
people are counted later. Every process counts; sent alerts are recorded in the database, so each change is reported
once.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import structlog

from bot.domain.approvals import Membership, Role, Void, full_member, listed, may_decide
from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.moves import APPROVED
from bot.domain.payments.sealed import CAPPED, needed
from bot.domain.policy import Policy, Requirement, Short
from bot.domain.reasons import OfRequest, Reason
from bot.slack.people import FRESH, Directory, named
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import Line, alert, asked_in, queue_line, remind
from bot.workflows.requests.authority import may_decide_on, paid_among
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_KEY: Final = "out_of_reach"
"""Flag: by request, the approvals it needs, the people who can give one, and the number of alerts sent."""
_WAITING: Final = (State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.NEEDS_HUMAN)
"""States before or during approval."""
_EVERY: Final = 60.0
"""Seconds between two counts, so that a person who left is noticed."""
_FRESH: Final = 59.0
"""Age in seconds up to which a cached reading of people is used: Slack allows few group reads a minute."""
_SHARE: Final = 0.4
"""Share of the time for a lookup that a new request waits for its count: an ack has three seconds for everything."""
_AT_ONCE: Final = 25
"""Most approvers who are counted before a request is stored; a larger group is counted afterwards."""
_AGAIN: Final = 10.0
"""Seconds until the next attempt if Slack did not answer."""
_COUNTED: Final = 1_000
"""Most requests per count, oldest first."""
_PEOPLE_DECIDE: Final = frozenset({State.AWAITING, State.NEEDS_HUMAN})
_Asked = tuple[str, str, int]
"""A request: its id, its state, and the approvals that it needs."""


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A request that needs more approvals than there are people to give them."""

    instruction: Instruction
    short: Short


class OutOfReachError(Exception):
    """Too few people can ever approve the request. The transaction is rolled back: nothing is stored."""

    def __init__(self, short: Short) -> None:
        super().__init__(f"{short.can} of {short.needs}")
        self.short = short


class Reach:
    """Counts for one process; remembers the last count and when the next one is due."""

    def __init__(self) -> None:
        self._counted: frozenset[_Asked] = frozenset()
        self._due_at = float("-inf")

    async def look(self, ctx: Context) -> int:
        """Count if a request changed or a minute has passed; return how many shortages were reported."""

        def waiting(uow: Unit) -> tuple[list[Instruction], dict[str, Short]]:
            found = uow.instructions.awaiting(_WAITING, limit=_COUNTED)
            return [one for one in found if one.kind in APPROVED], _known(uow)

        open_requests, known = await ctx.read(waiting)
        asked = frozenset((one.id, one.state.value, one.requirement.quorum) for one in open_requests)
        now = ctx.clock.boottime()
        if (not asked and not known) or (asked == self._counted and now < self._due_at):
            return 0
        try:
            found = await _count(ctx, open_requests)
        except ServiceNow as silent:
            log.info("approver count delayed", reason=silent.reason)
            self._counted, self._due_at = asked, now + _AGAIN
            return 0
        self._counted, self._due_at = asked, now + _EVERY
        for one in open_requests:
            if _gives_up_extra(one, found[one.id].can):
                found[one.id] = await ctx.write(partial(_cap, name=one.id, can=found[one.id].can), name="capped")
        if _after(known, found) == known:
            return 0
        return await ctx.write(lambda uow: _store(uow, found), name="out_of_reach")


async def approvers(
    policy: Policy, people: Directory, *, home: str, most: int | None = None, fresh: float = FRESH
) -> list[Membership]:
    """Return at most ``most`` full members whom the policy names as approvers, read one after the other.

    ``fresh``: age in seconds up to which a cached answer is used.
    """
    found: list[Membership] = []
    for user in await named(policy.people.approvers, people, fresh=fresh):
        if most is not None and len(found) >= most:
            break
        standing = await people.standing(user, fresh=fresh)
        if full_member(standing.person, home=home) is None and listed(Role.APPROVER, standing, policy.people):
            found.append(standing)
    return found


async def approvers_in_time(ctx: Context, *, fresh: float = _FRESH) -> list[Membership] | None:
    """Return every approver of the policy, or None if they have to be counted after the request is stored.

    ``fresh``: as in :func:`approvers`.
    """
    try:
        async with asyncio.timeout(ctx.counting.timeout * _SHARE):
            users = await named(ctx.policy.people.approvers, ctx.counting, fresh=fresh)
            if len(users) > _AT_ONCE:
                return None
            standings = await ctx.counting.standings(users, fresh=fresh)
    except (ServiceNow, TimeoutError) as silent:
        log.info("approvers counted after the request is stored", reason=str(silent))
        return None
    return list(standings.values())


def reachable(
    ctx: Context,
    required: Requirement,
    *,
    requester: str,
    payees: Collection[str],
    able: Iterable[Membership] | None,
    capped: bool,
) -> Requirement:
    """Return the requirement of a new request; if ``capped``, without extra approvers who don't exist.

    ``able``: the approvers who were read; None: they are counted later.

    Raises:
        OutOfReachError: these people can never approve it.
    """
    if able is None:
        return required
    can = _deciders(ctx, able, requester=requester, payees=payees)
    wanted = required.capped(can) if capped else required
    if can < wanted.quorum:
        raise OutOfReachError(Short(needs=wanted.quorum, can=can))
    return wanted


def _deciders(ctx: Context, able: Iterable[Membership], *, requester: str, payees: Collection[str]) -> int:
    people, home = ctx.policy.people, ctx.home
    votes = [may_decide(one, requester=requester, people=people, home=home, payees=payees) for one in able]
    return votes.count(None)


def short_of(tx: Tx, instruction: Instruction) -> Short | None:
    """Return the request's shortage of approvers, or None if the last count found enough."""
    known = _known(tx).get(instruction.id)
    waits = instruction.state in _WAITING and known is not None and known.needs == instruction.requirement.quorum
    return known if known is not None and waits and known.is_short else None


def all_short(tx: Tx) -> list[OutOfReach]:
    """Return every request that needs more approvals than people can give, oldest first."""
    if not _known(tx):
        return []
    waiting = tx.instructions.awaiting(_WAITING, limit=_COUNTED)
    return [OutOfReach(one, short) for one in waiting if (short := short_of(tx, one)) is not None]


def _known(tx: Tx) -> dict[str, Short]:
    stored: Any = tx.flags.get(_KEY) or {}
    return {str(name): Short(*map(int, values)) for name, values in stored.items()}


async def _count(ctx: Context, waiting: Sequence[Instruction]) -> dict[str, Short]:
    """Return, by request id, the approvals needed and how many people can give them; exact if that is too few."""
    able: list[Membership] = []

    def counted(uow: Unit) -> dict[str, Short]:
        found = {}
        for one in waiting:
            can = _deciders(uow.ctx, able, requester=one.requester, payees=paid_among(uow, one, able))
            found[one.id] = Short(needs=one.requirement.quorum, can=min(can, one.requirement.quorum))
        return found

    most = max((one.requirement.quorum for one in waiting), default=0) + 1  # one of them may be the requester
    while waiting:
        able = await approvers(ctx.policy, ctx.counting, home=ctx.home, most=most, fresh=_FRESH)
        found = await ctx.read(counted)
        if len(able) < most or not any(one.is_short for one in found.values()):
            return found
        most *= 2  # the request pays some of these people, who may not vote
    return {}


def _gives_up_extra(one: Instruction, can: int) -> bool:
    """Whether people decide on it and only the approvers beyond the rules' own quorum are missing."""
    return one.state in _PEOPLE_DECIDE and one.requirement.by_rules <= can < one.requirement.quorum


def _cap(uow: Unit, *, name: str, can: int) -> Short:
    """Drop extra approvers who no longer exist. Everyone left approves again, typing the amount."""
    found = uow.instructions.get(name)
    if found is None or not _gives_up_extra(found, can) or not may_decide_on(uow, found):
        return Short(needs=can, can=can)
    wanted, votes = found.requirement.capped(can), uow.votes.of(found.id, found.round)
    number = found.round + 1 if votes else found.round
    reason = Reason(OfRequest.VOTES_VOID, void=[Void.FEWER], missing=wanted.quorum) if votes else found.reason
    capped = uow.instructions.touch(
        found,
        action=CAPPED,
        facts={"round": number, **needed(wanted)},
        show=True,
        requirement=wanted,
        round=number,
        reason=reason,
        due_at=found.due_at,
        lease_owner=found.lease_owner,
        lease_until=found.lease_until,
    )
    if capped is not None and votes and capped.state is State.AWAITING:
        remind(uow, capped, 0)
    return Short(needs=can, can=can)


def _after(known: Mapping[str, Short], found: Mapping[str, Short]) -> dict[str, Short]:
    """Return the shortages to store, current and former; each change of a current one increments its alert count."""
    kept = {}
    for name, now in found.items():
        before = known.get(name)
        if before is None and not now.is_short:
            continue
        told = before.alerts if before is not None else 0
        changed = before is None or (before.needs, before.can) != (now.needs, now.can)
        kept[name] = Short(now.needs, now.can, told + (changed and now.is_short))
    return kept


def _store(uow: Unit, found: Mapping[str, Short]) -> int:
    known = _known(uow)
    after = _after(known, found)
    uow.flags.set(_KEY, {name: [one.needs, one.can, one.alerts] for name, one in after.items()}, uow.now)
    told = 0
    for name, short in after.items():
        if short == known.get(name):
            continue
        uow.boards.mark_request(name, now=uow.now)
        instruction = uow.instructions.get(name)
        if instruction is None or instruction.state not in _WAITING:
            continue
        if not short.is_short:
            alert(uow, instruction, f"within_reach:{short.alerts}", reason=None)
        else:
            facts, topic = {"needs": short.needs, "can": short.can}, f"out_of_reach:{short.alerts}"
            line = {"line": Line.OUT_OF_REACH, **facts}  # for the requester where they asked; the admins get the alert
            queue_line(uow, instruction, asked_in(uow.ctx, instruction), f"out_of_reach:{name}:{short.alerts}", line)
            alert(uow, instruction, topic, reason=Reason(OfRequest.OUT_OF_REACH, **facts), more=facts)
            told += 1
    return told
