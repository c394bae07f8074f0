"""Poll bookings and pre-bookings until they are final, and act on them: start the search, cancel, refresh.

Polling is the guarantee; webhooks only make it faster. The result of an action is read, never assumed.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

import structlog
from pydantic import SecretStr

from bot.clients.transport import Guard
from bot.domain.bookings.booking import Act, Booking, Stage
from bot.domain.bookings.record import BookingRecord, Evidence, Point, PrebookingRecord, SeenState, is_unknown
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import OfBooking, Reason
from bot.domain.services import DELIVERY
from bot.domain.tracking import named_or, next_poll
from bot.domain.troubles import failed
from bot.workflows.bookings import prebookings
from bot.workflows.bookings.book import link, search
from bot.workflows.bookings.events import known_here, made_elsewhere
from bot.workflows.bookings.observe import ask_somebody, gathered, is_stuck, note, observe, witness
from bot.workflows.bookings.prebookings import dropped, read_prebooking
from bot.workflows.context import Context, Unit
from bot.workflows.effect import asked
from bot.workflows.services import DeliveryService, no_key
from bot.workflows.slack.boards import show_board
from bot.workflows.workers import Work

log = structlog.get_logger(__name__)

_PATIENCE = 3
"""Consecutive reads that may fail temporarily before the card shows it."""
_AT_ONCE = 10
"""Stores queried at a time for a booking that isn't in the database."""
T = TypeVar("T")

Outcome = Done[Any] | NotExecuted | Unknown


async def _poll(ctx: Context, delivery: DeliveryService, booking: Booking) -> None:
    try:
        await read_now(ctx, delivery, booking)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        trouble = silent
        log.warning("a booking could not be read", reference=booking.reference, reason=str(trouble))
        await ctx.write(lambda uow: _not_read(uow, booking, trouble), name="booking_not_read")


async def read_now(ctx: Context, delivery: DeliveryService, booking: Booking) -> Booking | None:
    """Read a booking; None if it was changed meanwhile, and is due again. Raises like ``get_booking``."""
    key = await delivery.key_of(ctx.store, booking.store)
    if booking.stage is Stage.WAITING:
        return await read_prebooking(ctx, delivery, booking, key)
    record = await delivery.client.get_booking(booking.remote_id or "", key=key)

    def work(uow: Unit) -> Booking | None:
        seen = observe(uow, booking, record)
        if seen is None:
            uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)
        return seen

    return await ctx.write(work, name="booking_read")


def _not_read(uow: Unit, booking: Booking, trouble: ServiceNow | ServiceNever | OperatorError) -> None:
    """Schedule the next read; the card shows that it may be outdated, at once if waiting won't help."""
    reads = booking.reads + 1
    passing = isinstance(trouble, ServiceNow) and reads < _PATIENCE
    pause = named_or(trouble.retry_after, next_poll(base=uow.poll_seconds, polls=reads, age=timedelta(0)))
    reason = booking.reason if passing else failed(trouble, advice=False)
    stuck = is_stuck(uow, booking)
    changed = {"detail": {**booking.detail, "asked": True}} if stuck else {}
    stored = uow.bookings.put_off(booking, reason=reason, due_at=uow.now + pause, reads=reads, **changed)
    if stored is None:
        uow.bookings.release(booking.id, owner=uow.owner, due_at=uow.now)
    elif stuck:
        show_board(uow, stored.subject)
        ask_somebody(uow, stored)


async def look_up(ctx: Context, delivery: DeliveryService, text: str) -> tuple[str, BookingRecord] | None:
    """Find a booking of any store by an id of the service; None if not found. Raises if a store didn't answer."""
    return await _in_any_store(ctx, delivery, lambda key: delivery.client.get_booking(text, key=key))


async def look_up_prebooking(ctx: Context, delivery: DeliveryService, text: str) -> tuple[str, PrebookingRecord] | None:
    """Find a pre-booking like :func:`look_up`."""
    return await _in_any_store(ctx, delivery, lambda key: delivery.client.get_prebooking(text, key=key))


