"""Copies of a card: where they were posted and whether they show the latest."""

from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, bindparam, case, delete, literal, null, select, update

from storage.prepared import Prepared
from storage.repositories.common import columns, insert_once
from storage.rows import CardCopy
from storage.tables import card_copy as table
from storage.tables import instruction

_ALL = select(table)
_NAMES = tuple(table.c.keys())
_FIND = Prepared(_ALL.where(table.c.channel == bindparam("wanted_channel"), table.c.ts == bindparam("wanted_ts")))
_MARK = Prepared(update(table).where(table.c.instruction_id == bindparam("wanted")))
_GAP = timedelta(seconds=5)
"""Between two edits that tell only how far the work is."""
_AT_ONCE = datetime(1970, 1, 1, tzinfo=UTC)


class Copies:
    """The table ``card_copy``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, copy: CardCopy) -> None:
        """Remember where a card was posted and which version of the instruction it shows.

        It is due at once when the instruction has moved on while it was posted. A second card in the same
        place (posted again after the first was deleted) takes over.
        """
        current = self._connection.execute(
            select(instruction.c.version).where(instruction.c.id == copy.instruction_id)
        ).scalar_one()
        values = {**columns(copy), "wanted_version": current}
        if current > copy.shown_version and copy.due_at is None:
            values["due_at"] = _AT_ONCE
        if not insert_once(self._connection, table, values, unless=("instruction_id", "place")):
            self._connection.execute(update(table).where(*_is(copy.instruction_id, copy.place)).values(values))

    def of(self, instruction_id: str, place: str) -> CardCopy | None:
        """One copy of a card."""
        row = self._connection.execute(_ALL.where(*_is(instruction_id, place))).first()
        return None if row is None else _read(row)

    def all_of(self, instruction_id: str) -> list[CardCopy]:
        """Every copy of one card."""
        query = _ALL.where(table.c.instruction_id == instruction_id).order_by(table.c.place)
        return [_read(row) for row in self._connection.execute(query)]

    def find(self, channel: str, ts: str) -> CardCopy | None:
        """The copy that this message is; None when the message is no card of ours."""
        row = _FIND.first(self._connection, {"wanted_channel": channel, "wanted_ts": ts})
        return None if row is None else CardCopy(**dict(zip(_NAMES, row, strict=True)))

    def mark(self, instruction_id: str, *, version: int, now: datetime) -> None:
        """Every copy of this card is out of date: the instruction reached ``version``."""
        values = {"wanted": instruction_id, "due_at": now, "wanted_version": version, "attempts": 0}
        _MARK.count(self._connection, values)

    def mark_progress(self, instruction_id: str, place: str, *, now: datetime) -> None:
        """A copy is out of date only by how far the work is, which may wait: it is due in a little while."""
        mine = (*_is(instruction_id, place), table.c.due_at.is_(None))
        self._connection.execute(update(table).where(*mine).values(due_at=now + _GAP))

    def due(self, now: datetime, limit: int) -> list[CardCopy]:
        """Copies to be edited: what people wait for first, then progress, longest due first."""
        progress = case((table.c.wanted_version <= table.c.shown_version, 1), else_=0)
        query = _ALL.where(table.c.due_at <= now).order_by(progress, table.c.due_at).limit(limit)
        return [_read(row) for row in self._connection.execute(query)]

    def claim_due(self, *, now: datetime, again_at: datetime, limit: int) -> list[CardCopy]:
        """The same, for who edits them now; due again at ``again_at`` unless it says :meth:`shown` or :meth:`delay`."""
        found = self.due(now, limit)
        for copy in found:
            mine = _is(copy.instruction_id, copy.place)
            self._connection.execute(update(table).where(*mine).values(due_at=again_at))
        return found

    def hasten(self, now: datetime) -> None:
        """Nobody edits anything any more: what waits is due now."""
        self._connection.execute(update(table).where(table.c.due_at > now).values(due_at=now))

    def shown(self, instruction_id: str, place: str, version: int, now: datetime) -> bool:
        """A copy was edited to show ``version``; whether it is up to date with that.

        It stays due when the card was marked again meanwhile, and becomes due again when an older edit
        overtook a newer one.
        """
        latest = table.c.wanted_version <= version
        row = self._connection.execute(
            update(table)
            .where(*_is(instruction_id, place))
            .values(
                shown_version=version,
                attempts=0,
                due_at=case((latest, null()), else_=literal(now, table.c.due_at.type)),
            )
            .returning(table.c.due_at)
        ).first()
        return row is not None and row.due_at is None

    def delay(self, instruction_id: str, place: str, due_at: datetime, *, failed: bool = True) -> None:
        """Edit it then. Counts a failure; a transition meanwhile makes it due at once."""
        self._connection.execute(
            update(table)
            .where(*_is(instruction_id, place), table.c.due_at.is_not(None))
            .values(due_at=due_at, attempts=table.c.attempts + int(failed))
        )

    def drop(self, instruction_id: str, place: str) -> None:
        """The message is gone (deleted, channel archived): forget it."""
        self._connection.execute(delete(table).where(*_is(instruction_id, place)))


def _is(instruction_id: str, place: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return table.c.instruction_id == instruction_id, table.c.place == place


def _read(row: Row[Any]) -> CardCopy:
    return CardCopy(**row._mapping)  # noqa: SLF001
