"""Numbers and dates of a workbook as a spreadsheet shows them, from the number and its format code.

What is shown differs from what is stored: 0.25 is shown as 25%, 46082 as a date, 25 as 25.00. Dates come out as
``2026-03-01`` whatever the sheet's own order of day and month. Thousands separators and currency signs are left out,
because no reader of ours expects them.
"""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

GENERAL = "General"

BUILT_IN = {
    0: GENERAL,
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    18: "h:mm",
    19: "h:mm:ss",
    20: "h:mm",
    21: "h:mm:ss",
    22: "yyyy-mm-dd h:mm",
    37: "#,##0",
    38: "#,##0",
    39: "#,##0.00",
    40: "#,##0.00",
    44: "#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss",
    48: "0.0E+0",
    49: "@",
    **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
}
"""Formats that a workbook gives only by number."""

LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
"""What a format code shows, or skips, whatever the number is."""
_TOKEN = re.compile(rf"{LITERAL.pattern}|.", re.IGNORECASE | re.DOTALL)
GROUPS = re.compile(r"[\s'’]")
"""What stands between groups of three digits."""
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.(?P<decimals>[0#?]+))?(?P<thousands>,*)")
_LONGEST = 15
"""Significant digits that a spreadsheet keeps."""
_SMALLEST = -10
"""Power of ten below which a number is written with its exponent."""


def shown(stored: str, code: str, *, since_1904: bool = False) -> str:
    """A stored number under a format code; text that is no number is returned unchanged."""
    try:
        value = Decimal(stored.strip())
    except ArithmeticError:
        return stored
    if not value.is_finite() or abs(value.adjusted()) > 400:  # noqa: PLR2004 - beyond any number of a spreadsheet
        return stored
    section = LITERAL.sub("", _section(value, sections(code)))
    if section.strip().casefold() in ("", "@", "general"):
        return _general(value)
    if is_moment(section):
        return _moment(value, section.casefold(), since_1904=since_1904)
    return _number(value, section)


@lru_cache(maxsize=4_096)
def sections(code: str) -> tuple[str, ...]:
    """The parts of a format code: for numbers above zero, below zero, for zero, for text."""
    found = [""]
    for sign in _TOKEN.findall(code):
        if sign == ";":
            found.append("")
        else:
            found[-1] += sign
    return tuple(found)


def is_moment(section: str) -> bool:
    """Whether a part of a format code, without its literals, shows a date or a time."""
    letters = section.casefold()
    return any(one in letters for one in "ydhs") or ("m" in letters and "0" not in letters)


def _section(value: Decimal, parts: Sequence[str]) -> str:
    return parts[1] if value < 0 and len(parts) > 1 and parts[1] else parts[0]


def _general(value: Decimal) -> str:
    rounded = Decimal(f"{value:.{_LONGEST - 1}e}")
    if rounded == 0:
        return "0"
    if _SMALLEST <= rounded.adjusted() <= _LONGEST:
        text = f"{rounded:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    digits = f"{rounded.normalize():E}"
    return digits if "E-" in digits or "E+" in digits else digits.replace("E", "E+")


def _number(value: Decimal, section: str) -> str:
    found = _DIGITS.search(GROUPS.sub("", section))
    if found is None or found["thousands"] or section.rstrip().endswith(",") or "/" in section:
        return _general(value)
    places = found["decimals"] or ""
    if re.search(r"E[+-]", section, re.IGNORECASE):
        return f"{_rounded_exponent(value, len(places))}"
    percent = "%" in section
    text = f"{(value * 100 if percent else value).quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP):f}"
    least = len(places.rstrip("#?"))
    if "." in text:
        whole, cents = text.split(".")
        cents = cents[:least] + cents[least:].rstrip("0")
        text = f"{whole}.{cents}" if cents else whole
    return f"{text}%" if percent else text


def _rounded_exponent(value: Decimal, places: int) -> str:
    mantissa, exponent = f"{value:.{places}E}".split("E")
    return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"


def _moment(value: Decimal, section: str, *, since_1904: bool) -> str:
    days = float(value)
    if "[" in section:
        return _elapsed(days)
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet has no zone
    try:
        at = start + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return _general(value)
    if days < 0:
        return _general(value)
    timed = "h" in section or "s" in section
    dated = "y" in section or "d" in section or ("m" in section and not timed)
    seconds = "%H:%M:%S" if "s" in section else "%H:%M"
    return at.strftime(" ".join([*(["%Y-%m-%d"] if dated else []), *([seconds] if timed else [])]))


def _elapsed(days: float) -> str:
    seconds = round(abs(days) * 86_400)
    return f"{'-' if days < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
