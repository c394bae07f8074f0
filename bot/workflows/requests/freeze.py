"""The kill switch: any approver or admin stops all sending at once; starting again takes a quorum."""

from dataclasses import dataclass
from datetime import datetime

from bot.domain.approvals import No, Role, full_member, listed
from bot.domain.freeze import Frozen
from bot.domain.payments.instruction import State
from bot.workflows.context import Context
from bot.workflows.reading_only import announce, audit
from storage.transaction import Tx

_FLAG = "frozen"


@dataclass(frozen=True, slots=True, kw_only=True)
class Freezing:
    """Result of a freeze or unfreeze. ``frozen`` None: payments flow."""

    frozen: Frozen | None
    refusal: No | None = None
    changed: bool = False
    needed: int = 1


def frozen(tx: Tx) -> Frozen | None:
    """Whether sending is stopped, read in the transaction that would send."""
    found = tx.flags.get(_FLAG)
    if not isinstance(found, dict) or not found:
        return None
    return Frozen(by=found["by"], reason=found["reason"], at=found["at"], lifting=tuple(found["lifting"]))


async def is_frozen(ctx: Context) -> Frozen | None:
    """The same, in a transaction of its own that only reads."""
    return await ctx.store.read(frozen)


async def freeze(ctx: Context, *, person: str, reason: str, command: str = "/pay") -> Freezing:
    """Stop all sending at once; any approver or admin may, alone. ``command``: the slash command that lifts it."""
    refusal = await _refusal(ctx, person, (Role.APPROVER, Role.ADMIN), No.MAY_NOT_FREEZE)
    now = ctx.clock.now()

    def work(tx: Tx) -> Freezing:
        before = frozen(tx)
        if refusal is not None or before is not None:
            return Freezing(frozen=before, refusal=refusal)
        after = Frozen(by=person, reason=reason, at=now.isoformat())
        _store(tx, after, now)
        audit(tx, person, "freeze", {"reason": reason}, now)
        announce(tx, "frozen", {"by": person, "reason": reason, "command": command}, policy=ctx.policy, now=now)
        return Freezing(frozen=after, changed=True)

    done = await ctx.store.write(work, name="freeze")
    ctx.wake()
    return done


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

    def work(tx: Tx) -> Freezing:
        before = frozen(tx)
        if refusal is not None or before is None:
            return Freezing(frozen=before, refusal=refusal, needed=needed)
        voices = tuple(dict.fromkeys((*(one for one in before.lifting if one not in gone), person)))
        audit(tx, person, "unfreeze", {"voices": len(voices), "needed": needed}, now)
        if len(voices) < needed:
            after = Frozen(by=before.by, reason=before.reason, at=before.at, lifting=voices)
            _store(tx, after, now)
            return Freezing(frozen=after, changed=voices != before.lifting, needed=needed)
        _store(tx, None, now)
        for held in tx.instructions.awaiting((State.APPROVED,)):
            tx.instructions.touch(held, now=now, due_at=now)  # at once: its window to execute is running
        announce(tx, "unfrozen", {"by": list(voices)}, policy=ctx.policy, now=now)
        return Freezing(frozen=None, changed=True, needed=needed)

    done = await ctx.store.write(work, name="unfreeze")
    ctx.wake()
    return done


async def _refusal(ctx: Context, person: str, roles: tuple[Role, ...], otherwise: No) -> No | None:
    standing = await ctx.people.standing(person)
    refusal = full_member(standing.person, home=ctx.home)
    if refusal is not None:
        return refusal
    return None if any(listed(role, standing, ctx.policy.people) for role in roles) else otherwise


def _store(tx: Tx, state: Frozen | None, now: datetime) -> None:
    value: dict[str, object] = {}
    if state is not None:
        value = {"by": state.by, "reason": state.reason, "at": state.at, "lifting": list(state.lifting)}
    tx.flags.set(_FLAG, value, now)
