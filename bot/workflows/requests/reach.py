"""Whether enough people can approve what waits: counted when it is asked for, and again every minute.

Nobody waits for it: while Slack does not say who somebody is, it is counted later. Every process counts; what was
told stands in the database, so that each change is told once.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import structlog

from bot.domain.approvals import Membership, Role, full_member, listed, may_decide
from bot.domain.errors import ServiceNow
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.moves import APPROVED
from bot.domain.policy import Policy, Short
from bot.domain.reasons import OfRequest, Reason
from bot.slack.people import FRESH, Directory, named
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import Line, alert, asked_in, queue_line
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_KEY: Final = "out_of_reach"
"""Flag: by request, the approvals it needs, the people who can give one, and how often that was told."""
_WAITING: Final = (State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.NEEDS_HUMAN)
"""States before which, or in which, people approve."""
_EVERY: Final = 60.0
"""Seconds between two counts, so that a person who left is noticed."""
_FRESH: Final = 59.0
"""Age in seconds up to which what was read of people is used: Slack allows few reads of groups a minute."""
_AGAIN: Final = 10.0
"""Seconds until the next attempt where Slack did not answer."""
_COUNTED: Final = 1_000
"""Requests that are looked at, oldest first."""
_Asked = tuple[str, str, int]
"""A request: its id, its requester, and the approvals that it needs."""


@dataclass(frozen=True, slots=True)
class OutOfReach:
    """A request that waits for more approvals than there are people to give them."""

    instruction: Instruction
    short: Short


class Reach:
    """Counts for one process; remembers what it counted, and when. ``people``: nobody else goes by what it reads."""

    def __init__(self, people: Directory) -> None:
        self._people = people
        self._counted: frozenset[_Asked] = frozenset()
        self._due_at = float("-inf")

    async def look(self, ctx: Context) -> int:
        """Count where something was asked for since, or a minute is over; how many were told."""

        def waiting(uow: Unit) -> tuple[frozenset[_Asked], dict[str, Short]]:
            found = uow.instructions.awaiting(_WAITING, limit=_COUNTED)
            asked = frozenset((one.id, one.requester, one.requirement.quorum) for one in found if one.kind in APPROVED)
            return asked, _known(uow)

        asked, known = await ctx.read(waiting)
        now = ctx.clock.boottime()
        if (not asked and not known) or (asked == self._counted and now < self._due_at):
            return 0
        try:
            found = await _count(ctx, self._people, asked)
        except ServiceNow as silent:
            log.info("who can approve is counted later", reason=silent.reason)
            self._counted, self._due_at = asked, now + _AGAIN
            return 0
        self._counted, self._due_at = asked, now + _EVERY
        if _after(known, found) == known:
            return 0
        return await ctx.write(lambda uow: _store(uow, found), name="out_of_reach")


async def approvers(
    policy: Policy, people: Directory, *, home: str, most: int | None = None, fresh: float = FRESH
) -> list[Membership]:
    """Full members whom the policy names as approvers, read one after the other, at most so many.

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


def short_of(tx: Tx, instruction: Instruction) -> Short | None:
    """What this request lacks; None: there are people enough, as far as was counted."""
    known = _known(tx).get(instruction.id)
    waits = instruction.state in _WAITING and known is not None and known.needs == instruction.requirement.quorum
    return known if known is not None and waits and known.is_short else None


def all_short(tx: Tx) -> list[OutOfReach]:
    """Every request that needs more approvals than people can give, oldest first."""
    if not _known(tx):
        return []
    waiting = tx.instructions.awaiting(_WAITING, limit=_COUNTED)
    return [OutOfReach(one, short) for one in waiting if (short := short_of(tx, one)) is not None]


def _known(tx: Tx) -> dict[str, Short]:
    stored: Any = tx.flags.get(_KEY) or {}
    return {str(name): Short(*map(int, values)) for name, values in stored.items()}


async def _count(ctx: Context, people: Directory, asked: frozenset[_Asked]) -> dict[str, Short]:
    """By request, what it needs and how many can give it; exact where that is too few."""
    if not asked:
        return {}
    enough = max(quorum for _, _, quorum in asked) + 1  # one of them may have asked
    able = await approvers(ctx.policy, people, home=ctx.home, most=enough, fresh=_FRESH)
    found = {}
    for name, requester, quorum in asked:
        votes = [may_decide(one, requester=requester, people=ctx.policy.people, home=ctx.home) for one in able]
        found[name] = Short(needs=quorum, can=min(votes.count(None), quorum))
    return found


def _after(known: Mapping[str, Short], found: Mapping[str, Short]) -> dict[str, Short]:
    """What is to be stored: requests that lack people, or did; each change of one that does counts once more."""
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
