"""Reading fields of a service's JSON, whatever it calls them. Tolerant of spelling, never of shape.

Names are the alternatives a route's ``reply`` gives; unset fields come as null or as an empty string, so the
first alternative that is filled counts. The only error raised is ``ValueError``, mostly an ``Unfit``.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Final

from bot.domain.money import Cents, cents_of
from bot.domain.sanitizing import one_line

_MAX_NUMBER_TEXT: Final = 40
_MAX_COUNT: Final = 10**12

Names = tuple[str, ...]


class Unfit(ValueError):
    """The document is not the record.

    Args:
        problem: in our words.
        at: the object in which something was looked for.
        names: of what was looked for, each with its alternatives; nothing of it was there, or its value does not fit.
    """

    def __init__(self, problem: str, at: object = None, *names: Names) -> None:
        super().__init__(problem)
        self.at = at
        self.names = names


def as_object(document: object) -> dict[str, object]:
    """The document, when it is a JSON object."""
    if not isinstance(document, dict):
        raise Unfit("no object", document)
    return document


def value(body: Mapping[str, object], names: Names) -> object:
    """The first of the names that is filled; None when none is."""
    for name in names:
        found = body.get(name)
        if found is not None and found != "":
            return found
    return None


def text(body: Mapping[str, object], names: Names) -> str:
    """A text, or a whole number as text; empty when it is absent or something else."""
    return as_text(value(body, names))


def as_text(found: object) -> str:
    """The same of a value: one that can be stored and sent, whatever the service put into it."""
    if isinstance(found, bool) or not isinstance(found, str | int):
        return ""
    # A lone surrogate or NUL is legal in JSON, and neither in UTF-8 nor in a PostgreSQL text.
    return str(found).encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()


def cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """An amount of zero or more as a number or text; None when it is no exact number of cents."""
    found = signed_cents(body, names)
    return found if found is not None and found >= 0 else None


def signed_cents(body: Mapping[str, object], names: Names) -> Cents | None:
    """The same, below zero too: what a balance may be."""
    found = value(body, names)
    # A number of hundreds of digits is no amount, and rounding it would make it look exact.
    exact = None if found is None or len(str(found)) > _MAX_NUMBER_TEXT else cents_of(found)
    return exact if exact is not None and abs(exact) <= _MAX_COUNT * 100 else None


def shown(body: Mapping[str, object], names: Names) -> str:
    """A text or any number as it came, shortened, for people to read; empty when it is something else."""
    found = value(body, names)
    return one_line(str(found)) if isinstance(found, Decimal | float) else one_line(as_text(found))


def count(body: Mapping[str, object], names: Names) -> int:
    """A whole number from zero, as a number or text."""
    found = count_or_none(body, names)
    if found is None:
        raise Unfit(f"{names[0]} is missing", body, names)
    return found


def count_or_none(body: Mapping[str, object], names: Names) -> int | None:
    """The same, None when it is absent."""
    found = value(body, names)
    if found is None:
        return None
    digits = str(found).strip()
    if isinstance(found, bool) or not (digits.isascii() and digits.isdigit() and len(digits) <= len(str(_MAX_COUNT))):
        raise Unfit(f"{names[0]} is no count", body, names)
    return int(digits)


def flag(body: Mapping[str, object], names: Names) -> bool | None:
    """Yes or no in any usual spelling; None when it says neither."""
    found = value(body, names)
    if isinstance(found, bool):
        return found
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
        str(found).strip().casefold()
    )


def moment(body: Mapping[str, object], names: Names) -> datetime | None:
    """An instant in ISO 8601, in UTC, which it is in already where it names no zone; None when it is none."""
    try:
        found = datetime.fromisoformat(text(body, names))
        return (found if found.tzinfo is not None else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, OverflowError):  # the first and the last day of the calendar have no neighbours
        return None
