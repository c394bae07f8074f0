"""The states of a booking in words, and its progress. The service's own word always stands beside ours."""

from collections.abc import Mapping
from datetime import datetime
from math import ceil
from typing import Any, Final, NamedTuple

from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.bookings.record import Status, is_canceled, read_status
from bot.presentation.blocks.text import capital, counted, moment, quote
from bot.presentation.reasons import because, because_refused, reason_of, worded

_RAW_LIMIT = 80
_REASON_LIMIT = 500
_STEPS: Final = (
    "searching for a driver",
    "driver assigned",
    "at the store",
    "on the way",
    "at the door",
    "delivered",
)


class _Shown(NamedTuple):
    """A state as people see it; ``step``: of ``_STEPS``, None where it says nothing about progress."""

    word: str
    symbol: str
    step: int | None


_SHOWN: Final = {
    Status.ON_HOLD: _Shown("on hold", ":cook:", 0),
    Status.READY_FOR_PICKUP: _Shown("searching for a driver", ":mag:", 1),
    Status.ACCEPTED: _Shown("driver assigned", ":bust_in_silhouette:", 2),
    Status.ARRIVED_AT_PICKUP: _Shown("driver at the store", ":convenience_store:", 3),
    Status.WAY_TO_DELIVER: _Shown("on the way", ":motor_scooter:", 4),
    Status.ARRIVED_AT_DELIVERY: _Shown("driver at the door", ":door:", 5),
    Status.COMPLETED: _Shown("completed", ":white_check_mark:", 6),
    Status.PROVIDER_NOT_FOUND: _Shown("no driver found", ":warning:", 1),
    Status.CANCELLED_BY_BUSINESS: _Shown("canceled by the business", ":x:", None),
    Status.CANCELLED_BY_ADMIN: _Shown("canceled by the delivery service", ":x:", None),
    Status.CANCELLED_BY_DELIVERY_PROVIDER: _Shown("canceled by the delivery provider", ":x:", None),
    Status.NOT_DELIVERED: _Shown("not delivered", ":warning:", 5),
    Status.RETURNING: _Shown("coming back to the store", ":leftwards_arrow_with_hook:", 5),
    Status.RETURNED: _Shown("returned to the store", ":leftwards_arrow_with_hook:", 5),
}


def word(status: str) -> str:
    """Our word for a state of the service; an unknown state as it came, escaped."""
    known = read_status(status)
    if known is not None:
        return _SHOWN[known].word
    return f"canceled ({quote(status, _RAW_LIMIT)})" if is_canceled(status) else quote(status, _RAW_LIMIT)


def symbol(status: str) -> str:
    """A small picture of a state."""
    known = read_status(status)
    return ":x:" if is_canceled(status) else _SHOWN[known].symbol if known is not None else ":package:"


def progress(booking: Booking) -> str:
    """How far along it is, as a bar with words; empty where that says nothing."""
    if booking.stage not in (Stage.OPEN, Stage.ENDED) or is_canceled(booking.status):
        return ""
    step = _step(booking.status)
    if step is None:
        step = _last_known(booking)
    bar = "🟩" * step + "⬜" * (len(_STEPS) - step)
    return f"{bar}  {step} of {len(_STEPS)}"


def sentence(booking: Booking, *, now: datetime) -> str:  # noqa: PLR0911 - one arm a stage
    """Where it stands, in mrkdwn, claiming no more than was observed."""
    match booking.stage:
        case Stage.QUOTED:
            return "*Not booked*: nobody has confirmed it."
        case Stage.NEW | Stage.SENDING:
            return f"*Being sent* to the delivery service. {_because(booking)}".strip()
        case Stage.UNKNOWN:
            return (
                "*Unknown*: the delivery service did not say whether it took it. Switchboard is looking for it by its "
                "own number; do not book it again."
            )
        case Stage.LOST:
            return (
                "*Not booked*, as far as Switchboard can see: the answer was lost, and the delivery service does not "
                "know it. Look at its dashboard before you book it again."
            )
        case Stage.REFUSED:
            return f"*Not booked*: the delivery service did not take it.{because_refused(booking.reason)}"
        case Stage.DROPPED if booking.kind is BookingKind.FOREIGN:
            return f"*The same delivery as {quote(worded(booking.reason), _RAW_LIMIT)}*; it goes on there."
        case Stage.DROPPED:
            what = "the pre-booking" if booking.kind is BookingKind.PREBOOKING else "it"
            return f"*Canceled*: {what} was called off; nothing will be delivered."
        case Stage.WAITING:
            return "*Waiting for the address*: send the customer the link below. The search starts when it is entered."
        case _:
            return _at_the_service(booking, now)


def countdown(search_at: datetime, *, now: datetime) -> str:
    """How long the kitchen still has."""
    left = ceil((search_at - now).total_seconds() / 60)
    if left <= 0:
        return "the cook time is over"
    return f"{counted(left, 'minute')} of cook time left"


def _at_the_service(booking: Booking, now: datetime) -> str:
    status, known = booking.status, booking.known_status
    lead = f"{symbol(status)} *{capital(word(status))}*"
    raw = f" · `{quote(status, _RAW_LIMIT)}`" if known is not None else ""
    rest = _rest(booking, now)
    if known is None and not is_canceled(status):
        rest = "The service uses a word that Switchboard does not know; it counts as under way."
    return f"{lead}{raw}. {rest}".strip()


def _rest(booking: Booking, now: datetime) -> str:
    detail = booking.detail
    cancel_reason = str(detail.get("cancel_reason", ""))
    match booking.known_status:
        case Status.ON_HOLD if booking.search_at is not None:
            left = countdown(booking.search_at, now=now)
            return f"{capital(left)}; the search for a driver starts {moment(booking.search_at)}."
        case Status.ON_HOLD:
            return "The search for a driver starts when the cook time is over."
        case Status.READY_FOR_PICKUP if _searches(detail) > 1:
            return f"Search number {_searches(detail)}."
        case Status.PROVIDER_NOT_FOUND:
            return "Nobody took it. Cancel it, or ask the delivery service to search again."
        case Status.NOT_DELIVERED:
            return f"The customer did not get it.{because(cancel_reason, _REASON_LIMIT)}"
        case _:
            return because(cancel_reason, _REASON_LIMIT).strip() if is_canceled(booking.status) else ""


def _searches(detail: Mapping[str, Any]) -> int:
    return sum(1 for _, status in detail.get("history", []) if read_status(status) is Status.READY_FOR_PICKUP)


def _last_known(booking: Booking) -> int:
    """Progress before an unknown state."""
    for _, status in reversed(booking.detail.get("history", [])):
        if (step := _step(status)) is not None:
            return step
    return 0


def _step(status: str) -> int | None:
    known = read_status(status)
    return None if known is None else _SHOWN[known].step


def _because(booking: Booking) -> str:
    return reason_of(booking.reason, _REASON_LIMIT)
