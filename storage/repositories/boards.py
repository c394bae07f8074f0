"""Boards: the one message of a subject, where it was posted and whether it shows the latest."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Boolean, and_, bindparam, case, func, literal, null, or_, select, update

from storage.damage import Shape, read_one
from storage.prepared import Prepared
from storage.repositories.common import Repository, columns, insert_once
from storage.rows import Board
from storage.tables.queues import board as table
from storage.types import Moment

_GAP = timedelta(seconds=3)
"""Between two edits that show progress alone: faster than people read, they would only use up the edits."""

SHAPE = Shape(table, Board, called="subject")
_NAMES = tuple(table.c.keys())
_FIND = Prepared(
    select(table).where(
        table.c.channel == bindparam("wanted_channel"), table.c.ts == bindparam("wanted_ts"), table.c.ts != ""
    )
)


def _changed(due: Any, *, progress: bool, urgent: Any = False) -> Mapping[str, Any]:
    """Columns that mark a board as out of date: due at ``due`` if it is posted; what is urgent stays so until shown."""
    counted = {"wanted_version": table.c.wanted_version + 1, "due_at": case((table.c.ts == "", null()), else_=due)}
    if progress:
        return {**counted, "progress": table.c.progress | table.c.due_at.is_(None)}
    return {**counted, "progress": False, "urgent": or_(table.c.urgent, urgent), "attempts": 0}


_MARK_REQUEST = Prepared(
    update(table)
    .where(table.c.instruction_id == bindparam("wanted"))
    .values(_changed(bindparam("moment", type_=Moment), progress=False, urgent=bindparam("last", type_=Boolean)))
)


class Boards(Repository):
    """The table ``board``."""

    def add(
        self, subject: str, *, channel: str, thread_ts: str | None, requester: str, instruction_id: str | None = None
    ) -> bool:
        """Store a board that is about to be posted; False when it is stored already."""
        board = Board(
            subject=subject, instruction_id=instruction_id, channel=channel, thread_ts=thread_ts, requester=requester
        )
        return insert_once(self._connection, table, columns(board), unless=("subject",))

    def get(self, subject: str) -> Board | None:
        """The board of this subject."""
        return self._one(SHAPE, select(table).where(table.c.subject == subject))

    def find(self, channel: str, ts: str) -> Board | None:
        """The board with this message; None when the message is no board."""
        row = _FIND.first(self._connection, {"wanted_channel": channel, "wanted_ts": ts})
        return None if row is None else read_one(self._damage, SHAPE, dict(zip(_NAMES, row, strict=True)))

    def posted(self, subject: str, *, channel: str, ts: str, version: int, now: datetime) -> None:
        """Store where it was posted and that it shows ``version``; due at once when that is out of date."""
        # A thread of the original channel does not exist in a direct message.
        thread = case((table.c.channel == channel, table.c.thread_ts), else_=null())
        self._set(subject, channel=channel, ts=ts, thread_ts=thread, **_showing(version, now))

    def lost(self, subject: str, *, ts: str) -> bool:
        """Store that its message ``ts`` is no more; False when it was lost before, or stands elsewhere by now."""
        there = (table.c.subject == subject, table.c.ts == ts)
        return self._change(table, *there, ts="", due_at=None, attempts=0) == 1

    def go_elsewhere(self, subject: str, *, direct: bool) -> None:
        """Drop its thread, which is gone; ``direct``: post it to the requester instead of the channel."""
        self._set(subject, thread_ts=None, **({"channel": ""} if direct else {}))

    def mark(self, subject: str, *, now: datetime, progress: bool, urgent: bool = False) -> None:
        """Mark it as out of date.

        Args:
            subject: of the board.
            now: the present.
            progress: only the progress is out of date, so the edit may wait a little.
            urgent: its last state is to be shown.
        """
        due: Any = literal(now, Moment)
        if progress:
            recent = and_(table.c.edited_at.is_not(None), table.c.edited_at > now - _GAP)
            due = func.coalesce(table.c.due_at, case((recent, literal(now + _GAP, Moment)), else_=due))
        self._set(subject, **_changed(due, progress=progress, urgent=literal(urgent)))

    def mark_request(self, instruction_id: str, *, now: datetime, urgent: bool = False) -> None:
        """Mark every board of this request as out of date; ``urgent``: its last state is to be shown."""
        _MARK_REQUEST.count(self._connection, {"wanted": instruction_id, "moment": now, "last": urgent})

    def due(self, now: datetime, limit: int) -> list[Board]:
        """Boards to edit: last states first, then changes, then mere progress; longest due first."""
        order = (table.c.urgent.desc(), table.c.progress, table.c.due_at)
        return self._all(SHAPE, select(table).where(table.c.due_at <= now).order_by(*order).limit(limit))

    def claim_due(self, *, now: datetime, again_at: datetime, limit: int) -> list[Board]:
        """The same, claimed by the caller; due again at ``again_at`` unless it calls :meth:`shown` or :meth:`delay`.

        From then on only what is marked meanwhile tells how urgent the next edit is.
        """
        found = self.due(now, limit)
        for board in found:
            self._set(board.subject, due_at=again_at, progress=True, urgent=False)
        return found

    def hasten(self, now: datetime) -> None:
        """Make every waiting board due now: the process that claimed them is gone, and with it how urgent they were."""
        self._change(table, table.c.due_at > now, due_at=now, progress=False)

    def shown(self, subject: str, version: int, now: datetime) -> None:
        """Store that an edit made it show ``version``.

        It is due at once when it was marked again meanwhile, or when an older edit overtook a newer one.
        """
        self._set(subject, attempts=0, **_showing(version, now))

    def delay(self, board: Board, due_at: datetime, *, failed: bool) -> None:
        """Put off the edit of a claimed board; ``failed``: Slack refused the edit, which is counted."""
        self._change(
            table,
            table.c.subject == board.subject,
            table.c.due_at.is_not(None),
            due_at=due_at,
            attempts=table.c.attempts + int(failed),
            progress=and_(table.c.progress, literal(board.progress)),
            urgent=or_(table.c.urgent, literal(board.urgent)),
        )

    def _set(self, subject: str, **values: Any) -> None:
        self._change(table, table.c.subject == subject, **values)


def _showing(version: int, now: datetime) -> dict[str, Any]:
    latest = table.c.wanted_version <= version
    return {"shown_version": version, "edited_at": now, "due_at": case((latest, null()), else_=literal(now, Moment))}
