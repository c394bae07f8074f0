"""The audit chain in the database: rows are appended, one after the other, and never touched again."""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC
from typing import Any

from sqlalchemy import BigInteger, Connection, Text, insert, select, type_coerce, update
from sqlalchemy import Row as SqlRow

from bot.domain.audit import GENESIS, Entry, Row, Stored, link, seal
from storage.rows import Head
from storage.tables import audit as table
from storage.tables import audit_head
from storage.types import canonical_json, storable

_PAGE = 1000
_HEAD = select(audit_head.c.seq, audit_head.c.hash)
_INSERT = insert(table)
_FIRST_HEAD = insert(audit_head)
_NEXT_HEAD = update(audit_head)
_RAW = {"at": BigInteger, "detail": Text}
_STORED = select(
    *(type_coerce(table.c[name], _RAW[name]).label(name) if name in _RAW else table.c[name] for name in Stored._fields)
).order_by(table.c.seq)


class AuditTrail:
    """The tables ``audit`` and ``audit_head``.

    Rows get their numbers without gaps because writers come one after the other: one writing connection on
    SQLite, an advisory lock on PostgreSQL.
    """

    def __init__(self, connection: Connection, *, key: bytes) -> None:
        self._connection = connection
        self._key = key

    def append(self, entry: Entry) -> Row:
        """Add a row at the end of the chain. ``detail`` must be JSON-ready."""
        entry = _as_read_back(entry)
        head = self.head()
        seq = head.seq + 1
        row = Row(
            seq=seq,
            entry=entry,
            previous=head.hash,
            hash=link(key=self._key, previous=head.hash, seq=seq, entry=entry),
        )
        self._connection.execute(
            _INSERT,
            {
                "seq": seq,
                "at": entry.at,
                "instruction_id": entry.instruction_id,
                "actor": entry.actor,
                "action": entry.action,
                "before": entry.before,
                "after": entry.after,
                "detail": entry.detail,
                "previous": row.previous,
                "hash": row.hash,
            },
        )
        if head.seq == 0:
            self._connection.execute(_FIRST_HEAD, {"id": 1, "seq": seq, "hash": row.hash})
        else:
            self._connection.execute(_NEXT_HEAD, {"seq": seq, "hash": row.hash})
        return row

    def head(self) -> Head:
        """Where the chain ends; compare it with an anchor kept elsewhere to see rows cut off at the end."""
        row = self._connection.execute(_HEAD).first()
        return Head(0, GENESIS) if row is None else Head(row.seq, row.hash)

    def rows(self, after_seq: int = 0, instruction_id: str | None = None) -> Iterator[Row]:
        """Rows in order, read in pages; of one instruction or of all."""
        query = select(table).order_by(table.c.seq).limit(_PAGE)
        if instruction_id is not None:
            query = query.where(table.c.instruction_id == instruction_id)
        while True:
            page = self._connection.execute(query.where(table.c.seq > after_seq)).all()
            yield from map(_read, page)
            if len(page) < _PAGE:
                return
            after_seq = page[-1].seq

    def stored(
        self, after_seq: int | None = None, instruction_id: str | None = None, limit: int | None = None
    ) -> Iterator[Stored]:
        """Rows as they lie there, in the order of their numbers, read in pages; nothing about them is believed.

        Args:
            after_seq: begin after this row; None: at whatever stands first.
            instruction_id: only rows of this instruction.
            limit: at most so many.
        """
        query = _STORED if instruction_id is None else _STORED.where(table.c.instruction_id == instruction_id)
        left = limit
        while left is None or left > 0:
            wanted = _PAGE if left is None else min(_PAGE, left)
            page = query if after_seq is None else query.where(table.c.seq > after_seq)
            rows = self._connection.execute(page.limit(wanted)).all()
            yield from map(Stored._make, rows)
            if len(rows) < wanted:
                return
            after_seq = rows[-1].seq
            left = None if left is None else left - len(rows)

    def is_intact(self, row: Stored) -> bool:
        """Whether the row by itself is what was written. That none is missing, only the whole chain shows."""
        return seal(row, key=self._key) == row.hash


def _as_read_back(entry: Entry) -> Entry:
    # What is hashed must be what comes back from the database: UTC, storable text, JSON's own types.
    return replace(
        entry,
        at=entry.at.astimezone(UTC),
        instruction_id=storable(entry.instruction_id),
        actor=storable(entry.actor),
        action=storable(entry.action),
        before=storable(entry.before),
        after=storable(entry.after),
        detail=json.loads(canonical_json(dict(entry.detail))),
    )


def _read(row: SqlRow[Any]) -> Row:
    entry = Entry(
        at=row.at,
        instruction_id=row.instruction_id,
        actor=row.actor,
        action=row.action,
        before=row.before,
        after=row.after,
        detail=row.detail,
    )
    return Row(seq=row.seq, entry=entry, previous=row.previous, hash=row.hash)
