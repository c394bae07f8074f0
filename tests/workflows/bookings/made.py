"""Bookings put into the database as they are, without what led there: for the functions that act on one."""

from itertools import count
from typing import Any

from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import BookingRecord, Payment
from bot.workflows.bookings.observe import post_card
from bot.workflows.context import Unit
from storage.transaction import Tx
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.rows import audit_rows

_NUMBERS = count(1)


def asked(**changes: Any) -> BookingRequest:
    values: dict[str, Any] = {"name": "Ana", "last_name": "Lopez", "country_code": "+593", "mobile": "991234567"}
    return BookingRequest(**{**values, "payment": Payment.CASH, "cents": 2550, **changes})


async def planted(rig: Rig, **changes: Any) -> Booking:
    """A booking by Maria in the store Centro, made now."""
    number, now = next(_NUMBERS), rig.clock.now()
    values: dict[str, Any] = {
        "id": f"01KBGT{number:020d}", "reference": f"B-{number:06d}", "kind": BookingKind.BOOKING, "store": "Centro",
        "request": asked(), "stage": Stage.OPEN, "requester": MARIA, "channel": FINANCE, "created_at": now,
        "source_key": f"planted:{number}", "external_id": f"01KBGX{number:020d}",
        "remote_id": f"d{number}" if changes.get("stage", Stage.OPEN) in (Stage.OPEN, Stage.ENDED) else None,
    }  # fmt: skip
    booking = Booking(**{**values, **changes})

    def store(tx: Tx) -> None:
        assert tx.bookings.add(booking)
        post_card(Unit(tx, now=now), booking)

    await rig.switchboard.context.store.write(store)
    return booking


async def stored(rig: Rig, booking: Booking) -> Booking:
    found = await rig.switchboard.context.store.read(lambda tx: tx.bookings.get(booking.id))
    assert found is not None
    return found


def record(booking: Booking, status: str = "READY_FOR_PICKUP", **changes: Any) -> BookingRecord:
    """What the service says of it."""
    return BookingRecord(**{"id": booking.remote_id or f"d-{booking.id}", "status": status, **changes})


async def said(rig: Rig, booking: Booking) -> list[str]:
    """What is to be posted about it, oldest first: each key without its subject."""
    keys = await rig.switchboard.context.store.read(
        lambda tx: tx._connection.exec_driver_sql(
            "SELECT key FROM outbox WHERE subject = ? ORDER BY seq", (booking.subject,)
        ).scalars()
    )
    return [str(key).replace(f"{booking.subject}:", "") for key in keys if not str(key).startswith("board:")]


async def actions(rig: Rig, booking: Booking) -> list[tuple[str, dict[str, object]]]:
    """What the audit says was done with it, and the facts of each besides its name and store."""
    rows = await rig.switchboard.context.store.read(
        lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == booking.id]
    )
    left_out = {"reference", "store"}
    return [(row.action, {name: fact for name, fact in row.detail.items() if name not in left_out}) for row in rows]


async def drawn(rig: Rig, booking: Booking) -> int:
    """How often its card was to be drawn anew."""
    return await rig.switchboard.context.store.read(
        lambda tx: int(
            tx._connection.exec_driver_sql(
                "SELECT wanted_version FROM board WHERE subject = ?", (booking.subject,)
            ).scalar_one()
        )
    )
