"""Pre-bookings: a booking without the delivery point, which the customer enters at a link. Sandbox only."""

from functools import partial

from pydantic import SecretStr

from bot.clients.delivery import wire
from bot.clients.delivery.bookings import NewBooking
from bot.clients.delivery.calls import DeliveryCalls, anything
from bot.clients.transport import Guard
from bot.domain.bookings.record import PrebookingRecord
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import Exchange, Reason


class PrebookingCalls(DeliveryCalls):
    """Calls about pre-bookings. All with the key of the store."""

    async def create_prebooking(
        self, new: NewBooking, *, key: SecretStr, guard: Guard | None = None
    ) -> Done[PrebookingRecord] | NotExecuted | Unknown:
        """Create one. It cannot be found by our own id, so after Unknown a person decides."""
        return await self._change("create_prebooking", new.values(), wire.read_new_prebooking, key=key, guard=guard)

    async def get_prebooking(self, prebooking_id: str, *, key: SecretStr) -> PrebookingRecord:
        """Read one; a record with another id is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such pre-booking), OperatorError: see ``read_trouble``.
        """
        read = partial(wire.read_same_prebooking, prebooking_id=prebooking_id)
        return await self._look("get_prebooking", {"id": prebooking_id}, read, key=key)

    async def cancel_prebooking(self, prebooking_id: str, *, key: SecretStr) -> Done[object] | NotExecuted | Unknown:
        """Cancel one; it does not become a booking any more."""
        return await self._change(
            "cancel_prebooking",
            {"id": prebooking_id},
            anything,
            key=key,
            conflict=Reason(Exchange.PREBOOKING_FIXED),
        )
