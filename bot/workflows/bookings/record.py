"""What a change of a booking leaves behind in its transaction: posts, audit rows, evidence for the certification.

A booking costs money, so the requester, the person who canceled it and the service's answers can be looked up like the
story of a payment. The customer's number and address are left out of the audit, which is kept for ever.
"""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime
from types import MappingProxyType

from bot.domain.audit import SYSTEM, Entry
from bot.domain.bookings.booking import Booking
from bot.domain.bookings.record import Evidence, Point, charge
from bot.domain.money import plain
from bot.domain.policy import Policy
from bot.workflows.context import Unit
from bot.workflows.slack.boards import post_board, post_line
from storage.repositories.bookings import folded
from storage.transaction import Tx

STORE = "store"
"""Kind of the subject that stands for a store: it has lines in its channel and no board."""


def store_channel(policy: Policy, store: str) -> str:
    """Channel for news of a store's bookings that were not requested here."""
    wanted = folded(store)
    own = next((channel for name, channel in policy.channels.stores.items() if folded(name) == wanted), "")
    return own or policy.channels.bookings or policy.channels.approvals


def post_card(uow: Unit, booking: Booking) -> None:
    """Queue the card, once."""
    post_board(uow, subject=booking.subject, channel=booking.channel, thread_ts=None, requester=booking.requester)


def tell(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object], *, key: str = "") -> None:
    """Queue a line for the thread of the card, once for each ``key`` (the topic)."""
    facts, over = {"topic": topic, **payload}, booking.closed_at is not None
    post_line(uow, subject=booking.subject, key=key or topic, payload=facts, last=over)


def alarm(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object]) -> None:
    """Queue a message to the alerts channel, once for each topic."""
    facts = {"topic": topic, **payload}
    post_line(uow, subject=booking.subject, key=f"alert:{topic}", payload=facts, channel=uow.policy.alerts)


def witness(
    uow: Unit, booking: Booking, action: str, *, actor: str = SYSTEM, facts: Mapping[str, object] = MappingProxyType({})
) -> None:
    """Add a row about a booking whose stage stays; ``bot.presentation.bookings.lines`` has words for the action."""
    stage, told = booking.stage.value, booking.audit_facts(facts)
    uow.audit.append(
        Entry(at=uow.now, instruction_id=booking.id, actor=actor, action=action, before=stage, after=stage, detail=told)
    )


def wished(booking: Booking) -> dict[str, object]:
    """Facts of a new request: its value, and the quoted price."""
    facts: dict[str, object] = {"unpriced": booking.detail.get("unpriced")}
    if booking.request is not None:
        facts |= {"amount": plain(booking.request.cents), "payment": booking.request.payment.value}
    if (cost := charge(booking.detail.get("quote", {}))) is not None:
        facts |= {"fee": cost.amount, "tax": cost.tax, "currency": cost.currency}
    return facts


_KEY = "delivery:evidence"
_STATES = "delivery:states"


def note(uow: Unit, point: Point, what: str) -> None:
    """Store that a point was seen, in the transaction of the change; ``what`` names it, e.g. a reference."""
    found = _table(uow, _KEY)
    known = found.get(point.value)
    before = known if isinstance(known, dict) else {}
    found[point.value] = {
        "count": int(before.get("count", 0)) + 1,
        "first": before.get("first") or uow.now.isoformat(),
        "last": uow.now.isoformat(),
        "what": what,
    }
    uow.flags.set(_KEY, found, uow.now)


def note_state(uow: Unit, status: str, what: str) -> None:
    """A booking was seen in this state of the service."""
    note(uow, Point.STATES, what)
    found = _table(uow, _STATES)
    if status not in found:
        found[status] = what
        uow.flags.set(_STATES, found, uow.now)


def gathered(tx: Tx) -> tuple[dict[Point, Evidence], Mapping[str, str]]:
    """Everything seen: by point, and every state with the booking it was first seen on."""
    found = _table(tx, _KEY)
    points = {}
    for point in Point:
        one = found.get(point.value)
        with suppress(ValueError, KeyError, TypeError):  # counted anew
            if isinstance(one, dict):
                points[point] = Evidence(
                    count=int(one["count"]), last=datetime.fromisoformat(str(one["last"])), what=str(one["what"])
                )
    return points, {name: str(what) for name, what in _table(tx, _STATES).items()}


def _table(tx: Tx, key: str) -> dict[str, object]:
    found = tx.flags.readable(key)
    return dict(found) if isinstance(found, dict) else {}
