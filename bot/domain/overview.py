"""Overview of the whole system for operators, as ``/switchboard`` shows it: counts and ages, no personal data."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Literal

from bot.domain.payments.instruction import Instruction, Kind, Vote
from bot.domain.policy import Frozen, Short
from bot.domain.services import Health


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceStatus:
    """An outside service. ``missing``: unset variables that it needs."""

    name: str
    missing: tuple[str, ...]
    silent_since: datetime | None = None
    health: Health | None = None
    """Result of its last calls; None if it was never called."""

    @property
    def is_unwell(self) -> bool:
        return self.silent_since is not None or (self.health is not None and self.health.fault is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """An undocumented, unconfirmed entry ``service.operation`` of the route table."""

    name: str
    method: str
    path: str
    mark: str
    """How well it is assumed."""
    blocks: bool
    """It moves money, so production refuses it until it is confirmed."""


WordTable = Literal["states", "events", "units"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A line of ``[delivery.states]``, ``.events`` or ``.units``: a word of the service, and ours for it."""

    table: WordTable
    theirs: str
    ours: str
    mark: str
    """How well it is assumed."""
    overridden: bool = False
    """An operator wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    requests: Mapping[tuple[str, str], int]
    jobs: Mapping[tuple[str, str], int]
    bookings: Mapping[str, int]

    @property
    def total(self) -> int:
        return sum(sum(counts.values()) for counts in (self.requests, self.jobs, self.bookings))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """Snapshot of all work. ``oldest``: by queue, since when its oldest item has been waiting; None if empty."""

    services: Sequence[ServiceStatus]
    under_way: Counts
    oldest: Mapping[str, datetime | None]
    frozen: Frozen | None
    blocking: int


class What(StrEnum):
    """Kinds of work in progress besides requests."""

    LOCALIZATION = "localization"
    EMAILS = "emails"
    CHECK = "check"
    BOOKING = "booking"


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """Work in progress. ``name`` is foreign text; a booking's ``state`` is the service's word."""

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
    """A waiting request with the votes of its round, and whether the reader could decide it.

    ``short``: fewer people than it needs can approve it. ``link``: to its card. ``is_over``: it doesn't wait any more.
    ``is_settled``: the buttons that its row had before have become meaningless.
    """

    instruction: Instruction
    votes: Sequence[Vote]
    mine: bool
    short: Short | None = None
    link: str = ""
    is_over: bool = False
    is_settled: bool = False
