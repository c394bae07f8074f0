"""The delivery service's replies and webhook bodies."""

from dataclasses import replace
from datetime import UTC, datetime

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.delivery.records import ACCEPTED, Booking, DeliverySwitches, Order, Prebooking, Store
from bot.playground.simulators.exchange import PROXY_PAGE, Answer


class Shapes:
    """Renders records; URLs begin with the simulator's own address."""

    def __init__(self, *, switches: DeliverySwitches, base: object) -> None:
        self._switches = switches
        self._base = base

    def store(self, store: Store, *, with_key: bool = True) -> dict[str, object]:
        """A store, with its key where the real service gives it."""
        return {"_id": store.id, **store.fields, **({"token": store.token} if with_key else {})}

    def booking(self, booking: Booking) -> dict[str, object]:
        """The whole record."""
        body: dict[str, object] = {
            "_id": booking.id,
            "bookingNumericId": self._number(booking),
            "statusText": self._switches.word(booking.status),
            "currentStatus": self._switches.word(booking.status).replace("_", " ").capitalize(),
            "smrURL": f"{self._base}/track/{booking.id}",
            "bookingDetailUrl": f"{self._base}/detail/{booking.id}",
            "deliveryFee": booking.fee_cents / 100,
            "currency": "USD",
            "externalBookingId": booking.external_id,
            "customerName": booking.fields.get("customerName"),
            "customerLastName": booking.fields.get("customerLastName"),
            "address": booking.fields.get("address"),
            "orderAmount": booking.fields.get("orderAmount"),
            "paymentMethod": booking.fields.get("paymentMethod"),
            "cookTime": booking.fields.get("cookTime"),
            "cancelReason": booking.cancel_reason or None,
            "validationCode": booking.validation_code,
            "proofOfDelivery": f"{self._base}{booking.proof}" if booking.proof else None,
            "orders": [_order(order) for order in booking.orders],
        }
        if booking.driver is not None:
            body |= self._driver(booking)
        if self._switches.forget_external:
            del body["externalBookingId"]
        return body

    def event(self, booking: Booking, kind: str) -> dict[str, object]:
        """Body of a webhook of this kind."""
        named = {"bookingID": booking.id, "bookingNumericId": self._number(booking)}
        if kind == "driver":
            return {**self._driver(booking), **named}
        return {
            "statusText": self._switches.word(booking.status),
            "currentStatus": self._switches.word(booking.status).replace("_", " ").capitalize(),
            **named,
            "cancelReason": booking.cancel_reason or None,
            "validationCode": booking.validation_code,
            "proofOfDelivery": f"{self._base}{booking.proof}" if booking.proof else None,
        }

    def prebooking(self, prebooking: Prebooking) -> dict[str, object]:
        """A pre-booking, with the id of its booking once there is one."""
        body: dict[str, object] = {
            "_id": prebooking.id,
            "url": f"{self._base}/address/{prebooking.id}",
            "deliveryAddressExists": prebooking.booking is not None,
            "externalBookingId": prebooking.fields.get("externalBookingId"),
            "customerName": prebooking.fields.get("customerName"),
            "customerLastName": prebooking.fields.get("customerLastName"),
            "orderAmount": prebooking.fields.get("orderAmount"),
            "paymentMethod": prebooking.fields.get("paymentMethod"),
            "createdAt": f"{datetime.fromtimestamp(prebooking.created_at, UTC):%Y-%m-%dT%H:%M:%SZ}",
            "status": "CANCELLED" if prebooking.canceled else "PENDING",
        }
        if self._switches.forget_external:
            del body["externalBookingId"]
        if prebooking.booking is not None:
            body |= {"bookingID": prebooking.booking.id, "status": "BOOKED"}
        return body

    def _number(self, booking: Booking) -> object:
        return str(booking.number) if self._switches.numbers_as_text else booking.number

    def _driver(self, booking: Booking) -> dict[str, object]:
        name, mobile = booking.driver or ("", "")
        email = f"{name.split()[0].lower()}@{booking.provider.lower()}.example" if name else ""
        return {
            "driverName": name,
            "driverMobile": mobile,
            "driverEmail": email,
            "driverImage": f"{self._base}/driver/{booking.id}" if booking.status == ACCEPTED else None,
            "deliveryProvider": booking.provider,
        }


def _order(order: Order) -> dict[str, object]:
    """One call to one provider; only the one that accepted names a driver."""
    name, mobile = order.driver or ("", "")
    named = {"driver": {"name": name, "mobile": mobile, "vehicle": "motorcycle"}} if order.driver else {}
    found = {"deliveryProvider": order.provider, "status": order.state, **named}
    return {**found, "searchNumber": order.search, "providerFee": order.fee_cents / 100}


def refused(status: int, message: str, key: str) -> Answer:
    """The assumed shape of an error: ``{message, messageKey}``."""
    return Answer(status=status, body={"message": message, "messageKey": key})


def answer_to(fault: Fault) -> Answer:
    """How the service, or the proxy in front of it, answers under a fault."""
    match fault.kind:
        case FaultKind.TOO_MANY:
            headers = {} if fault.wait is None else {"Retry-After": fault.wait}
            return replace(refused(429, "Too many requests", "TOO_MANY_REQUESTS"), headers=headers)
        case FaultKind.REFUSED | FaultKind.DONE_REFUSED:
            return refused(422, "The request was refused", "REFUSED")
        case FaultKind.GARBAGE:
            return Answer(status=200, body=PROXY_PAGE.format(title="Please wait"), content_type="text/html")
        case _:
            return refused(500, "Internal server error", "SERVER_ERROR")
