"""After a restart, a takeover or a restore: leases are freed, dead processes replaced, payments unfrozen."""

import asyncio
import hashlib
from datetime import datetime, timedelta
from typing import Final

import structlog

from bot.domain.bookings.booking import Stage
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    MONEY_OUT,
    UNSETTLED,
    Attempt,
    AttemptKind,
    AttemptOutcome,
    Instruction,
    Kind,
    State,
)
from bot.domain.payments.moves import APPROVED, CREATES
from bot.domain.payments.sealed import MAY_BE_SENT, daily_key
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.announce import Place, show_card
from bot.workflows.restored import EVERY, RESUMED, WAITS, Restored, announce, unknown_here
from storage.errors import StorageError
from storage.peers import Peers
from storage.repositories.requests import Changes
from storage.store import Store

log = structlog.get_logger(__name__)

OPERATOR = "operator"
"""Actor in audit rows of commands on the command line."""
_ORDER: Final = Reason(OfRequest.RESTORED)
_WITHOUT_LIMIT: Final = 1 << 62


def resume(uow: Unit, found: Restored, *, reason: str) -> list[str]:
    """Unfreeze payments; return the references of requests that people must check at the provider first.

    These are approved requests, requests of unknown outcome, and waiting requests that the anchors show as sent; none
    of them is sent automatically. Other waiting requests keep their state but lose their votes: a withdrawal of a vote
    may have been lost.
    """
    named = (uow.instructions.find(sent.partition(" ")[2]) for sent in found.sent)
    sent = {one.id for one in named if one is not None}
    to_check = []
    for one in uow.instructions.awaiting(UNSETTLED - EFFECT_UNDER_WAY, limit=EVERY):
        if one.created_at > found.since:
            if one.state in WAITS:
                uow.instructions.touch(one, show=True, reason=None, due_at=uow.now)
        elif one.state in WAITS - {State.APPROVED} and one.id not in sent and not _is_being_created(one):
            _ask_again(uow, one, due_at=uow.now)
        else:
            to_check.append(one.reference)
            if one.state is State.NEEDS_HUMAN:
                _ask_again(uow, one, due_at=uow.now if _is_read(one) else None)
            else:
                _hand_over(uow, one)
    for booking in uow.bookings.open(limit=EVERY):
        if booking.stage is Stage.NEW and booking.created_at <= found.since:
            # Treated like a lost answer: looked up by our own id, and never sent again.
            uow.bookings.move(booking, Stage.UNKNOWN, action="unknown", sent_at=uow.now, reason=_ORDER, due_at=uow.now)
    detail = {"reason": reason, "unknown": unknown_here(uow, found), "check": to_check}
    witness(uow, RESUMED, detail, actor=OPERATOR)
    announce(uow, "resumed", {"reason": reason, "check": to_check})
    return to_check


def _is_being_created(one: Instruction) -> bool:
    return one.state is State.NEW and one.kind in CREATES and not one.payload.taken


def _is_read(one: Instruction) -> bool:
    """Return whether the service can be read now; a payout that may have been created is read after the decision."""
    return bool(one.commits) or one.kind is not Kind.PAYOUT


def _ask_again(uow: Unit, one: Instruction, *, due_at: datetime | None) -> None:
    uow.instructions.touch(
        one,
        actor=OPERATOR,
        action="approve_again",
        facts={"reason": _ORDER.stored()},
        show=True,
        reason=_ORDER,
        round=one.round + 1,
        due_at=due_at,
    )


