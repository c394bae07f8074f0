"""Check requests against their seals and audit rows before people decide on them and before anything is sent.

A database writer without the key can forge neither. A request that disagrees keeps its state. People are read before
a vote's transaction; votes are counted inside it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from typing import Any

import structlog

from bot.domain.addresses import mailbox
from bot.domain.approvals import Count, Membership, No, Role, counting, in_role, may_decide, profile_mailbox
from bot.domain.audit import SYSTEM
from bot.domain.payments.bulk import known_digest
from bot.domain.payments.instruction import FINAL, MONEY_OUT, Instruction, State, Vote
from bot.domain.payments.moves import CREATES
from bot.domain.payments.sealed import RECOUNTED, Disagreement, Odd, disagreements, made_of, named_in
from bot.domain.policy import Frozen
from bot.domain.reasons import OfMode, OfRequest, Reason, Verbatim, has_code
from bot.domain.references import ulid
from bot.workflows.alerts import tell
from bot.workflows.context import Context, Unit, witness
from bot.workflows.requests.announce import alert
from bot.workflows.restored import restored
from storage.errors import RowUnreadable
from storage.transaction import Tx

log = structlog.get_logger(__name__)

Standings = Mapping[str, Membership]

DISAGREES = "disagrees"
"""Topic of the alert about a request that disagrees with the audit."""


def odd(tx: Tx, instruction: Instruction) -> tuple[Disagreement, ...]:
    """Return every way in which a request disagrees with its seals, audit rows and items digest."""
    found = _odd_row(tx, instruction)
    items = Disagreement(Odd.ITEMS)
    return found if items in found or has_its_items(tx, instruction) else (*found, items)


def has_its_items(tx: Tx, instruction: Instruction) -> bool:
    """Whether the stored items of a request match its digest."""
    return not instruction.payload.has_items or made_of(instruction.payload, tx.bulk_items.rows(instruction.id))


def may_decide_on(uow: Unit, instruction: Instruction) -> bool:
    """Whether people may decide on a request; if not, hold it."""
    return instruction.state in FINAL or not _held(uow, instruction, _odd_row(uow, instruction))


def may_send(uow: Unit, instruction: Instruction) -> bool:
    """Whether the one attempt may be claimed, checked in its transaction; if not, hold the request.

    Also True if the request changed concurrently: the conditional update then fails.
    """
    if _is_overtaken(uow, instruction):
        return True
    return not _held(uow, instruction, _odd_with_gap(uow, instruction, keep=False))


async def checked(ctx: Context, instruction: Instruction) -> Instruction | None:
    """Return the request ready for its step, no longer marked as held; None if it is held or changed concurrently."""
    if instruction.state in FINAL:
        return instruction
    sends = instruction.state is State.APPROVED or (instruction.state is State.NEW and instruction.kind in CREATES)

    def seen(uow: Unit) -> tuple[Disagreement, ...]:
        if _is_overtaken(uow, instruction):
            return ()
        if not sends:
            return _odd_row(uow, instruction)
        found = _odd_with_gap(uow, instruction, keep=True)
        if has_code(instruction.reason, OfRequest.ON_HOLD) and not has_its_items(uow, instruction):
            return (*found, Disagreement(Odd.ITEMS))
        return found

    found = await ctx.read(seen)
    if not found and not has_code(instruction.reason, OfRequest.ON_HOLD):
        return instruction

    def work(uow: Unit) -> Instruction | None:
        if _is_overtaken(uow, instruction) or _held(uow, instruction, found):
            return None
        owner, until = instruction.lease_owner, instruction.lease_until
        after = uow.instructions.touch(instruction, show=True, reason=None, lease_owner=owner, lease_until=until)
        if after is not None:
            alert(uow, after, f"continues:{after.version}", reason=None)
        return after

    return await ctx.write(work, name="disagrees")


async def hold_changed(ctx: Context, instruction: Instruction) -> None:
    """Hold a request whose items differ from those requested, unless they match again by now."""

    def work(uow: Unit) -> None:
        if not _is_overtaken(uow, instruction):
            _held(uow, instruction, odd(uow, instruction))

    await ctx.write(work, name="disagrees")


def _odd_row(tx: Tx, instruction: Instruction) -> tuple[Disagreement, ...]:
    """Check everything but the items, which are checked before sending, except those that cancellations have named."""
    rows = tx.audit.verified(tx.audit.about(instruction.id))
    votes, attempts = tx.votes.of(instruction.id, instruction.round), tx.attempts.of(instruction.id)
    found = disagreements(
        instruction,
        is_sealed=tx.instructions.is_sealed(instruction),
        votes=votes,
        attempts=attempts,
        unsealed=[*tx.votes.unsealed(votes), *tx.attempts.unsealed(attempts)],
        rows=rows,
    )
    named = named_in(rows)
    sent = {n: known_digest(row.hash for row in tx.bulk_items.named_by(instruction.id, n)) for n in named}
    return found if sent == named else (*found, Disagreement(Odd.ITEMS))


def _odd_with_gap(tx: Tx, instruction: Instruction, *, keep: bool) -> tuple[Disagreement, ...]:
    found = _odd_row(tx, instruction)
    if found:
        return found
    gap = tx.audit.gap(tx.audit.about(instruction.id), keep=keep)
    return () if gap is None else (Disagreement(Odd.GAP, (str(gap),)),)


def _is_overtaken(tx: Tx, instruction: Instruction) -> bool:
    """Whether the request changed after it was read; its audit rows then describe the newer version."""
    now = tx.instructions.get(instruction.id)
    return now is None or now.version != instruction.version


def _held(uow: Unit, instruction: Instruction, found: tuple[Disagreement, ...]) -> bool:
    if not found:
        return False
    reason = Reason(OfRequest.ON_HOLD, found=[(one.odd.value, one.facts) for one in found])
    log.error("a request disagrees with the audit", reference=instruction.reference, reason=str(reason))
    due = uow.now + uow.quiet.spacing * 60
    uow.instructions.touch(instruction, show=instruction.reason != reason, reason=reason, due_at=due)
    alert(uow, instruction, DISAGREES, reason=reason)
    return True


FREEZE = "frozen"
"""Key of the flag."""
_FREEZE, _UNFREEZE = "freeze", "unfreeze"
"""Audit actions."""
_UNREADABLE = Frozen(by="", reason=Reason(OfMode.FREEZE_UNREADABLE), at="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Freezing:
    """Result of a freeze or unfreeze. ``frozen`` is None if payments flow."""

    frozen: Frozen | None
    refusal: No | None = None
    changed: bool = False
    needed: int = 1


def frozen(tx: Tx) -> Frozen | None:
    """Return why sending is stopped, by people or after a restore; read it in the transaction that would send."""
    found = restored(tx)
    if found is None:
        return frozen_by_people(tx)
    return Frozen(by="", reason=Reason(OfMode.OLDER), at=found.since.isoformat())


def frozen_by_people(tx: Tx) -> Frozen | None:
    """Return the freeze that people ordered, or None. An unreadable flag counts as a freeze.

    Sending resumes only once the audit agrees: anyone with write access to the database can change a flag.
    """
    sealed = frozen_by_audit(tx)
    flag = None
    try:
        found = tx.flags.get(FREEZE)
        if found is not None and not isinstance(found, dict):
            flag = _UNREADABLE
        elif found:
            by, reason, at, lifting = (found[name] for name in ("by", "reason", "at", "lifting"))
            why = Reason.read(reason) or _given("")
            flag = Frozen(by=str(by), reason=why, at=str(at), lifting=tuple(map(str, lifting)))
    except (RowUnreadable, ValueError, TypeError, KeyError):
        return _UNREADABLE
    if flag is None or sealed is None:
        return flag or sealed
    return replace(flag, lifting=tuple(one for one in flag.lifting if one in sealed.lifting))


def _stored(found: Frozen) -> dict[str, Any]:
    return {**asdict(found), "reason": found.reason.stored()}


def frozen_by_audit(tx: Tx) -> Frozen | None:
    """Return the freeze that the sealed audit rows prove, with the people who voted to lift it, or None."""
    rows = tx.audit.since(_FREEZE, _UNFREEZE)
    if not rows:
        return None
    changed = next((row for row in rows if row.entry is None or not row.is_intact), None)
    if changed is not None:
        return Frozen(by=SYSTEM, reason=Reason(OfMode.CHANGED, row=changed.seq), at="")
    entries = [row.entry for row in rows if row.entry is not None]
    first, lifts = entries[0], [one for one in entries if one.action == _UNFREEZE]
    if first.action != _FREEZE:
        return None
    for one in lifts:
        voices, needed = one.detail.get("voices"), one.detail.get("needed")
        if isinstance(voices, int) and isinstance(needed, int) and voices >= needed:
            return None
    people = tuple(dict.fromkeys(one.actor for one in lifts))
    return Frozen(
        by=first.actor, reason=_given(first.detail.get("reason", "")), at=first.at.isoformat(), lifting=people
    )


def _given(text: object) -> Reason:
    return Reason(Verbatim.GIVEN, text=str(text))


async def freeze(ctx: Context, *, person: str, reason: str) -> Freezing:
    """Stop all sending at once. A single approver or admin may do this."""
    refusal = await _refusal(ctx, person, (Role.APPROVER, Role.ADMIN), No.MAY_NOT_FREEZE)
    now = ctx.clock.now()

    def work(uow: Unit) -> Freezing:
        before = frozen(uow)
        if refusal is not None or before is not None:
            return Freezing(frozen=before, refusal=refusal)
        after = Frozen(by=person, reason=_given(reason), at=now.isoformat())
        uow.flags.set(FREEZE, _stored(after), now)
        witness(uow, _FREEZE, {"reason": reason}, actor=person)
        _tell_approvers(uow, "frozen", {"by": person, "reason": reason, "command": ctx.spelled("pay")})
        return Freezing(frozen=after, changed=True)

    return await ctx.write(work, name="freeze")


async def unfreeze(ctx: Context, *, person: str) -> Freezing:
    """Record one approver's vote to resume sending; a quorum resumes it.

    Earlier votes count only while their voters are still approvers.
    """
    refusal = await _refusal(ctx, person, (Role.APPROVER,), No.MAY_NOT_UNFREEZE)
    before = await ctx.read(frozen)
    earlier = [one for one in (before.lifting if before is not None else ()) if one != person]
    gone = {one for one in earlier if await _refusal(ctx, one, (Role.APPROVER,), No.MAY_NOT_UNFREEZE) is not None}
    now = ctx.clock.now()
    needed = ctx.policy.approval.quorum

    def work(uow: Unit) -> Freezing:
        before = frozen(uow)
        if refusal is not None or before is None or before.is_restored:
            return Freezing(frozen=before, refusal=refusal, needed=needed)
        voices = tuple(dict.fromkeys((*(one for one in before.lifting if one not in gone), person)))
        witness(uow, _UNFREEZE, {"voices": len(voices), "needed": needed}, actor=person)
        if len(voices) < needed:
            after = replace(before, lifting=voices)
            uow.flags.set(FREEZE, _stored(after), now)
            return Freezing(frozen=after, changed=voices != before.lifting, needed=needed)
        uow.flags.set(FREEZE, {}, now)
        for held in uow.instructions.awaiting((State.APPROVED,)):
            uow.instructions.touch(held, due_at=now)  # at once: its window to execute is running
        _tell_approvers(uow, "unfrozen", {"by": list(voices)})
        return Freezing(frozen=None, changed=True, needed=needed)

    return await ctx.write(work, name="unfreeze")


def sent_by_unfreezing(tx: Tx) -> list[Instruction]:
    """Return the approved requests that only the freeze holds back, oldest first."""
    approved = tx.instructions.awaiting((State.APPROVED,))
    return [one for one in approved if one.reason is None or has_code(one.reason, OfRequest.FROZEN)]


def _tell_approvers(uow: Unit, topic: str, facts: Mapping[str, object]) -> None:
    """Post one message to the approvers, who can change it; requesters are notified when they make a request."""
    tell(uow, uow.policy.channels.approvals, key=f"{topic}:{ulid(uow.now)}", facts={"topic": topic, **facts})


async def _refusal(ctx: Context, person: str, roles: tuple[Role, ...], otherwise: No) -> No | None:
    standing = await ctx.people.standing(person)
    return in_role(standing, roles, otherwise, people=ctx.policy.people, home=ctx.home)


class OutdatedError(Exception):
    """A person's standing is missing or too old. The transaction is rolled back, and people are read again."""


