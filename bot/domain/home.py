"""Contents of the App Home for one person, and the forms it can open."""

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
"""Requests per page of each list, about as many as fit on a phone."""
_SETTLES: Final = 30_000
"""Milliseconds after a press during which opening the home moves no row."""
_PAGE: Final = re.compile(r"(waiting|own):([1-9][0-9]{0,2})", re.ASCII)


def place_of(instruction: Instruction) -> str:
    """Identify a row and its buttons' question by the request, its round, and ``?`` if the requester has to answer."""
    return f"{instruction.id}:{instruction.round}{'?' if awaits_requester(instruction) else ''}"


class Rows(Value):
    """One list of a home as laid out. ``places`` are its rows by :func:`place_of`, or None to lay out this page."""

    page: Annotated[int, Field(ge=1)] = 1
    total: int = 0
    places: tuple[str, ...] | None = None


class Laid(Value):
    """The layout of a home, stored in its view.

    Rows keep their places until the reader opens the home, presses *Refresh* or turns a page. If a list closed up
    after a decision, a double tap would decide about another request. Slack also reports an opening for each change of
    tabs, so an opening right after a press keeps the rows too.
    """

    waiting: Rows = Rows()
    own: Rows = Rows()
    is_frozen: bool = False
    at: int = 0
    """Time of the layout, in milliseconds since the epoch."""
    pressed: int = 0
    """Time of the reader's last press in it."""

    @property
    def has_rows(self) -> bool:
        return bool(self.waiting.places or self.own.places)

    @classmethod
    def load(cls, text: str) -> "Laid":
        """Return the layout in a view's metadata, or one of first pages if that can't be parsed."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return cls()

    def turned(self, button: str) -> "Laid":
        """Turn the list named by a button's value to its page, or lay out everything again.

        The other list stays, because its length determines the position of the button itself.
        """
        found = _PAGE.fullmatch(button)
        if found is not None:
            return self.model_copy(update={found[1]: Rows(page=int(found[2]))})
        return Laid(waiting=Rows(page=self.waiting.page), own=Rows(page=self.own.page), pressed=self.pressed)

    def opened(self, now: int, *, pressed: int) -> "Laid":
        """Return the layout for an opening; ``pressed`` is a press whose result Slack may not have shown yet."""
        return self if now - max(self.pressed, pressed) < _SETTLES else Laid()


@dataclass(frozen=True, slots=True)
class Paged(Generic[T]):
    """One page of a list of ``total`` rows, as laid out; pages after the last one show the last one.

    ``now`` is the list's current length, and ``gone`` the number of rows that have left it since.
    """

    rows: Sequence[T]
    page: int
    total: int
    now: int
    gone: int = 0

    @property
    def fresh(self) -> int:
        """Number of rows added since the layout."""
        return max(self.now - (self.total - self.gone), 0)

    @property
    def pages(self) -> int:
        return max(-(-self.total // A_PAGE), 1)

    @property
    def first(self) -> int:
        """Number of the page's first row, from 1."""
        return (self.page - 1) * A_PAGE + 1

    @classmethod
    def of(cls, found: Sequence[F], page: int, make: Callable[[Sequence[F]], Sequence[T]]) -> "Paged[T]":
        """Lay out a page; ``make`` turns its elements into rows."""
        page = min(page, max(-(-len(found) // A_PAGE), 1))
        return cls(make(found[(page - 1) * A_PAGE : page * A_PAGE]), page, len(found), len(found))


@dataclass(frozen=True, slots=True)
class Listed:
    """A request with the votes of its round. ``link`` leads to its card, if the reader has access, else it is empty.

    ``laid`` is its place if the layout is kept. ``is_over`` is set once it has left its list. ``short`` is set if
    fewer people can approve it than it needs.
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
        """Whether the buttons in its row are obsolete."""
        return self.is_over or self.place != place_of(self.instruction)

    @property
    def has_question(self) -> bool:
        """Whether its row was laid out with a question for the requester."""
        return self.place.endswith("?")


@dataclass(frozen=True, slots=True)
class Work:
    """A call, list or check, with its message's ``subject``, and ``link`` to the message with its results' thread."""

    running: Running
    subject: str
    is_over: bool
    link: str = ""


class Start(StrEnum):
    """Command and verb of a form that can be opened."""

    PAYOUT = "pay send"
    BULK = "pay bulk"
    BOOK = "deliver book"
    EMAILS = "email file"
    LOCALIZE = "localize"
    FREEZE = "pay freeze"
    UNFREEZE = "pay unfreeze"


class Way(StrEnum):
    """Progress of a store's delivery."""

    PREPARING = "preparing"
    LOOKING = "looking"
    COMING = "coming"
    ON_THE_WAY = "on the way"
    WAITING = "waiting"
    """A pre-booking whose customer hasn't entered the address yet."""
    UNSURE = "unsure"
    """A person has to check it: lost, not delivered, or no driver found."""


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
"""Time in a state after which a delivery is late."""


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
    """Whether it has been in its state for longer than usual."""
    since = booking.created_at
    with suppress(ValueError):  # not set yet
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
    """Extra contents for admins. ``approvers`` are the ids of eligible ones, or None if Slack didn't answer.

    ``out_of_reach`` are requests that need more approvals than people can give; ``failed`` failed recently.
    """

    sent_today: int
    approvers: Sequence[str] | None
    out_of_reach: Sequence[tuple[Listed, Short]]
    failed: Sequence[Listed]


@dataclass(frozen=True, slots=True, kw_only=True)
class Home:
    """One person's view, with requests they can decide in ``waiting``, oldest first, and in ``own`` newest first.

    ``starts`` are forms they may open. ``works`` are all open ones for approvers and admins, else only their own.
    ``services`` are those with a fault.
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
