"""Boards: the one message of a job or booking, where it was posted and whether it shows the latest."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, and_, case, func, literal, null, select, update

from storage.repositories.common import insert_once
from storage.rows import Board
from storage.tables import board as table

_GAP = timedelta(seconds=3)
"""Between two edits that show progress alone: faster than people read, they would only use up the edits."""


class Boards:
    """The table ``board``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def add(self, subject: str, *, channel: str, thread_ts: str | None, requester: str) -> bool:
        """Know of a board that is about to be posted; False when it is known already."""
        values = {
            "subject": subject,
            "channel": channel,
            "thread_ts": thread_ts,
            "requester": requester,
            "ts": "",
            "shown_version": 0,
            "wanted_version": 1,
            "progress": False,
            "edited_at": None,
            "due_at": None,
            "attempts": 0,
        }
        return insert_once(self._connection, table, values, unless=("subject",))

    def get(self, subject: str) -> Board | None:
        """The board of this subject."""
        return self._one(table.c.subject == subject)

    def find(self, channel: str, ts: str) -> Board | None:
        """The board that this message is; None when the message is no board."""
        return self._one(and_(table.c.channel == channel, table.c.ts == ts, table.c.ts != ""))

    def posted(self, subject: str, *, channel: str, ts: str, version: int, now: datetime) -> None:
        """It stands there now and shows ``version``; it is due at once when more happened meanwhile."""
        # A direct message has no thread of the channel it replaces.
        thread = case((table.c.channel == channel, table.c.thread_ts), else_=null())
        self._connection.execute(
            update(table)
            .where(table.c.subject == subject)
            .values(
                channel=channel,
                ts=ts,
                thread_ts=thread,
                shown_version=version,
                edited_at=now,
                due_at=case((table.c.wanted_version <= version, null()), else_=literal(now, table.c.due_at.type)),
            )
        )

    def mark(self, subject: str, *, now: datetime, progress: bool) -> None:
        """What it shows is out of date. ``progress``: only by how far the work is, which may wait a little."""
        due: Any = literal(now, table.c.due_at.type)
        if progress:
            soon = literal(now + _GAP, table.c.due_at.type)
            recent = and_(table.c.edited_at.is_not(None), table.c.edited_at > now - _GAP)
            due = func.coalesce(table.c.due_at, case((recent, soon), else_=due))
        self._connection.execute(
            update(table)
            .where(table.c.subject == subject)
            .values(
                wanted_version=table.c.wanted_version + 1,
                due_at=case((table.c.ts == "", null()), else_=due),
                progress=(table.c.progress | table.c.due_at.is_(None)) if progress else False,
            )
        )

    def due(self, now: datetime, limit: int) -> list[Board]:
        """Boards to be edited: what people wait for first, then progress, longest due first."""
        query = select(table).where(table.c.due_at <= now).order_by(table.c.progress, table.c.due_at).limit(limit)
        return [_read(row) for row in self._connection.execute(query)]

    def claim_due(self, *, now: datetime, again_at: datetime, limit: int) -> list[Board]:
        """The same, for who edits them now; due again at ``again_at`` unless it says :meth:`shown` or :meth:`delay`."""
        found = self.due(now, limit)
        for board in found:
            self._connection.execute(update(table).where(table.c.subject == board.subject).values(due_at=again_at))
        return found

    def hasten(self, now: datetime) -> None:
        """Nobody edits anything any more: what waits is due now."""
        self._connection.execute(update(table).where(table.c.due_at > now).values(due_at=now))

    def shown(self, subject: str, version: int, now: datetime) -> None:
        """It was edited to show ``version``; it is due at once when it was marked again meanwhile."""
        self._connection.execute(
            update(table)
            .where(table.c.subject == subject)
            .values(
                shown_version=version,
                edited_at=now,
                attempts=0,
                due_at=case((table.c.wanted_version <= version, null()), else_=literal(now, table.c.due_at.type)),
            )
        )

    def delay(self, subject: str, due_at: datetime, *, failed: bool) -> None:
        """Edit it then; ``failed``: because Slack did not take the edit, which is counted."""
        self._connection.execute(
            update(table)
            .where(table.c.subject == subject, table.c.due_at.is_not(None))
            .values(due_at=due_at, attempts=table.c.attempts + int(failed))
        )

    def _one(self, condition: Any) -> Board | None:
        row = self._connection.execute(select(table).where(condition)).first()
        return None if row is None else _read(row)


def _read(row: Row[Any]) -> Board:
    return Board(**row._mapping)  # noqa: SLF001
