"""Numbers and dates as a spreadsheet shows them, and detection of formats that misrepresent a cell's value.

Dates are returned as ``2026-03-01`` regardless of the sheet's order, numbers without thousands separators. Text around
a number is kept, including foreign currencies; only US dollars are dropped. Examples of misleading formats: ``;;;``
hides the value, ``"5.00"`` always shows 5.00, ``0"."00`` a hundredth, ``0,`` a thousandth, ``-0`` another sign.
"""

import re
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from operator import eq, ge, gt, le, lt, ne
from typing import Final

from bot.domain.currencies import OUR_CURRENCY

GENERAL = "General"

BUILT_IN = {
    0: GENERAL,
    1: "0",
    2: "0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    14: "yyyy-mm-dd",
    15: "d-mmm-yy",
    16: "d-mmm",
    17: "mmm-yy",
    22: "yyyy-mm-dd h:mm",
    46: "[h]:mm:ss",
    48: "0.0E+0",
    49: "@",
    **dict.fromkeys((3, 37, 38, 41), "#,##0"),
    **dict.fromkeys((4, 39, 40, 43), "#,##0.00"),
    **dict.fromkeys((5, 6, 42), '"$"#,##0'),
    **dict.fromkeys((7, 8, 44), '"$"#,##0.00'),
    **dict.fromkeys((18, 20), "h:mm"),
    **dict.fromkeys((19, 21), "h:mm:ss"),
    **dict.fromkeys((45, 47), "mm:ss"),
    **dict.fromkeys((*range(27, 37), *range(50, 59)), "yyyy-mm-dd"),
}
"""Formats that a workbook references only by number (ECMA-376, 18.8.30; Excel also writes 5 to 8 and 41 to 44)."""
OF_ANY_COUNTRY: Final = frozenset({5, 6, 7, 8, 42, 44})
"""Built-in formats with the reader's local currency: taken as dollars unless the workbook also has other currencies."""
UNKNOWN_CURRENCY: Final = "¤"
_DOLLAR_LANDS: Final = frozenset({"0409", "0475", "045C", "540A", "500A", "300A", "440A", "180A"})
"""LCIDs (MS-LCID) of countries that use US dollars: United States, Puerto Rico, Ecuador, El Salvador and Panama."""
_DOLLAR_REGIONS: Final = frozenset({"US", "PR", "EC", "SV", "PA"})
_OTHER_DOLLARS: Final = {
    **dict.fromkeys(("080A", "MX"), "MXN"),
    **dict.fromkeys(("240A", "CO"), "COP"),
    **dict.fromkeys(("2C0A", "AR"), "ARS"),
    **dict.fromkeys(("340A", "CL"), "CLP"),
    **dict.fromkeys(("380A", "UY"), "UYU"),
    **dict.fromkeys(("1C0A", "DO"), "DOP"),
    **dict.fromkeys(("1009", "0C0C", "CA"), "CAD"),
    **dict.fromkeys(("0C09", "AU"), "AUD"),
    **dict.fromkeys(("1409", "NZ"), "NZD"),
    **dict.fromkeys(("0C04", "3C09", "HK"), "HKD"),
    **dict.fromkeys(("1004", "4809", "SG"), "SGD"),
    **dict.fromkeys(("0404", "TW"), "TWD"),
}
"""Other currencies written with ``$``, by LCID or region; a ``$`` of any other country is an unknown currency."""

_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]', re.IGNORECASE)
"""Parts of a format code that don't depend on the number."""
_TOKEN = re.compile(rf"{_LITERAL.pattern}|.", re.IGNORECASE | re.DOTALL)
_GROUPS = re.compile(r"[\s'’]")
"""Separators between groups of three digits."""
_DIGITS = re.compile(r"[0#?][0#?,]*(?:\.(?P<decimals>[0#?]+))?(?P<thousands>,*)")
_LONGEST = 15
"""Significant digits that a spreadsheet keeps."""
_SMALLEST = -10
"""Power of ten below which a number is written with its exponent."""
_CONDITION = re.compile(r"\[(<=|>=|<>|<|>|=)\s*(-?[0-9]+(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?)\]", re.IGNORECASE)
_COMPARED: Final = {"<": lt, ">": gt, "=": eq, "<=": le, ">=": ge, "<>": ne}
_CURRENCY = re.compile(r"\[\$([^\]-]*)(?:-([^\]]*))?")
_PIECE = re.compile(
    rf"{_LITERAL.pattern}|General|E[+-]|[0#?@%/](?:[0#?.,@%/]*[0#?@%/])?,*|.", re.IGNORECASE | re.DOTALL
)
"""A literal, the number's placeholder, or a character shown as is."""
_LCID = re.compile(r"[0-9A-F]{1,8}", re.IGNORECASE)
_RUN = re.compile(r"[0#?](?:[0#?,.\s'’]*[0#?])?")
"""Adjacent digits, grouped or not."""
_EXPONENT = re.compile(r"E[+-]", re.IGNORECASE)
_POINT = re.compile(r"""(?:\\[.,]|"[^"\w]*[.,]")(?=[0#?])""")
"""A literal point right before the digits, outside words: ``\\.00`` shows 25 as .25."""
_OTHER_SIGN = ("-", "−", "–", "(")
_WITH_TEXT = 4
"""Number of sections of a format code with a section for text."""


