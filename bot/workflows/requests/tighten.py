"""A stricter policy applies to open requests; a softer one does not.

An open request needs what a new one would need now: a duplicate needs one more approver than the policy in force, and
votes without a typed amount are void where the amount must be typed. Its time to be decided, and to be sent, ends as
early as a new one's would.
"""

from datetime import datetime, timedelta
from functools import partial

from bot.domain.approvals import Count, Void
from bot.domain.payments.bulk import BulkPayload, CancelPayload
from bot.domain.payments.bulk_state import SAME_PAYMENT, doubts_of, facts_of, requirement_of
from bot.domain.payments.instruction import NOT_PAID, Instruction, Payload, State
from bot.domain.payments.moves import APPROVED
from bot.domain.payments.payout import daily_key
from bot.domain.payments.sealed import needed
from bot.domain.requirement import Requirement
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import remind
from bot.workflows.requests.ballot import without_the_others
from bot.workflows.witness import witness
from storage.errors import RowUnreadable
from storage.repositories.admin import Key
from storage.transaction import Tx

_OPEN = (
    State.NEW,
    State.CREATING,
    State.CREATE_UNKNOWN,
    State.AWAITING,
    State.APPROVED,
    State.COMMIT_UNKNOWN,
    State.NEEDS_HUMAN,
)


async def tighten_open(ctx: Context) -> int:
    """At start: check every open request against the policy in force now; how many need more than before."""

    def work(uow: Unit, after: Key | None) -> tuple[int, Key | None]:
        page, end = uow.sweep.page("instruction", after)
        found = [one for one in page if one.kind in APPROVED and one.state in _OPEN]
        return sum(1 for one in found if _is_tightened(uow, one)), end

    count, end = await ctx.write(partial(work, after=None), name="tighten", wakes=False)
    while end is not None:
        more, end = await ctx.write(partial(work, after=end), name="tighten", wakes=False)
        count += more
    return count


def _is_tightened(uow: Unit, instruction: Instruction) -> bool:
    try:
        return _at_start(uow, instruction) is not instruction
    except RowUnreadable:
        return False  # one of its votes: it is noted, and the request is held


def _at_start(uow: Unit, instruction: Instruction) -> Instruction | None:
    votes = uow.votes.of(instruction.id, instruction.round)
    held = tighten(uow, instruction)
    if held is None or held.state is not State.AWAITING or not held.requirement.typed_amount:
        return held  # where no vote is open now, votes are counted before anything is sent
    typed = frozenset(vote.person for vote in votes if vote.typed)
    void = {vote.person: Void.UNTYPED for vote in votes if not vote.typed}
    asked = without_the_others(uow, held, votes, Count(typed, void))
    if asked is not None and void:
        remind(uow, asked, 0)
    return asked


def required(uow: Unit, payload: Payload, asked_at: datetime, *, before: str = "") -> Requirement:
    """What the policy asks of a request for this.

    Args:
        uow: the unit of work.
        payload: what is asked for.
        asked_at: when.
        before: id of the request; empty: it is being made, so every other one was made before it.
    """
    alone = not isinstance(payload, BulkPayload | CancelPayload)
    facts = facts_of(
        payload,
        new_recipient=uow.policy.looks_at_recipients and alone and not uow.instructions.paid_before(payload.email),
        sent_today=uow.reservations.sum(daily_key(uow.now)) if uow.policy.looks_at_the_day else 0,
        duplicates=_twins(uow, payload, asked_at, before) if alone else 0,
    )
    return requirement_of(uow.policy, facts, extra=doubts_of(payload))


def _twins(tx: Tx, payload: Payload, asked_at: datetime, before: str) -> int:
    """How many requests within a day before it were for the same payment, and may have been paid."""
    since = asked_at - SAME_PAYMENT
    return tx.instructions.recent_same(payload.email, payload.cents, since, ignoring=NOT_PAID, before=before)


def tighten(uow: Unit, instruction: Instruction) -> Instruction | None:
    """The instruction with what the policy requires now, if that is more; None when somebody else was faster."""
    now_required = required(uow, instruction.payload, instruction.created_at, before=instruction.id)
    wanted = instruction.requirement.tightened(now_required)
    if wanted is instruction.requirement:
        return instruction
    before = instruction.requirement
    expires = _sooner(instruction.expires_at, before.expires_seconds - wanted.expires_seconds)
    deadline = _sooner(instruction.exec_deadline, before.execute_within_seconds - wanted.execute_within_seconds)
    due = [end for end in (instruction.due_at, expires, deadline) if end is not None]
    held = uow.instructions.touch(
        instruction,
        now=uow.now,
        show=True,
        requirement=wanted,
        expires_at=expires,
        exec_deadline=deadline,
        due_at=min(due) if instruction.due_at is not None else None,
        lease_owner=instruction.lease_owner,
        lease_until=instruction.lease_until,
    )
    if held is not None:
        witness(uow, "tightened", needed(wanted), about=held)
    return held


def _sooner(end: datetime | None, seconds: float) -> datetime | None:
    return None if end is None else end - timedelta(seconds=seconds)
