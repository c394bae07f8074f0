"""The audit chain in the database: rows are appended one by one and never changed."""

import hmac
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC

from sqlalchemy import BigInteger, Connection, Text, bindparam, insert, or_, select, type_coerce, update

from bot.domain.audit import GENESIS, ChainRow, EarlierKey, Entry, Keys, Stored, VerifiedRow, key_id, link, seal
from bot.domain.text import storable
from storage.errors import OtherKey
from storage.prepared import Prepared
from storage.repositories.leased import columns, insert_once
from storage.rows import ClosedKey, Head
from storage.sealing import Sealer, SealError
from storage.tables.instructions import audit as table
from storage.tables.instructions import audit_head, audit_key
from storage.types import canonical_json
from storage.walked import Walked

KEY_CLOSED = "key_closed"
KEY_OPENED = "key_opened"
"""Actions of the last row under a key and the first under the next one."""

_PAGE = 1000
_WORDS = ("instruction_id", "actor", "action", "before", "after")
_HEAD = select(audit_head.c.seq, audit_head.c.hash)
_KEY_ID = select(audit_key.c.key_id)
_END = Prepared(select(audit_head.c.seq, audit_head.c.hash, _KEY_ID.scalar_subquery().label("key_id")))
_INSERT = Prepared(insert(table))
_FIRST_HEAD = Prepared(insert(audit_head))
_NEXT_HEAD = Prepared(update(audit_head))
_RAW = {"at": BigInteger, "detail": Text}
_STORED = select(
    *(type_coerce(table.c[name], _RAW[name]).label(name) if name in _RAW else table.c[name] for name in Stored._fields)
).order_by(table.c.seq)
_ABOUT = Prepared(_STORED.where(table.c.instruction_id == bindparam("about")))

_BY_ACTION = Prepared(
    _STORED.where(
        table.c.instruction_id == "", or_(table.c.action == bindparam("first"), table.c.action == bindparam("second"))
    )
)


