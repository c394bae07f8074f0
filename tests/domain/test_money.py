from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.currencies import names_other_currency
from bot.domain.errors import RuleError
from bot.domain.money import Decimals, cents_of, in_plain_style, parse_amount, plain, readings, shown

LARGEST = 99_999_999_999_999


@pytest.mark.parametrize(("text", "cents"), [
    ("25", 2500), ("25.5", 2550), ("25.00", 2500), ("0.01", 1), (" 25.00 ", 2500), ("007", 700),
    *((text, 2500) for text in ("$25", "$ 25", "US$25", "us$25", "25$", "25 USD", "25usd", "USD 25", "25.00USD")),
    *((text, 2500) for text in ("25,", "25.", "$25.00,")),
    *((text, 150_000) for text in ("$1,500.00", "1,500.00 USD", "1'500.00", "1 500", "1\u00a0500.00", "1\u202f500.0")),
    ("1,234,567.80", 123_456_780), ("1,234,567", 123_456_700),
    ("999999999999", 10**14 - 100),
])  # fmt: skip
def test_typed_amount_is_read_in_cents(text: str, cents: int) -> None:
    assert parse_amount(text) == cents


@pytest.mark.parametrize(("text", "rule"), [
    *((text, "it must be more than 0") for text in ("0", "0.00", "-1", "−1", "-$5", "($30.00)", "0,00", "-1,500")),
    *((text, "it can have at most 2 decimal places") for text in ("12.5050", "1234.505", "$0.005")),
    *((text, "it is too large") for text in ("1234567890123", "9" * 400)),
    *((text, "amounts are in USD only") for text in ("25 EUR", "25€", "€25", "R$25", "A$25", "$$25", "25.00eur")),
    *((text, "it isn't an amount") for text in (
        *("1e3", "1E3", "+5", "$", "NaN", "Infinity", "0x10", "1_000", ".5", "", "٢٥", "²", "5..", "1,50,000"),
        *("1,500'000", "12,5000", "0,500.00", "25,000,00"),
    )),
])  # fmt: skip
def test_invalid_amounts_are_refused_with_a_rule(text: str, rule: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_amount(text)
    assert (refused.value.rule, refused.value.instead) == (rule, "")


@pytest.mark.parametrize(("text", "rule", "instead", "also"), [
    *((text, "use a point for cents: 25.00", "25.00", "") for text in ("25,00", "$25,00", "25,0 USD", "25,00.")),
    *((text, "use a point for cents: 1500.50", "1500.50", "") for text in ("1500,5", "1.500,50", "1 500,50")),
    *((text, "write 1500.00 for $1,500.00 or 1.50 for $1.50", "1500.00", "1.50")
      for text in ("1,500", "$1,500", "1,500.", "US$ 1,500", "1.500")),
    *((text, "write 1655.00 for $1,655.00", "1655.00", "") for text in ("1,655", "$1.655")),
    ("0,05", "use a point for cents: 0.05", "0.05", ""),
])  # fmt: skip
def test_ambiguous_separator_is_asked_about(text: str, rule: str, instead: str, also: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_amount(text)
    assert (refused.value.rule, refused.value.instead, refused.value.also) == (rule, instead, also)


POINT, COMMA = Decimals.POINT, Decimals.COMMA


@pytest.mark.parametrize(("text", "found", "plain_ones"), [
    ("1,655.60", {POINT: "1655.60"}, ["1655.60", "1,655.60"]),
    ("$1.655,60", {COMMA: "1655.60"}, ["$1.655,60", "1655.60"]),
    ("1 655,6", {COMMA: "1655.6"}, ["1 655,6", "1655.60"]),
    ("1,655", {POINT: "1655.0", COMMA: "1.655"}, ["1655.00", "1.6550"]),
    ("1.500", {POINT: "1.500", COMMA: "1500.0"}, ["1.50", "1500.00"]),
    ("1,234,567", {POINT: "1234567.0"}, ["1234567.00", "1,234,567"]),
    ("0,500", {COMMA: "0.500"}, ["0,500", "0.50"]),
    *((text, {}, [text, text]) for text in ("25", "1 500", "25,", "", "1,65,60", "€1,50", "-1,50")),
])  # fmt: skip
def test_amount_readings_hold_each_fitting_style(text: str, found: dict[Decimals, str], plain_ones: list[str]) -> None:
    assert readings(text) == {style: Decimal(value) for style, value in found.items()}
    assert [in_plain_style(text, style) for style in Decimals] == plain_ones


@given(st.text())
def test_any_text_is_a_positive_amount_or_an_error(text: str) -> None:
    try:
        cents = parse_amount(text)
    except RuleError:
        return  # every rule has its words: see above
    assert 0 < cents <= LARGEST
    assert "".join(letter for letter in text if letter.isdigit()).isascii()


@given(st.integers(min_value=1, max_value=LARGEST))
def test_shown_amount_can_be_parsed(cents: int) -> None:
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
def test_reported_amount_is_exact_or_none(value: object, cents: int | None) -> None:
    assert cents_of(value) == cents


@given(st.one_of(st.text(), st.floats(), st.integers(), st.decimals(), st.booleans(), st.none()))
def test_amount_reader_accepts_any_report(value: object) -> None:
    found = cents_of(value)
    assert found is None or isinstance(found, int)


def test_only_real_currencies_are_recognized() -> None:
    others = ["EUR", "eur", "Euros", "MXN", "€", "£", "C$", "BTC", "S/", "Bs.", "soles", "R$"]
    assert [word for word in others if not names_other_currency(word)] == []
    words = ["USD", "usd", "$", "US$", "VAT", "TAX", "rent", "Pen", "all", "try", "top", "EURO-zone", "$5 voucher", ""]
    assert [word for word in words if names_other_currency(word)] == []
