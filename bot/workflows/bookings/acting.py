"""Actions on a booking: start the search, cancel it, look again. The result is read, never assumed."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import SecretStr

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
from bot.workflows.keeping import keep
from bot.workflows.services.delivery import DeliveryService

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
    await ctx.write(lambda uow: witness(uow, booking, "search_asked", actor=by), name="want_search", wakes=False)
    outcome = await delivery.client.start_search(booking.remote_id or "", key=key)

    def started(uow: Unit) -> None:
        tell(uow, booking, "started", {"by": by})

    await _answered(ctx, booking, outcome, Point.SEARCH, started)
    return await _afterwards(ctx, delivery, Act.START, booking, outcome)


async def cancel(ctx: Context, delivery: DeliveryService, booking: Booking, *, reason: str, by: str) -> Acted:
    """Cancel a booking or a pre-booking; person and reason are stored before the request is sent."""
    if not booking.can_cancel:
        return cannot_cancel(booking)
    key = await delivery.key_of(ctx.store, booking.store)
    wanted = await ctx.write(lambda uow: _want(uow, booking, reason, by), name="want_cancel", wakes=False)
    if wanted is None:
        return Acted(act=Act.CANCEL, booking=booking, trouble=Reason(OfBooking.JUST_CHANGED))
    if wanted.stage is Stage.WAITING:
        return await _cancel_prebooking(ctx, delivery, wanted, key)
    outcome = await delivery.client.cancel_booking(wanted.remote_id or "", reason=reason, key=key)
    await _answered(ctx, wanted, outcome, Point.CANCEL)
    return await _afterwards(ctx, delivery, Act.CANCEL, wanted, outcome)


def cannot_cancel(booking: Booking) -> Acted:
    """Result for a booking that cannot be canceled."""
    return Acted(act=Act.CANCEL, booking=booking, trouble=Reason(OfBooking.CANNOT_CANCEL))


async def refresh(ctx: Context, delivery: DeliveryService, booking: Booking) -> Acted:
    """Read it now."""
    if booking.stage not in (Stage.OPEN, Stage.WAITING):
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, ctx.clock.now()), name="hasten", wakes=False)
        ctx.wake()
        return Acted(act=Act.REFRESH, booking=booking)
    return await _read(ctx, delivery, Act.REFRESH, booking, None)


async def _cancel_prebooking(ctx: Context, delivery: DeliveryService, booking: Booking, key: SecretStr) -> Acted:
    outcome = await delivery.client.cancel_prebooking(booking.prebooking_id or "", key=key)
    stored = await _answered(ctx, booking, outcome, Point.PREBOOK_CANCEL, lambda uow: dropped(uow, booking))
    if not isinstance(outcome, Done):
        return await _afterwards(ctx, delivery, Act.CANCEL, booking, outcome)
    ctx.wake()
    return Acted(act=Act.CANCEL, booking=stored or booking)


def _want(uow: Unit, booking: Booking, reason: str, by: str) -> Booking | None:
    """Store who wants it canceled; None when it is in another stage by now. A read since then changes nothing."""
    current = uow.bookings.get(booking.id)
    if current is None or current.stage is not booking.stage or not current.can_cancel:
        return None
    return uow.bookings.move(
        current,
        current.stage,
        action="cancel_asked",
        actor=by,
        facts={"reason": reason},
        show=False,
        detail={**current.detail, "cancel": {"by": by, "reason": reason}},
    )


def _nothing(_uow: Unit) -> None:
    """The booking's own record says the rest."""


async def _answered(
    ctx: Context,
    booking: Booking,
    outcome: Outcome,
    point: Point,
    done: Callable[[Unit], Booking | None] = _nothing,
) -> Booking | None:
    """Store the service's answer; the state of the booking is read afterwards. ``done``: what else an effect stores."""

    def work(uow: Unit) -> Booking | None:
        if isinstance(outcome, Done):
            witness(uow, booking, "executed")
            note(uow, point, booking.reference)
            return done(uow)
        said = "not_executed" if isinstance(outcome, NotExecuted) else "not_said"
        witness(uow, booking, said, facts=outcome.facts)
        return None

    return await keep(ctx, work, name="booking_answered")


async def _afterwards(ctx: Context, delivery: DeliveryService, act: Act, booking: Booking, outcome: Outcome) -> Acted:
    """Read the booking: whatever the answer was, the booking's own state counts."""
    said = Reason(OfBooking.NOT_SAID) if isinstance(outcome, Unknown) else None
    if isinstance(outcome, NotExecuted):
        said = failed(outcome, service=DELIVERY)
    return await _read(ctx, delivery, act, booking, said)


async def _read(ctx: Context, delivery: DeliveryService, act: Act, booking: Booking, said: Reason | None) -> Acted:
    try:
        stored = await read_now(ctx, delivery, booking)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, ctx.clock.now()), name="hasten", wakes=False)
        ctx.wake()
        return Acted(act=act, booking=booking, trouble=said or failed(silent))
    if stored is None:
        stored = await ctx.read(lambda uow: uow.bookings.get(booking.id))
    after = stored or booking
    is_so = act is Act.CANCEL and after.stage is Stage.ENDED
    return Acted(act=act, booking=after, trouble=None if is_so else said)
