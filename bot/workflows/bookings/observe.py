"""Apply the service's record of a booking, read by its id, one at a time, with the messages and audit rows it causes.

Only final states are sticky. Other states follow the record, even backwards, e.g. when the search restarts.
A booking costs money, so the requester, the person who canceled it and the service's answers can be looked up like the
story of a payment. The customer's number and address are left out of the audit, which is kept forever.
"""

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, fields
from datetime import datetime, timedelta
from types import MappingProxyType
from typing import Any

import structlog

from bot.domain.audit import SYSTEM, Entry
from bot.domain.bookings.booking import Booking, Stage
from bot.domain.bookings.record import (
    BookingRecord,
    Driver,
    Evidence,
    Point,
    SeenState,
    Status,
    StatusChange,
    Told,
    change_of,
    charge,
    has_driver,
    is_canceled,
    is_final,
    is_searching,
    is_unknown,
    same_word,
    told_by,
)
from bot.domain.money import plain
from bot.domain.policy import Policy
from bot.domain.tracking import next_poll
from bot.workflows.context import Unit
from bot.workflows.slack.boards import post_board, post_file, post_line
from storage.repositories.bookings import folded
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_EVIDENCE = "delivery:evidence"
_STATES = "delivery:states"
_HISTORY = 40
_COUNTDOWN = timedelta(seconds=60)
_APART = {"id", "status", "numeric_id", "external_id", "driver", "orders"}
_FIELDS = tuple(one.name for one in fields(BookingRecord) if one.name not in _APART)
"""Fields of the record that the booking's details keep, under the same names."""
_MOST_STATES = 200
"""Most state words stored, in case the service sends sentences."""
_A_DAY = timedelta(hours=24)
"""Time in an unknown state without a change, after which an alert is posted."""
_QUIET = (
    Status.ON_HOLD,
    Status.READY_FOR_PICKUP,
    Status.ACCEPTED,
    Status.ARRIVED_AT_PICKUP,
    Status.WAY_TO_DELIVER,
    Status.ARRIVED_AT_DELIVERY,
)
"""States that only edit the card."""
_NO_DRIVER = Status.PROVIDER_NOT_FOUND
STORE = "store"
"""Kind of a subject that represents a store: it has lines in the store's channel and no board."""


def observe(
    uow: Unit, booking: Booking, record: BookingRecord, *, report: BookingRecord | None = None
) -> Booking | None:
    """Apply a record that was read after ``booking``; None if the booking has changed, so the record may be older.

    ``report`` is a webhook's record; it fills in what the record lacks, marked as reported.
    """
    current = uow.bookings.get(booking.id)
    if current is None or current.version != booking.version:
        return None
    change = change_of(booking.status, record.status)
    if change is StatusChange.CONTRADICTION:
        facts = {"status": booking.status, "now": record.status}
        alarm(uow, booking, f"contradiction:{record.status.casefold()}", facts)
        uow.bookings.release(booking.id, owner=uow.owner, due_at=None)
        return current
    detail = _merged(booking.detail, record, report)
    if is_stuck(uow, booking):
        detail["asked"] = True
    if change is StatusChange.NONE:
        is_same = detail == dict(booking.detail)
        if booking.stage is Stage.ENDED:  # final, but a proof of delivery may still arrive
            return booking if is_same else uow.bookings.touch(booking, show=True, detail=detail)
        if is_same and booking.stage is Stage.OPEN and not booking.reason:
            pause = _pause(uow, booking, detail, polls=booking.polls + 1)
            uow.bookings.count_poll(booking.id, due_at=uow.now + pause)
            return current
    return _store(uow, booking, record, change, detail)


def _store(
    uow: Unit, booking: Booking, record: BookingRecord, change: StatusChange, detail: dict[str, Any]
) -> Booking | None:
    final, moved = is_final(record.status), change is not StatusChange.NONE
    if moved:
        history = [*detail.get("history", []), [uow.now.isoformat(), record.status]]
        detail |= {"history": history[-_HISTORY:], "changes": int(detail.get("changes", 0)) + 1}
        detail["changed_at"] = uow.now.isoformat()
        detail.pop("reported", None)
        detail.pop("asked", None)
    polls = 0 if moved else booking.polls + 1
    facts = {
        "number": record.numeric_id or booking.numeric_id,
        "status": record.status,
        "word": record.word if record.word != record.status else "",
        "reason": str(detail.get("cancel_reason", "")),
    }
    stored = uow.bookings.move(
        booking,
        Stage.ENDED if final else Stage.OPEN,
        action=("moved" if booking.remote_id else "taken") if moved else "",
        facts=facts,
        patient=not moved and not final,
        remote_id=record.id,
        numeric_id=record.numeric_id or booking.numeric_id,
        status=record.status if moved else booking.status or record.status,
        detail=detail,
        reason=None,
        reads=0,
        polls=polls,
        due_at=None if final else uow.now + _pause(uow, booking, detail, polls=polls),
        closed_at=uow.now if final else None,
    )
    if stored is None:
        return None
    if moved:
        _tell_move(uow, stored, booking, change)
        return stored
    if detail.get("asked") and not booking.detail.get("asked"):
        ask_somebody(uow, stored)
    _tell_driver(uow, stored, booking, moved=False)
    return stored


