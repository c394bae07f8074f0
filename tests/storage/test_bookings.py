"""Bookings: found by what people type, forgotten where nobody confirmed them."""

from datetime import datetime

import pytest

from bot.domain.bookings.booking import Booking, Stage
from storage import Store
from tests.storage.factories import NOW, booking, later, unit


async def add(store: Store, *bookings: Booking) -> None:
    for one in bookings:
        assert await unit(store).bookings.add(one)


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
async def test_a_booking_is_found_by_reference_and_each_of_its_ids(store: Store, text: str, found: str | None) -> None:
    """One without a number at the service is not found by nothing."""
    await add(store, booking("A1", remote_id="remote", numeric_id="17", prebooking_id="pre"), booking("B2"))
    one = await unit(store).bookings.find(text)
    assert (one and one.id) == found


async def test_of_two_with_the_same_number_the_newer_is_meant(store: Store) -> None:
    await add(store, booking("A1", numeric_id="17"), booking("B2", numeric_id="17", created_at=later(1)))
    found = await unit(store).bookings.find("17")
    assert found.id == "B2"


@pytest.mark.parametrize(
    ("stage", "created_at", "left"),
    [(Stage.QUOTED, later(-1), 0), (Stage.QUOTED, NOW, 1), (Stage.QUOTED, later(1), 1), (Stage.NEW, later(-1), 1)],
)
async def test_old_unconfirmed_forms_are_forgotten(store: Store, stage: Stage, created_at: datetime, left: int) -> None:
    await add(store, booking("A1", stage=stage, created_at=created_at))
    assert await unit(store).bookings.forget_quotes(NOW) == 1 - left
    assert sum((await unit(store).bookings.counts()).values()) == left