def _hand_over(uow: Unit, one: Instruction) -> None:
    """Let people decide on a request. An unsent one counts as sent, so that a new attempt looks it up first.

    Cancellations are always looked up first.
    """
    kind = AttemptKind.CREATE if _is_being_created(one) else AttemptKind.COMMIT
    counts = one.state in WAITS and one.kind is not Kind.BULK_CANCEL
    n = len(uow.attempts.of(one.id)) + 1
    facts: dict[str, object] = {"reason": _ORDER.stored()}
    changes: Changes = {"suspect": None, "decided_by": "", "exec_deadline": None, "round": one.round + 1}
    if counts:
        facts |= {"attempt": n, "kind": kind.value}
        changes |= {"creates": one.creates + 1} if kind is AttemptKind.CREATE else {"commits": one.commits + 1}
        changes |= {"sent_at": uow.now, "unknown_since": uow.now, "reads": 0, "last_read_at": None}
    moved = uow.instructions.move(
        one,
        State.NEEDS_HUMAN,
        actor=OPERATOR,
        action=MAY_BE_SENT if counts else "needs_human",
        facts=facts,
        reason=_ORDER,
        due_at=uow.now if _is_read(one) or "commits" in changes else None,
        **changes,
    )
    if moved is None:
        return
    if counts:
        uow.attempts.open(
            Attempt(
                instruction_id=one.id, n=n, kind=kind, request_hash=one.digest, claimed_at=one.created_at, boot_at=0.0
            )
        )
        uow.attempts.close(one.id, n, AttemptOutcome.UNKNOWN, str(_ORDER), uow.now)
    if counts and kind is AttemptKind.COMMIT and one.kind in MONEY_OUT:
        day, limit = daily_key(uow.now), _WITHOUT_LIMIT
        uow.reservations.reserve(one.id, n, day=day, cents=one.cents, limit_cents=limit)
    if moved.kind in APPROVED:
        show_card(uow, moved, Place.APPROVALS)  # approvers may never have seen it before


_SETTLED: Final = 5.0
"""Seconds that our connection must have been open: a restart of the server ends every connection."""
_SURE: Final = 0.3
"""Seconds in which a process whose connection broke has reconnected."""


async def take_over(ctx: Context) -> int:
    """End the leases of dead processes; return how many held any. A slow process keeps its lock and its leases."""
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
        if rows:  # a process that stopped cleanly holds none
            died += 1
            log.warning("process died, its work continues here", process=owner, rows=rows)
    if died:
        await recover_claims(ctx)
        ctx.wake()
    return died


async def _gone(ctx: Context, peers: Peers) -> set[str] | None:
    """Return the owner ids of processes that are gone; None while our connection is too young to tell."""
    if peers.connected_for() < _SETTLED:
        return None
    return set(await ctx.read(lambda uow: uow.processes.gone())) - {ctx.owner}


async def recover(ctx: Context) -> int:
    """At start, end the leases of steps that only read, then call :func:`recover_claims`; return its result."""

    def free(uow: Unit) -> None:
        for rows in (uow.instructions, uow.inbox, uow.tracked, uow.jobs, uow.dropped, uow.bookings, uow.store_events):
            rows.recover(uow.owner)
        uow.boards.hasten(uow.now)

    if ctx.store.exclusive:
        await ctx.write(free, name="free", wakes=False)
    return await recover_claims(ctx)


async def recover_claims(ctx: Context) -> int:
    """Turn abandoned claims into unknown outcomes and return their number.

    On SQLite, claims of another owner are abandoned; otherwise those whose lease has run out.
    """
    count = await ctx.write(lambda uow: sum(each(uow) for each in ctx.recoveries), name="recover", wakes=False)
    if count:
        log.warning("recovered requests abandoned by an earlier process", count=count)
        ctx.wake()
    return count


KEPT: Final = timedelta(seconds=600)
"""Twice the validity of a signature."""


async def first_time(store: Store, *, signature: str, now: datetime) -> bool:
    """Record the signature of a request; return False if another process has already handled it."""
    if store.exclusive:
        return True
    digest = hashlib.sha256(signature.encode()).hexdigest()
    try:
        return await store.write(lambda tx: tx.seen.first_time(digest, now=now, kept=KEPT), name="seen_request")
    except StorageError as busy:  # any effect needs a write too, whose failure is reported to the person
        log.warning("duplicate request check failed, request handled", reason=str(busy))
        return True
