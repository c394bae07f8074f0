"""The words of payments, each once: of states and of the service's statuses. Others rely on them.

Below: why a request for money waits, is held or cannot be trusted, as phrases over the facts of its reason.
:mod:`bot.presentation.reasons` picks them by the reason's code.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from bot.domain.approvals import No, Void
from bot.domain.payments.bulk_records import BulkJob, JobStatus
from bot.domain.payments.instruction import CallbackKind, State
from bot.domain.payments.operation import OperationStatus, read_status
from bot.domain.payments.sealed import Odd
from bot.domain.reasons import Code, OfRequest
from bot.presentation.blocks.text import counted

UNKNOWN: Final = "not confirmed yet"
NEEDS_PERSON: Final = "needs a decision"
IN_ESCROW: Final = "waiting for sign-up"  # the service holds the money until the recipient has signed up
QUEUED: Final = "queued"  # of a payment that the service has received and has not begun
NOT_ACTIVE: Final = "no account, signup not completed, or it can't receive money now"
"""Possible meanings of *inactive*; the service doesn't say which applies."""
NOTHING_PAID: Final = "Nothing was paid."
DO_NOT_PAY_AGAIN: Final = "Don't send it again."
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
    State.NEW: "preparing",
    State.CREATING: "preparing",
    State.CREATE_UNKNOWN: UNKNOWN,
    State.OPEN: "waiting for payment",
    State.AWAITING: "waiting for approval",
    State.APPROVED: "approved",
    State.SENDING: "sending",
    State.COMMIT_UNKNOWN: UNKNOWN,
    State.NEEDS_HUMAN: NEEDS_PERSON,
    State.COMMITTED: "sent",
    State.PENDING_ESCROW: IN_ESCROW,
    State.COMPLETED: "paid",
    State.CANCELED: "canceled",
    State.FAILED: "failed",
    State.REFUSED: "failed",
    State.MISMATCH: "failed",
    State.CLOSED: "failed",
    State.REJECTED: "rejected",
    State.WITHDRAWN: "withdrawn",
    State.EXPIRED: "expired",
}
_OPERATIONS = {
    OperationStatus.CREATED: "created, not sent",
    OperationStatus.COMMITTED: "sent",
    OperationStatus.PENDING: IN_ESCROW,
    OperationStatus.COMPLETED: "paid",
    OperationStatus.CONFIRMED: "paid",
}
_JOBS = {JobStatus.PENDING: "not begun", JobStatus.RUNNING: "in progress", JobStatus.DONE: "finished"}


def symbol(state: State) -> str:
    return _SYMBOLS.get(state, ":hourglass_flowing_sand:")


def word(state: State) -> str:
    return _WORDS[state]


def status_word(raw: str) -> str:
    """Return the word for the status of an operation or item; an unknown status stays the service's: foreign text."""
    status = read_status(raw)
    return raw if status is None else _OPERATIONS.get(status, status.value)


def item_word(raw: str) -> str:
    """Of a payment of a bulk payment: *created* is received and queued there."""
    return QUEUED if read_status(raw) is OperationStatus.CREATED else status_word(raw)


def job_word(job: BulkJob) -> str:
    """Return the state of an external bulk payment: waiting sign-ups aren't finished, failures aren't *paid*."""
    state = job.state
    if state is None:
        return job.status.casefold()
    if state is JobStatus.DONE and job.pending:
        return IN_ESCROW
    if state is JobStatus.DONE and job.failed == 0 and job.completed == job.count and job.count:
        return "paid"
    return _JOBS.get(state, state.value)


