"""What speaks against paying a recipient, and the address that may have been meant instead."""

from collections.abc import Collection
from datetime import timedelta
from enum import StrEnum
from typing import Final

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkPayload, CancelPayload, Tally
from bot.domain.payments.instruction import Instruction, Kind, Payload, Recipient, State
from bot.domain.payments.operation import OperationStatus
from bot.domain.policy import Facts, Policy, Requirement
from bot.domain.text import clean

USUAL_DOMAINS: Final = frozenset(
    {
        "gmail.com",
        "googlemail.com",
        "outlook.com",
        "hotmail.com",
        "live.com",
        "yahoo.com",
        "icloud.com",
        "me.com",
        "aol.com",
        "proton.me",
        "protonmail.com",
        "gmx.com",
        "gmx.net",
        "gmx.de",
        "web.de",
    }
)
"""Domains of many people's addresses."""
_SHORT: Final = 5
"""A word of up to so many letters may differ in one place, a longer one in two."""


class Concern(StrEnum):
    """What is not fine about a recipient's account. An approver confirms it."""

    NO_ACCOUNT = "no account"
    NOT_ACTIVE = "not active"
    NOT_VERIFIED = "not verified"
    NOT_PRIMARY = "not the primary address"
    NOT_KNOWN = "not known"


def concerns(recipient: Recipient | None) -> tuple[Concern, ...]:
    """All of them; without an account nothing else matters. None: nothing is looked up for this kind of request."""
    if recipient is None:
        return ()
    if recipient.problem or recipient.active is None:
        return (Concern.NOT_KNOWN,)
    if _has_no_account(recipient):
        return (Concern.NO_ACCOUNT,)
    flaws = {
        Concern.NOT_ACTIVE: recipient.active,
        Concern.NOT_VERIFIED: recipient.verified,
        Concern.NOT_PRIMARY: recipient.primary,
    }
    return tuple(concern for concern, fine in flaws.items() if fine is False)


def awaits_requester(instruction: Instruction) -> bool:
    """Whether the request waits for its requester: the address has no account, and the approvers were not called yet.

    What may exist at the service already goes on: holding it would hide it.
    """
    recipient = instruction.recipient
    if instruction.kind not in (Kind.PAYOUT, Kind.ONE_STEP) or instruction.state is not State.NEW:
        return False
    untouched = not instruction.creates and not instruction.commits
    return untouched and recipient is not None and not recipient.anyway and _has_no_account(recipient)


def _has_no_account(recipient: Recipient) -> bool:
    """An inactive record without a name: the service says so of an address that it does not know."""
    return not recipient.problem and recipient.active is False and not clean(recipient.full_name or "")


def suggestion(email: str, paid: Collection[str]) -> str:
    """The address that was probably meant; empty where there is none.

    An address that was paid before comes first, then the same name at a domain that was paid before or is usual.

    Args:
        email: as it was typed.
        paid: addresses that were paid before, in lower case.
    """
    typed = email.casefold()
    local, _, domain = typed.rpartition("@")
    near = [(_strayed(typed, one), one) for one in paid if one != typed]
    close = sorted((strays, one) for strays, one in near if strays is not None)
    if close:
        return close[0][1]
    domains = {one.rpartition("@")[2] for one in paid}
    for known in (domains, USUAL_DOMAINS):
        if domain in known:
            return ""
        found = sorted((distance(domain, one), one) for one in known if _near(domain, one))
        if found:
            return f"{local}@{found[0][1]}"
    return ""


def _strayed(typed: str, other: str) -> int | None:
    """Mistakes between two addresses; None: too many to be the same."""
    (local, _, domain), (known, _, its) = typed.rpartition("@"), other.rpartition("@")
    near = (local == known or _near(local, known)) and (domain == its or _near(domain, its))
    return distance(local, known) + distance(domain, its) if near else None


def _near(one: str, other: str) -> bool:
    most = 1 if min(len(one), len(other)) <= _SHORT else 2
    return abs(len(one) - len(other)) <= most and distance(one, other) <= most


def distance(one: str, other: str) -> int:
    """Letters to add, drop, replace or swap with their neighbor, so that one word becomes the other."""
    before, last = [0] * (len(other) + 1), list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            best = min(row[j - 1] + 1, last[j] + 1, last[j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, before[j - 2] + 1)
            row.append(best)
        before, last = last, row
    return last[-1]


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
        return ended(tally)
    if over and tally.pending and tally.final + tally.pending == tally.total:
        return State.PENDING_ESCROW
    return State.COMMITTED


def ended(tally: Tally) -> State:
    """The final word when every item is final."""
    if tally.completed:
        return State.COMPLETED
    return State.CANCELED if tally.canceled and not tally.failed else State.FAILED


def has_failures(instruction: Instruction) -> bool:
    """Whether it is a bulk payment that is over, and of which some was paid and some failed."""
    over = instruction.kind is Kind.BULK and instruction.state is State.COMPLETED
    return over and instruction.progress is not None and instruction.progress.tally.failed > 0


def ended_cancel(tally: Tally) -> State:
    """The final word of a cancellation: completed when anything came back."""
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
    """Whether it is about many payments at once."""
    return instruction.kind in (Kind.BULK, Kind.BULK_CANCEL)


PENDING_WORD = OperationStatus.PENDING.value
"""How an item that can be canceled is stored."""
