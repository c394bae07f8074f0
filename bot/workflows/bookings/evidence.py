"""What this workspace has seen of each point of the operator's certification."""

from collections.abc import Mapping
from contextlib import suppress
from datetime import datetime

from bot.domain.bookings.certification import Evidence, Point
from bot.workflows.context import Unit
from storage.transaction import Tx

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
