"""What the policy looks at in a request, and what it asks for it."""

from datetime import timedelta
from functools import reduce

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkPayload, CancelPayload
from bot.domain.payments.instruction import Payload
from bot.domain.policy import Facts, Policy, Requirement

SAME_PAYMENT = timedelta(days=1)
"""How long a payment of the same amount to the same address is remembered as the same."""


def facts_of(payload: Payload, *, sent_today: int, new_recipient: bool, duplicates: int = 0) -> tuple[Facts, ...]:
    """What the policy looks at: of a bulk payment its sum, its largest item and its largest to somebody new."""
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
    found = reduce(Requirement.tightened, map(policy.requirement, facts))
    if not extra:
        return found
    reasons = (*found.reasons, *(f"{reason}: one more approver" for reason in extra))
    return found.model_copy(update={"quorum": found.quorum + 1, "reasons": reasons})
