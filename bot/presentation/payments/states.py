"""What a state means in words, on the card and in the news; what is not fine about a recipient."""

from collections.abc import Mapping
from typing import Any, Final

from bot.domain.content import Block
from bot.domain.money import shown
from bot.domain.payments.bulk_state import has_failures
from bot.domain.payments.instruction import Instruction, Kind, Recipient, State
from bot.domain.payments.recipient import Concern, awaits_requester, concerns
from bot.domain.reasons import Reason
from bot.presentation import notices
from bot.presentation.blocks.elements import button
from bot.presentation.blocks.text import all_named, mention, moment, named, quote
from bot.presentation.payments import bulk_words
from bot.presentation.payments import bulk_words as refused
from bot.presentation.payments.bulk_words import look_up, said_raw
from bot.presentation.reasons import because, because_refused, reason_of
from bot.presentation.words import (
    DO_NOT_PAY_AGAIN,
    FINISHED,
    NEEDS_PERSON,
    NOTHING_PAID,
    UNKNOWN,
    nothing,
    symbol,
    word,
)

SEND_ANYWAY: Final = "payout.send_anyway"
EDIT: Final = "payout.edit"

_CONCERNS: Final[Mapping[Concern, str]] = {
    Concern.NO_ACCOUNT: "No account for {email}. The money waits until they sign up.",
    Concern.NOT_ACTIVE: "The account of {email} can't receive money now.",
    Concern.NOT_VERIFIED: "Whose account {email} is was not verified.",
    Concern.NOT_PRIMARY: "{email} is not the account's primary address.",
    Concern.NOT_KNOWN: "The account of {email} could not be looked up.",
}


def question(instruction: Instruction) -> str:
    """What the requester is asked about an address without an account, in mrkdwn."""
    recipient = instruction.recipient or Recipient()
    meant = f" Did you mean *{quote(recipient.instead)}*?" if recipient.instead else ""
    return f"No account for {quote(instruction.payload.email)}.{meant}"


def buttons(instruction: Instruction, value: str) -> list[Block]:
    """The requester's ways on; none where nothing is asked. ``value``: what the buttons carry."""
    if not awaits_requester(instruction):
        return []
    spoken = f"Send anyway to {instruction.payload.email}"
    return [
        button("Send anyway", SEND_ANYWAY, value, spoken=spoken),
        button("Edit", EDIT, value, style="primary", spoken="Edit the request"),
    ]


def warnings(instruction: Instruction) -> list[str]:
    """What an approver confirms, one sentence each, in mrkdwn."""
    email = quote(instruction.payload.email)
    return [_CONCERNS[one].format(email=email) for one in concerns(instruction.recipient)]


def rest(instruction: Instruction) -> str:  # noqa: C901, PLR0911 - one arm a state
    """What follows the word of the state, in mrkdwn, claiming no more than was observed."""
    reason = reason_of(instruction.reason)
    why = because(instruction.reason)
    match instruction.state:
        case State.NEW | State.CREATING:
            return f"the service is being asked for a checkout link; nobody can pay yet. {reason}".strip()
        case State.CREATE_UNKNOWN:
            lost = "the service did not say whether it opened the purchase. Switchboard is finding out."
            return f"{bulk_words.checking(instruction) or lost}{bulk_words.answered(instruction)} Do not ask again."
        case State.NEEDS_HUMAN:
            doubt = f"whether the service opened the purchase is *{UNKNOWN}*."
            return f"{doubt} Look it up there before you ask again. {reason}"
        case State.OPEN:
            raw = said_raw(instruction)
            paid = (
                f"whether the buyer has paid is *{UNKNOWN}*" if raw else "waiting for the buyer; nothing has been paid"
            )
            return f"{paid}.{raw}"
        case State.COMPLETED:
            return f"the service confirms that the buyer paid. {reason}".strip()
        case State.CANCELED:
            return "it was canceled at the service; no money moved."
        case State.FAILED:
            return f"the service could not take the payment.{why}"
        case State.REFUSED:
            return f"the service refused it, so there is nothing to pay.{because_refused(instruction.reason)}"
        case State.MISMATCH:
            return (
                f"its link is not given out, because the service's record is not what was asked for. {reason}".strip()
            )
        case State.CLOSED:
            return f"it was never opened, so nobody can pay it. {reason}".strip()
        case State.WITHDRAWN:
            who = f"by {mention(instruction.decided_by)}.{why} " if instruction.decided_by else ""
            return f"{who}It was never opened, so nobody can pay it."
        case _:
            return reason


def word_of(instruction: Instruction) -> str:
    """The word of a request's state: many payments of which some failed are finished, never completed."""
    return FINISHED if has_failures(instruction) else word(instruction.state)


def sentence(instruction: Instruction, *, votes: int) -> str:
    """Where the request stands, in mrkdwn, claiming no more than was observed."""
    if instruction.stopped and instruction.state in (State.NEW, State.CREATING):
        return notices.UNPREPARED
    rest = _own(instruction, votes)
    if rest is None:
        rest = _shared(instruction, votes)
    if has_failures(instruction):
        return f":warning: *{FINISHED}*: {rest}"
    colon = "" if rest.startswith("by ") else ":"
    return f"{symbol(instruction.state)} *{word(instruction.state)}*{colon} {rest}".strip()


def _own(instruction: Instruction, votes: int) -> str | None:
    """The sentence of this kind alone; None where every kind says the same."""
    match instruction.kind:
        case Kind.PURCHASE:
            return rest(instruction)
        case Kind.BULK:
            return bulk_words.bulk(instruction)
        case Kind.BULK_CANCEL:
            return bulk_words.cancellation(instruction)
        case _:
            return _payout(instruction, votes)


