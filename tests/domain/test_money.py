from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.errors import RuleError
from bot.domain.money import cents_of, names_other_currency, parse_amount, plain, shown

LARGEST = 99_999_999_999_999


@pytest.mark.parametrize(("text", "cents"), [
    ("25", 2500), ("25.5", 2550), ("25.00", 2500), ("0.01", 1), (" 25.00 ", 2500), ("007", 700),
    ("$25", 2500), ("$1,500.00", 150_000), ("1,234,567.80", 123_456_780),
    ("999999999999", 10**14 - 100),
])  # fmt: skip
def test_an_amount_a_person_types_is_read_in_cents(text: str, cents: int) -> None:
    assert parse_amount(text) == cents


@pytest.mark.parametrize(("text", "rule"), [
    ("0", "more than zero"), ("0.00", "more than zero"), ("-1", "more than zero"), ("−1", "more than zero"),
    ("1.005", "at most two decimal places"), ("1,000", "without thousands separators"),
    ("1 000.00", "without thousands separators"), ("1\u00a0000.00", "without thousands separators"),
    ("1'000.00", "without thousands separators"), ("25,00", "without thousands separators"),
    ("1234567890123", "too large"), ("9" * 400, "too large"), ("1e3", "in digits"), ("1E3", "in digits"),
    ("+5", "in digits"), ("$$25", "in digits"), ("25 USD", "no currency sign"), ("25USD", "in digits"),
    ("25 EUR", "only USD can be sent"), ("25€", "only USD can be sent"), ("NaN", "in digits"),
    ("Infinity", "in digits"), ("0x10", "in digits"), ("1_000", "in digits"), (".5", "in digits"), ("5.", "in digits"),
    ("", "in digits"), ("٢٥", "in digits"), ("２５", "in digits"), ("²", "in digits"),
])  # fmt: skip
def test_whatever_is_no_plain_amount_is_refused_with_its_rule(text: str, rule: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_amount(text)
    assert rule in refused.value.rule


@given(st.text())
def test_any_text_is_a_positive_amount_or_a_rule(text: str) -> None:
    try:
        cents = parse_amount(text)
    except RuleError:
        return  # every rule has its words: see above
    assert 0 < cents <= LARGEST
    assert text.strip().isascii()


@given(st.integers(min_value=1, max_value=LARGEST))
def test_what_is_written_can_be_read_back(cents: int) -> None:
    assert parse_amount(plain(cents)) == cents
    assert parse_amount(shown(cents)) == cents
    assert cents_of(plain(cents)) == cents


@pytest.mark.parametrize(
    ("cents", "text"), [(0, "$0.00"), (5, "$0.05"), (-5, "-$0.05"), (-2500, "-$25.00"), (123456, "$1,234.56")]
)
def test_cents_are_written_with_two_places(cents: int, text: str) -> None:
    assert shown(cents) == text
    assert plain(cents) == text.replace("$", "").replace(",", "")


NO_AMOUNT: list[object] = [
    True,
    None,
    [],
    {},
    "",
    "abc",
    "25.001",
    25.001,
    "1,000.00",
    "9" * 30,
    "١٢ USD",
    "1_000",
    "２５",
    "١٢",
    "NaN",
    "Infinity",
    "-Infinity",
    float("nan"),
    "1e999999",
    "1E-999999",
    PurePath("25.00"),
    Fraction(25),  # it prints like one
]


@pytest.mark.parametrize(("value", "cents"), [
    ("25.00", 2500), ("25", 2500), (25, 2500), (25.5, 2550), (Decimal("25.10"), 2510), ("0", 0), ("-3.00", -300),
    ("2.5e1", 2500), *((value, None) for value in NO_AMOUNT),
])  # fmt: skip
def test_an_amount_a_service_reports_is_exact_or_none(value: object, cents: int | None) -> None:
    assert cents_of(value) == cents


@given(st.one_of(st.text(), st.floats(), st.integers(), st.decimals(), st.booleans(), st.none()))
def test_no_report_of_a_service_breaks_the_reader(value: object) -> None:
    found = cents_of(value)
    assert found is None or isinstance(found, int)


def test_only_what_is_a_currency_is_taken_for_one() -> None:
    others = ["EUR", "eur", "Euros", "MXN", "€", "£", "C$", "BTC"]
    assert [word for word in others if not names_other_currency(word)] == []
    words = ["USD", "usd", "$", "US$", "VAT", "TAX", "rent", "Pen", "all", "try", "top", "EURO-zone", "$5 voucher", ""]
    assert [word for word in words if names_other_currency(word)] == []
