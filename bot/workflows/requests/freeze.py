"""The kill switch: any approver or admin stops all sending at once; starting again takes a quorum."""

from dataclasses import asdict, dataclass, replace
from typing import Any

from bot.domain.approvals import No, Role, in_role
from bot.domain.audit import SYSTEM, Entry
from bot.domain.freeze import Frozen
from bot.domain.payments.instruction import State
from bot.domain.reasons import OfMode, Reason, Verbatim
from bot.workflows.context import Context, Unit
from bot.workflows.reading_only import announce
from bot.workflows.witness import witness
from storage.errors import RowUnreadable
from storage.transaction import Tx

FREEZE = "frozen"
"""Key of the flag."""
_FREEZE, _UNFREEZE = "freeze", "unfreeze"
"""Actions in the audit."""
_UNREADABLE = Frozen(by="", reason=Reason(OfMode.FREEZE_UNREADABLE), at="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Freezing:
    """Result of a freeze or unfreeze. ``frozen`` None: payments flow."""

    frozen: Frozen | None
    refusal: No | None = None
    changed: bool = False
    needed: int = 1


def frozen(tx: Tx) -> Frozen | None:
    """Whether sending is stopped, read in the transaction that would send; so it is where that cannot be read.

    It starts again when the audit says so too: a flag is a row that anybody can write who can write to the database.
    """
    sealed = frozen_by_audit(tx)
    try:
        found = tx.flags.get(FREEZE)
        flag = _read(found) if found is None or isinstance(found, dict) else _UNREADABLE
    except (RowUnreadable, ValueError, TypeError, KeyError):
        return _UNREADABLE
    if flag is None or sealed is None:
        return flag or sealed
    return replace(flag, lifting=tuple(one for one in flag.lifting if one in sealed.lifting))


def _read(found: dict[str, Any] | None) -> Frozen | None:
    if not found:
        return None
    by, reason, at, lifting = (found[name] for name in ("by", "reason", "at", "lifting"))
    why = Reason.read(reason) or _given("")
    return Frozen(by=str(by), reason=why, at=str(at), lifting=tuple(str(one) for one in lifting))


def _stored(found: Frozen) -> dict[str, Any]:
    return {**asdict(found), "reason": found.reason.stored()}


def frozen_by_audit(tx: Tx) -> Frozen | None:
    """Whether sending is stopped, as the sealed rows say, and who was seen to want it started again."""
    rows = tx.audit.since(_FREEZE, _UNFREEZE)
    if not rows:
        return None
    changed = next((row for row in rows if row.entry is None or not row.is_intact), None)
    if changed is not None:
        return Frozen(by=SYSTEM, reason=Reason(OfMode.CHANGED, row=changed.seq), at="")
    entries = [row.entry for row in rows if row.entry is not None]
    first, lifts = entries[0], [one for one in entries if one.action == _UNFREEZE]
    if first.action != _FREEZE or any(_is_enough(one) for one in lifts):
        return None
    people = tuple(dict.fromkeys(one.actor for one in lifts))
    return Frozen(
        by=first.actor, reason=_given(first.detail.get("reason", "")), at=first.at.isoformat(), lifting=people
    )


def _given(text: object) -> Reason:
    return Reason(Verbatim.GIVEN, text=str(text))


def _is_enough(lifting: Entry) -> bool:
    voices, needed = lifting.detail.get("voices"), lifting.detail.get("needed")
    return isinstance(voices, int) and isinstance(needed, int) and voices >= needed


async def is_frozen(ctx: Context) -> Frozen | None:
    """The same, in a transaction of its own that only reads."""
    return await ctx.read(frozen)


async def freeze(ctx: Context, *, person: str, reason: str, command: str = "/pay") -> Freezing:
    """Stop all sending at once; any approver or admin may, alone. ``command``: the slash command that lifts it."""
    refusal = await _refusal(ctx, person, (Role.APPROVER, Role.ADMIN), No.MAY_NOT_FREEZE)
    now = ctx.clock.now()

    def work(uow: Unit) -> Freezing:
        before = frozen(uow)
        if refusal is not None or before is not None:
            return Freezing(frozen=before, refusal=refusal)
        after = Frozen(by=person, reason=_given(reason), at=now.isoformat())
        uow.flags.set(FREEZE, _stored(after), now)
        witness(uow, _FREEZE, {"reason": reason}, actor=person)
        announce(uow, "frozen", {"by": person, "reason": reason, "command": command})
        return Freezing(frozen=after, changed=True)

    return await ctx.write(work, name="freeze")


async def unfreeze(ctx: Context, *, person: str) -> Freezing:
    """One vote to resume sending; a quorum of approvers resumes it.

    Earlier votes count only while their voters are still approvers.
    """
    refusal = await _refusal(ctx, person, (Role.APPROVER,), No.MAY_NOT_UNFREEZE)
    before = await is_frozen(ctx)
    earlier = [one for one in (before.lifting if before is not None else ()) if one != person]
    gone = {one for one in earlier if await _refusal(ctx, one, (Role.APPROVER,), No.MAY_NOT_UNFREEZE) is not None}
    now = ctx.clock.now()
    needed = ctx.policy.approval.quorum

    def work(uow: Unit) -> Freezing:
        before = frozen(uow)
        if refusal is not None or before is None:
            return Freezing(frozen=before, refusal=refusal, needed=needed)
        voices = tuple(dict.fromkeys((*(one for one in before.lifting if one not in gone), person)))
        witness(uow, _UNFREEZE, {"voices": len(voices), "needed": needed}, actor=person)
        if len(voices) < needed:
            after = replace(before, lifting=voices)
            uow.flags.set(FREEZE, _stored(after), now)
            return Freezing(frozen=after, changed=voices != before.lifting, needed=needed)
        uow.flags.set(FREEZE, {}, now)
        for held in uow.instructions.awaiting((State.APPROVED,)):
            uow.instructions.touch(held, now=now, due_at=now)  # at once: its window to execute is running
        announce(uow, "unfrozen", {"by": list(voices)})
        return Freezing(frozen=None, changed=True, needed=needed)

    return await ctx.write(work, name="unfreeze")


async def _refusal(ctx: Context, person: str, roles: tuple[Role, ...], otherwise: No) -> No | None:
    standing = await ctx.people.standing(person)
    return in_role(standing, roles, otherwise, people=ctx.policy.people, home=ctx.home)