def _shared(instruction: Instruction, votes: int) -> str:  # noqa: PLR0911 - one arm a state
    reason, why = reason_of(instruction.reason), because(instruction.reason)
    by = f"by {mention(instruction.decided_by)}." if instruction.decided_by else ""
    match instruction.state:
        case State.AWAITING:
            until = f", until {moment(instruction.expires_at)}" if instruction.expires_at else ""
            return f"{votes} of {instruction.requirement.quorum}{until}. {reason}"
        case State.APPROVED:
            return f"not sent yet. {reason}"
        case State.OPEN:
            return "the service waits for the buyer."
        case State.REJECTED | State.WITHDRAWN:
            return f"{by}{why} {nothing(instruction)}".strip()
        case State.EXPIRED:
            late = reason_of(instruction.reason, after_colon=True) or "nobody decided in time."
            return f"{late} {nothing(instruction)}"
        case State.REFUSED:
            return f"{refused.believed(instruction)}{because_refused(instruction.reason)}"
        case State.CLOSED:
            return f"closed{_as_what(instruction)} {by}{why}"
        case _:
            return reason


def _as_what(instruction: Instruction) -> str:
    return "" if instruction.kind is Kind.BULK_CANCEL else " as not paid"


def _payout(instruction: Instruction, votes: int) -> str | None:  # noqa: C901, PLR0911, PLR0912 - one arm a state
    reason = reason_of(instruction.reason)
    match instruction.state:
        case State.NEW if awaits_requester(instruction):
            return question(instruction)
        case State.NEW | State.CREATING:
            return f"the recipient is being looked up; no money moves before people approve it. {reason}".rstrip()
        case State.CREATE_UNKNOWN:
            lost = "the service did not say whether it created the payout. Switchboard is looking."
            return f"{refused.checking(instruction) or lost}{refused.answered(instruction)} {NOTHING_PAID}"
        case State.SENDING:
            return "the payment is on its way to the service; no answer yet."
        case State.COMMIT_UNKNOWN:
            lost = "the service did not say whether it paid. Switchboard is finding out."
            return f"{refused.in_doubt(instruction, lost)}{said_raw(instruction)}"
        case State.NEEDS_HUMAN:
            asked_anew = f"{_retry_votes(instruction, votes)}{said_raw(instruction)}"
            return f"{_needs(instruction)} {look_up(instruction)}. {reason}{asked_anew}"
        case State.COMMITTED:
            return (
                "the service has accepted it and is paying; it has not said yet that the money arrived."
                f"{said_raw(instruction)}"
            )
        case State.PENDING_ESCROW:
            return f"the service holds the money until the recipient has signed up.{said_raw(instruction)}"
        case State.COMPLETED:
            return "the service confirms that the recipient was credited."
        case State.CANCELED:
            return "the service canceled it; the money went back."
        case State.FAILED:
            return f"the service could not pay.{because(instruction.reason)}"
        case State.MISMATCH:
            return f"not sent, because the service's record is not what was asked for. {reason}"
        case _:
            return None


def _needs(instruction: Instruction) -> str:
    if not instruction.commits:
        return f"whether the service created the payout is *{UNKNOWN}*; nothing was paid."
    return f"the outcome is *{UNKNOWN}*. {bulk_words.BEFORE_DECIDING}."


def _retry_votes(instruction: Instruction, votes: int) -> str:
    return f" Approvals for a new attempt: {votes} of {instruction.requirement.quorum}." if votes else ""


def headline(instruction: Instruction) -> str:
    """Amount first, then the recipient (of a purchase, the buyer); plain text, never shortened."""
    together = bulk_words.headline(instruction)
    if together is not None:
        return together
    way = "from" if instruction.kind is Kind.PURCHASE else "to"
    return f"{shown(instruction.cents)} {way} {instruction.payload.email}"


def became(  # noqa: PLR0911 - one arm a state
    instruction: Instruction, facts: Mapping[str, Any], names: Mapping[str, str]
) -> str:
    """News of a request, after its name: what every kind that is approved says.

    Args:
        instruction: the request.
        facts: what was stored when it came to the state that is told.
        names: what people are called.
    """
    state = State(str(facts["state"]))
    by = named(str(facts["decided_by"]), names) if facts.get("decided_by") else ""
    why = because_of(facts)
    match state:
        case State.COMMIT_UNKNOWN:
            again = "" if instruction.kind is Kind.BULK_CANCEL else f" {DO_NOT_PAY_AGAIN}"
            return f"{refused.sent(Reason.read(facts.get('refusal')), Reason.read(facts.get('reason')))}{again}"
        case State.NEEDS_HUMAN:
            return f"*{NEEDS_PERSON}*: its outcome is *{UNKNOWN}*.{why}"
        case State.REJECTED | State.WITHDRAWN:
            return f"was *{word(state)}* by {by}.{why} {nothing(instruction)}"
        case State.EXPIRED:
            return f"has *expired*. {nothing(instruction)}{why}"
        case State.REFUSED:
            return f"has *failed*: {refused.believed(instruction)}{because_refused(Reason.read(facts.get('reason')))}"
        case State.CLOSED:
            return f"has *failed*: {by} closed it{_as_what(instruction)}.{why}"
        case _:
            return f"is *{word(state)}*.{why}"


def because_of(facts: Mapping[str, Any]) -> str:
    """Why, in the words that were given; a sentence with a space before it."""
    return because(Reason.read(facts.get("reason")))


def approved_by(facts: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Whose approvals it was sent with; a sentence with a space before it."""
    voters = all_named([str(voter) for voter in facts.get("voters", [])], names)
    return f" Approved by {voters}." if voters else ""
