"""A booking whose request was sent: what its answer, a look and a webhook each do to it."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.bookings.record import Payment, Point
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.reasons import Reason
from bot.workflows.bookings import book, observe, prebookings
from bot.workflows.bookings.observe import gathered
from bot.workflows.context import Unit
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.bookings.made import asked, drawn, planted, record, said, stored
from tests.workflows.looking import read
from tests.workflows.planted import everything_stored, on_one_rig

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
QUIET = timedelta(minutes=15)

NOT_FOUND, AWAY, BEFORE = own_words("not found"), own_words("is away"), own_words("before")


async def seen(rig: Rig) -> set[Point]:
    points, _ = await read(rig, gathered)
    return set(points)


@pytest.mark.parametrize(("works_on_it", "recovered"), [(True, 0), (False, 1)])
async def test_request_in_flight_is_not_searched(rig: Rig, works_on_it: bool, recovered: int) -> None:
    ctx, over = rig.switchboard.context, rig.clock.now() - SECOND
    booking = await planted(rig, stage=Stage.SENDING, lease_owner=ctx.owner, lease_until=over)
    with ctx.leases.kept("booking", (booking.id if works_on_it else "another",)):
        assert await ctx.store.write(lambda tx: book.LOST.recover(Unit(tx, ctx))) == recovered
    assert (await stored(rig, booking)).stage is (Stage.UNKNOWN if recovered else Stage.SENDING)


# the answer


@on_one_rig(
    [
        (BookingKind.BOOKING, {}, {Point.BOOK, Point.CASH}),
        (BookingKind.BOOKING, {"payment": Payment.CARD}, {Point.BOOK, Point.CASH, Point.CARD}),
        (BookingKind.PREBOOKING, {"cook_minutes": 5}, {Point.ADDRESS, Point.BOOK, Point.CASH, Point.CARD}),
    ]
)
async def test_accepted_resource_is_followed_as_evidence(
    rig: Rig, kind: BookingKind, request: dict[str, Any], points: set[Point]
) -> None:
    ctx = rig.switchboard.context
    booking = await planted(rig, stage=Stage.SENDING, kind=kind, request=asked(**request))
    await ctx.store.write(lambda tx: book._sent(Unit(tx, ctx), booking, Done(value=record(booking))))
    after = await stored(rig, booking)
    assert (after.stage, after.remote_id) == (Stage.OPEN, f"d-{booking.id}")
    assert await seen(rig) - {Point.STATES} == points


# searching for it


@on_one_rig(
    [
        ({}, True, NOT_FOUND, Stage.UNKNOWN, 1, None, 10 * SECOND),
        ({"reads": 2}, True, NOT_FOUND, Stage.LOST, 3, None, QUIET),
        ({"reads": 2, "sent_at": None, "created_ago": QUIET}, True, NOT_FOUND, Stage.LOST, 3, None, QUIET),
        ({"reads": 2}, False, AWAY, Stage.UNKNOWN, 2, AWAY, 20 * SECOND),
        ({"reads": 1}, True, NOT_FOUND, Stage.UNKNOWN, 2, None, 20 * SECOND),
        ({"reads": 2, "sent_ago": QUIET - SECOND}, True, NOT_FOUND, Stage.UNKNOWN, 3, None, 40 * SECOND),
        ({"reads": 8, "sent_ago": MINUTE}, True, NOT_FOUND, Stage.UNKNOWN, 9, None, MINUTE),
        ({"reads": 9}, False, AWAY, Stage.UNKNOWN, 9, AWAY, MINUTE),
        ({"reason": BEFORE}, False, None, Stage.UNKNOWN, 0, BEFORE, 5 * SECOND),
        ({"reason": BEFORE}, True, NOT_FOUND, Stage.UNKNOWN, 1, None, 10 * SECOND),
        ({"stage": Stage.LOST, "sent_ago": 24 * HOUR}, True, None, Stage.LOST, 0, None, QUIET),
        ({"stage": Stage.LOST, "sent_ago": 24 * HOUR + SECOND}, True, None, Stage.LOST, 0, None, None),
    ]
)
async def test_booking_is_lost_after_three_searches_and_the_quiet_period(
    rig: Rig,
    like: dict[str, Any],
    absent: bool,
    reason: Reason | None,
    stage: Stage,
    reads: int,
    says: Reason | None,
    due: timedelta | None,
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    ages = {"sent_at": now - like.pop("sent_ago", QUIET), "created_at": now - like.pop("created_ago", timedelta())}
    booking = await planted(rig, **{"stage": Stage.UNKNOWN, "due_at": now, **ages, **like})
    before = await drawn(rig, booking)
    await ctx.store.write(lambda tx: book._searched(Unit(tx, ctx), booking, None, absent, reason))
    after = await stored(rig, booking)
    assert (after.stage, after.reads, after.reason) == (stage, reads, says)
    assert after.due_at == (None if due is None else now + due)
    assert after.closed_at == (now if due is None else None)
    newly_lost = stage is Stage.LOST and booking.stage is Stage.UNKNOWN
    assert await said(rig, booking) == (["line:lost", "line:alert:lost"] if newly_lost else [])
    assert (await drawn(rig, booking) > before) is (newly_lost or after.reason != booking.reason)


async def test_service_booking_belongs_to_one_of_ours(rig: Rig) -> None:
    ctx = rig.switchboard.context
    first = await planted(rig)
    second = await planted(rig, stage=Stage.UNKNOWN)
    theirs = record(first)
    assert await ctx.store.write(lambda tx: book.link(Unit(tx, ctx), second, theirs)) is None
    assert ((await stored(rig, first)), (await stored(rig, second))) == (first, second)


Late = Callable[[Unit, Booking], Any]


@on_one_rig(
    [
        (Stage.SENDING, lambda uow, one: book.lose(uow, one, Unknown(reason=BEFORE))),
        (Stage.SENDING, lambda uow, one: book._back(uow, one, NotExecuted(reason=BEFORE, again=True))),
        (Stage.UNKNOWN, lambda uow, one: book._searched(uow, replace(one, reads=9), None, True, None)),
        (Stage.UNKNOWN, lambda uow, one: book._searched(uow, one, None, False, NOT_FOUND)),
        (Stage.WAITING, prebookings.dropped),
        (Stage.OPEN, lambda uow, one: observe.observe(uow, one, record(one))),
    ]
)
async def test_late_decision_changes_nothing(rig: Rig, stage: Stage, work: Late) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    booking = await planted(rig, stage=stage, version=2, sent_at=now - HOUR)
    before = everything_stored(rig)
    late = replace(booking, version=1)
    assert await ctx.store.write(lambda tx: work(Unit(tx, ctx), late)) is None
    assert everything_stored(rig) == before
    await ctx.store.write(lambda tx: work(Unit(tx, ctx), booking))
    assert everything_stored(rig) != before
