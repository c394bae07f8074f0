"""What a record of the delivery service changes in a booking, what is told of it, and when it is read again."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pytest

from bot.domain.bookings.booking import Booking, BookingKind, Stage
from bot.domain.bookings.record import BookingRecord, Driver, Point, StatusChange
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.presentation.reasons import worded
from bot.workflows.bookings import follow, observe
from bot.workflows.bookings.observe import gathered
from bot.workflows.bookings.subject import BookingSubject
from bot.workflows.context import Unit
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.bookings.made import actions, drawn, planted, record, said, stored
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig

SECOND, MINUTE, HOUR, POLL = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(seconds=30)
AWAY = own_words("is away")
ANA = Driver(name="Ana", mobile="099")
HELD = {"name": "Ana", "mobile": "099", "email": "", "image": "", "provider": ""}
EVE = {**dict.fromkeys(HELD, ""), "name": "Eve"}
OTHER = HELD | {"provider": "Rapido"}


async def observed(rig: Rig, booking: Booking, status: str, *, report: BookingRecord | None = None, **told: Any) -> Any:
    ctx, now = rig.switchboard.context, rig.clock.now()
    return await ctx.store.write(
        lambda tx: observe.observe(Unit(tx, ctx, now=now), booking, record(booking, status, **told), report=report)
    )


async def test_a_state_that_moves_is_told_and_the_pace_begins_anew(rig: Rig) -> None:
    now = rig.clock.now()
    history = [["t", "READY_FOR_PICKUP"]] * 45
    detail = {"history": history, "changes": 45, "reported": {"status": "COMPLETED"}, "cancel": {"by": "U0MARIA"}}
    booking = await planted(
        rig, status="READY_FOR_PICKUP", polls=7, reads=2, reason=own_words("silent"), detail=detail, numeric_id="77"
    )
    before = await drawn(rig, booking)
    await observed(rig, booking, "ACCEPTED", driver=ANA, proof="", tracking_url="https://d.example/t")
    after = await stored(rig, booking)
    assert (after.stage, after.status, after.polls, after.reads, after.reason) == (Stage.OPEN, "ACCEPTED", 0, 0, None)
    assert (after.numeric_id, after.due_at, after.closed_at) == ("77", now + POLL, None)
    assert (after.detail["changes"], after.detail["changed_at"]) == (46, now.isoformat())
    assert after.detail["history"] == [*history[:39], [now.isoformat(), "ACCEPTED"]]
    assert "reported" not in after.detail
    assert await said(rig, booking) == ["line:driver:2"]
    row = await read(rig, lambda tx: tx.outbox.by_key(f"line:{booking.subject}:driver:2"))
    assert row is not None
    assert row.payload == {"topic": "driver", "driver": HELD, "reported": False, "again": False}
    assert await actions(rig, booking) == [("moved", {"number": "77", "status": "ACCEPTED"})]
    assert await drawn(rig, booking) > before
    points, states = await read(rig, gathered)
    assert set(points) == set(), "a state on its way is no evidence yet"
    assert [(one.word, one.status, one.what) for one in states] == [("ACCEPTED", "ACCEPTED", booking.reference)]


async def test_a_search_that_begins_anew_and_one_without_a_driver_are_evidence_and_an_alert(rig: Rig) -> None:
    booking = await planted(rig, status="ACCEPTED", detail={"driver": HELD})
    await observed(rig, booking, "PROVIDER_NOT_FOUND")
    assert await said(rig, booking) == ["line:moved:1", "line:alert:no_provider:1"]
    row = await read(rig, lambda tx: tx.outbox.by_key(f"line:{booking.subject}:moved:1"))
    assert row is not None
    assert row.payload["change"] == StatusChange.RESTARTED.value
    assert set((await read(rig, gathered))[0]) == {Point.RESTART}
    assert "driver" not in (await stored(rig, booking)).detail


@on_one_rig(
    [
        ({}, {}, POLL * 1.5),
        ({"polls": 1}, {}, POLL * 2.25),
        ({"status": "ON_HOLD", "search_at": 10}, {}, timedelta(seconds=40)),
        ({"status": "ON_HOLD", "search_at": 3600, "polls": 5}, {}, timedelta(seconds=60)),
        ({"status": "ON_HOLD", "search_at": 0}, {}, POLL * 1.5),
        ({"status": "ON_HOLD", "search_at": -1}, {}, POLL * 1.5),
        ({"status": "ACCEPTED", "search_at": 3600, "polls": 5}, {}, timedelta(seconds=60)),
    ]
)
async def test_where_nothing_is_new_it_is_read_later_and_its_card_stays(
    rig: Rig, like: dict[str, Any], told: dict[str, Any], pause: timedelta
) -> None:
    now = rig.clock.now()
    if "search_at" in like:
        like = like | {"search_at": now + timedelta(seconds=like["search_at"])}
    booking = await planted(rig, **{"status": "READY_FOR_PICKUP", **like})
    before = await drawn(rig, booking)
    await observed(rig, booking, booking.status, **told)
    after = await stored(rig, booking)
    assert (after.polls, after.due_at) == (booking.polls + 1, now + pause)
    assert await drawn(rig, booking) == before
    assert await said(rig, booking) == []


@on_one_rig(
    [
        ({"driver": HELD}, {"driver": ANA}, None, HELD, None, []),
        ({}, {"driver": ANA}, None, HELD, None, []),
        ({"driver": HELD, "driver_reported": True}, {"driver": ANA}, None, HELD, None, []),
        ({}, {}, {"driver": ANA}, HELD, True, []),
        ({"driver": HELD}, {}, None, HELD, None, []),
        ({"driver": HELD}, {"driver": replace(ANA, image="https://a")}, None, HELD | {"image": "https://a"}, None, []),
        ({"driver": HELD | {"email": "a@b"}}, {"driver": ANA}, None, HELD | {"email": "a@b"}, None, []),
        ({"driver": HELD | {"email": "a@b"}}, {"driver": Driver(name="Eve")}, None, EVE, None, ["line:driver:2"]),
        ({"driver": HELD}, {"driver": Driver(provider="Rapido")}, None, OTHER, None, []),
    ]
)
async def test_a_driver_is_told_once_and_marked_where_only_a_webhook_named_them(
    rig: Rig, detail: dict[str, Any], told: dict[str, Any], report: Any, driver: Any, reported: Any, keys: list[str]
) -> None:
    booking = await planted(rig, status="ACCEPTED", detail=detail)
    heard = None if report is None else record(booking, "ACCEPTED", **report)
    await observed(rig, booking, "ACCEPTED", report=heard, **told)
    after = await stored(rig, booking)
    assert (after.detail.get("driver"), after.detail.get("driver_reported")) == (driver, reported)
    assert (after.polls, after.due_at) == (1, booking.created_at + POLL * 1.5)
    assert await said(rig, booking) == keys


async def test_a_proof_of_delivery_may_come_after_the_end(rig: Rig) -> None:
    booking = await planted(rig, stage=Stage.ENDED, status="COMPLETED")
    before = await drawn(rig, booking)
    await observed(rig, booking, "COMPLETED")
    assert (await stored(rig, booking), await drawn(rig, booking)) == (booking, before)
    await observed(rig, booking, "COMPLETED", proof="https://d.example/p.png")
    after = await stored(rig, booking)
    assert (after.detail, after.stage) == ({"proof": "https://d.example/p.png"}, Stage.ENDED)
    assert await drawn(rig, booking) > before
    assert await said(rig, booking) == []


async def test_what_a_record_leaves_out_stays_and_a_webhook_adds_a_code_a_proof_or_a_reason(rig: Rig) -> None:
    booking = await planted(rig, status="ACCEPTED", detail={"fee": "1.50", "customer": "Ana"})
    heard = record(
        booking, "ACCEPTED", validation_code="4711", proof="p", cancel_reason="r", fee="9.99", tracking_url="u"
    )
    await observed(rig, booking, "ACCEPTED", report=heard, customer="Luis", proof="own")
    after = await stored(rig, booking)
    assert after.detail == {
        "fee": "1.50",
        "customer": "Luis",
        "validation_code": "4711",
        "proof": "own",
        "cancel_reason": "r",
    }


# reading


@on_one_rig(
    [
        (ServiceNow("delivery", AWAY), 0, "", POLL * 1.5, 0),
        (ServiceNow("delivery", AWAY), 1, "", POLL * 2.25, 0),
        (ServiceNow("delivery", AWAY), 2, "Delivery: is away.", POLL * 3.375, 1),
        (ServiceNow("delivery", AWAY, retry_after=7.0), 0, "", 7 * SECOND, 0),
        (ServiceNever("delivery", own_words("refused")), 0, "Delivery: refused.", POLL * 1.5, 1),
        (OperatorError("no key"), 0, "no key", POLL * 1.5, 1),
    ]
)
async def test_a_card_says_that_it_cannot_be_read_at_the_third_time_or_at_once_where_waiting_does_not_help(
    rig: Rig, trouble: Any, reads: int, reason: str, wait: timedelta, redrawn: int
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    booking = await planted(rig, reads=reads)
    before = await drawn(rig, booking)
    await ctx.store.write(lambda tx: follow._not_read(Unit(tx, ctx), booking, trouble))
    after = await stored(rig, booking)
    assert (after.reads, after.due_at) == (reads + 1, now + wait)
    assert (reason in worded(after.reason), after.reason is not None) == (True, bool(reason))
    assert await drawn(rig, booking) == before + redrawn


async def test_one_that_was_changed_meanwhile_is_read_again_at_once(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    booking = await planted(rig, version=2, lease_owner=ctx.owner, lease_until=now + MINUTE, due_at=now + HOUR)
    late = replace(booking, version=1)
    await ctx.store.write(lambda tx: follow._not_read(Unit(tx, ctx), late, ServiceNow("delivery", AWAY)))
    after = await stored(rig, booking)
    assert (after.due_at, after.lease_owner, after.reads) == (now, "", 0)


@on_one_rig([(2_000, True), (2_001, False)])
async def test_a_link_is_shown_as_a_picture_up_to_the_longest(rig: Rig, length: int, pictured: bool) -> None:
    link = "https://d.example/".ljust(length, "x")
    waiting = {"stage": Stage.WAITING, "kind": BookingKind.PREBOOKING, "detail": {"link": link}}
    booking = await planted(rig, **waiting)
    picture = await BookingSubject().file(rig.switchboard.context, booking.id, {})
    assert (picture is not None) is pictured


async def test_states_are_interpreted_once_they_show_all_there_is_and_none_is_unknown(rig: Rig) -> None:
    for status, missing in (("ACCEPTED", True), ("COMPLETED", True), ("CANCELLED_BY_ADMIN", False), ("ODD", True)):
        await observed(rig, await planted(rig, status=""), status)
        assert (Point.STATES not in (await read(rig, gathered))[0]) is missing, status
    points, states = await read(rig, partial(gathered, ours=lambda word: "RETURNING" if word == "ODD" else word))
    assert (Point.STATES in points, [one.status for one in states][-1]) == (True, "RETURNING")


@pytest.mark.parametrize(
    ("states", "like", "evidence"),
    [
        (["READY_FOR_PICKUP"], {}, True),
        ([], {}, False),
        (["ODD"], {}, False),
        (["READY_FOR_PICKUP"], {"tracking_url": ""}, False),
    ],
)
async def test_the_end_users_view_is_a_whole_way_on_the_card(
    rig: Rig, states: list[str], like: dict[str, str], evidence: bool
) -> None:
    detail = {"history": [["t", state] for state in states], "tracking_url": "https://d.example/t", **like}
    booking = await planted(rig, status=states[-1] if states else "", detail=detail)
    await observed(rig, booking, "COMPLETED")
    assert (Point.VIEW in (await read(rig, gathered))[0]) is evidence