async def involved_in(ctx: Context, instruction_id: str) -> frozenset[str]:
    """Return the requester and everyone who voted in the current round."""

    def involved(uow: Unit) -> frozenset[str]:
        found = uow.instructions.get(instruction_id)
        if found is None:
            return frozenset()
        return frozenset({found.requester, *(vote.person for vote in uow.votes.of(found.id, found.round))})

    return await ctx.read(involved)


def require_fresh(ctx: Context, people: Collection[str], standings: Standings) -> None:
    """Require that all of these people were read, and recently enough for a payment.

    Raises:
        OutdatedError: a new voter was not read, or the standings are too old.
    """
    at = ctx.clock.boottime()
    if not all(person in standings and standings[person].fresh(at) for person in people):
        raise OutdatedError


def paid_among(tx: Tx, instruction: Instruction, people: Iterable[Membership]) -> frozenset[str]:
    """Return the mailboxes in these people's profiles that the request pays."""
    mailboxes = frozenset(filter(None, (profile_mailbox(one.person) for one in people)))
    if not mailboxes or instruction.kind not in MONEY_OUT:
        return frozenset()
    if instruction.payload.has_items:
        return tx.bulk_items.payees(instruction.id, mailboxes)
    return mailboxes & {mailbox(instruction.payload.payee)}


