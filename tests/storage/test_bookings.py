"""Bookings: found by what people type, forgotten where nobody confirmed them."""

from datetime import datetime

import pytest

from bot.domain.bookings.booking import Booking, Stage
from storage import Store
from tests.storage.factories import NOW, booking, later, unit


async def add(store: Store, *bookings: Booking) -> None:
    for one in bookings:
        assert await unit(store).bookings.add(one)


async def test_booking_is_found_by_reference_or_id(store: Store) -> None:
    """One without a number at the service is not found by nothing; of two with the same number the newer is meant."""
    ids = {"remote_id": "remote", "numeric_id": "17", "prebooking_id": "pre"}
    await add(store, booking("A1", **ids), booking("B2"), booking("C3", numeric_id="17", created_at=later(1)))
    wanted: dict[str, str | None] = {"B-A1": "A1", " #b-a1 ": "A1", "remote": "A1", "pre": "A1", "17": "C3"}
    wanted |= dict.fromkeys(("REMOTE", "", "#", "  ", "B-"), None)
    found = {text: await unit(store).bookings.find(text) for text in wanted}
    assert {text: one and one.id for text, one in found.items()} == wanted


@pytest.mark.parametrize(
    ("stage", "created_at", "left"),
    [(Stage.QUOTED, later(-1), 0), (Stage.QUOTED, NOW, 1), (Stage.QUOTED, later(1), 1), (Stage.NEW, later(-1), 1)],
)
async def test_old_unconfirmed_forms_are_forgotten(store: Store, stage: Stage, created_at: datetime, left: int) -> None:
    await add(store, booking("A1", stage=stage, created_at=created_at))
    assert await unit(store).bookings.forget_quotes(NOW) == 1 - left
    assert sum((await unit(store).bookings.counts()).values()) == left