def shown(stored: str, code: str, *, since_1904: bool = False) -> str:
    """Return a stored number as its format code shows it; other text is returned unchanged."""
    try:
        value = Decimal(stored.strip())
    except ArithmeticError:
        return stored
    if not value.is_finite() or abs(value.adjusted()) > 400:  # noqa: PLR2004 - beyond any number of a spreadsheet
        return stored
    part = _section_for(value, _sections(code))
    section = _LITERAL.sub("", part)
    if _is_moment(section):
        return _moment(value, section.casefold(), since_1904=since_1904)
    number = _number(value, section) if _RUN.search(section) else _general(value)
    before, behind = _around(part) if value >= 0 else ("", "")
    return f"{before}{number}{behind}"


def is_disguised(stored: str, code: str, *, number: bool) -> bool:
    """Return whether a cell shows something other than its value. ``number``: the value is a number, not text."""
    above, below, zero, text = disguise = _disguise(code)
    if not any(disguise):
        return False
    if not number:
        return text
    try:
        value = Decimal(stored.strip())
    except ArithmeticError:
        return True
    if value == 0:
        return zero
    return above if value > 0 else below


@lru_cache(maxsize=4_096)
def _sections(code: str) -> tuple[str, ...]:
    """Split a format code into its sections: for positive numbers, negative numbers, zero, text."""
    found = [""]
    for sign in _TOKEN.findall(code):
        if sign == ";":
            found.append("")
        else:
            found[-1] += sign
    return tuple(found)


@lru_cache(maxsize=4_096)
def _conditions(parts: tuple[str, ...]) -> list[re.Match[str] | None]:
    return [_CONDITION.search(part) for part in parts[:2]]


def _section_for(value: Decimal, parts: tuple[str, ...]) -> str:
    """Return the section for a number: the first whose condition it meets, else by its sign."""
    found = _conditions(parts)
    if any(found):
        for part, condition in zip(parts, found, strict=False):
            if condition is not None and _COMPARED[condition[1]](value, Decimal(condition[2])):
                return part
        return parts[min(2 if all(found) else 1, len(parts) - 1)]
    return parts[1] if value < 0 and len(parts) > 1 and parts[1] else parts[0]


@lru_cache(maxsize=4_096)
def _around(part: str) -> tuple[str, str]:
    """Return what a section shows before and after the number; a foreign dollar sign becomes its currency code."""
    around, at, country = ["", ""], 0, ""
    for piece in _PIECE.findall(part):
        if _LITERAL.fullmatch(piece):
            around[at] += _literals(piece) if piece[0] != "*" else ""
            tag = _CURRENCY.match(piece)
            country = country or (_country_of(tag[2] or "") if tag is not None else "")
        elif piece[0] in "0#?@%/" or len(piece) > 1:
            around[1], at = "", 1  # text between digits only groups them, or counts as a disguise
        else:
            around[at] += piece
    before, behind = around
    sign = (before + behind).strip().upper()
    if not at or sign in ("", *OUR_CURRENCY):  # without a placeholder the number isn't shown
        return (f"{country} ", "") if country and sign == "$" else ("", "")
    return before.lstrip(), behind.rstrip()


def _country_of(tag: str) -> str:
    """Return the currency of a locale tag such as ``80A`` or ``es-MX``; empty for US dollars or without a country."""
    if _LCID.fullmatch(tag):
        lcid = f"{int(tag, 16) & 0xFFFF:04X}"  # the upper bits select a calendar and digits
        return "" if lcid in _DOLLAR_LANDS or lcid == "0000" else _OTHER_DOLLARS.get(lcid, UNKNOWN_CURRENCY)
    region = tag.rpartition("-")[2].upper()
    return "" if not tag or region in _DOLLAR_REGIONS else _OTHER_DOLLARS.get(region, UNKNOWN_CURRENCY)


