"""Rows as tests read them, where the program has no need to."""

from collections.abc import Iterable

from sqlalchemy import select

from bot.domain.audit import ChainRow, Keys, Verdict, check, stored
from storage import Tx
from storage.rows import InboxRow
from storage.tables.queues import inbox


def verify(*, key: bytes, rows: Iterable[ChainRow]) -> Verdict:
    return check(keys=Keys(key), rows=(stored(row) for row in rows))


def audit_rows(tx: Tx, *, after_seq: int | None = None, instruction_id: str | None = None) -> list[ChainRow]:
    found = []
    for row in tx.audit.stored(after_seq, instruction_id):
        entry = row.entry()
        assert entry is not None
        found.append(ChainRow(seq=row.seq, entry=entry, previous=row.previous, hash=row.hash))
    return found


def callbacks_of(tx: Tx, instruction_id: str) -> list[InboxRow]:
    """In the order of arrival."""
    query = select(inbox).where(inbox.c.instruction_id == instruction_id).order_by(inbox.c.received_at, inbox.c.id)
    return tx.inbox._all(tx.inbox.shape, query)