def refusal_of(uow: Unit, instruction: Instruction, standing: Membership) -> No | None:
    """Return why this person may not decide on this request, or None if they may."""
    ctx, payees = uow.ctx, paid_among(uow, instruction, [standing])
    people = ctx.policy.people
    return may_decide(standing, requester=instruction.requester, people=people, home=ctx.home, payees=payees)


def count(uow: Unit, instruction: Instruction, votes: Sequence[Vote], standings: Standings, *, seconds: float) -> Count:
    """Count the votes of the current round, without unread voters and votes older than ``seconds``."""
    return counting(
        votes,
        instruction=instruction,
        standings=standings,
        people=uow.policy.people,
        home=uow.ctx.home,
        since=uow.now - timedelta(seconds=seconds),
        payees=paid_among(uow, instruction, standings.values()),
    )


def next_round(tx: Tx, instruction: Instruction, votes: Sequence[Vote], counted: Collection[str]) -> int | None:
    """Copy the votes that count into a new round and return its number, or None if every vote counts.

    Void votes stay in their round, for the record; their voters can vote again once they are eligible again.
    """
    if all(vote.person in counted for vote in votes):
        return None
    number = instruction.round + 1
    for vote in votes:
        if vote.person in counted:
            tx.votes.cast(replace(vote, round=number))
    return number


def without_the_others(uow: Unit, instruction: Instruction, votes: Sequence[Vote], found: Count) -> Instruction | None:
    """Return the instruction with only the votes that count, or None if it was changed concurrently.

    Its card shows why the other votes are void.
    """
    number = next_round(uow, instruction, votes, found.counted)
    if number is None:
        return instruction
    reason = why_more(instruction, found) or instruction.reason
    return uow.instructions.touch(
        instruction,
        action=RECOUNTED,
        facts={"round": number, "counted": sorted(found.counted)},
        show=True,
        round=number,
        reason=reason,
        due_at=instruction.due_at,
    )


def why_more(instruction: Instruction, found: Count) -> Reason | None:
    """Return the reason, for the card, why more approvals are needed again; None if there are enough."""
    missing = instruction.requirement.quorum - len(found.counted)
    void = sorted({why.value for why in found.void.values()})
    return Reason(OfRequest.VOTES_VOID, void=void, missing=missing) if missing > 0 else None
