"""The states of a booking, and what a newly read one is news of."""

import itertools
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from bot.domain.bookings.booking import Booking, BookingKind, BookingRequest, Stage
from bot.domain.bookings.record import Status, StatusChange, change_of, is_canceled, is_final, read_status

FINAL = {"COMPLETED", "CANCELLED_BY_BUSINESS", "CANCELLED_BY_ADMIN", "CANCELLED_BY_DELIVERY_PROVIDER", "RETURNED"}


@pytest.mark.parametrize("status", Status)
def test_every_state_is_read_in_any_spelling(status: Status) -> None:
    for text in (status.value, status.value.lower(), status.value.replace("_", " ").title(), f" {status.value} "):
        assert read_status(text) is status
    assert is_final(status.value) is (status.value in FINAL)


def test_unknown_states() -> None:
    assert read_status("WAITING_FOR_RAIN") is None
    assert not is_final("WAITING_FOR_RAIN")
    assert is_canceled("CANCELED_BY_WEATHER")
    assert is_final("cancelled_by_weather")
    assert read_status("CANCELED_BY_ADMIN") is Status.CANCELLED_BY_ADMIN


@pytest.mark.parametrize(("before", "now"), list(itertools.product(Status, Status)))
def test_every_pair_of_booking_states_has_its_change(before: Status, now: Status) -> None:
    driver = {Status.ACCEPTED, Status.ARRIVED_AT_PICKUP, Status.WAY_TO_DELIVER, Status.ARRIVED_AT_DELIVERY}
    change = change_of(before.value, now.value)
    if before is now:
        assert change is StatusChange.NONE
    elif before.value in FINAL:
        assert change is StatusChange.CONTRADICTION
    elif before in driver and now in (Status.READY_FOR_PICKUP, Status.PROVIDER_NOT_FOUND):
        assert change is StatusChange.RESTARTED
    else:
        assert change is StatusChange.MOVED


@pytest.mark.parametrize(("before", "now", "change"), [
    ("", "ON_HOLD", StatusChange.MOVED), ("ODD", "ODD", StatusChange.NONE), ("ODD", "odd", StatusChange.NONE),
    ("ODD", "COMPLETED", StatusChange.MOVED), ("COMPLETED", "ODD", StatusChange.CONTRADICTION),
    ("CANCELED_BY_WEATHER", "ACCEPTED", StatusChange.CONTRADICTION),
    ("CANCELED_BY_ADMIN", "CANCELLED_BY_ADMIN", StatusChange.NONE),
])  # fmt: skip
def test_change_to_or_from_unknown_status_is_classified(before: str, now: str, change: StatusChange) -> None:
    assert change_of(before, now) is change


@pytest.mark.parametrize("stage", Stage)
@pytest.mark.parametrize("status", ["ON_HOLD", "on hold", "READY_FOR_PICKUP", "ACCEPTED", "COMPLETED", "", "ODD"])
def test_search_can_be_started_while_on_hold(stage: Stage, status: str) -> None:
    booking = Booking(
        id="b", reference="B-ABCDEF", kind=BookingKind.FOREIGN, store="Centro", request=None, stage=stage, requester="",
        channel="C1", created_at=datetime(2026, 11, 20, tzinfo=UTC), source_key="k", external_id="e", status=status,
    )  # fmt: skip
    assert booking.can_start is (stage is Stage.OPEN and status in ("ON_HOLD", "on hold"))


ORDER = {"name": "Ana", "last_name": "", "country_code": "+593", "mobile": "99", "payment": "CASH", "cents": 1}


def test_order_prep_time_is_at_most_a_day() -> None:
    for minutes in (0, 1_440):
        assert BookingRequest.model_validate({**ORDER, "cook_minutes": minutes}).cook_minutes == minutes
    for minutes in (-1, 1_441):
        with pytest.raises(ValidationError, match="cook_minutes"):
            BookingRequest.model_validate({**ORDER, "cook_minutes": minutes})