class AuditTrail:
    """The chain in one transaction. After a rollback to a savepoint that removes rows, a new trail is needed."""

    # Row numbers have no gaps because writers run one after the other: one writing connection on SQLite, an advisory
    # lock on PostgreSQL. So the end is read once per transaction.

    def __init__(self, connection: Connection, *, key: bytes, walked: Walked | None = None) -> None:
        self._connection = connection
        self._key = key
        self._walked = walked or Walked()
        self._last: Head | None = None

    def append(self, entry: Entry) -> ChainRow:
        """Append a row to the chain. ``detail`` must be JSON-ready. Raises OtherKey before anything is written."""
        # Hash exactly the values that the database will return: UTC, storable text, JSON types.
        words = {name: storable(getattr(entry, name)) for name in _WORDS}
        detail = json.loads(canonical_json(dict(entry.detail)))
        entry = replace(entry, at=entry.at.astimezone(UTC), detail=detail, **words)
        head = self._last or self._end()
        seq = head.seq + 1
        sealed = link(key=self._key, previous=head.hash, seq=seq, entry=entry)
        row = ChainRow(seq=seq, entry=entry, previous=head.hash, hash=sealed)
        _INSERT.count(self._connection, {"seq": seq, **columns(entry), "previous": row.previous, "hash": row.hash})
        if head.seq == 0:
            _FIRST_HEAD.count(self._connection, {"id": 1, "seq": seq, "hash": row.hash})
        else:
            _NEXT_HEAD.count(self._connection, {"seq": seq, "hash": row.hash})
        self._last = Head(seq, row.hash)
        return row

    def _end(self) -> Head:
        row = _END.first(self._connection, {})
        seq, last, held = (0, GENESIS, self.key_in_force()) if row is None else row
        if held is not None and held != key_id(self._key):
            raise OtherKey
        return Head(seq, last)

    def key_in_force(self) -> str | None:
        return self._connection.execute(_KEY_ID).scalar_one_or_none()

    def check_key(self) -> None:
        """Raise OtherKey if our key isn't the one in force."""
        held = self.key_in_force()
        if held is not None and held != key_id(self._key):
            raise OtherKey

    def ensure_key(self) -> None:
        """Store our key as the one in force if none is stored and it sealed the last row. Raises OtherKey."""
        if self.key_in_force() is None:
            head = self.head()
            last = next(self.stored(head.seq - 1, limit=1), None)
            if head.seq and (last is None or last.hash != head.hash or seal(last, key=self._key) != last.hash):
                raise OtherKey
            insert_once(self._connection, audit_key, {"id": 1, "key_id": key_id(self._key)}, unless=("id",))
        self.check_key()

    def rotate_key(self, entry: Entry, *, to: bytes, anchor_key: bytes) -> ChainRow:
        """Close the chain under this key and continue under another one; return the first row under the new key."""
        # That row contains the former keys, sealed under the new one, which alone can then verify the whole chain. The
        # new key's seal covers the hash before it, so the old key can't be used to rewrite older rows.
        old, new = key_id(self._key), key_id(to)
        entry = replace(entry, instruction_id="")
        closed = self.append(replace(entry, action=KEY_CLOSED, before=old, after=new))
        self._last = None
        self._connection.execute(update(audit_key).values(key_id=new))
        sealer, row = _sealer(to), str(closed.seq)
        keys = {"chain": self._key, "anchors": anchor_key}
        detail = {name: sealer.seal(key.hex(), row=row, column=f"{KEY_OPENED}.{name}") for name, key in keys.items()}
        opened = replace(entry, action=KEY_OPENED, before=old, after=new, detail=detail)
        return AuditTrail(self._connection, key=to).append(opened)

    def closed_keys(self) -> list[ClosedKey]:
        found: list[ClosedKey] = []
        trail = self
        for row in reversed([row for row in self.stored(instruction_id="") if row.action == KEY_OPENED]):
            closed = trail._closed_key(row)
            if closed is not None:
                found.insert(0, closed)
                trail = AuditTrail(self._connection, key=closed.chain)
        return found

    def keys(self) -> Keys:
        if self._walked.keys is None:
            earlier = tuple(EarlierKey(one.until, one.chain) for one in self.closed_keys())
            self._walked.keys = Keys(self._key, earlier)
        return self._walked.keys

    def _closed_key(self, row: Stored) -> ClosedKey | None:
        """Return the former key from the first row under our key; None if our key didn't seal it."""
        entry, until = row.entry(), row.seq - 1
        if entry is None:
            return None
        sealer = _sealer(self._key)
        try:
            chain, anchors = (
                bytes.fromhex(sealer.open(str(entry.detail.get(name)), row=str(until), column=f"{KEY_OPENED}.{name}"))
                for name in ("chain", "anchors")
            )
        except SealError:
            return None
        return ClosedKey(until=until, chain=chain, anchors=anchors)

    def head(self) -> Head:
        row = self._connection.execute(_HEAD).first()
        return Head(0, GENESIS) if row is None else Head(row.seq, row.hash)

    def holds(self, seq: int, head: str) -> bool:
        """Return whether the row with this number has this hash; number 0 is the start of every chain."""
        if seq == 0:
            return head == GENESIS
        query = select(table.c.hash).where(table.c.seq == seq)
        return self._connection.execute(query).scalar() == head

    def stored(
        self, after_seq: int | None = None, instruction_id: str | None = None, limit: int | None = None
    ) -> Iterator[Stored]:
        """Iterate over rows as stored, unverified, after a number or from the first; they are read in pages."""
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

    def about(self, instruction_id: str) -> list[Stored]:
        return [Stored._make(row) for row in _ABOUT.rows(self._connection, {"about": instruction_id})]

    def verified(self, rows: Sequence[Stored]) -> list[VerifiedRow]:
        """Return the rows' entries, and whether each is unchanged."""
        return [VerifiedRow(seq=row.seq, entry=row.entry(), is_intact=self.is_intact(row)) for row in rows]

    def gap(self, rows: Sequence[Stored], *, keep: bool) -> int | None:
        """Return the number of the first row missing after the first of one instruction's ``rows``, or None."""
        # ``keep`` remembers the verified rows; not for a unit that writes, which may be rolled back.
        head = self.head()
        return self._walked.gap(rows, rows=self.stored, end=(head.seq, head.hash), is_intact=self.is_intact, keep=keep)

    def since(self, first: str, then: str) -> list[VerifiedRow]:
        """Return the newest general row (without instruction) with action ``first``, and later ones with ``then``."""
        rows = _BY_ACTION.rows(self._connection, {"first": first, "second": then})
        begun = max((n for n, row in enumerate(rows) if Stored._make(row).action == first), default=0)
        return self.verified([Stored._make(row) for row in rows[begun:]])

    def is_intact(self, row: Stored) -> bool:
        """Return whether the row itself is unchanged. Missing rows are visible only in the whole chain."""
        return seal(row, key=self._key) == row.hash or seal(row, key=self.keys().at(row.seq)) == row.hash


def _sealer(key: bytes) -> Sealer:
    return Sealer(key=hmac.digest(key, b"switchboard|closed keys", "sha256"))