async def _in_any_store(
    ctx: Context, delivery: DeliveryService, ask: Callable[[SecretStr], Awaitable[T]]
) -> tuple[str, T] | None:
    """Query every store with a known key, some at a time, until one has it. A silent store doesn't stop the search."""
    keys = await ctx.read(lambda uow: [(name, delivery.key(uow, name)) for name in delivery.store_names(uow)])
    asked_for = [(name, key) for name, key in keys if key is not None]
    silent: ServiceNow | OperatorError | None = None
    for start in range(0, len(asked_for), _AT_ONCE):
        some = asked_for[start : start + _AT_ONCE]
        answers = await asyncio.gather(*(ask(key) for _, key in some), return_exceptions=True)
        for (name, _), answer in zip(some, answers, strict=True):
            match answer:
                case ServiceNever():  # not this store's
                    pass
                case ServiceNow() | OperatorError():
                    silent = silent or answer
                case BaseException():
                    raise answer
                case _:
                    return name, answer
    if silent is not None:
        raise silent
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
    """Start following a booking of any store, as after a webhook; None if no store has it. Raises like ``look_up``."""
    found = await look_up(ctx, delivery, text)
    if found is None:
        return None
    store, record = found

    def work(uow: Unit) -> Booking | None:
        booking = known_here(uow, store, record) or made_elsewhere(uow, store, record, by=by)
        return link(uow, booking, record) or uow.bookings.get(booking.id)

    return await ctx.write(work, name="booking_named")


async def follow_prebooking(ctx: Context, delivery: DeliveryService, text: str, *, by: str) -> Booking | None:
    """Follow a pre-booking like :func:`follow`; one of our pre-bookings with a lost answer is recovered."""
    found = await look_up_prebooking(ctx, delivery, text)
    if found is None:
        return None
    named = partial(prebookings.made_elsewhere, store=found[0], made=found[1], by=by)
    return await prebookings.recovered(ctx, *found, by=by) or await ctx.write(named, name="prebooking_named")


async def get_booking(ctx: Context, booking_id: str) -> Booking | None:
    return await ctx.read(lambda uow: uow.bookings.get(booking_id))


async def booking_on_card(ctx: Context, booking_id: str, *, channel: str, ts: str) -> Booking | None:
    """Return the booking if this message is its card or an alert about it, posted by the bot."""

    def shown(uow: Unit) -> Booking | None:
        booking, board = uow.bookings.get(booking_id), uow.boards.find(channel, ts)
        if booking is None:
            return None
        is_card = board is not None and board.subject == booking.subject
        return booking if is_card or uow.outbox.posted(booking.subject, channel=channel, ts=ts) else None

    return await ctx.read(shown)


async def spelled(ctx: Context, delivery: DeliveryService, store: str) -> str | None:
    return await ctx.read(lambda uow: delivery.spelled(uow, store))


async def unknown_states(ctx: Context) -> list[SeenState]:
    """Return the observed states that no line of the route table explains."""
    delivery = ctx.delivery.client
    return [one for one in (await evidence(ctx, delivery))[1] if is_unknown(one.status)] if delivery is not None else []


async def read_explained(ctx: Context) -> None:
    """At start, make bookings due whose unknown state is now explained by a line of the route table."""
    delivery = ctx.delivery.client
    if delivery is None:
        return

    def explained(uow: Unit) -> list[str]:
        odd = [(one, status) for one, status in uow.bookings.states() if is_unknown(status)]
        return [one for one, status in odd if not is_unknown(delivery.client.state_of(status))]

    def hasten(uow: Unit) -> None:
        for one in due:
            uow.bookings.hasten(one, uow.now)

    if due := await ctx.read(explained):
        await ctx.write(hasten, name="states_explained")


async def evidence(ctx: Context, delivery: DeliveryService) -> tuple[dict[Point, Evidence], list[SeenState]]:
    return await ctx.read(partial(gathered, ours=delivery.client.state_of))


