from datetime import UTC, datetime

import pytest

from bot.clients.unread import flag, moment


@pytest.mark.parametrize(("told", "meant"), [
    ("2026-11-20T09:00:00Z", datetime(2026, 11, 20, 9, tzinfo=UTC)),
    ("2026-11-20T09:00:00", datetime(2026, 11, 20, 9, tzinfo=UTC)),
    ("2026-11-20T09:00:00-05:00", datetime(2026, 11, 20, 14, tzinfo=UTC)),
    ("0001-01-01T00:00:00+14:00", None), ("9999-12-31T23:59:59-12:00", None), ("yesterday", None), ("", None),
])  # fmt: skip
def test_an_instant_is_read_in_utc_whatever_zone_it_is_told_in(told: str, meant: datetime | None) -> None:
    found = moment({"at": told}, ("at",))
    assert found == meant
    assert found is None or found.tzinfo is UTC


@pytest.mark.parametrize(("told", "meant"), [
    (True, True), (False, False), ("true", True), (" True ", True), ("1", True), (1, True), ("yes", True),
    ("false", False), ("0", False), (0, False), ("No", False), ("maybe", None), ("2", None), ("", None), (None, None),
])  # fmt: skip
def test_yes_and_no_in_any_usual_spelling(told: object, meant: bool | None) -> None:
    assert flag({"is": told}, ("is",)) is meant
