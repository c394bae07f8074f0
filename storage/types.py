"""How values are stored in columns: times as microseconds, JSON in one form, text that every database accepts."""

import json
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Generic, TypeVar

from sqlalchemy import BigInteger, Text
from sqlalchemy.engine import Dialect
from sqlalchemy.types import TypeDecorator

from bot.domain.storable import storable

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

E = TypeVar("E", bound=StrEnum)


def canonical_json(value: object) -> str:
    """The one form of a JSON value in the database: sorted keys, ASCII, no blanks."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"), allow_nan=False)


class Moment(TypeDecorator[datetime]):
    """An aware datetime as whole microseconds since 1970 in UTC: exact, and it compares the same everywhere."""

    impl = BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:  # noqa: ARG002
        """Refuse naive times: their zone is unknown."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("times in the database are aware of their time zone")
        return (value - _EPOCH) // _MICROSECOND

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Back to UTC."""
        return None if value is None else _EPOCH + timedelta(microseconds=value)


class Words(TypeDecorator[str]):
    """Text of any origin."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """See :func:`bot.domain.storable.storable`."""
        return None if value is None else storable(value)


class Json(TypeDecorator[object]):
    """A JSON value as text in its canonical form. ``None`` is SQL NULL."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: object | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """See :func:`canonical_json`."""
        return None if value is None else canonical_json(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> object | None:  # noqa: ARG002
        """Parsed."""
        return None if value is None else json.loads(value)


class Named(TypeDecorator[E], Generic[E]):
    """A member of a ``StrEnum`` by its value; an unknown value in the database is an error, never guessed."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: type[E]) -> None:
        super().__init__()
        self.kind = kind

    def process_bind_param(self, value: E | None, dialect: Dialect) -> str | None:  # noqa: ARG002
        """The value."""
        return None if value is None else self.kind(value).value

    def process_result_value(self, value: str | None, dialect: Dialect) -> E | None:  # noqa: ARG002
        """The member."""
        return None if value is None else self.kind(value)
