"""What a delivery would cost."""

from bot.domain.bookings.certification import Point
from bot.domain.bookings.record import Payment, Position, Quote
from bot.workflows.bookings.evidence import note
from bot.workflows.context import Context
from bot.workflows.services.delivery import DeliveryService


async def price(
    ctx: Context, delivery: DeliveryService, store: str, *, position: Position, payment: Payment, cents: int
) -> Quote:
    """Ask what a delivery would cost; nothing is stored except that it was asked.

    Raises:
        NotCovered: the service does not deliver there.
        ServiceNow, ServiceNever, OperatorError: see ``DeliveryClient.quote``.
    """
    key = await delivery.key_of(ctx.store, store)
    found = await delivery.client.quote(key=key, position=position, payment=payment, cents=cents)
    await ctx.write(lambda uow: note(uow, Point.QUOTE, store), name="priced", wakes=False)
    return found
