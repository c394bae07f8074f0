"""A booking at every moment: each stage, and at the service each status."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import Payment, Status
from bot.domain.errors import ServiceNow
from bot.domain.reasons import Exchange, OfBooking, Reason, given, stored
from bot.domain.troubles import failed

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
MARIA = "U0MARIA"
TOO_FAR = Reason(Exchange.REFUSED, status=422, fields=()).saying("too far away")
NO_ANSWER = failed(ServiceNow("delivery", Reason(Exchange.NO_ANSWER, failure="")), advice=False)


def booking(**changes: Any) -> Booking:
    request = BookingRequest(
        name="Ana", last_name="Lopez", country_code="+593", mobile="991234567", latitude="-0.18", longitude="-78.46",
        address="12 Market Street", payment=Payment.CASH, cents=2550, cook_minutes=15,
    )  # fmt: skip
    values: dict[str, Any] = {
        "id": "01M", "reference": "B-4F7K2M", "kind": BookingKind.BOOKING, "store": "Centro", "request": request,
        "stage": Stage.OPEN, "requester": MARIA, "channel": "C0FINANCE", "created_at": NOW, "source_key": "view:1",
        "external_id": "01E", "status": "ACCEPTED",
    }  # fmt: skip
    return Booking(**{**values, **changes})


_QUOTE: Final = {"fee": "4.14", "fee_with_tax": "4.76", "tax": "0.62", "currency": "USD"}
_DRIVER: Final = {
    "name": "Luis Mora", "mobile": "+593 98 765 4321", "email": "luis@rayo.example",
    "image": "https://d.example.com/luis.png", "provider": "Rayo",
}  # fmt: skip
_AT_SERVICE: Final = {
    "remote_id": "652f7a1e",
    "numeric_id": "1042",
    "detail": {
        "quote": _QUOTE,
        "fee": "4.14",
        "currency": "USD",
        "tracking_url": "https://track.example.com/1042",
        "validation_code": "7731",
        "driver": _DRIVER,
        "detail_url": "https://d.example.com/1042",
        "orders": [
            {"provider": "Rayo", "status": "withdrawn", "driver": {}, "rest": {"searchNumber": "1"}},
            {
                "provider": "Rayo",
                "status": "accepted",
                "driver": _DRIVER,
                "rest": {"fee": "1.50", "vehicle.kind": "bike"},
            },
            {"provider": "Ciclo", "status": "rejected", "driver": {}, "rest": {"page": "https://o.example.com/2"}},
        ],
    },
}
_FIRST: Final = {"quote": _QUOTE}


def moments() -> dict[str, Booking]:
    """Name of the moment -> the booking then."""
    before: dict[str, dict[str, Any]] = {
        "quoted": {"stage": Stage.QUOTED},
        "new": {"stage": Stage.NEW},
        "new, waits": {
            "stage": Stage.NEW,
            "reason": given("the delivery service has not answered since 2026-11-20 11:00 UTC"),
        },
        "sending": {"stage": Stage.SENDING},
        "unknown": {"stage": Stage.UNKNOWN, "reason": Reason(Exchange.NO_ANSWER, failure="timed out")},
        "lost": {"stage": Stage.LOST},
        "refused": {"stage": Stage.REFUSED, "reason": TOO_FAR},
        "dropped": {"stage": Stage.DROPPED},
    }
    found = {name: booking(status="", detail=_FIRST, **facts) for name, facts in before.items()}
    link = {"link": "https://address.example.com/a1"}
    made: dict[str, Any] = {"kind": BookingKind.PREBOOKING, "status": "", "prebooking_id": "a1"}
    found["waiting"] = booking(stage=Stage.WAITING, detail={**_FIRST, **link}, **made)
    found["dropped, a pre-booking"] = booking(stage=Stage.DROPPED, detail=_FIRST, **made)
    found["unknown, a pre-booking"] = booking(stage=Stage.UNKNOWN, detail=_FIRST, **{**made, "prebooking_id": None})
    found["lost, a pre-booking"] = booking(stage=Stage.LOST, detail=_FIRST, **{**made, "prebooking_id": None})
    closed = {**_FIRST, "closed": {"by": "U0TOM"}}
    found["closed, a pre-booking"] = booking(stage=Stage.DROPPED, detail=closed, **made)
    found["on hold"] = booking(
        **{**_AT_SERVICE, "status": str(Status.ON_HOLD), "detail": _FIRST}, search_at=NOW + timedelta(minutes=9)
    )
    for status in Status:
        if status is not Status.ON_HOLD:
            over = status.value in ("COMPLETED", "RETURNED") or status.value.startswith("CANCEL")
            found[status.value] = booking(**_AT_SERVICE, status=status.value, stage=Stage.ENDED if over else Stage.OPEN)
    odd = {**_AT_SERVICE["detail"], "history": [["", "WAY_TO_DELIVER"], ["", "LOST_IN_FOG"]]}  # type: ignore[dict-item]
    found["a word nobody knows"] = booking(**{**_AT_SERVICE, "detail": odd}, status="LOST_IN_FOG")
    rain = {**_AT_SERVICE["detail"], "cancel_reason": "heavy rain"}  # type: ignore[dict-item]
    found["a cancellation nobody knows"] = booking(
        **{**_AT_SERVICE, "detail": rain}, status="CANCELED_BY_RAIN", stage=Stage.ENDED
    )
    told = {
        "reported": {"status": "WAY_TO_DELIVER", "at": NOW.isoformat()},
        "driver": _DRIVER,
        "driver_reported": True,
        "unpriced": stored(given(" answered 500")),
    }
    found["behind"] = booking(**{**_AT_SERVICE, "detail": told}, reason=NO_ANSWER, stopped="0badcafe")
    made_there = {
        "customer": "Ana Lopez", "address": "12 Market Street", "amount": "25.50", "payment_method": "CASH",
        "fee": "4.76", "currency": "USD",
    }  # fmt: skip
    found["made elsewhere"] = booking(kind=BookingKind.FOREIGN, request=None, requester="", detail=made_there)
    found["the same delivery"] = booking(
        kind=BookingKind.FOREIGN, request=None, requester="", detail=made_there, stage=Stage.DROPPED,
        reason=Reason(OfBooking.JOINED, reference="B-4F7K2M"),
    )  # fmt: skip
    return found
