"""What a list proves, and what it does not."""

from datetime import timedelta
from typing import Any

import pytest

from bot.domain.money import Cents
from bot.domain.payments.evidence import Listing, Sought, folded, same_code
from bot.domain.payments.operation import Operation
from bot.domain.reasons import OfRequest, Reason
from tests.domain.made import CODE, NOW

SOUGHT = Sought(email="ana@example.com", cents=Cents(2500), since=NOW)
EARLIER = NOW - timedelta(days=3)
LATER = NOW + timedelta(minutes=1)


def record(number: int = 1, **changes: Any) -> Operation:
    """A payout of somebody else to somebody else, long ago."""
    values = {"id": f"op-{number}", "status": "created", "code": f"other-{number}", "cents": Cents(100)}
    return Operation(**{**values, "email": "ben@example.com", "created_at": EARLIER, **changes})


def seen(*records: Operation, known: tuple[str, ...] = ()) -> Listing:
    listing = Listing(SOUGHT, known=frozenset(map(folded, known)))
    for one in records:
        listing.see(one)
    return listing


@pytest.mark.parametrize("spelling", [CODE, CODE.lower(), f" {CODE} ", f"{CODE[:5]} {CODE[5:]}"])
def test_a_code_is_the_same_in_any_case_and_spacing(spelling: str) -> None:
    assert same_code(spelling, CODE)


@pytest.mark.parametrize("other", [None, "", CODE[:-1], f"{CODE}x", f"x{CODE}"])
def test_another_code_is_another_code(other: str | None) -> None:
    assert not same_code(other, CODE)


def test_an_empty_list_hides_nothing() -> None:
    assert not seen().doubt


def test_a_list_that_shows_a_code_of_ours_would_have_shown_this_one() -> None:
    assert not seen(record(1), record(2, code="Ours-2 "), known=("OURS-2",)).doubt


@pytest.mark.parametrize("code", [None, "", "their own"])
def test_a_list_without_any_code_of_ours_proves_nothing(code: str | None) -> None:
    assert seen(record(code=code), known=("ours",)).doubt == Reason(OfRequest.NO_CODES)


def test_a_list_that_shows_no_code_since_it_was_sent_proves_nothing() -> None:
    old = record(1, code="ours")
    assert seen(old, record(2, code=None, created_at=LATER), known=("ours",)).doubt == Reason(OfRequest.NO_CODES)
    assert not seen(old, record(2, code="theirs", created_at=LATER), known=("ours",)).doubt


TWIN = {"email": "Ana@Example.com", "cents": Cents(2500), "created_at": LATER, "code": None}


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"code": "unknown"},
        {"created_at": None},
        {"created_at": NOW - timedelta(minutes=5)},
        {"email": None},
        {"cents": None},
    ],
)
def test_what_may_be_the_same_under_another_name_is_suspect(changes: dict[str, Any]) -> None:
    listing = seen(record(1, code="ours"), record(2, **{**TWIN, **changes}), known=("ours",))
    assert [one.id for one in listing.suspects] == ["op-2"]


@pytest.mark.parametrize(
    "changes",
    [
        {"code": "ours"},
        {"created_at": NOW - timedelta(minutes=5, seconds=1)},
        {"email": "ben@example.com"},
        {"cents": Cents(2501)},
    ],
)
def test_what_is_another_payment_is_none(changes: dict[str, Any]) -> None:
    assert not seen(record(2, **{**TWIN, **changes}), known=("ours",)).suspects
