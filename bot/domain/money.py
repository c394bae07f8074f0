"""Amounts of money: whole cents of one currency (interface document 2, section 2), parsed without guessing a locale."""

import re
from collections.abc import Mapping
from decimal import Decimal
from enum import StrEnum
from typing import Final, NewType

from bot.domain import currencies
from bot.domain.errors import RuleError
from bot.domain.text import bare

Cents = NewType("Cents", int)
CURRENCY: Final = currencies.CURRENCY
_UNITS = r"[0-9]{1,12}|[1-9][0-9]{0,2}(?:(?P<group>[,'\u2019 \u00a0\u202f])[0-9]{3})(?:(?P=group)[0-9]{3}){0,2}"
_NUMBER = re.compile(rf"(?P<units>{_UNITS})(?:\.(?P<cents>[0-9]{{1,2}}))?[.,]?", re.ASCII)
_LONGER = re.compile(rf"(?P<units>{_UNITS})(?:\.(?P<decimals>[0-9]{{1,3}}))?[.,]?", re.ASCII)
_ONE_GROUP = re.compile(r"([1-9][0-9]{0,2}),([0-9]{3})[.,]?", re.ASCII)
"""Thousands, or three decimals if the comma is the decimal sign."""
_SEPARATES = re.compile(r"[.,](?=[0-9])", re.ASCII)
_SWAPPED = str.maketrans(",.", ".,")
_AROUND = re.compile(r"(?:US\$|USD|\$)?\s?(?P<number>.*?)\s?(?:US\$|USD|\$)?", re.IGNORECASE | re.DOTALL)
_REPORTED = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
OTHER_CURRENCY = f"amounts are in {CURRENCY} only"
_NOT_ZERO = "it must be more than 0"
_LONGEST = 24
"""Maximum characters, and powers of ten, of an amount that a service reports."""


class Decimals(StrEnum):
    """Decimal sign of written amounts; the other sign separates thousands."""

    POINT = "point"
    COMMA = "comma"


def parse_amount(text: str) -> Cents:
    """Parse a positive amount as people type it: ``25``, ``25.5``, ``$25.00``, ``25 usd``, ``1,500.00``, ``25,``.

    Raises RuleError for anything else. Its ``instead`` is the probable meaning, e.g. of ``25,00``, and its ``also`` a
    second possible one, e.g. of ``1,500``.
    """
    number = _number_in(text)
    found = _NUMBER.fullmatch(number)
    if found is None or _ONE_GROUP.fullmatch(number):
        raise _meant(number) or RuleError(_broken_rule(bare(text), number))
    cents = int(re.sub(r"[^0-9]", "", found["units"])) * 100 + int((found["cents"] or "0").ljust(2, "0"))
    if cents == 0:
        raise RuleError(_NOT_ZERO)
    return Cents(cents)


def readings(text: str) -> Mapping[Decimals, Decimal]:
    """Return the value of an amount in each style that fits; empty without a separator or for other texts.

    A single separator before three digits fits both styles: ``1,655`` is 1655 or 1.655.
    """
    number, found = _number_in(text), {}
    for style in Decimals if _SEPARATES.search(number) else ():
        written = _LONGER.fullmatch(number if style is Decimals.POINT else number.translate(_SWAPPED))
        if written is not None:
            units = re.sub(r"[^0-9]", "", written["units"])
            found[style] = Decimal(f"{units}.{written['decimals'] or '0'}")
    return found


def in_plain_style(text: str, style: Decimals) -> str:
    """Normalize an amount in a known style to ``1655.60``, which is unambiguous; other texts stay unchanged."""
    value = readings(text).get(style)
    if value is None:
        return text
    cents = cents_of(value)
    return plain(cents) if cents is not None else f"{value}0"  # three decimals could be thousands, four can't


def _number_in(text: str) -> str:
    around = _AROUND.fullmatch(bare(text))
    return around["number"] if around is not None else ""


def _meant(number: str) -> RuleError | None:
    """Return the error for an amount with a decimal or thousands separator, with all its possible meanings."""
    found = readings(number)
    values = [cents for value in sorted(found.values(), reverse=True) if (cents := cents_of(value))]
    if Decimals.COMMA not in found or not values:
        return None
    rule = "use a point for cents: {plain}" if len(found) == 1 else "write {plain} for {shown}"
    rules = [rule.format(plain=plain(cents), shown=shown(cents)) for cents in values]
    also = plain(values[1]) if len(values) > 1 else ""
    return RuleError(" or ".join(rules).replace(" or write", " or"), instead=plain(values[0]), also=also)


def _broken_rule(text: str, number: str) -> str:
    if (
        number.startswith(("-", "\u2212", "("))
        or text.startswith(("-", "\u2212", "("))
        or 0 in readings(number).values()
    ):
        return _NOT_ZERO
    if any(map(currencies.names_other_currency, re.split(r"[\s0-9.,]+", text))) or currencies.other_currency_in(text):
        return OTHER_CURRENCY
    if re.fullmatch(r"[0-9]+\.[0-9]{3,}", number, re.ASCII):
        return "it can have at most 2 decimal places"
    return "it is too large" if re.fullmatch(r"[0-9]{13,}(\.[0-9]{1,2})?", number, re.ASCII) else "it isn't an amount"


def cents_of(value: object) -> Cents | None:
    """Return the cents of a reported number or text, or None if it isn't an exact amount."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    text = str(value).strip()
    if isinstance(value, str) and _REPORTED.fullmatch(text) is None:
        return None  # Decimal also parses "1_000" and non-ASCII digits
    if len(text) > _LONGEST:
        return None  # more digits than Decimal keeps, or an exponent whose number would take gigabytes
    try:
        amount = Decimal(text)
    except ArithmeticError:
        return None
    if (
        not amount.is_finite()
        or abs(amount.adjusted()) > _LONGEST
        or amount * 100 != (amount * 100).to_integral_value()
    ):
        return None
    return Cents(int(amount * 100))


def plain(cents: int) -> str:
    """Format cents for requests and files: ``2500`` -> ``25.00``."""
    return f"{'-' if cents < 0 else ''}{abs(cents) // 100}.{abs(cents) % 100:02d}"


def shown(cents: int) -> str:
    """Format cents for people: ``150000`` -> ``$1,500.00``."""
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"
