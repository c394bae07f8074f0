"""Column types: times as microseconds, JSON in canonical form, text that every database accepts."""

import json
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar, cast

from sqlalchemy import BigInteger, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bot.domain.reasons import Reason
from bot.domain.text import storable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

_EARLIEST, _LATEST = datetime(1900, 1, 1, tzinfo=UTC), datetime(3000, 1, 1, tzinfo=UTC)
"""Times outside these limits can't be ours, and adding to them may overflow the calendar."""

E = TypeVar("E", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A stored value that is invalid for its column: an unknown word, broken JSON, not a time. Never guessed."""

    raw: object

    def __str__(self) -> str:
        return "unreadable"


def is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def canonical_json(value: object) -> str:
    """Return the canonical form of a JSON value in the database: sorted keys, ASCII, no blanks."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


class Moment(TypeDecorator[datetime]):
    """An aware datetime as whole microseconds since 1970 in UTC: exact, and compared alike by every database."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("times in the database are aware of their time zone")
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        if value is None:
            return None
        if type(value) is int:  # SQLite stores anything anywhere
            with suppress(OverflowError):
                found = _EPOCH + timedelta(microseconds=value)
                if _EARLIEST <= found < _LATEST:
                    return found
        return cast("datetime", Unreadable(value))


class Words(TypeDecorator[str]):
    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else storable(value)


class Json(TypeDecorator[object]):
    """A JSON value as text in its canonical form. ``None`` is SQL NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> object | None:  # noqa: ARG002
        try:
            return None if value is None else cast("object", json.loads(value))
        except (ValueError, TypeError, RecursionError):
            return Unreadable(value)


class Reasoned(TypeDecorator[Reason]):
    """A reason as JSON; a missing one is empty text, or NULL if the column is nullable."""

    impl = Text
    cache_ok = True

    def __init__(self, *, nullable: bool = False) -> None:
        super().__init__()
        self.nullable = nullable

    def process_bind_param(self, value: Reason | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        if value is None:
            return None if self.nullable else ""
        return canonical_json(value.stored())

    def process_result_value(self, value: str | None, dialect: Dialect) -> Reason | None:  # noqa: ARG002
        if isinstance(value, str) and not is_encodable(value):
            return cast("Reason", Unreadable(value))
        try:
            return Reason.read(json.loads(value) if value else None)
        except (ValueError, TypeError, RecursionError):
            return cast("Reason", Unreadable(value))


class Named(TypeDecorator[E], Generic[E]):
    """A member of a ``StrEnum`` by its value; an unknown value in the database is never guessed."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[E]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: E | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        return None if value is None else self.kind(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> E | None:  # noqa: ARG002
        try:
            return None if value is None else self.kind(value)
        except ValueError:
            return cast("E", Unreadable(value))