def _tell_driver(uow: Unit, stored: Booking, before: Booking, *, moved: bool) -> None:
    """Post a line for a new driver, once; a number or picture that arrives later only edits the card."""
    if is_final(stored.status):
        return
    given = [one.detail.get("driver") for one in (before, stored)]
    was, driver = (Driver(**one) if isinstance(one, dict) else Driver() for one in given)
    driven, is_other = has_driver(stored.status), driver.is_other_than(was)
    is_new = driven and not has_driver(before.status) if moved else driver.is_known and not driven
    if is_other or (is_new and (not was.is_known or is_searching(before.status))):
        reported = bool(stored.detail.get("driver_reported"))
        facts = {"driver": stored.detail.get("driver", {}), "reported": reported, "again": is_other}
        tell(uow, stored, "driver", facts, key=f"driver:{stored.version}")


def _tell_move(uow: Unit, stored: Booking, before: Booking, change: StatusChange) -> None:
    detail = stored.detail
    facts = {
        "status": stored.status,
        "before": before.status,
        "change": change.value,
        "driver": detail.get("driver", {}),
        "reason": detail.get("cancel_reason", ""),
        "proof": detail.get("proof", ""),
        "by": stored.canceled_by,
        "call": stored.to_call,
    }
    _tell_driver(uow, stored, before, moved=True)
    if change is StatusChange.RESTARTED or (stored.known_status not in _QUIET and not stored.is_own_cancellation):
        tell(uow, stored, "moved", facts, key=f"moved:{detail['changes']}")
    note(uow, Point.STATES, stored.reference)
    states, word = _kept(uow, _STATES), str(detail.get("word") or stored.status)
    _tell_over(uow, stored, before, states)
    if is_new := word not in states and len(states) < _MOST_STATES:
        uow.flags.set(_STATES, {**states, word: stored.reference}, uow.now)
    if change is StatusChange.RESTARTED:
        note(uow, Point.RESTART, stored.reference)
    if stored.known_status is Status.ON_HOLD and stored.request is not None and stored.request.cook_minutes:
        note(uow, Point.COOK, stored.reference)
    if is_canceled(stored.status) and detail.get("cancel"):
        note(uow, Point.CANCEL, stored.reference)
    if is_final(stored.status) and not is_canceled(stored.status) and _was_seen_whole(stored):
        note(uow, Point.VIEW, stored.reference)
    if is_unknown(stored.status):
        log.warning("unknown booking state", reference=stored.reference, status=stored.status)
        if is_new:
            alarm(uow, stored, f"unknown_state:{same_word(word)}", {"status": word})
    if stored.known_status is _NO_DRIVER:
        alarm(uow, stored, f"no_provider:{detail['changes']}", {"status": stored.status})


def _tell_over(uow: Unit, stored: Booking, before: Booking, states: Mapping[str, Any]) -> None:
    """Announce the end of an alert about the previous state; ``states`` maps service words to first references."""
    word, was_alarming = str(before.detail.get("word") or before.status), before.known_status is _NO_DRIVER
    if is_unknown(before.status):
        was_alarming = bool(before.detail.get("asked")) or states.get(word) == before.reference
    if was_alarming:
        alarm(uow, stored, f"over:{stored.detail['changes']}", {})


def _was_seen_whole(booking: Booking) -> bool:
    """Return whether its card has shown several states, all of them known, the order and the tracking link."""
    detail = booking.detail
    states = [str(status) for _, status in detail.get("history", [])]
    order = booking.request is not None or (detail.get("amount") and detail.get("payment_method"))
    return len(states) > 1 and not any(map(is_unknown, states)) and bool(order and detail.get("tracking_url"))


def _pause(uow: Unit, booking: Booking, detail: Mapping[str, Any], *, polls: int) -> timedelta:
    """Pause before the next read. Bookings move within minutes: the pace restarts with each change."""
    pause = next_poll(base=uow.poll_seconds, polls=polls, age=uow.now - _changed_at(booking, detail))
    if booking.search_at is not None and booking.search_at > uow.now:
        base = timedelta(seconds=uow.poll_seconds)
        return max(base, min(pause, _COUNTDOWN, booking.search_at + base - uow.now))
    return pause


def is_stuck(uow: Unit, booking: Booking) -> bool:
    """Return whether an alert is due because the booking has been in one unknown state for a day."""
    asked = booking.stage is not Stage.OPEN or booking.detail.get("asked")
    return not asked and is_unknown(booking.status) and uow.now - _changed_at(booking, booking.detail) >= _A_DAY


def ask_somebody(uow: Unit, booking: Booking) -> None:
    alarm(uow, booking, f"stuck:{booking.detail.get('changes', 0)}", {"status": booking.status})


