"""A stricter policy holds open requests back; a softer one changes nothing that was asked before it."""

from datetime import datetime

from bot.domain.audit import Entry
from bot.domain.bulk_state import facts_of, is_many, requirement_of
from bot.domain.instruction import Instruction, Kind, State
from bot.domain.payout import daily_key
from bot.workflows.context import SYSTEM, Context
from storage.transaction import Tx

_OPEN = (State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.APPROVED)


async def tighten_open(ctx: Context) -> int:
    """At start: hold every open request against the policy that is in force now; how many need more than before."""

    def work(tx: Tx) -> int:
        found = [one for one in tx.instructions.awaiting(_OPEN) if one.kind is not Kind.PURCHASE]
        return sum(1 for one in found if tighten(ctx, tx, one, ctx.clock.now()) is not one)

    return await ctx.store.write(work, name="tighten")


def tighten(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> Instruction | None:
    """The instruction with what the policy asks of it now, if that is more; None when somebody else was faster."""
    facts = facts_of(
        instruction,
        new_recipient=(
            ctx.policy.looks_at_recipients
            and not is_many(instruction)
            and not tx.instructions.paid_before(instruction.payload.email)
        ),
        sent_today=tx.reservations.sum(daily_key(now)) if ctx.policy.looks_at_the_day else 0,
    )
    wanted = instruction.requirement.tightened(requirement_of(ctx.policy, facts))
    if wanted is instruction.requirement:
        return instruction
    held = tx.instructions.touch(
        instruction,
        now=now,
        show=True,
        requirement=wanted,
        due_at=instruction.due_at,
        lease_owner=instruction.lease_owner,
        lease_until=instruction.lease_until,
    )
    if held is not None:
        state = held.state.value
        detail = {"quorum": wanted.quorum, "typed_amount": wanted.typed_amount}
        tx.audit.append(
            Entry(
                at=now,
                instruction_id=held.id,
                actor=SYSTEM,
                action="tightened",
                before=state,
                after=state,
                detail=detail,
            )
        )
    return held
