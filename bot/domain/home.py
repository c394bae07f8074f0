"""What the App Home shows to one person, and what can be begun there."""

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final, Generic, TypeVar

from pydantic import Field, ValidationError

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import Status
from bot.domain.overview import Running, ServiceStatus
from bot.domain.payments.instruction import Instruction, Vote
from bot.domain.payments.recipient import awaits_requester
from bot.domain.policy import Frozen, Short
from bot.domain.values import Value

F = TypeVar("F")
T = TypeVar("T")

A_PAGE: Final = 5
"""Requests that are shown at once, of each list: a phone shows about so many."""
_SETTLES: Final = 30_000
"""Milliseconds after a press in which an opening moves no row."""
_PAGE: Final = re.compile(r"(waiting|own):([1-9][0-9]{0,2})", re.ASCII)


def place_of(instruction: Instruction) -> str:
    """Identify a row and the question that its buttons answer: the request, its round, ``?`` for its requester."""
    return f"{instruction.id}:{instruction.round}{'?' if awaits_requester(instruction) else ''}"


class Rows(Value):
    """One list of a home as it was laid out. ``places``: its rows, by :func:`place_of`; None: lay out this page."""

    page: Annotated[int, Field(ge=1)] = 1
    total: int = 0
    places: tuple[str, ...] | None = None


