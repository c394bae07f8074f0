"""One sentence for each state. Approved, sent, confirmed and unknown are different words."""

from typing import assert_never

from bot.domain.money import shown
from bot.domain.payments.bulk_state import has_failures
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.presentation.blocks.text import as_said, mention, moment, quote, reason_of
from bot.presentation.payments import bulk_words, purchase_states, refused
from bot.presentation.payments.looking_up import look_up
from bot.presentation.payments.raw_status import said_raw
from bot.presentation.payments.status_words import IN_ESCROW

_SYMBOLS = {
    State.COMPLETED: ":white_check_mark:",
    State.CANCELED: ":leftwards_arrow_with_hook:",
    State.FAILED: ":x:",
    State.REFUSED: ":x:",
    State.MISMATCH: ":octagonal_sign:",
    State.REJECTED: ":no_entry:",
    State.WITHDRAWN: ":wastebasket:",
    State.EXPIRED: ":alarm_clock:",
    State.CLOSED: ":no_entry:",
    State.COMMIT_UNKNOWN: ":grey_question:",
    State.CREATE_UNKNOWN: ":grey_question:",
    State.NEEDS_HUMAN: ":warning:",
    State.PENDING_ESCROW: ":lock:",
    State.OPEN: ":link:",
}

_WORDS = {
    State.NEW: "being prepared",
    State.CREATING: "being prepared",
    State.CREATE_UNKNOWN: "unknown",
    State.OPEN: "open",
    State.AWAITING: "waiting for approval",
    State.APPROVED: "approved",
    State.SENDING: "being sent",
    State.COMMIT_UNKNOWN: "unknown",
    State.NEEDS_HUMAN: "needs a person",
    State.COMMITTED: "sent",
    State.PENDING_ESCROW: IN_ESCROW,
    State.COMPLETED: "completed",
    State.CANCELED: "canceled",
    State.FAILED: "failed",
    State.REFUSED: "failed",
    State.MISMATCH: "failed",
    State.CLOSED: "failed",
    State.REJECTED: "rejected",
    State.WITHDRAWN: "withdrawn",
    State.EXPIRED: "expired",
}


def symbol(state: State) -> str:
    """An emoji beside the words, never instead of them."""
    return _SYMBOLS.get(state, ":hourglass_flowing_sand:")


def word(state: State) -> str:
    """The one word others rely on."""
    return _WORDS[state]


def word_of(instruction: Instruction) -> str:
    """The same of a request: many payments of which some failed are finished, never completed."""
    return bulk_words.FINISHED if has_failures(instruction) else word(instruction.state)


def sentence(instruction: Instruction, *, votes: int) -> str:
    """Where the request stands, in mrkdwn, claiming no more than was observed."""
    rest = _rest_of_kind(instruction, votes)
    if has_failures(instruction):
        return f":warning: *{bulk_words.FINISHED.capitalize()}*: {rest}"
    colon = "" if rest.startswith("by ") else ":"
    return f"{symbol(instruction.state)} *{word(instruction.state)}*{colon} {rest}".strip()


def _rest_of_kind(instruction: Instruction, votes: int) -> str:
    match instruction.kind:
        case Kind.PURCHASE:
            return purchase_states.rest(instruction)
        case Kind.BULK | Kind.BULK_CANCEL:
            return bulk_words.rest(instruction, votes)
        case _:
            return _rest(instruction, votes)


def _rest(instruction: Instruction, votes: int) -> str:  # noqa: C901, PLR0911, PLR0912 - one arm a state
    reason = reason_of(instruction.reason)
    because = f" Reason: {as_said(quote(instruction.reason))}" if reason else ""
    who = mention(instruction.decided_by) if instruction.decided_by else ""
    match instruction.state:
        case State.NEW | State.CREATING:
            return f"the recipient is being looked up; no money moves before people approve it. {reason}".rstrip()
        case State.CREATE_UNKNOWN:
            lost = "the service did not say whether it created the payout. Switchboard is looking."
            return f"{refused.checking(instruction) or lost}{refused.answered(instruction)} Nothing was paid."
        case State.OPEN:
            return "the service waits for the buyer."
        case State.AWAITING:
            return _awaiting(instruction, votes)
        case State.APPROVED:
            return f"not sent yet. {reason}"
        case State.SENDING:
            return "the payment is on its way to the service; no answer yet."
        case State.COMMIT_UNKNOWN:
            lost = "the service did not say whether it paid. Switchboard is finding out."
            return (
                f"{refused.checking(instruction) or lost}{refused.answered(instruction)} *Do not pay again.*"
                f"{refused.doubt(instruction)}{said_raw(instruction)}"
            )
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
            return f"the service could not pay.{because}"
        case State.REFUSED:
            return f"{refused.believed(instruction)}{because}"
        case State.MISMATCH:
            return f"not sent, because the service's record is not what was asked for. {reason}"
        case State.CLOSED:
            return f"closed as not paid by {who}.{because}"
        case State.REJECTED | State.WITHDRAWN:
            return f"by {who}.{because} Nothing was paid."
        case State.EXPIRED:
            return f"{reason or 'Nobody decided in time.'} Nothing was paid."
        case unreachable:
            assert_never(unreachable)


def _awaiting(instruction: Instruction, votes: int) -> str:
    until = f", until {moment(instruction.expires_at)}" if instruction.expires_at else ""
    note = f" {reason_of(instruction.reason)}" if instruction.reason else ""
    return f"{votes} of {instruction.requirement.quorum}{until}.{note}"


def _needs(instruction: Instruction) -> str:
    if not instruction.commits:
        return "whether the service created the payout is *unknown*; nothing was paid."
    return "the outcome is *unknown*. Look it up at the service before you decide; a new attempt needs a new approval."


def _retry_votes(instruction: Instruction, votes: int) -> str:
    return f" Approvals for a new attempt: {votes} of {instruction.requirement.quorum}." if votes else ""


def headline(instruction: Instruction) -> str:
    """Amount first, then the recipient (of a purchase, the buyer); plain text, never shortened."""
    together = bulk_words.headline(instruction)
    if together is not None:
        return together
    way = "from" if instruction.kind is Kind.PURCHASE else "to"
    return f"{shown(instruction.cents)} {way} {instruction.payload.email}"
