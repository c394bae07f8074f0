"""Answers of services that could not be read."""

from datetime import datetime, timedelta
from typing import Final

import sqlalchemy as sa

from bot.domain.unread import Noted, UnreadAnswer
from storage.damage import Shape, is_object
from storage.repositories.leased import Repository, insert_once
from storage.tables.services import unread_answer as unread

MOST: Final = 50
"""Limit of rows. Resolved ones are deleted first, then those not seen for longest."""
REMEMBERED: Final = timedelta(days=1)
"""How long a row is kept after an answer of its operation was read successfully."""
_ORDER = (unread.c.mended_at.is_not(None), unread.c.last_seen.desc(), unread.c.fingerprint)


_ANSWER: Shape[Noted] = Shape(
    unread,
    lambda operation, detail, **values: Noted(answer=UnreadAnswer.from_json(operation, detail), **values),
    called="operation",
    holds={"detail": is_object},
    apart=("fingerprint",),
)


class UnreadAnswers(Repository):
    """Unreadable answers of services, one row per shape, never more than :data:`MOST`."""

    def is_there(self) -> bool:
        """Return whether the table exists: a command that only reads may open an older database."""
        return sa.inspect(self._connection).has_table(unread.name)

    def note(self, found: Noted) -> None:
        """Store an answer, or add to the count if its shape is already stored."""
        key = {"operation": found.answer.operation, "fingerprint": found.answer.fingerprint}
        changed = {"detail": found.answer.as_json(), "mended_at": None}
        seen = {"first_seen": found.first_seen, "last_seen": found.last_seen, "count": found.count}
        if not insert_once(self._connection, unread, {**key, **changed, **seen}, unless=("operation", "fingerprint")):
            last = sa.literal(found.last_seen, unread.c.last_seen.type)
            newest = sa.case((unread.c.last_seen > last, unread.c.last_seen), else_=last)
            same = (unread.c[name] == value for name, value in key.items())
            self._change(unread, *same, **changed, last_seen=newest, count=unread.c.count + found.count)
        beyond = sa.select(unread.c.operation, unread.c.fingerprint).order_by(*_ORDER).offset(MOST)
        for operation, fingerprint in self._connection.execute(beyond).all():
            one = (unread.c.operation == operation, unread.c.fingerprint == fingerprint)
            self._connection.execute(sa.delete(unread).where(*one))

    def mended(self, operation: str, at: datetime) -> None:
        """Mark earlier unreadable answers of the operation as resolved: one was read successfully at that time."""
        self._connection.execute(sa.delete(unread).where(unread.c.mended_at < at - REMEMBERED))
        earlier = (unread.c.operation == operation, unread.c.last_seen <= at, unread.c.mended_at.is_(None))
        self._change(unread, *earlier, mended_at=at)

    def open_operations(self) -> frozenset[str]:
        query = sa.select(unread.c.operation).where(unread.c.mended_at.is_(None)).distinct()
        return frozenset(self._connection.execute(query).scalars())

    def all(self) -> list[Noted]:
        """Return unresolved answers, then resolved ones, each newest first."""
        return self._all(_ANSWER, sa.select(unread).order_by(*_ORDER))
