"""When a request may be sent, and which reads prove that it had no effect."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from bot.domain.payments.instruction import Instruction

READS_NEEDED = 3
"""Conclusive reads before "still created" may be believed after an unknown outcome."""
LOOKS_NEEDED = 2
"""Complete lists without it, a read's spacing apart and after the quiet period, before it may be believed absent."""
MAX_CREATES = 3
GUARD_SECONDS = 5.0
"""Age of a claim up to which its request may still leave; an older one is abandoned unsent."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """The quiet period after a request of unknown outcome, and the pace of reading in it. Seconds.

    ``begun``: when this process started, if times of earlier ones may be wrong. It ends so long after that at least.
    """

    seconds: float
    begun: datetime | None = None

    @property
    def spacing(self) -> timedelta:
        """Time between two reads that both count: a minute, or a quarter of a short quiet period."""
        return timedelta(seconds=min(60.0, self.seconds / 4))

    def over(self, *, sent_at: datetime | None, now: datetime) -> bool:
        return sent_at is None or now - max(sent_at, self.begun or sent_at) >= timedelta(seconds=self.seconds)

    def given_up(self, *, since: datetime | None, now: datetime) -> bool:
        return since is not None and now - since >= timedelta(seconds=self.seconds * 4)


def counts_as_read(instruction: Instruction, *, quiet: Quiet, now: datetime) -> bool:
    """Whether a read now is far enough from the last one to be counted."""
    return instruction.last_read_at is None or now - instruction.last_read_at >= quiet.spacing * 0.9


def silence_is_proven(instruction: Instruction, *, reads: int, quiet: Quiet, now: datetime) -> bool:
    """Whether "still created" may be believed: enough reads, the last of them after the quiet period."""
    return reads >= READS_NEEDED and quiet.over(sent_at=instruction.sent_at, now=now)
