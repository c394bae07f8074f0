"""Read bookings and pre-bookings until they are final. Polling is the guarantee; webhooks only make it faster."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from functools import partial

import structlog
from pydantic import SecretStr

from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import BookingRecord, Evidence, Point, is_canceled
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.tracking import named_or, next_poll
from bot.domain.troubles import failed
from bot.workflows.bookings.book import link
from bot.workflows.bookings.events import known_here, made_elsewhere
from bot.workflows.bookings.observe import observe
from bot.workflows.bookings.record import gathered, tell
from bot.workflows.context import Context, Unit
from bot.workflows.services import DeliveryService
from bot.workflows.workers import Work

log = structlog.get_logger(__name__)

_PATIENCE = 3
"""Reads in a row that may fail temporarily before the card says so."""
_NOT_FOUND = 404
_MOST_STORES = 10
"""Stores that are searched for a booking without a row here."""

Trouble = ServiceNow | ServiceNever | OperatorError


async def _poll(ctx: Context, delivery: DeliveryService, booking: Booking) -> None:
    try:
        await read_now(ctx, delivery, booking)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        trouble = silent
        log.warning("a booking could not be read", reference=booking.reference, reason=str(trouble))
        await ctx.write(lambda uow: _not_read(uow, booking, trouble), name="booking_not_read")


async def read_now(ctx: Context, delivery: DeliveryService, booking: Booking) -> Booking | None:
    """Read one booking and apply its record; raises what ``DeliveryClient.get_booking`` does.

    Returns the booking as it is now; None: somebody else changed it first, and it is read again at once.
    """
    key = await delivery.key_of(ctx.store, booking.store)
    if booking.stage is Stage.WAITING:
        return await _read_prebooking(ctx, delivery, booking, key)
    record = await delivery.client.get_booking(booking.remote_id or "", key=key)

    def work(uow: Unit) -> Booking | None:
        seen = observe(uow, booking, record)
        if seen is None:
            uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)
        return seen

    return await ctx.write(work, name="booking_read")


async def _read_prebooking(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> Booking | None:
    made = await delivery.client.get_prebooking(booking.prebooking_id or "", key=key)
    record: BookingRecord | None = None
    if made.booking_id:
        record = await delivery.client.get_booking(made.booking_id, key=key)
    elif made.has_address:  # the booking is found by our own id
        try:
            record = await delivery.client.find_booking(booking.external_id, key=key)
        except ServiceNever as refused:
            if refused.status != _NOT_FOUND:  # the address is there and the booking not yet
                raise

    def work(uow: Unit) -> Booking | None:
        current = uow.bookings.get(booking.id)
        if current is None or current.version != booking.version:
            uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)
            return None
        if record is not None:
            return link(uow, booking, record)
        if is_canceled(made.status):
            return dropped(uow, booking)
        pause = next_poll(base=uow.poll_seconds, polls=booking.polls + 1, age=uow.now - booking.created_at)
        return uow.bookings.touch(booking, polls=booking.polls + 1, reason=None, due_at=uow.now + pause)

    return await ctx.write(work, name="prebooking_read")


def dropped(uow: Unit, booking: Booking) -> Booking | None:
    """End a pre-booking that will not become a booking."""
    stored = uow.bookings.move(booking, Stage.DROPPED, action="dropped")
    if stored is not None:
        tell(uow, stored, "dropped", {"by": booking.detail.get("cancel", {}).get("by", "")})
    return stored


def _not_read(uow: Unit, booking: Booking, trouble: Trouble) -> None:
    """Go on reading; the card says that it may be out of date, at once where waiting will not help."""
    reads = booking.reads + 1
    passing = isinstance(trouble, ServiceNow) and reads < _PATIENCE
    pause = named_or(trouble.retry_after, next_poll(base=uow.poll_seconds, polls=reads, age=timedelta(0)))
    reason = booking.reason if passing else failed(trouble, advice=False)
    if uow.bookings.put_off(booking, reason=reason, due_at=uow.now + pause, reads=reads) is None:
        uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)


async def look_up(ctx: Context, delivery: DeliveryService, text: str) -> tuple[str, BookingRecord] | None:
    """A booking that was never seen here, by either of its ids, in any store; None: not found.

    Raises:
        ServiceNow, OperatorError: a store could not be asked.
    """
    keys = await ctx.read(
        lambda uow: [(name, delivery.key(uow, name)) for name in delivery.store_names(uow)[:_MOST_STORES]]
    )
    for store, key in keys:
        if key is not None:
            with suppress(ServiceNever):  # not one of this store's
                return store, await delivery.client.get_booking(text, key=key)
    return None


POLLS = Work(
    name="booking polls",
    table="booking",
    slots=50,
    claim=lambda uow, hold: uow.bookings.claim_due(stages=(Stage.OPEN, Stage.WAITING), **hold),
    step=lambda ctx: partial(_poll, ctx, ctx.delivery.required()),
    ready=lambda ctx: ctx.delivery.is_configured,
)
"""Read every booking that is due."""


async def follow(ctx: Context, delivery: DeliveryService, text: str, *, by: str) -> Booking | None:
    """Search every store for it and follow it from now on, as after a webhook; None: no store has it.

    Raises:
        ServiceNow, OperatorError: a store could not be asked.
    """
    found = await look_up(ctx, delivery, text)
    if found is None:
        return None
    store, record = found

    def work(uow: Unit) -> Booking | None:
        booking = known_here(uow, store, record) or made_elsewhere(uow, store, record, by=by)
        return link(uow, booking, record) or uow.bookings.get(booking.id)

    return await ctx.write(work, name="booking_named")


async def find_booking(ctx: Context, text: str) -> Booking | None:
    """Find a booking by its reference, or one of its ids at the service. A mere quote is not found."""
    found = await ctx.read(lambda uow: uow.bookings.find(text))
    return None if found is None or found.stage is Stage.QUOTED else found


async def get_booking(ctx: Context, booking_id: str) -> Booking | None:
    """The booking, or the quote, with our id."""
    return await ctx.read(lambda uow: uow.bookings.get(booking_id))


async def booking_on_card(ctx: Context, booking_id: str, *, channel: str, ts: str) -> Booking | None:
    """The booking, if this message is its card that we posted ourselves."""

    def look(uow: Unit) -> Booking | None:
        board = uow.boards.find(channel, ts)
        booking = uow.bookings.get(booking_id)
        return booking if board is not None and booking is not None and board.subject == booking.subject else None

    return await ctx.read(look)


async def spelled(ctx: Context, delivery: DeliveryService, store: str) -> str | None:
    return await ctx.read(lambda uow: delivery.spelled(uow, store))


async def evidence(ctx: Context) -> tuple[dict[Point, Evidence], Mapping[str, str]]:
    """What was seen of the certification."""
    return await ctx.read(gathered)