class Laid(Value):
    """The layout of a home, which its view stores.

    Rows keep their places until the reader opens the home, presses *Refresh* or turns a page. If a list closed up after
    a decision, the second tap of a finger would decide about another request. Slack reports an opening for each change
    of tabs as well, so one right after a press keeps them, too.
    """

    waiting: Rows = Rows()
    own: Rows = Rows()
    is_frozen: bool = False
    at: int = 0
    """When it was laid out, in milliseconds since the epoch."""
    pressed: int = 0
    """When the reader last pressed something in it."""

    @property
    def has_rows(self) -> bool:
        return bool(self.waiting.places or self.own.places)

    @classmethod
    def load(cls, text: str) -> "Laid":
        """Return the layout in a view's metadata; one of first pages if that can't be read."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return cls()

    def turned(self, button: str) -> "Laid":
        """Turn the list that the value of a button names to its page, or lay everything out afresh.

        The other list stays: its length decides where the button itself is.
        """
        found = _PAGE.fullmatch(button)
        if found is not None:
            return self.model_copy(update={found[1]: Rows(page=int(found[2]))})
        return Laid(waiting=Rows(page=self.waiting.page), own=Rows(page=self.own.page), pressed=self.pressed)

    def opened(self, now: int, *, pressed: int) -> "Laid":
        """Return the layout to draw for an opening. ``pressed``: a press whose drawing Slack may not have shown yet."""
        return self if now - max(self.pressed, pressed) < _SETTLES else Laid()


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """One page of a list of ``total``, as it was laid out; a page behind the last one is the last one.

    ``now``: how many are in the list by now. ``gone``: how many of the rows aren't any more.
    """

    rows: Sequence[T]
    page: int
    total: int
    now: int
    gone: int = 0

    @property
    def fresh(self) -> int:
        """How many have come since."""
        return max(self.now - (self.total - self.gone), 0)

    @property
    def pages(self) -> int:
        return max(-(-self.total // A_PAGE), 1)

    @property
    def first(self) -> int:
        """The number of its first row, from 1."""
        return (self.page - 1) * A_PAGE + 1

    @classmethod
    def of(cls, found: Sequence[F], page: int, make: Callable[[Sequence[F]], Sequence[T]]) -> "Paged[T]":
        """``make`` turns what stands on that page into its rows."""
        page = min(page, max(-(-len(found) // A_PAGE), 1))
        return cls(make(found[(page - 1) * A_PAGE : page * A_PAGE]), page, len(found), len(found))


@dataclass(frozen=True, slots=True)
class Listed:
    """A request with the votes of its round. ``link``: to its card, where the reader has one; empty: none.

    ``laid``: its place if the layout is kept. ``is_over``: it isn't in its list any more. ``short``: fewer people than
    it needs can approve it.
    """

    instruction: Instruction
    votes: Sequence[Vote] = ()
    link: str = ""
    short: Short | None = None
    laid: str = ""
    is_over: bool = False

    @property
    def place(self) -> str:
        return self.laid or place_of(self.instruction)

    @property
    def is_settled(self) -> bool:
        """Whether the buttons that its row was laid out with have become meaningless."""
        return self.is_over or self.place != place_of(self.instruction)

    @property
    def has_question(self) -> bool:
        """Whether its row was laid out with a question for its requester."""
        return self.place.endswith("?")


@dataclass(frozen=True, slots=True)
class Work:
    """A call, a list or a check. ``subject``: of its message; ``link``: to that, in whose thread its results are."""

    running: Running
    subject: str
    is_over: bool
    link: str = ""


class Start(StrEnum):
    """What can be begun: the command and its verb, whose form is opened."""

    PAYOUT = "pay send"
    BULK = "pay bulk"
    BOOK = "deliver book"
    EMAILS = "email file"
    LOCALIZE = "localize"
    FREEZE = "pay freeze"
    UNFREEZE = "pay unfreeze"


class Way(StrEnum):
    """How far the deliveries of a store are."""

    PREPARING = "preparing"
    LOOKING = "looking"
    COMING = "coming"
    ON_THE_WAY = "on the way"
    WAITING = "waiting"
    """A pre-booking whose customer has not entered the address."""
    UNSURE = "unsure"
    """Somebody has to look: it was lost, not delivered, or no driver was found."""


_WAYS: Final[Mapping[Status, Way]] = {
    Status.ON_HOLD: Way.PREPARING,
    Status.READY_FOR_PICKUP: Way.LOOKING,
    Status.ACCEPTED: Way.COMING,
    Status.ARRIVED_AT_PICKUP: Way.COMING,
    Status.WAY_TO_DELIVER: Way.ON_THE_WAY,
    Status.ARRIVED_AT_DELIVERY: Way.ON_THE_WAY,
    Status.RETURNING: Way.ON_THE_WAY,
}
_LATE: Final[Mapping[Way, timedelta]] = {
    Way.LOOKING: timedelta(minutes=15),
    Way.COMING: timedelta(minutes=30),
    Way.ON_THE_WAY: timedelta(minutes=45),
}
"""How long a delivery may stay where it is before it is called late."""


def way_of(booking: Booking) -> Way:
    match booking.stage:
        case Stage.NEW | Stage.SENDING:
            return Way.LOOKING
        case Stage.WAITING:
            return Way.WAITING
        case Stage.OPEN if booking.known_status is not None:
            return _WAYS.get(booking.known_status, Way.UNSURE)
        case _:
            return Way.UNSURE


def is_late(booking: Booking, now: datetime) -> bool:
    """Whether it has stayed in its state for longer than that usually takes."""
    since = booking.created_at
    with suppress(ValueError):  # none yet
        since = datetime.fromisoformat(str(booking.detail.get("changed_at")))
    limit = _LATE.get(way_of(booking))
    return limit is not None and now - since > limit


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreLoad:
    store: str
    ways: Mapping[Way, int]
    late: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Control:
    """What an admin sees besides. ``approvers``: ids of those who count; None: Slack did not say.

    ``out_of_reach``: what fewer people can approve than it needs. ``failed``: requests that failed lately.
    """

    sent_today: int
    approvers: Sequence[str] | None
    out_of_reach: Sequence[tuple[Listed, Short]]
    failed: Sequence[Listed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """One person's view. ``waiting``: what they can decide, oldest first; ``own`` newest first.

    ``starts``: what they may begin. ``works``: everybody's open ones for approvers and admins, else their own.
    ``services``: only those of which something is wrong.
    """

    user: str
    decides: bool
    starts: frozenset[Start]
    waiting: Paged[Listed]
    own: Paged[Listed]
    ended: Sequence[Listed] = ()
    stores: Sequence[StoreLoad] = ()
    works: Sequence[Work] = ()
    services: Sequence[ServiceStatus] = ()
    frozen: Frozen | None = None
    control: Control | None = None
    is_new: bool = False
    laid: Laid = field(default_factory=Laid)