async def find_booking(ctx: Context, text: str) -> Booking | None:
    """Find a booking by its reference or one of its ids at the service. Unconfirmed quotes aren't found."""
    found = await ctx.read(lambda uow: uow.bookings.find(text))
    return None if found is None or found.stage is Stage.QUOTED else found


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """Result of an action. ``trouble`` is None on success; ``booking`` is its last read state."""

    act: Act
    booking: Booking
    trouble: Reason | None = None


async def start_search(ctx: Context, delivery: DeliveryService, booking: Booking, *, by: str) -> Acted:
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
        _answered(uow, claimed, outcome, Point.SEARCH)
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
        # None if the stage has changed. A read in between doesn't matter.
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
        # A booking is canceled only when its record shows it.
        done = _answered(uow, claimed, outcome, Point.PREBOOK_CANCEL if is_prebooking else None)
        if done and is_prebooking:
            return dropped(uow, claimed) or claimed
        if isinstance(outcome, Unknown):
            return claimed
        # After a refusal, clear the wish: a later cancellation isn't this person's.
        detail = {**claimed.detail, "cancel": {**wish, "done": True} if done else {}}
        return uow.bookings.touch(claimed, detail=detail) or claimed

    circuit, name = delivery.client.circuit, "booking_answered"
    done = await asked(ctx, circuit, wanted, send, store, name=name, read_back=read_back)
    return await _afterwards(ctx, delivery, Act.CANCEL, booking, done)


def cannot_cancel(booking: Booking) -> Acted:
    return Acted(act=Act.CANCEL, booking=booking, trouble=Reason(OfBooking.CANNOT_CANCEL))


async def refresh(ctx: Context, delivery: DeliveryService, booking: Booking) -> Acted:
    if booking.stage not in (Stage.OPEN, Stage.WAITING):
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, uow.now), name="hasten")
        return Acted(act=Act.REFRESH, booking=booking)
    return await _read(ctx, delivery, Act.REFRESH, booking, None)


async def as_now(ctx: Context, delivery: DeliveryService, booking: Booking) -> tuple[Booking, Reason | None]:
    """Read a booking once more and store the result; return it, with the reason if it couldn't be read."""
    if booking.stage in (Stage.UNKNOWN, Stage.LOST):
        key = await ctx.read(lambda uow: delivery.key(uow, booking.store))
        silent = failed(no_key(booking.store)) if key is None else await search(ctx, delivery, booking, key)
        return await get_booking(ctx, booking.id) or booking, silent
    if booking.stage not in (Stage.OPEN, Stage.WAITING, Stage.ENDED):
        return booking, None
    seen = await _read(ctx, delivery, Act.REFRESH, booking, None)
    return seen.booking, seen.trouble


def _answered(uow: Unit, booking: Booking, outcome: Outcome, point: Point | None) -> bool:
    """Store the service's answer and return whether the action was executed; the booking's state is read afterwards."""
    if isinstance(outcome, Done):
        witness(uow, booking, "executed")
        if point is not None:
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
    """Read the booking after an action: whatever the answer was, only the booking's state counts."""
    if done is None:
        return Acted(act=act, booking=booking, trouble=Reason(OfBooking.JUST_CHANGED))
    booking, outcome = done if isinstance(done, tuple) else (booking, done)
    if booking.closed_at is not None:
        ctx.wake()
        return Acted(act=act, booking=booking)
    said = Reason(OfBooking.NOT_SAID).saying(outcome.words) if isinstance(outcome, Unknown) else None
    if isinstance(outcome, NotExecuted):
        said = failed(outcome, service=DELIVERY)
    return await _read(ctx, delivery, act, booking, said)


async def _read(ctx: Context, delivery: DeliveryService, act: Act, booking: Booking, said: Reason | None) -> Acted:
    try:
        stored = await read_now(ctx, delivery, booking)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        await ctx.write(lambda uow: uow.bookings.hasten(booking.id, uow.now), name="hasten")
        return Acted(act=act, booking=booking, trouble=said or failed(silent))
    after = stored or await ctx.read(lambda uow: uow.bookings.get(booking.id)) or booking
    is_so = act is Act.CANCEL and after.stage is Stage.ENDED
    return Acted(act=act, booking=after, trouble=None if is_so else said)
