"""After a restart, a takeover or a restore: leases are freed, dead processes replaced, sending is allowed again."""

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.domain.payments.instruction import Instruction, State
from bot.domain.reasons import OfRequest, Reason, has_code
from bot.domain.recovery import LastSearch, ReadingOnly, Seen
from bot.workflows.context import Context, Unit, witness
from bot.workflows.reading_only import RESUMED, announce, leave, looks, reading_only
from storage.errors import StorageError
from storage.peers import Peers
from storage.store import Store
from storage.transaction import Tx

OPERATOR = "operator"
"""Actor in the audit of what was done on the command line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """Findings in reading-only mode.

    ``looked``: requests that were not final when it was noticed, by reference, with the last look for each.
    ``unknown``: requests with an effect that were sent, and that this database lacks.
    """

    mode: ReadingOnly
    looked: Sequence[tuple[str, LastSearch | None]]
    unknown: Sequence[str]

    @property
    def is_complete(self) -> bool:
        return all(look is not None and look.is_over for _, look in self.looked)


def standing(tx: Tx) -> Standing | None:
    """The findings so far; None: not in reading-only mode."""
    mode = reading_only(tx)
    if mode is None:
        return None
    found = looks(tx)
    about = [(wanted, tx.instructions.get(wanted)) for wanted in tx.instructions.not_over_at(mode.since)]
    looked = [(one.reference if one else wanted, found.get(wanted)) for wanted, one in about]
    unknown = [sent for sent in mode.sent if tx.instructions.find(sent.partition(" ")[2]) is None]
    return Standing(mode=mode, looked=looked, unknown=unknown)


def resume(uow: Unit, found: Standing, *, reason: str, forced: bool) -> list[str]:
    """Send again from here on; which requests need approval again: earlier votes may have been withdrawn and lost."""
    held = (State.NEW, State.AWAITING, State.APPROVED, State.NEEDS_HUMAN)
    waiting = uow.instructions.awaiting(held, limit=1_000_000)
    again = [one.reference for one in waiting if _reopen(uow, found.mode, one)]
    leave(uow)
    seen = {value.value: sum(look is not None and look.seen is value for _, look in found.looked) for value in Seen}
    detail = {"reason": reason, "forced": forced, "looks": seen, "unknown": list(found.unknown), "again": again}
    witness(uow, RESUMED, detail, actor=OPERATOR)
    announce(uow, "resumed", {"reason": reason, "again": again})
    return again


def _reopen(uow: Unit, mode: ReadingOnly, instruction: Instruction) -> bool:
    """Release one request; whether approvers have to decide anew."""
    from_before, wish = instruction.created_at <= mode.since, Reason(OfRequest.ASK_AGAIN)
    # The time to decide begins anew once the approvers have seen the card.
    seconds = timedelta(seconds=instruction.requirement.expires_seconds)
    expires_at = None if instruction.posted_at is None else uow.now + seconds
    if instruction.state is State.APPROVED and from_before:
        moved = uow.instructions.move(
            instruction,
            State.NEEDS_HUMAN if instruction.commits else State.AWAITING,
            actor=OPERATOR,
            action="approve_again",
            facts={"reason": wish.stored()},
            reason=wish,
            round=instruction.round + 1,
            decided_by="",
            exec_deadline=None,
            expires_at=expires_at,
            due_at=uow.now,
        )
        return moved is not None
    voted = bool(uow.votes.of(instruction.id, instruction.round))
    if voted and from_before and instruction.state in (State.AWAITING, State.NEEDS_HUMAN):
        uow.instructions.touch(
            instruction,
            actor=OPERATOR,
            action="approve_again",
            facts={"reason": wish.stored()},
            show=True,
            round=instruction.round + 1,
            reason=wish,
            expires_at=expires_at if instruction.state is State.AWAITING else instruction.expires_at,
            due_at=uow.now,
        )
        return True
    if has_code(instruction.reason, OfRequest.RESTORED):
        uow.instructions.touch(instruction, show=True, reason=None, due_at=uow.now)
    return False


log = structlog.get_logger(__name__)

_SETTLED: Final = 5.0
"""Seconds that our own connection must have been open: a restart of the server ends every connection."""
_SURE: Final = 0.3
"""Seconds in which a process whose connection broke has made another."""


async def take_over(ctx: Context) -> int:
    """End the leases of processes that died; how many held any. A slow one holds its lock, and is left alone."""
    peers = ctx.peers
    if peers is None or not peers.may_miss_somebody():
        return 0
    ends = peers.ends
    missing = await _gone(ctx, peers)
    if missing is None:
        return 0
    if not missing:
        peers.misses_nobody(ends)
        return 0
    await asyncio.sleep(_SURE)

    def expire(uow: Unit, owner: str) -> int:
        uow.processes.forget(owner)
        uow.boards.hasten(uow.now)
        return uow.steps.expire(owner, uow.now)

    gone = missing & (await _gone(ctx, peers) or set())
    died = 0
    for owner in gone:
        rows = await ctx.write(lambda uow: expire(uow, owner), name="take_over", wakes=False)  # noqa: B023 - awaited here
        if rows:  # a process that stopped in order holds none
            died += 1
            log.warning("process died, its work continues here", process=owner, rows=rows)
    if died:
        await recover_claims(ctx)
        ctx.wake()
    return died


async def _gone(ctx: Context, peers: Peers) -> set[str] | None:
    """Owners whose process is gone; None while our own connection is too young to tell."""
    if peers.connected_for() < _SETTLED:
        return None
    return set(await ctx.read(lambda uow: uow.processes.gone())) - {ctx.owner}


async def recover(ctx: Context) -> int:
    """At start: end the leases of steps that only read, then as :func:`recover_claims`."""

    def free(uow: Unit) -> None:
        for rows in (uow.instructions, uow.inbox, uow.tracked, uow.jobs, uow.dropped, uow.bookings, uow.store_events):
            rows.recover(uow.owner)
        uow.boards.hasten(uow.now)

    if ctx.store.exclusive:
        await ctx.write(free, name="free", wakes=False)
    return await recover_claims(ctx)


async def recover_claims(ctx: Context) -> int:
    """Turn abandoned claims into unknown outcomes: of another owner on SQLite, else those whose lease has run out."""
    count = await ctx.write(lambda uow: sum(each(uow) for each in ctx.recoveries), name="recover", wakes=False)
    if count:
        log.warning("recovered requests abandoned by an earlier process", count=count)
        ctx.wake()
    return count


KEPT: Final = timedelta(seconds=600)
"""Twice as long as a signature is good for."""


async def first_time(store: Store, *, signature: str, now: datetime) -> bool:
    """Whether no other process has handled the request with this signature."""
    if store.exclusive:
        return True
    digest = hashlib.sha256(signature.encode()).hexdigest()
    try:
        return await store.write(lambda tx: tx.seen.first_time(digest, now=now, kept=KEPT), name="seen_request")
    except StorageError as busy:  # any effect needs a write too, whose failure is reported to the person
        log.warning("duplicate request check failed, request handled", reason=str(busy))
        return True
