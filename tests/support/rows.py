"""Rows as tests read them, where the program has no need to."""

import sqlite3
from collections.abc import Iterable
from contextlib import closing

from sqlalchemy import func, select

from bot.domain.audit import ChainRow, Keys, Verdict, check, stored
from storage import Tx
from storage.rows import InboxRow, Job, StoreEvent
from storage.tables.queues import inbox, job
from storage.tables.services import email_address, store_event
from tests.support.rig import Rig


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


def store_events_of(tx: Tx, store: str) -> list[StoreEvent]:
    """Newest first."""
    newest = (store_event.c.received_at.desc(), store_event.c.id.desc())
    query = select(store_event).where(store_event.c.store == store).order_by(*newest)
    return tx.store_events._all(tx.store_events.shape, query)


def jobs_of(tx: Tx, requester: str) -> list[Job]:
    """Newest first."""
    query = select(job).where(job.c.requester == requester).order_by(job.c.created_at.desc(), job.c.id.desc())
    return tx.jobs._all(tx.jobs.shape, query)


def counted(tx: Tx, job_id: str) -> tuple[int, int]:
    """Addresses of a list and their answers, by the table."""
    query = select(func.count(), func.count(email_address.c.answer)).where(email_address.c.job_id == job_id)
    total, answered = tx.emails._connection.execute(query).one()
    return total, answered


def change_rows(rig: Rig, *statements: str) -> None:
    """Change a SQLite database without the product, as somebody with its file could."""
    with closing(sqlite3.connect(rig.settings.database_url.partition("///")[2])) as db, db:
        db.execute("PRAGMA ignore_check_constraints = ON")
        for statement in statements:
            db.execute(statement)
