"""Overview of the whole system for operators, as ``/switchboard`` shows it: counts and ages, no personal data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from bot.domain.payments.instruction import Instruction, Kind, Vote
from bot.domain.policy import Frozen
from bot.domain.recovery import ReadingOnly


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """One of the outside services.

    Attributes:
        missing: variables without which it is not configured; empty: it is.
        silent_since: when it stopped answering; None: it answers, as far as anybody knows.
    """

    name: str
    missing: tuple[str, ...]
    silent_since: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A line of the route table that no document shows and nobody has vouched for.

    Attributes:
        name: ``service.operation``.
        mark: how well it is assumed, as the table writes it.
        blocks: it moves money, so production refuses it until an operator confirms it.
    """

    name: str
    method: str
    path: str
    mark: str
    blocks: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """How much is not over.

    Attributes:
        jobs: the same of localization calls and lists of addresses.
    """

    requests: Mapping[tuple[str, str], int]
    jobs: Mapping[tuple[str, str], int]
    bookings: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(sum(counts.values()) for counts in (self.requests, self.jobs, self.bookings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Everything at one moment.

    Attributes:
        oldest: by queue, since when its oldest item waits; None: it is empty.
        frozen: why payments do not flow; None: they do.
        blocking: assumptions that production refuses.
        reading_only: why nothing is sent until an operator has looked; None: things are sent.
    """

    services: Sequence[ServiceStatus]
    under_way: Counts
    oldest: Mapping[str, datetime | None]
    frozen: Frozen | None
    blocking: int
    reading_only: ReadingOnly | None = None


class What(StrEnum):
    """What may be under way besides a request."""

    LOCALIZATION = "localization"
    EMAILS = "emails"
    BOOKING = "booking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Something that is under way.

    Attributes:
        name: a reference of ours, a file's name, or what is done; foreign text.
        state: the stored word for where it is; a booking's is the service's own.
        requester: who asked for it; empty: nobody here did.
    """

    what: Kind | What
    name: str
    state: str
    requester: str
    channel: str
    since: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class UnderWay:
    rows: Sequence[Running]
    total: int


@dataclass(frozen=True, slots=True)
class WaitingRequest:
    """A request that waits, with the votes of its round and whether the reader could decide on it."""

    instruction: Instruction
    votes: Sequence[Vote]
    mine: bool
