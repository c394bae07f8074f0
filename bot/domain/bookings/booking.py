"""A stored booking: the request, our stage, and the last record read from the service."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, Final

from pydantic import BaseModel, ConfigDict, Field

from bot.domain.bookings.record import Payment, Phone, Position, Status, is_canceled, is_final, read_status
from bot.domain.machine import Machine
from bot.domain.reasons import Reason

COOK_MOST: Final = 24 * 60
"""Minutes that an order may cook at most: longer is a mistake in the unit."""
NOTES_LIMIT: Final = 250
NOTES_LEAST: Final = 3
"""Characters allowed in notes to the driver; the service refuses others."""

_BY_BUSINESS: Final = Status.CANCELLED_BY_BUSINESS
_NEEDS_A_PERSON: Final = (Status.NOT_DELIVERED, Status.PROVIDER_NOT_FOUND)


class Act(StrEnum):
    START = "start"
    CANCEL = "cancel"
    REFRESH = "refresh"
    TAKE_IN = "take_in"
    CLOSE = "close"


class Stage(StrEnum):
    """Our stage of a booking. The service's own status is a separate field."""

    QUOTED = "quoted"
    """Priced and shown to the requester, not confirmed yet."""
    NEW = "new"
    """Confirmed, stored, not sent."""
    SENDING = "sending"
    UNKNOWN = "unknown"
    """The answer was lost: it is searched by our id and never resent."""
    WAITING = "waiting"
    """A pre-booking whose address the customer has not entered."""
    OPEN = "open"
    ENDED = "ended"
    REFUSED = "refused"
    LOST = "lost"
    """The answer was lost and the service doesn't list it (pre-bookings can't be read). The search continues."""
    DROPPED = "dropped"
    """Called off before it was one: a form never confirmed, a pre-booking canceled."""


CLOSED: Final = frozenset({Stage.ENDED, Stage.REFUSED, Stage.DROPPED})
_AT_THE_SERVICE: Final = (Stage.OPEN, Stage.ENDED)
"""Stages that a service record can lead to from any stage: a webhook or search may find an abandoned booking."""
MOVES: Final = Machine(
    {
        Stage.QUOTED: (Stage.NEW, *_AT_THE_SERVICE),
        Stage.NEW: (Stage.SENDING, Stage.UNKNOWN, *_AT_THE_SERVICE),  # unknown: the database was restored
        Stage.SENDING: (Stage.NEW, Stage.UNKNOWN, Stage.REFUSED, Stage.WAITING, *_AT_THE_SERVICE),
        # A person who checked the dashboard imports or closes a pre-booking.
        Stage.UNKNOWN: (Stage.LOST, Stage.WAITING, Stage.DROPPED, *_AT_THE_SERVICE),
        Stage.LOST: (Stage.WAITING, Stage.DROPPED, *_AT_THE_SERVICE),
        Stage.WAITING: (Stage.WAITING, Stage.DROPPED, *_AT_THE_SERVICE),
        # A row that a webhook made joins the row of the request that it belongs to.
        Stage.OPEN: (Stage.DROPPED, *_AT_THE_SERVICE),
        Stage.ENDED: (Stage.DROPPED,),
        Stage.REFUSED: _AT_THE_SERVICE,
        Stage.DROPPED: _AT_THE_SERVICE,
    },
    final=CLOSED,
)
"""Transitions between stages. Within *open* and *waiting*, status and orders of people change."""


class BookingKind(StrEnum):
    BOOKING = "booking"
    PREBOOKING = "prebooking"
    FOREIGN = "foreign"
    """External booking, reported by a webhook."""


class BookingRequest(BaseModel):
    """The requested delivery. A pre-booking has no place."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    last_name: str
    country_code: str
    mobile: str
    email: str = ""
    latitude: str = ""
    longitude: str = ""
    address: str = ""
    place_reference: str = ""
    payment: Payment
    cents: Annotated[int, Field(gt=0)]
    """Gross value of the order, without delivery fee and discounts, even when it is paid in cash."""
    cook_minutes: Annotated[int, Field(ge=0, le=COOK_MOST)] = 0
    """Prep time in minutes; with 0 the driver search starts at once."""
    notes: str = ""

    @property
    def phone(self) -> Phone:
        return Phone(country_code=self.country_code, national=self.mobile)

    @property
    def position(self) -> Position | None:
        return Position(latitude=self.latitude, longitude=self.longitude) if self.latitude else None

    @property
    def customer(self) -> str:
        return f"{self.name} {self.last_name}".strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """One row. ``detail`` holds what was last read of it; see ``bot.workflows.bookings``."""

    id: str
    reference: str
    kind: BookingKind
    store: str
    request: BookingRequest | None
    stage: Stage
    requester: str
    channel: str
    created_at: datetime
    source_key: str
    external_id: str
    """Our own id at the service, stored before anything is sent."""
    version: int = 1
    remote_id: str | None = None
    numeric_id: str = ""
    prebooking_id: str | None = None
    status: str = ""
    """Our state, or the service's word if unknown; empty before its first answer."""
    detail: Mapping[str, Any] = field(default_factory=dict)
    reason: Reason | None = None
    sent_at: datetime | None = None
    search_at: datetime | None = None
    reads: int = 0
    polls: int = 0
    due_at: datetime | None = None
    lease_owner: str = ""
    lease_until: datetime | None = None
    tries: int = 0
    errors: int = 0
    stopped: str = ""
    closed_at: datetime | None = None

    @property
    def subject(self) -> str:
        return f"booking:{self.id}"

    def audit_facts(self, facts: Mapping[str, object]) -> dict[str, object]:
        """Facts of an audit row about it; empty ones are left out, and so are the customer's number and address."""
        about = {"reference": self.reference, "store": self.store, **facts}
        return {name: value for name, value in about.items() if value}

    @property
    def known_status(self) -> Status | None:
        return read_status(self.status)

    @property
    def is_undecided(self) -> bool:
        """A pre-booking with a lost answer: the service can't be searched for it, so a person decides."""
        return self.kind is BookingKind.PREBOOKING and self.stage in (Stage.UNKNOWN, Stage.LOST)

    @property
    def canceled_by(self) -> str:
        """Who canceled it here; empty if it isn't canceled or was canceled elsewhere, e.g. in the dashboard."""
        wish = self.detail.get("cancel", {})
        ours = is_canceled(self.status) and (wish.get("done") or self.known_status in (_BY_BUSINESS, None))
        return str(wish.get("by", "")) if ours or self.stage is Stage.DROPPED else ""

    @property
    def is_own_cancellation(self) -> bool:
        """Whether the requester canceled it, and so needs no notification."""
        return bool(self.requester) and self.canceled_by == self.requester

    @property
    def to_call(self) -> str:
        """Whom to notify of the state: the requester if it ended or needs a person, unless they caused it."""
        over = self.stage is Stage.DROPPED or is_final(self.status) or self.known_status in _NEEDS_A_PERSON
        return self.requester if over and not self.is_own_cancellation else ""

    @property
    def can_repeat(self) -> bool:
        """Whether it can be booked again: external bookings and ones without a place aren't known completely."""
        return self.request is not None and self.request.position is not None

    @property
    def can_start(self) -> bool:
        return self.stage is Stage.OPEN and self.known_status is Status.ON_HOLD

    @property
    def can_cancel(self) -> bool:
        if self.stage is Stage.WAITING:
            return True
        over = (Status.NOT_DELIVERED, Status.RETURNING)
        return self.stage is Stage.OPEN and self.known_status not in over
