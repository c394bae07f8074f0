"""What the items of a bulk payment mean for the request as a whole, and what the policy looks at in it."""

from datetime import timedelta

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkPayload, CancelPayload, Tally
from bot.domain.payments.instruction import Instruction, Kind, Payload, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.policy import Facts, Policy, Requirement

LOOKS_BEFORE_MISSING = 3
"""Looks without any change after the service was done, before people are told what is unaccounted for."""
SAME_PAYMENT = timedelta(days=1)
"""How long a payment of the same amount to the same address is remembered as the same."""
SAME_FILE = timedelta(days=7)
"""How long a file with the same payments is remembered as the same."""


def state_of(tally: Tally, *, over: bool) -> State:
    """The state of a bulk payment whose items stand like this; ``over``: the service has created them all.

    It is completed when anything was credited and nothing more will happen: the counts tell the rest.
    """
    if tally.is_settled:
        if tally.completed:
            return State.COMPLETED
        return State.CANCELED if tally.canceled and not tally.failed else State.FAILED
    if over and tally.pending and tally.final + tally.pending == tally.total:
        return State.PENDING_ESCROW
    return State.COMMITTED


def has_failures(instruction: Instruction) -> bool:
    """Whether it is a bulk payment that is over, and of which some was paid and some failed."""
    over = instruction.kind is Kind.BULK and instruction.state is State.COMPLETED
    return over and instruction.progress is not None and instruction.progress.tally.failed > 0


def ended_cancel(tally: Tally) -> State:
    return State.COMPLETED if tally.canceled else State.FAILED


def facts_of(payload: Payload, *, sent_today: int, new_recipient: bool, duplicates: int = 0) -> tuple[Facts, ...]:
    """What the policy looks at: of a bulk payment its sum, its largest item and its largest to somebody new.

    ``new_recipient`` and ``duplicates`` are for single payouts; a bulk payment counted its own when it was asked for.
    """
    match payload:
        case BulkPayload():
            together = Facts(cents=payload.cents, new_recipient=payload.new_count > 0, sent_today=sent_today)
            largest = Facts(cents=payload.largest[0].cents, sent_today=sent_today)
            fresh = Facts(cents=payload.new_cents, new_recipient=True, sent_today=sent_today)
            return (together, largest, *([fresh] if payload.new_count else []))
        case CancelPayload():
            return (Facts(cents=payload.cents),)
        case _:
            cents = Cents(payload.cents)
            return (Facts(cents=cents, new_recipient=new_recipient, sent_today=sent_today, duplicates=duplicates),)


def doubts_of(payload: Payload) -> tuple[str, ...]:
    """Why a bulk payment may be a mistake, as one reason for one more approver; empty when nothing speaks for that."""
    if not isinstance(payload, BulkPayload):
        return ()
    doubts = []
    if payload.duplicate_count:
        rows = "1 row repeats" if payload.duplicate_count == 1 else f"{payload.duplicate_count} rows repeat"
        doubts.append(f"{rows} an earlier one")
    if payload.same_as:
        doubts.append(f"the same payments as {payload.same_as}")
    return (" and ".join(doubts),) if doubts else ()


def requirement_of(policy: Policy, facts: tuple[Facts, ...], *, extra: tuple[str, ...] = ()) -> Requirement:
    """The strictest of what the policy asks for each; ``extra``: reasons for one more approver, if any."""
    first, *others = (policy.requirement(one) for one in facts)
    found = first
    for other in others:
        found = found.tightened(other)
    if not extra:
        return found
    reasons = (*found.reasons, *(f"{reason}: one more approver" for reason in extra))
    return found.model_copy(update={"quorum": found.quorum + 1, "reasons": reasons})


def is_many(instruction: Instruction) -> bool:
    return instruction.kind in (Kind.BULK, Kind.BULK_CANCEL)


PENDING_WORD = OperationStatus.PENDING.value
"""How an item that can be canceled is stored."""
