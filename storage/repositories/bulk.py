"""The items of bulk payments and of their cancellations, and the one submission that may be in flight."""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Select, bindparam, func, insert, select, update

from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.bulk_account import BulkRow, RowChange
from bot.domain.payments.bulk_progress import Tally, tally
from storage.damage import Shape
from storage.repositories.common import Repository, insert_once
from storage.tables.instructions import bulk_flight as flight
from storage.tables.instructions import bulk_item as table

_BATCH = 500
_SHOWN = (
    table.c.number,
    table.c.email,
    table.c.cents,
    table.c.note,
    table.c.status,
    table.c.hash,
    table.c.error,
    table.c.attempt,
)
_CHANGE = (
    update(table)
    .where(table.c.instruction_id == bindparam("of"), table.c.number == bindparam("at"))
    .values(status=bindparam("to_status"), hash=bindparam("to_hash"), error=bindparam("to_error"))
)


class BulkItems(Repository):
    """The table ``bulk_item``."""

    def add(self, instruction_id: str, rows: Iterable[BulkRow | BulkItem]) -> None:
        """Store the items, with the request itself. Addresses and amounts never change afterwards."""
        every = iter(rows)
        while batch := list(islice(every, _BATCH)):
            self._connection.execute(insert(table), [_values(instruction_id, row) for row in batch])

    def rows(
        self, instruction_id: str, *, statuses: Collection[str] = (), offset: int = 0, limit: int | None = None
    ) -> list[BulkRow]:
        """Items in the order of the file; those with one of the statuses, when any are named."""
        query = select(*_SHOWN).where(table.c.instruction_id == instruction_id).order_by(table.c.number)
        if statuses:
            query = query.where(table.c.status.in_(statuses))
        return self._read(query.offset(offset).limit(limit))

    def not_sent(self, instruction_id: str, *, status: str, limit: int) -> list[BulkRow]:
        """Of a cancellation: items with this status that are in no attempt yet."""
        mine = (table.c.instruction_id == instruction_id, table.c.attempt == 0, table.c.status == status)
        return self._read(select(*_SHOWN).where(*mine).order_by(table.c.number).limit(limit))

    def named_by(self, instruction_id: str, attempt: int) -> list[BulkRow]:
        """Of a cancellation: the items of an attempt."""
        mine = (table.c.instruction_id == instruction_id, table.c.attempt == attempt)
        return self._read(select(*_SHOWN).where(*mine).order_by(table.c.number))

    def name(self, instruction_id: str, numbers: Sequence[int], attempt: int) -> None:
        """Assign these items to an attempt; 0 undoes it."""
        mine = (table.c.instruction_id == instruction_id, table.c.number.in_(numbers))
        self._change(table, *mine, attempt=attempt)

    def change(self, instruction_id: str, changes: Sequence[RowChange]) -> None:
        """Store the service's status of some items."""
        values = [
            {"of": instruction_id, "at": one.row, "to_status": one.status, "to_hash": one.hash, "to_error": one.error}
            for one in changes
        ]
        for start in range(0, len(values), _BATCH):
            self._connection.execute(_CHANGE, values[start : start + _BATCH])

    def tally(self, instruction_id: str) -> Tally:
        """Number and sum of the items by status."""
        query = (
            select(table.c.status, func.count(), func.sum(table.c.cents))
            .where(table.c.instruction_id == instruction_id)
            .group_by(table.c.status)
        )
        return tally((status, count, int(cents)) for status, count, cents in self._connection.execute(query))

    def _read(self, query: Select[Any]) -> list[BulkRow]:
        return self._whole(_SHAPE, query)


class BulkFlights(Repository):
    """The table ``bulk_flight``: the one submission in flight, and the service's history before it."""

    def flying(self) -> str | None:
        """Id of the request whose submission is in flight or of unknown outcome; None: there is none."""
        return self._connection.execute(select(flight.c.instruction_id).where(flight.c.flying == 1)).scalar()

    def take(self, instruction_id: str, *, known: Collection[str], now: datetime) -> bool:
        """Put the submission of a request in flight; False when that of another one is.

        ``known``: ids of the history before its first submission. Only the first value is stored.
        """
        holder = self.flying()
        if holder is not None:
            return holder == instruction_id
        values = {"instruction_id": instruction_id, "flying": 1, "known": sorted(known), "taken_at": now}
        if not insert_once(self._connection, flight, values, unless=("instruction_id",)):
            self._change(flight, flight.c.instruction_id == instruction_id, flying=1, taken_at=now)
        return True

    def land(self, instruction_id: str) -> bool:
        """End the flight, as the outcome is known; False when it was not in flight."""
        mine = (flight.c.instruction_id == instruction_id, flight.c.flying == 1)
        return self._change(flight, *mine, flying=None) == 1

    def known(self, instruction_id: str) -> frozenset[str]:
        """The history's ids before the first submission of this request; empty when there was none."""
        found = self._connection.execute(
            select(flight.c.known).where(flight.c.instruction_id == instruction_id)
        ).scalar()
        return frozenset(str(one) for one in found) if isinstance(found, list) else frozenset()


def _values(instruction_id: str, row: BulkRow | BulkItem) -> dict[str, Any]:
    told = row if isinstance(row, BulkRow) else None
    return {
        "instruction_id": instruction_id,
        "number": row.row,
        "email": row.email,
        "payee": row.email.casefold(),
        "cents": row.cents,
        "note": row.note,
        "status": told.status if told else "",
        "hash": told.hash if told else "",
        "error": told.error if told else "",
        "attempt": 0,
    }


def _row(*, number: int, cents: int, **values: Any) -> BulkRow:
    return BulkRow(row=number, cents=Cents(cents), **values)


_SHAPE = Shape(table, _row)
