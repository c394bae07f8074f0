"""Dropped files: one row each, however many events Slack sends about it."""

from datetime import datetime
from typing import Any, Unpack

from sqlalchemy import ColumnElement, delete, select

from bot.domain.files.dropped import DroppedFile
from storage.damage import Broken, Shape
from storage.repositories.common import FREED, Repository, claim, claiming, columns, insert_once
from storage.rows import DropRow, DropState, Hold
from storage.tables.queues import dropped_file as table


def _read(*, header: object, **values: Any) -> DropRow:
    if header is not None and not (isinstance(header, list) and all(isinstance(one, str) for one in header)):
        raise Broken("header")
    return DropRow(**values, header=header)


SHAPE = Shape(table, _read, called="name")
_CLAIM = claiming(
    table,
    key=table.c.id,
    order=[table.c.due_at, table.c.id],
    changed={"attempts": table.c.attempts + 1},
)


class DroppedFiles(Repository):
    """The table ``dropped_file``."""

    def notice(self, row: DropRow) -> bool:
        """Store a file to look at; False when this adds nothing.

        Only the event about the message names the message. Coming second, it fills in what the event about the file
        left open.
        """
        if insert_once(self._connection, table, columns(row), unless=("id",)):
            return True
        if not row.message_ts:
            return False
        open_still = table.c.state.in_((DropState.NOTICED, DropState.QUIET))
        placeless = (table.c.id == row.id, open_still, table.c.message_ts == "")
        place = {"channel": row.channel, "message_ts": row.message_ts, "thread_ts": row.thread_ts}
        look = {"state": DropState.NOTICED, "attempts": 0, "due_at": row.due_at}
        return self._change(table, *placeless, **place, **look) == 1

    def get(self, file_id: str) -> DropRow | None:
        """The row of this file."""
        return self._one(SHAPE, select(table).where(table.c.id == file_id))

    def claim_due(self, **hold: Unpack[Hold]) -> list[DropRow]:
        """Claim files to look at, longest due first; the attempt is counted already."""
        rows = claim(self._connection, _CLAIM, hold)
        return sorted(self._records(SHAPE, rows), key=lambda row: (row.due_at or hold["now"], row.id))

    def offered(self, file: DroppedFile) -> bool:
        """Store that it can be used, and what it is; False when it was settled before."""
        found = columns(file)
        return self._settle(found.pop("id"), DropState.OFFERED, found)

    def quiet(self, file_id: str) -> bool:
        """Store that nothing is posted about it; False when it was settled before."""
        return self._settle(file_id, DropState.QUIET, {})

    def again(self, file_id: str, *, due_at: datetime) -> bool:
        """Try again at ``due_at``."""
        return self._move(file_id, DropState.NOTICED, **FREED, due_at=due_at)

    def gone(self, file_id: str) -> bool:
        """Store that an offered file was deleted; False when it was not offered or was deleted before."""
        return self._move(file_id, DropState.OFFERED, state=DropState.GONE)

    def has_old(self, *, before: datetime) -> bool:
        """Whether :meth:`forget_old` would find anything."""
        return self._connection.execute(select(table.c.id).where(*_old(before)).limit(1)).first() is not None

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete old files about which nothing was posted, up to ``limit``; how many."""
        some = select(table.c.id).where(*_old(before)).limit(limit).scalar_subquery()
        return self._connection.execute(delete(table).where(table.c.id.in_(some))).rowcount

    def _settle(self, file_id: str, state: DropState, found: dict[str, object]) -> bool:
        return self._move(file_id, DropState.NOTICED, **found, **FREED, state=state, due_at=None)

    def _move(self, file_id: str, before: DropState, **values: object) -> bool:
        return self._change(table, table.c.id == file_id, table.c.state == before, **values) == 1


def _old(before: datetime) -> tuple[ColumnElement[bool], ...]:
    return (table.c.state == DropState.QUIET, table.c.due_at.is_(None), table.c.created_at < before)