Facts = Mapping[str, Any]
_VOID: Final[Mapping[str, str]] = {
    No.UNKNOWN: "Slack no longer knows an approver",
    No.ELSEWHERE: "an approver belongs to another workspace",
    No.GUEST: "an approver is a guest now",
    No.BOT: "an approver is a bot",
    No.GONE: "an approver's account is deactivated",
    No.NOT_APPROVER: "an approver was removed",
    No.OWN_REQUEST: "the requester's approval doesn't count",
    No.OWN_PAYMENT: "the recipient's approval doesn't count",
    Void.UNTYPED: "the policy now needs the amount typed",
    Void.TOO_OLD: "an approval expired",
    Void.FEWER: "fewer people can approve it now",
}
_REQUESTER: Final[Mapping[str, str]] = {
    No.UNKNOWN: "Slack no longer knows the requester",
    No.ELSEWHERE: "the requester belongs to another workspace",
    No.GUEST: "the requester is a guest now",
    No.BOT: "the requester is a bot",
    No.GONE: "the requester's account is deactivated",
    No.NOT_REQUESTER: "the requester may no longer request payments",
}
_PEOPLE: Final = {0: "no one", 1: "only 1 person"}
_MISMATCHED: Final = {
    "doubles": "reported twice, so possibly paid twice",
    "different": "with another amount or address than approved",
    "strangers": "never requested",
}
_REPORTED: Final[Mapping[str, str]] = {
    CallbackKind.CONFIRMATION: "completion",
    CallbackKind.CANCEL: "cancellation",
    CallbackKind.FAILURE: "failure",
    CallbackKind.PURCHASE: "payment",
}
_ODD: Final[Mapping[Odd, Callable[[Sequence[str]], str]]] = {
    Odd.NOT_ASKED: lambda _: "the audit log has no request for it",
    Odd.CHANGED_ROW: lambda rows: (
        f"row {rows[0]} of the audit was changed"
        if len(rows) == 1
        else f"rows {', '.join(rows)} of the audit were changed"
    ),
    Odd.GAP: lambda facts: f"the audit log breaks off at row {facts[0]}",
    Odd.CHANGED: lambda _: "its row was changed in the database",
    Odd.STATE: lambda facts: (
        f"its state in the audit: {word(State(facts[0])) if facts[0] in list(State) else 'another one'}"
    ),
    Odd.SENT: lambda _: "its send attempts differ from the audit log",
    Odd.VOTES: lambda people: (
        "an approval was added, changed or deleted"
        if len(people) == 1
        else f"{len(people)} approvals were added, changed or deleted"
    ),
    Odd.RESERVED: lambda _: "the amount reserved from the daily limit doesn't match what was sent",
    Odd.ITEMS: lambda _: "its payments differ from those requested",
}


def _disagreements(found: Collection[tuple[str, Sequence[str]]]) -> str:
    """In which ways the database and the audit disagree about a request: pairs of the way and its facts."""
    return "; ".join(_ODD[Odd(odd)](facts) for odd, facts in found)


def _votes_void(facts: Facts, _: object) -> str:
    """Votes that were cast do not suffice any more: why, and how many are needed now."""
    why = sorted({_VOID.get(one, "an approval no longer counts") for one in facts["void"]})
    *before, last = why or ["the policy now needs more"]
    parts = f"{', '.join(before)}, and {last}" if before else last
    return f"{counted(facts['missing'], 'more approval')} needed: {parts}"


def _left(facts: Facts) -> str:
    counts = ((facts["under_way"], "still open"), (facts["missing"], "missing from its list"))
    return " and ".join(f"{counted(count, 'payment')} {what}" for count, what in counts if count)


OF_REQUESTS: Final[Mapping[Code, Callable[[Facts, object], str]]] = {
    OfRequest.UNANSWERED: lambda facts, _: (
        f"{facts['service'].capitalize()} has not answered since "
        f"{datetime.fromisoformat(facts['since']):%Y-%m-%d %H:%M} UTC, so nothing was sent"
    ),
    OfRequest.HELD: lambda facts, _: (
        f"on hold, because {_REQUESTER.get(facts['no'], 'the requester may no longer request payments')}. "
        f"{'Approvers can close it once they know its outcome' if facts['sent_before'] else 'An admin can withdraw it'}"
        "; once the requester may request again, it needs new approvals"
    ),
    OfRequest.ON_HOLD: lambda facts, _: (
        f"on hold: the database and the audit log disagree: {_disagreements(facts['found'])}"
    ),
    OfRequest.DISAGREES: lambda facts, _: _disagreements(facts["found"]),
    OfRequest.VOTES_VOID: _votes_void,
    OfRequest.OUT_OF_REACH: lambda facts, _: (
        f"it needs {counted(facts['needs'], 'approval')}, and "
        f"{_PEOPLE.get(facts['can'], 'only {} people').format(facts['can'])} can approve it"
    ),
    OfRequest.MISMATCHED_ITEMS: lambda facts, _: "; ".join(
        f"{counted(facts[name], 'payment')} {what}" for name, what in _MISMATCHED.items() if facts[name]
    ),
    OfRequest.LISTS_DISAGREE: lambda facts, _: "; ".join(
        f"{counted(facts[name], noun)} {what}"
        for name, noun, what in (
            ("contradicted", "payment", "ended in two ways"),
            ("unplaced", "failure", "fit no payment"),
        )
        if facts[name]
    ),
    OfRequest.PAID_AS: lambda facts, _: f"the provider has it as {facts['id']}, {job_word(BulkJob(**facts))}",
    OfRequest.UNCONFIRMED: lambda facts, _: (
        f"a callback reported {_REPORTED[facts['kind']]}, but the provider's record doesn't confirm it"
    ),
    OfRequest.UNACCOUNTED: lambda facts, _: f"the provider calls it finished, with {_left(facts)}",
    OfRequest.STANDS_STILL: lambda facts, _: f"nothing has changed for a long time; {_left(facts)}",
}
"""Reason -> phrase over its facts."""
