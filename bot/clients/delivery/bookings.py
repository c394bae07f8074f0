"""Bookings: quote, create, read, cancel, start the search. All with the key of the store."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import partial

from pydantic import SecretStr

from bot.clients.delivery import wire
from bot.clients.delivery.calls import DeliveryCalls, anything
from bot.clients.transport import Guard, decimal_of
from bot.domain.bookings.booking import BookingRequest
from bot.domain.bookings.record import BookingRecord, Payment, Position, Quote
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import Exchange, Reason

_MILLISECONDS_A_MINUTE = 60_000


@dataclass(frozen=True, kw_only=True)
class NewBooking:
    """A booking to be made; a pre-booking is the same without position and address.

    Attributes:
        external_id: our own id, stored before the request leaves: a lost answer is found again by it.
    """

    external_id: str
    request: BookingRequest = field(repr=False)

    def values(self) -> Mapping[str, object]:
        """Our names of the request's fields; what is empty is left out."""
        wanted = self.request
        return {
            "name": wanted.name,
            "last_name": wanted.last_name,
            "email": wanted.email or None,
            "country_code": wanted.country_code,
            "mobile": wanted.mobile,
            "payment_method": wanted.payment.value,
            "amount": decimal_of(wanted.cents),
            "reference": wanted.place_reference or None,
            "notes": wanted.notes or None,
            "cook_time": wanted.cook_minutes * _MILLISECONDS_A_MINUTE or None,
            "external_id": self.external_id,
        }

    def values_with_place(self) -> Mapping[str, object]:
        """The same with the delivery point."""
        where = self.request.position
        return {
            **self.values(),
            "address": self.request.address or None,
            "latitude": None if where is None else Decimal(where.latitude),
            "longitude": None if where is None else Decimal(where.longitude),
        }


class BookingCalls(DeliveryCalls):
    """Calls about bookings."""

    async def quote(self, *, key: SecretStr, position: Position, payment: Payment, cents: int) -> Quote:
        """Ask what a delivery would cost (pre-checkout). Nothing is booked.

        Raises:
            NotCovered: the service does not deliver there.
            ServiceNever: any other 4xx.
            ServiceNow: an outage: 5xx, 429, no answer.
            OperatorError: suspended workspace, wrong key, wrong environment.
        """
        values = {
            "latitude": Decimal(position.latitude),
            "longitude": Decimal(position.longitude),
            "payment_method": payment.value,
            "amount": decimal_of(cents),
        }
        return await self._look("quote", values, wire.read_quote, key=key, quote=True)

    async def create_booking(
        self, new: NewBooking, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[BookingRecord] | NotExecuted | Unknown:
        """Book. After Unknown read it by its external id; never send it again.

        Args:
            new: the booking.
            key: of the store.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.
        """
        return await self._change(
            "create_booking",
            new.values_with_place(),
            partial(wire.read_ours, external_id=new.external_id),
            key=key,
            guard=guard,
        )

    async def get_booking(self, booking_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by its internal id or its number; a record with other ids is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such booking), OperatorError: see ``read_trouble``.
        """
        read = partial(wire.read_same, booking_id=booking_id)
        return await self._look("get_booking", {"id": booking_id}, read, key=key)

    async def find_booking(self, external_id: str, *, key: SecretStr) -> BookingRecord:
        """Read a booking by our own id; one that carries another is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such booking), OperatorError: see ``read_trouble``.
        """
        read = partial(wire.read_ours, external_id=external_id)
        return await self._look("get_booking", {"external_id": external_id}, read, key=key)

    async def cancel_booking(
        self, booking_id: str, *, reason: str, key: SecretStr
    ) -> Done[object] | NotExecuted | Unknown:
        """Cancel. What became of it is read afterwards."""
        return await self._change(
            "cancel_booking",
            {"id": booking_id, "reason": reason},
            anything,
            key=key,
            conflict=Reason(Exchange.BOOKING_FIXED),
        )

    async def start_search(self, booking_id: str, *, key: SecretStr) -> Done[object] | NotExecuted | Unknown:
        """Look for a driver now instead of when the cook time is over; only from ON_HOLD."""
        return await self._change(
            "start_search",
            {"id": booking_id},
            anything,
            key=key,
            conflict=Reason(Exchange.SEARCH_BEGUN),
        )
