"""One vocabulary for what the payments service says: the same words on cards, in lists, of items and in the history."""

from bot.domain.payments.bulk_records import BulkJob, JobStatus
from bot.domain.payments.operation import OperationStatus, read_status

IN_ESCROW = "pending in escrow"
"""The service holds the money until the recipient has signed up."""

NOT_ACTIVE = "no account, signup not completed, or it cannot receive money now"
"""What *inactive* may mean: the service does not say which of them it is."""

_OPERATIONS = {
    OperationStatus.CREATED: "created, not sent",
    OperationStatus.COMMITTED: "sent",
    OperationStatus.PENDING: IN_ESCROW,
    OperationStatus.CONFIRMED: "completed",
}
_JOBS = {JobStatus.PENDING: "not begun", JobStatus.RUNNING: "under way", JobStatus.DONE: "finished"}


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
