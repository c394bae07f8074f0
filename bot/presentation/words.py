"""The words of payments, each once: of states and of the service's statuses. Others rely on them."""

from typing import Final

from bot.domain.payments.bulk_records import BulkJob, JobStatus
from bot.domain.payments.instruction import State
from bot.domain.payments.operation import OperationStatus, read_status

UNKNOWN: Final = "unknown"
NEEDS_PERSON: Final = "needs a person"
FINISHED: Final = "finished"
"""Of a bulk payment that is over and of which some failed: *completed* would say that all was paid."""
IN_ESCROW: Final = "pending in escrow"
"""The service holds the money until the recipient has signed up."""

NOT_ACTIVE: Final = "no account, signup not completed, or it cannot receive money now"
"""What *inactive* may mean: the service does not say which of them it is."""

NOTHING_PAID: Final = "Nothing was paid."
DO_NOT_PAY_AGAIN: Final = "Do not pay again."

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
    State.CREATE_UNKNOWN: UNKNOWN,
    State.OPEN: "open",
    State.AWAITING: "waiting for approval",
    State.APPROVED: "approved",
    State.SENDING: "being sent",
    State.COMMIT_UNKNOWN: UNKNOWN,
    State.NEEDS_HUMAN: NEEDS_PERSON,
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
_OPERATIONS = {
    OperationStatus.CREATED: "created, not sent",
    OperationStatus.COMMITTED: "sent",
    OperationStatus.PENDING: IN_ESCROW,
    OperationStatus.CONFIRMED: "completed",
}
_JOBS = {JobStatus.PENDING: "not begun", JobStatus.RUNNING: "under way", JobStatus.DONE: "finished"}


def symbol(state: State) -> str:
    """An emoji beside the words, never instead of them."""
    return _SYMBOLS.get(state, ":hourglass_flowing_sand:")


def word(state: State) -> str:
    """The one word others rely on."""
    return _WORDS[state]


def status_word(raw: str) -> str:
    """Of an operation or of an item; what nobody has heard of stays the service's own word, and is foreign."""
    status = read_status(raw)
    return raw if status is None else _OPERATIONS.get(status, status.value)


def job_word(job: BulkJob) -> str:
    """Of a bulk payment that was not asked for here: what waits in escrow is not finished, nor failures *completed*."""
    state = job.state
    if state is None:
        return job.status.casefold()
    if state is JobStatus.DONE and job.pending:
        return IN_ESCROW
    if state is JobStatus.DONE and job.failed == 0 and job.completed == job.count and job.count:
        return "completed"
    return _JOBS.get(state, state.value)
