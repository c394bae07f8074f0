"""Answers of the services that could not be read, one row per shape of answer; never more than a few."""

from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import case, delete, inspect, literal, select, update

from bot.domain.unread import Noted, UnreadAnswer
from storage.damage import Broken, Shape
from storage.repositories.common import Repository, insert_once
from storage.tables.services import unread_answer as table

MOST: Final = 50
"""Rows. Those that are read again go first, then those that were not seen for longest."""
REMEMBERED: Final = timedelta(days=1)
"""How long a row stays after its operation is read again."""


class UnreadAnswers(Repository):
    """The table ``unread_answer``."""

    def is_there(self) -> bool:
        """Whether the table exists: a command that only reads may open an older database."""
        return inspect(self._connection).has_table(table.name)

    def note(self, found: Noted) -> None:
        """Store an answer that was seen ``count`` times; add to the count if its shape is stored already."""
        key = {"operation": found.answer.operation, "fingerprint": found.answer.fingerprint}
        detail = found.answer.as_json()
        values = {
            **key,
            "detail": detail,
            "first_seen": found.first_seen,
            "last_seen": found.last_seen,
            "count": found.count,
            "mended_at": None,
        }
        if not insert_once(self._connection, table, values, unless=("operation", "fingerprint")):
            last = literal(found.last_seen, table.c.last_seen.type)
            newest = case((table.c.last_seen > last, table.c.last_seen), else_=last)
            again = update(table).where(*(table.c[name] == value for name, value in key.items()))
            changes = {"detail": detail, "last_seen": newest, "count": table.c.count + found.count, "mended_at": None}
            self._connection.execute(again.values(changes))
        self._keep_few()

    def mended(self, operation: str, at: datetime) -> None:
        """Mark the operation's earlier unread answers as mended: an answer was read at that time."""
        self._connection.execute(delete(table).where(table.c.mended_at < at - REMEMBERED))
        now = update(table).where(table.c.operation == operation, table.c.last_seen <= at, table.c.mended_at.is_(None))
        self._connection.execute(now.values(mended_at=at))

    def open_operations(self) -> frozenset[str]:
        """Operations with an answer that is not mended."""
        query = select(table.c.operation).where(table.c.mended_at.is_(None)).distinct()
        return frozenset(self._connection.execute(query).scalars())

    def all(self) -> list[Noted]:
        """All of them: first those not mended, then the others; newest first in both."""
        return self._all(_SHAPE, select(table).order_by(*_ORDER))

    def _keep_few(self) -> None:
        query = select(table.c.operation, table.c.fingerprint).order_by(*_ORDER).offset(MOST)
        for operation, fingerprint in self._connection.execute(query).all():
            self._connection.execute(
                delete(table).where(table.c.operation == operation, table.c.fingerprint == fingerprint)
            )


_ORDER = (table.c.mended_at.is_not(None), table.c.last_seen.desc(), table.c.fingerprint)


def _read(*, operation: str, detail: object, fingerprint: str, **values: Any) -> Noted:  # noqa: ARG001
    if not isinstance(detail, dict):
        raise Broken("detail")
    return Noted(answer=UnreadAnswer.from_json(operation, detail), **values)


_SHAPE = Shape(table, _read, called="operation")
