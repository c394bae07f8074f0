"""What a payout's record at the service means for our instruction. Pure decisions, no effects."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus

READS_NEEDED = 3
"""Conclusive reads before "still created" may be believed after an unknown outcome."""

LOOKS_NEEDED = 2
"""Complete lists without it, a read's spacing apart and after the quiet period, before it may be believed absent."""

MAX_CREATES = 3
"""Create requests with one code before a person is asked."""

GUARD_SECONDS = 5.0
"""Age of a claim up to which its request may still leave; an older one is abandoned unsent."""

_STATES = {
    OperationStatus.COMMITTED: State.COMMITTED,
    OperationStatus.PENDING: State.PENDING_ESCROW,
    OperationStatus.COMPLETED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}

_RANKS = {State.COMMITTED: 1, State.PENDING_ESCROW: 2}
_FINAL_RANK = 3
SETTLED = frozenset({State.COMPLETED, State.CANCELED, State.FAILED})
"""The final states that the service reports."""
UNPAID = FINAL - SETTLED
"""The final states that say so without the service's word: a record that reads as paid contradicts them."""


def state_of(operation: Operation) -> State | None:
    """The state our instruction takes from this record; None while it only says ``created`` or something unknown."""
    return _STATES.get(operation.state) if operation.state is not None else None


def is_paid(operation: Operation) -> bool:
    """Whether the service says that money is on its way or has arrived."""
    state = state_of(operation)
    return state is not None and state not in (State.FAILED, State.CANCELED)


def rank(state: State) -> int:
    """How far the service has carried it: 0 before the commit, then committed, pending, final."""
    return _FINAL_RANK if state in FINAL else _RANKS.get(state, 0)


@dataclass(frozen=True, slots=True)
class Quiet:
    """The quiet period after a request of unknown outcome, and the pace of reading in it. Seconds."""

    seconds: float

    @property
    def spacing(self) -> timedelta:
        """Time between two reads that both count: a minute, or a quarter of a short quiet period."""
        return timedelta(seconds=min(60.0, self.seconds / 4))

    def over(self, *, sent_at: datetime | None, now: datetime) -> bool:
        """Whether the request can no longer be on its way."""
        return sent_at is None or now - sent_at >= timedelta(seconds=self.seconds)

    def given_up(self, *, since: datetime | None, now: datetime) -> bool:
        """Whether reading has failed for so long that a person must look."""
        return since is not None and now - since >= timedelta(seconds=self.seconds * 4)


def counts_as_read(instruction: Instruction, *, quiet: Quiet, now: datetime) -> bool:
    """Whether a read now is far enough from the last one to be counted."""
    return instruction.last_read_at is None or now - instruction.last_read_at >= quiet.spacing * 0.9


def silence_is_proven(instruction: Instruction, *, reads: int, quiet: Quiet, now: datetime) -> bool:
    """Whether "still created" may be believed: enough reads, the last of them after the quiet period."""
    return reads >= READS_NEEDED and quiet.over(sent_at=instruction.sent_at, now=now)


def looks_after(instruction: Instruction, *, quiet: Quiet, now: datetime) -> int:
    """How many lists without it count once another one was read now."""
    counts = quiet.over(sent_at=instruction.sent_at, now=now) and counts_as_read(instruction, quiet=quiet, now=now)
    return instruction.reads + 1 if counts else instruction.reads


def absence_is_proven(*, looks: int) -> bool:
    """Whether "the list does not show it" may be believed."""
    return looks >= LOOKS_NEEDED


def daily_key(now: datetime) -> str:
    """The day (UTC) whose limit a payment sent now counts against."""
    return now.date().isoformat()
