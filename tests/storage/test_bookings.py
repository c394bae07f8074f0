"""Bookings: found by what people type, forgotten where nobody confirmed them."""

from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import update

from bot.domain.bookings.booking import Booking, BookingKind, Stage
from storage import Store
from storage.errors import RowUnreadable
from storage.tables.services import booking as table
from tests.storage.factories import NOW, later


def booking(name: str, **changes: Any) -> Booking:
    values: dict[str, Any] = {
        "id": name,
        "reference": f"B-{name}",
        "kind": BookingKind.BOOKING,
        "store": "main",
        "stage": Stage.OPEN,
        "version": 1,
        "external_id": f"ours-{name}",
        "requester": "U1",
        "channel": "C1",
        "source_key": f"form-{name}",
        "created_at": NOW,
        "request": None,
        "detail": {},
    }
    return Booking(**{**values, **changes})


async def add(store: Store, *bookings: Booking) -> None:
    for one in bookings:
        assert await store.write(lambda tx, one=one: tx.bookings.add(one))  # type: ignore[misc]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("B-A1", "A1"),
        (" #b-a1 ", "A1"),
        ("remote", "A1"),
        ("17", "A1"),
        ("pre", "A1"),
        ("REMOTE", None),
        ("", None),
        ("#", None),
        ("  ", None),
        ("B-", None),
    ],
)
async def test_a_booking_is_found_by_our_reference_and_by_each_id_of_the_service(
    store: Store, text: str, found: str | None
) -> None:
    """One without a number at the service is not found by nothing."""
    await add(store, booking("A1", remote_id="remote", numeric_id="17", prebooking_id="pre"), booking("B2"))
    one = await store.read(lambda tx: tx.bookings.find(text))
    assert (one and one.id) == found


async def test_of_two_with_the_same_number_the_newer_is_meant(store: Store) -> None:
    await add(store, booking("A1", numeric_id="17"), booking("B2", numeric_id="17", created_at=later(1)))
    found = await store.read(lambda tx: tx.bookings.find("17"))
    assert found is not None
    assert found.id == "B2"


@pytest.mark.parametrize(
    ("stage", "created_at", "left"),
    [(Stage.QUOTED, later(-1), 0), (Stage.QUOTED, NOW, 1), (Stage.QUOTED, later(1), 1), (Stage.NEW, later(-1), 1)],
)
async def test_only_old_forms_that_nobody_confirmed_are_forgotten(
    store: Store, stage: Stage, created_at: datetime, left: int
) -> None:
    await add(store, booking("A1", stage=stage, created_at=created_at))
    assert await store.write(lambda tx: tx.bookings.forget_quotes(NOW)) == 1 - left
    assert sum((await store.read(lambda tx: tx.bookings.counts())).values()) == left


async def test_one_that_cannot_be_read_is_called_by_its_reference(store: Store) -> None:
    await add(store, booking("A1"))
    await store.write(lambda tx: tx.bookings._connection.execute(update(table).values(detail=[])))
    with pytest.raises(RowUnreadable):
        await store.read(lambda tx: tx.bookings.get("A1"))
    assert [(one.table, one.key, one.name, one.column) for one in store.damage.take()] == [
        ("booking", ("A1",), "B-A1", "detail")
    ]