def _changed_at(booking: Booking, detail: Mapping[str, Any]) -> datetime:
    return datetime.fromisoformat(str(detail["changed_at"])) if detail.get("changed_at") else booking.created_at


def _merged(before: Mapping[str, Any], record: BookingRecord, report: BookingRecord | None) -> dict[str, Any]:
    """Return the merged details; fields that a record lacks are kept, except a driver while the search runs."""
    detail = dict(before)
    for name in _FIELDS:
        said = getattr(record, name)
        if said:
            detail[name] = said
        elif report is not None and name in ("validation_code", "proof", "cancel_reason") and getattr(report, name):
            detail[name] = getattr(report, name)
    if record.orders:
        detail["orders"] = [asdict(one) for one in record.orders]
    searching = is_searching(record.status)
    held = before.get("driver")
    known = held if isinstance(held, dict) else {}
    if record.driver.is_known:
        detail["driver"] = record.driver.joined(known)
        detail.pop("driver_reported", None)
    elif report is not None and report.driver.is_known and not searching:
        detail["driver"] = report.driver.joined(known)
        detail["driver_reported"] = True
    elif searching:
        detail.pop("driver", None)
        detail.pop("driver_reported", None)
    return detail


def store_channel(policy: Policy, store: str) -> str:
    """Return the channel for news about a store's external bookings."""
    wanted = folded(store)
    own = next((channel for name, channel in policy.channels.stores.items() if folded(name) == wanted), "")
    return own or policy.channels.bookings or policy.channels.approvals


def post_card(uow: Unit, booking: Booking) -> None:
    post_board(uow, subject=booking.subject, channel=booking.channel, thread_ts=None, requester=booking.requester)


def post_link(uow: Unit, booking: Booking, *, before: str = "") -> None:
    """Queue a picture of the link, once per link. ``before`` is the link that it replaces."""
    told = str(booking.detail.get("link", ""))
    key = f"link:{hashlib.sha256(told.encode()).hexdigest()[:16]}" if before else "link"
    if told:
        post_file(uow, subject=booking.subject, key=key, payload={})


def tell(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object], *, key: str = "") -> None:
    """Queue a line for the card's thread, once per ``key`` (default: the topic)."""
    facts, over = {"topic": topic, **payload}, booking.closed_at is not None
    post_line(uow, subject=booking.subject, key=key or topic, payload=facts, last=over)


def alarm(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object]) -> None:
    """Queue a message for the alerts channel, once per topic."""
    facts = {"topic": topic, **payload}
    post_line(uow, subject=booking.subject, key=f"alert:{topic}", payload=facts, channel=uow.policy.alerts)


def witness(
    uow: Unit, booking: Booking, action: str, *, actor: str = SYSTEM, facts: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Add an audit row for a booking in an unchanged stage; ``bot.presentation.bookings.lines`` words the action."""
    stage, told = booking.stage.value, booking.audit_facts(facts)
    uow.audit.append(
        Entry(at=uow.now, instruction_id=booking.id, actor=actor, action=action, before=stage, after=stage, detail=told)
    )


def wished(booking: Booking) -> dict[str, object]:
    """Return the facts of a new request: its value and the quoted price."""
    facts: dict[str, object] = {"unpriced": booking.detail.get("unpriced")}
    if booking.request is not None:
        facts |= {"amount": plain(booking.request.cents), "payment": booking.request.payment.value}
    if (cost := charge(booking.detail.get("quote", {}))) is not None:
        facts |= {"fee": cost.amount, "tax": cost.tax, "currency": cost.currency}
    return facts


def note(uow: Unit, point: Point, what: str) -> None:
    """Store that a point was observed, in the transaction of the change; ``what`` is e.g. a reference."""
    found = _kept(uow, _EVIDENCE)
    known = found.get(point.value)
    before = known if isinstance(known, dict) else {}
    found[point.value] = {
        "count": int(before.get("count", 0)) + 1,
        "last": uow.now.isoformat(),
        "what": what,
    }
    uow.flags.set(_EVIDENCE, found, uow.now)


def gathered(tx: Tx, *, ours: Callable[[str], str] = str) -> tuple[dict[Point, Evidence], list[SeenState]]:
    """Return the observations per point, and the states. ``ours`` returns our state for a word of the service."""
    found = _kept(tx, _EVIDENCE)
    points = {}
    for point in Point:
        one = found.get(point.value)
        with suppress(ValueError, KeyError, TypeError):  # damaged: counting restarts
            if isinstance(one, dict):
                points[point] = Evidence(
                    count=int(one["count"]), last=datetime.fromisoformat(str(one["last"])), what=str(one["what"])
                )
    seen = _kept(tx, _STATES).items()
    states = [SeenState(word=word, status=ours(word), what=str(what)) for word, what in seen]
    if told_by(states) != {*Told} or any(is_unknown(one.status) for one in states):
        points.pop(Point.STATES, None)  # observed, but not yet interpreted
    return points, states


def _kept(tx: Tx, key: str) -> dict[str, object]:
    found = tx.flags.readable(key)
    return dict(found) if isinstance(found, dict) else {}
