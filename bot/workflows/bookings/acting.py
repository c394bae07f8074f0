"""Actions on a booking: start the search, cancel it, look again. The result is read, never assumed."""

from dataclasses import dataclass
from typing import Any

from bot.clients.transport import Guard
from bot.domain.bookings.booking import Act, Booking, Stage
from bot.domain.bookings.record import Point
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import OfBooking, Reason
from bot.domain.services import DELIVERY
from bot.domain.troubles import failed
from bot.workflows.bookings.follow import dropped, read_now
from bot.workflows.bookings.record import note, tell, witness
from bot.workflows.context import Context, Unit
from bot.workflows.effect import asked
from bot.workflows.services import DeliveryService

Outcome = Done[Any] | NotExecuted | Unknown


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """Result of an action. ``trouble``: what went wrong; None when all is well; ``booking`` as it was read last."""

    act: Act
    booking: Booking
    trouble: Reason | None = None


async def start_search(ctx: Context, delivery: DeliveryService, booking: Booking, *, by: str) -> Acted:
    """Look for a driver before the cook time is over."""
    if not booking.can_start:
        return Acted(act=Act.START, booking=booking, trouble=Reason(OfBooking.CANNOT_START))
    key = await delivery.key_of(ctx.store, booking.store)

    def wanted(uow: Unit) -> Booking | None:
        current = uow.bookings.get(booking.id)
        if current is None or not current.can_start:
            return None
        return uow.bookings.move(current, current.stage, action="search_asked", actor=by, show=False)

    async def send(claimed: Booking, guard: Guard) -> Outcome:
        return await delivery.client.start_search(claimed.remote_id or "", key=key, guard=guard)

    def store(uow: Unit, claimed: Booking, outcome: Outcome) -> Booking:
        if _answered(uow, claimed, outcome, Point.SEARCH):
            tell(uow, claimed, "started", {"by": by})
        return claimed

    done = await asked(ctx, delivery.client.circuit, wanted, send, store, name="booking_answered")
    return await _afterwards(ctx, delivery, Act.START, booking, done)


async def cancel(ctx: Context, delivery: DeliveryService, booking: Booking, *, reason: str, by: str) -> Acted:
    """Cancel a booking or a pre-booking; person and reason are stored before the request is sent."""
    if not booking.can_cancel:
        return cannot_cancel(booking)
    key = await delivery.key_of(ctx.store, booking.store)
    wish = {"by": by, "reason": reason}

    def wanted(uow: Unit) -> Booking | None:
        # None when it is in another stage by now. A read since then changes nothing.
        current = uow.bookings.get(booking.id)
        if current is None or current.stage is not booking.stage or not current.can_cancel:
            return None
        return uow.bookings.move(
            current,
            current.stage,
            action="cancel_asked",
            actor=wish["by"],
            facts={"reason": reason},
            show=False,
            detail={**current.detail, "cancel": wish},
        )

    def read_back(uow: Unit) -> Booking | None:
        current = uow.bookings.get(booking.id)
        return current if current is not None and current.detail.get("cancel") == wish else None

    async def send(claimed: Booking, guard: Guard) -> Outcome:
        if claimed.stage is Stage.WAITING:
            return await delivery.client.cancel_prebooking(claimed.prebooking_id or "", key=key, guard=guard)
        return await delivery.client.cancel_booking(claimed.remote_id or "", reason=reason, key=key, guard=guard)

    def store(uow: Unit, claimed: Booking, outcome: Outcome) -> Booking:
        is_prebooking = claimed.stage is Stage.WAITING
        done = _answered(uow, claimed, outcome, Point.PREBOOK_CANCEL if is_prebooking else Point.CANCEL)
        return (dropped(uow, claimed) or claimed) if done and is_prebooking else claimed

    circuit, name = delivery.client.circuit, "booking_answered"
    done = await asked(ctx, circuit, wanted, send, store, name=name, read_back=read_back)
    return await _afterwards(ctx, delivery, Act.CANCEL, booking, done)


def cannot_cancel(booking: Booking) -> Acted:
    return Acted(act=Act.CANCEL, booking=booking, trouble=Reason(OfBooking.CANNOT_CANCEL))


async def refresh(ctx: Context, delivery: DeliveryService, booking: Booking) -> Acted:
    """Read it now."""
    if booking.stage not in (Stage.OPEN, Stage.WAITING):
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, uow.now), name="hasten")
        return Acted(act=Act.REFRESH, booking=booking)
    return await _read(ctx, delivery, Act.REFRESH, booking, None)


def _answered(uow: Unit, booking: Booking, outcome: Outcome, point: Point) -> bool:
    """Store the service's answer; the state of the booking is read afterwards. True: it was carried out."""
    if isinstance(outcome, Done):
        witness(uow, booking, "executed")
        note(uow, point, booking.reference)
        return True
    witness(uow, booking, "not_executed" if isinstance(outcome, NotExecuted) else "not_said", facts=outcome.facts)
    return False


async def _afterwards(
    ctx: Context,
    delivery: DeliveryService,
    act: Act,
    booking: Booking,
    done: tuple[Booking, Outcome] | NotExecuted | None,
) -> Acted:
    """Read the booking: whatever the answer was, the booking's own state counts."""
    if done is None:
        return Acted(act=act, booking=booking, trouble=Reason(OfBooking.JUST_CHANGED))
    booking, outcome = done if isinstance(done, tuple) else (booking, done)
    if booking.closed_at is not None:
        ctx.wake()
        return Acted(act=act, booking=booking)
    said = Reason(OfBooking.NOT_SAID) if isinstance(outcome, Unknown) else None
    if isinstance(outcome, NotExecuted):
        said = failed(outcome, service=DELIVERY)
    return await _read(ctx, delivery, act, booking, said)


async def _read(ctx: Context, delivery: DeliveryService, act: Act, booking: Booking, said: Reason | None) -> Acted:
    try:
        stored = await read_now(ctx, delivery, booking)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, uow.now), name="hasten")
        return Acted(act=act, booking=booking, trouble=said or failed(silent))
    if stored is None:
        stored = await ctx.read(lambda uow: uow.bookings.get(booking.id))
    after = stored or booking
    is_so = act is Act.CANCEL and after.stage is Stage.ENDED
    return Acted(act=act, booking=after, trouble=None if is_so else said)