def _is_moment(section: str) -> bool:
    """Return whether a section, stripped of its literals, shows a date or time."""
    letters = section.casefold()
    return any(one in letters for one in "ydhs") or ("m" in letters and "0" not in letters)


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
    value = Decimal(f"{value:.{_LONGEST - 1}e}")  # 2.6749999999999998 is shown as 2.68: a sheet keeps 15 digits
    found = _DIGITS.search(_GROUPS.sub("", section))
    if found is None or found["thousands"] or section.rstrip().endswith(",") or "/" in section:
        return _general(value)
    places = found["decimals"] or ""
    if _EXPONENT.search(section):
        mantissa, exponent = f"{value:.{len(places)}E}".split("E")
        return f"{mantissa}E{exponent[0]}{exponent[1:].zfill(2)}"
    percent = "%" in section
    text = f"{(value * 100 if percent else value).quantize(Decimal(1).scaleb(-len(places)), ROUND_HALF_UP):f}"
    least = len(places.rstrip("#?"))
    if "." in text:
        whole, cents = text.split(".")
        cents = cents[:least] + cents[least:].rstrip("0")
        text = f"{whole}.{cents}" if cents else whole
    return f"{text}%" if percent else text


def _moment(value: Decimal, section: str, *, since_1904: bool) -> str:
    days = float(value)
    if "[" in section:
        seconds = round(abs(days) * 86_400)
        return f"{'-' if days < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    start = datetime(1904, 1, 1) if since_1904 else datetime(1899, 12, 30)  # noqa: DTZ001 - a sheet has no zone
    try:
        at = start + timedelta(seconds=round(days * 86_400))
    except OverflowError:
        return _general(value)
    if days < 0:
        return _general(value)
    timed = "h" in section or "s" in section
    dated = "y" in section or "d" in section or ("m" in section and not timed)
    clock = "%H:%M:%S" if "s" in section else "%H:%M"
    return at.strftime(" ".join([*(["%Y-%m-%d"] if dated else []), *([clock] if timed else [])]))


@lru_cache(maxsize=4_096)
def _disguise(code: str) -> tuple[bool, bool, bool, bool]:
    """Return whether a format disguises positive numbers, negative numbers, zero, and text."""
    if code.casefold() in ("", "@", GENERAL.casefold()):
        return False, False, False, False
    *first, last = _sections(code)
    for_text = len(first) >= _WITH_TEXT - 1 or "@" in _bare(last)
    numbers = first if for_text and first else [last] if not first else [*first, last]
    visible = _LITERAL.sub(lambda found: _literals(found[0]), numbers[0])
    before = re.split(r"[0#?]|General", visible, maxsplit=1, flags=re.IGNORECASE)[0]
    other_sign = not _is_moment(_bare(numbers[0])) and before.rstrip().endswith(_OTHER_SIGN)
    above = _misleads(numbers[0]) or other_sign
    below = _misleads(numbers[1] if len(numbers) > 1 else numbers[0])
    zero = _has_digits(_literals(numbers[2] if len(numbers) > 2 else numbers[0]))  # noqa: PLR2004 - a dash for zero is right
    conditions = [bool(_CONDITION.search(one)) for one in numbers]
    if any(conditions):  # each section may apply to any number; one that meets no condition shows as ####
        above = below = zero = all(conditions) or any(_misleads(one) for one in numbers) or above
    bare = _bare(last)
    has_value = "@" in bare or "general" in bare.casefold()
    text = for_text and (bool(_literals(last).strip()) or not has_value or _is_repeated(bare))
    return above, below, zero, text


def _misleads(section: str) -> bool:
    bare = _bare(section)
    if _has_digits(_literals(section)) or _POINT.search(section):
        return True
    if "general" in bare.casefold() or "@" in bare or _is_moment(bare):
        return _is_repeated(bare)
    if "/" in bare:
        return True  # a fraction is rounded to what its denominator allows
    # Literals separate runs of digits, except group separators.
    apart = _LITERAL.sub(lambda found: "|" if _GROUPS.sub("", _literals(found[0])) else "", _EXPONENT.sub("", section))
    runs = _RUN.findall(apart)
    scaled = re.search(r"[0#?],+(?![0#?,])", _GROUPS.sub("", bare)) is not None
    return len(runs) != 1 or runs[0].count(".") > 1 or scaled or _has_digits(bare.replace("0", ""))


def _is_repeated(bare: str) -> bool:
    """Return whether the value is shown more than once: ``@@`` shows 25 as 2525."""
    return bare.count("@") + bare.casefold().count("general") > 1


def _bare(section: str) -> str:
    return _LITERAL.sub("", section)


def _literals(section: str) -> str:
    """Return the text shown for any number: quoted, escaped, currency, and fill characters."""
    found = ""
    for token in _LITERAL.findall(section):
        if token[0] == "[":
            currency = _CURRENCY.match(token)
            found += currency[1] if currency else ""
        elif token[0] != "_":
            found += token[1:-1] if token[0] == '"' else token[1:]
    return found


def _has_digits(text: str) -> bool:
    return any(letter.isnumeric() for letter in text)
