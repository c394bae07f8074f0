"""What a look for a booking, a word of a webhook and a store without an answer lead to: case by case, at the edges."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from itertools import count
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.clients.delivery.client import StoreForm
from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.bookings.record import BookingRecord, Point, PrebookingRecord, StoreState
from bot.domain.reasons import Exchange, Reason
from bot.presentation.reasons import worded
from bot.workflows.bookings import book, events, stores
from bot.workflows.bookings.observe import observe
from bot.workflows.bookings.record import gathered
from bot.workflows.context import Unit
from storage.rows import InboxState, StoreEvent, StoreRow
from storage.transaction import Tx
from tests.support.deliveries import fact, open_rig, prebook, service_of
from tests.support.reasons import own_words
from tests.support.rig import FINANCE, MARIA, Rig

pytestmark = pytest.mark.rig(opened_by=open_rig)

_NUMBERS = count(1)
SILENT = own_words("it does not answer")


async def planted(rig: Rig, **changes: Any) -> Booking:
    """A booking by Maria for the store Centro, stored as it is, without what led there."""
    number = next(_NUMBERS)
    own = {
        "id": f"own{number}",
        "reference": f"B-{number:06}",
        "source_key": f"planted:{number}",
        "external_id": f"external{number}",
    }
    like = {"kind": BookingKind.BOOKING, "store": "Centro", "request": None, "requester": MARIA, "channel": FINANCE}
    one = Booking(**{**own, **like, "created_at": rig.clock.now(), "stage": Stage.UNKNOWN, **changes})
    await rig.switchboard.context.store.write(lambda tx: tx.bookings.add(one))
    return await now_stored(rig, one)


async def now_stored(rig: Rig, one: Booking) -> Booking:
    found = await rig.switchboard.context.store.read(lambda tx: tx.bookings.get(one.id))
    assert found is not None
    return found


async def after(rig: Rig, one: Booking, work: Callable[[Tx], object]) -> Booking:
    """The booking after a transaction."""
    await rig.switchboard.context.store.write(work)
    return await now_stored(rig, one)


async def looked(rig: Rig, one: Booking, *, absent: bool, reason: Reason | None = None) -> Booking:
    ctx = rig.switchboard.context
    return await after(rig, one, lambda tx: book._looked(Unit(tx, ctx), one, None, absent, reason))


async def test_when_a_booking_without_an_answer_counts_as_lost(rig: Rig) -> None:
    """With the third reading that does not find it, once the quiet period is over: not a second earlier."""
    quiet = timedelta(seconds=rig.switchboard.context.quiet.seconds)
    now = rig.clock.now()
    for reads, age, absent, stage in (
        (2, quiet, True, Stage.LOST),
        (1, quiet, True, Stage.UNKNOWN),
        (2, quiet - timedelta(seconds=1), True, Stage.UNKNOWN),
        (2, quiet, False, Stage.UNKNOWN),
        (9, quiet + timedelta(days=1), False, Stage.UNKNOWN),
    ):
        one = await looked(rig, await planted(rig, reads=reads, sent_at=now - age), absent=absent)
        assert (one.stage, one.reads) == (stage, reads + absent), (reads, age, absent)
        assert one.closed_at is None
    unsent = await planted(rig, reads=2, sent_at=None, created_at=now - quiet)
    assert (await looked(rig, unsent, absent=True)).stage is Stage.LOST


async def test_what_a_look_that_failed_says_is_kept_until_the_service_can_be_read_again(rig: Rig) -> None:
    for before, absent, reason, then in (
        (None, False, SILENT, SILENT),
        (SILENT, False, None, SILENT),
        (SILENT, False, Reason(Exchange.ANSWERED, status=500), Reason(Exchange.ANSWERED, status=500)),
        (SILENT, True, own_words("not found"), None),
    ):
        one = await planted(rig, reason=before, sent_at=rig.clock.now())
        assert (await looked(rig, one, absent=absent, reason=reason)).reason == then, (before, absent, reason)


async def test_a_lost_booking_is_looked_for_another_day_every_quarter_of_an_hour(rig: Rig) -> None:
    now = rig.clock.now()
    watched = await looked(rig, await planted(rig, stage=Stage.LOST, sent_at=now - timedelta(hours=24)), absent=True)
    assert (watched.closed_at, watched.due_at) == (None, now + timedelta(minutes=15))
    over = await planted(rig, stage=Stage.LOST, sent_at=now - timedelta(hours=24, seconds=1), due_at=now)
    ended = await looked(rig, over, absent=True)
    assert (ended.closed_at, ended.due_at, ended.stage) == (now, None, Stage.LOST)


def event(rig: Rig, *, received: float = 0.0) -> StoreEvent:
    now = rig.clock.now()
    return StoreEvent(
        id=f"event{next(_NUMBERS)}",
        token_hash="",
        body_hash="",
        store="Centro",
        kind="UPDATE_BOOKING_STATUS",
        body="{}",
        received_at=now + timedelta(seconds=received),
        state=InboxState.RECEIVED,
        attempts=0,
        due_at=now,
        lease_owner="",
        lease_until=None,
        tries=0,
        stopped="",
    )


def reported(rig: Rig, heard: events._Heard) -> Callable[[Tx], object]:
    return lambda tx: events._pass_on(Unit(tx, rig.switchboard.context, now=rig.clock.now()), heard, SILENT)


async def test_of_two_reported_states_the_later_one_is_shown(rig: Rig) -> None:
    """An event without a state, one that came before, and one that came at the same moment change nothing."""
    one = await planted(rig, stage=Stage.OPEN, status="ACCEPTED")
    for received, said, shown in (
        (0.0, "WAY_TO_DELIVER", "WAY_TO_DELIVER"),
        (0.0, "RETURNING", "WAY_TO_DELIVER"),
        (-5.0, "RETURNING", "WAY_TO_DELIVER"),
        (5.0, "?", "WAY_TO_DELIVER"),
        (5.0, "RETURNING", "RETURNING"),
    ):
        report = BookingRecord(id="r", status=said)
        heard = events._Heard(
            event=event(rig, received=received), identifier="r", report=report, booking=await now_stored(rig, one)
        )
        current = await after(rig, one, reported(rig, heard))
        assert current.detail["reported"]["status"] == shown, (received, said)
        assert current.status == "ACCEPTED"


async def test_what_is_reported_of_a_booking_that_is_over_moves_nothing(rig: Rig) -> None:
    for changes in ({"stage": Stage.ENDED, "status": "COMPLETED"}, {"stage": Stage.OPEN, "status": "COMPLETED"}):
        one = await planted(rig, **changes)
        heard = events._Heard(
            event=event(rig), identifier="r", report=BookingRecord(id="r", status="RETURNING"), booking=one
        )
        assert await after(rig, one, reported(rig, heard)) == one


@pytest.mark.parametrize(
    ("younger", "state", "stays"), [(0, "creating", False), (1, "creating", True), (0, "ready", True)]
)
async def test_a_store_without_an_answer_is_given_up_when_the_quiet_period_is_over(
    rig: Rig, younger: float, state: str, stays: bool
) -> None:
    ctx = rig.switchboard.context
    row = StoreRow(
        id="own",
        name="Norte",
        folded="norte",
        state=StoreState(state),
        sealed_key="",
        remote_id="",
        record={},
        created_at=rig.clock.now() - timedelta(seconds=ctx.quiet.seconds - younger),
        created_by=MARIA,
        seen_at=None,
        due_at=None,
    )
    assert await ctx.store.write(lambda tx: tx.stores.add(row))
    await ctx.store.write(lambda tx: stores._give_up(Unit(tx, ctx), [replace(row, state=StoreState.CREATING)]))
    assert (await ctx.store.read(lambda tx: tx.stores.by_id("own")) is not None) is stays


async def test_a_store_that_lost_its_key_is_not_changed_and_it_is_said_why(rig: Rig) -> None:
    ctx = rig.switchboard.context
    changed = await stores.change_store(ctx, ctx.delivery.required(), "Gone", StoreForm(address="9 Quay"))
    assert worded(changed.trouble) == snapshot(
        "The operator of Switchboard has to mend this: delivery: there is no key for the store Gone; list the stores "
        "(the master key brings their keys along) or add it to DELIVERY_STORE_KEYS."
    )
    assert service_of(rig).calls_of("update_store") == []


async def test_what_a_booking_shows_counts_as_seen(rig: Rig) -> None:
    """Of each state, of tracking where there is an address, and of a restarted search."""
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await planted(rig, stage=Stage.OPEN, status="ACCEPTED", remote_id="r", detail={"changes": 0})
    for status, tracking, states, view, restart in (
        ("WAY_TO_DELIVER", "", 1, 0, 0),
        ("ARRIVED_AT_DELIVERY", "https://track.example/1", 2, 1, 0),
        ("READY_FOR_PICKUP", "", 3, 2, 1),
    ):
        record = BookingRecord(id="r", status=status, tracking_url=tracking)
        one = await after(rig, one, observing(rig, one, record))
        points, seen = await ctx.store.read(gathered)
        counted = {point: found.count for point, found in points.items()}
        assert [counted.get(point, 0) for point in (Point.STATES, Point.VIEW, Point.RESTART)] == [states, view, restart]
        assert seen[status] == one.reference
        assert points[Point.STATES].what == one.reference
        assert points[Point.STATES].last == now


def observing(rig: Rig, one: Booking, record: BookingRecord) -> Callable[[Tx], object]:
    return lambda tx: observe(Unit(tx, rig.switchboard.context, now=rig.clock.now()), one, record)


async def test_the_address_link_of_a_prebooking_is_on_its_card_at_once(rig: Rig) -> None:
    await prebook(rig)
    ctx = rig.switchboard.context
    [one] = await ctx.store.read(lambda tx: tx.bookings.open(limit=20))
    made = PrebookingRecord(id="p2", url="https://where.example/2")
    rig.clock.advance(5)
    await ctx.write(lambda tx: book._wait_for_customer(Unit(tx, ctx, now=rig.clock.now()), one, made), name="link")
    await rig.settle()
    assert fact(rig, "Address link") == "<https://where.example/2>"
    waiting = await now_stored(rig, one)
    assert (waiting.stage, waiting.prebooking_id, waiting.polls) == (Stage.WAITING, "p2", 0)


async def test_a_booking_whose_store_lost_its_key_is_tried_again_when_the_service_is_read_again(rig: Rig) -> None:
    ctx = rig.switchboard.context
    for stage in (Stage.NEW, Stage.UNKNOWN):
        one = await planted(rig, store="Gone", stage=stage)
        await book._step(ctx, ctx.delivery.required(), one)
        put_off = await now_stored(rig, one)
        assert (put_off.stage, put_off.due_at) == (stage, rig.clock.now() + timedelta(seconds=ctx.poll_seconds))
        assert "Gone" in worded(put_off.reason)
    assert service_of(rig).calls_of("create_booking") == []
