"""Copy of a SQLite database to PostgreSQL, while nobody uses either: every row, or nothing.

All of it is one transaction at the target. Before that commits, the source is marked: a program that starts on it
afterwards refuses, because two databases would pay the same request twice. The target is committed only when it reads
back as the source does and its audit holds.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    MetaData,
    Select,
    Table,
    create_engine,
    delete,
    func,
    insert,
    select,
    true,
)
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.types import TypeDecorator

from storage.address import PostgresServer, SqliteFile, parse_address
from storage.anchors import AnchorFile, require_whole
from storage.engine import IMPATIENT, open_writing
from storage.errors import StorageError, translated
from storage.migrate import MOVED, OLDEST, keep_programs_out, migrate, moved_to, see_version
from storage.repositories.audit import AuditTrail
from storage.repositories.flags import Flags
from storage.tables.columns import metadata
from storage.transaction import Tx

_ROWS = 1_000
_SEEDED = ("send_slot", "audit_key")
"""Tables in which `switchboard migrate` itself puts rows."""
_STAYS = (MOVED, OLDEST)
"""Flags that are about one database."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """What was copied.

    Attributes:
        rows: of each table.
        to: the target, without user and password.
    """

    rows: Mapping[str, int]
    to: str


async def copy(source: str, target: str, *, audit_key: bytes, anchors: AnchorFile, now: datetime) -> Copied:
    """Copy every row. After a crash it can be repeated.

    Args:
        source: address of the SQLite file.
        target: address of a PostgreSQL database without tables, or without rows.
        audit_key: the one that the source was written with.
        anchors: of the source.
        now: when the source is marked as copied.

    Raises:
        StorageError: an address is of the wrong kind, a process uses one of the two, the target holds something, the
            source is at another version or was copied elsewhere, its audit does not hold, or a row cannot be stored.
        OSError: the anchors cannot be read.
    """
    file, server = parse_address(source), parse_address(target)
    if not isinstance(file, SqliteFile) or not file.path.is_file():
        raise StorageError("DATABASE_URL names no SQLite file to copy from.", mend="Set it to the file of the bot.")
    if not isinstance(server, PostgresServer):
        raise StorageError("The target is no PostgreSQL database.", mend="Example: postgresql://user@host/database")

    def look(reading: Connection) -> None:
        with reading.begin():
            see_version(reading, moving_to=str(server))
            AuditTrail(reading, key=audit_key).see_key()
            require_whole(Tx(reading, audit_key=audit_key), anchors, so="nothing was copied")

    try:
        async with open_writing(file, patience=IMPATIENT) as line:
            await line.run(look)
            await migrate(target)
            return await line.run(lambda reading: _copy(reading, server, audit_key, anchors, now))
    except SQLAlchemyError as error:
        raise translated(error) from error


def _copy(reading: Connection, server: PostgresServer, audit_key: bytes, anchors: AnchorFile, now: datetime) -> Copied:
    engine = create_engine(server.url, hide_parameters=True)
    tables = [_raw(table) for table in metadata.sorted_tables]
    try:
        with engine.connect() as writing:
            transaction = writing.begin()
            keep_programs_out(writing)
            with reading.begin():
                is_done = _is_done(tables, reading, writing, server)
                for table in [] if is_done else tables:
                    _copy_table(table, reading, writing)
                sums = {table.name: _sum(table, reading) for table in tables}
                differing = [table.name for table in tables if _sum(table, writing) != sums[table.name]]
            if differing:
                raise _gone_on(server) if is_done else _misread(differing)
            require_whole(Tx(writing, audit_key=audit_key), anchors, so="nothing was copied")
            _mark(reading, str(server), now)
            try:
                transaction.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:  # otherwise it may have been committed: the mark stays
                    _mark(reading, "", now)
                raise
    finally:
        engine.dispose()
    return Copied(rows={name: count for name, (count, _) in sums.items()}, to=str(server))


def _gone_on(server: PostgresServer) -> StorageError:
    return StorageError(
        f"The file was copied to {server} before, and that database has gone on since.", mend="Set DATABASE_URL to it."
    )


def _misread(tables: Sequence[str]) -> StorageError:
    return StorageError(
        f"Not everything reads back as it was written ({', '.join(tables)}), so nothing was copied.",
        mend="Look for what changes rows at the target, such as a trigger; otherwise tell us.",
    )


def _raw(table: Table) -> Table:
    """The table with its columns as the databases hold them: what was written is copied, not what it means."""
    columns = (
        (column, column.type.impl_instance if isinstance(column.type, TypeDecorator) else column.type)
        for column in table.columns
    )
    return Table(table.name, MetaData(), *(Column(column.name, kind, key=column.key) for column, kind in columns))


def _rows(table: Table) -> Select[tuple[object, ...]]:
    """The rows that move."""
    stays: ColumnElement[bool] = table.c.key.not_in(_STAYS) if table.name == "flag" else true()
    return select(*table.columns).where(stays)


def _is_done(tables: Sequence[Table], reading: Connection, writing: Connection, server: PostgresServer) -> bool:
    """Whether an earlier try committed, and ended before it said so.

    Raises:
        StorageError: the target holds rows of something else.
    """
    if not any(writing.execute(_rows(table).limit(1)).first() for table in tables if table.name not in _SEEDED):
        return False
    if moved_to(Flags(reading)) == str(server):
        return True
    raise StorageError(
        "The target holds rows of Switchboard already.", mend="Name a new database, for example one made by createdb."
    )


def _copy_table(table: Table, reading: Connection, writing: Connection) -> None:
    if table.name in _SEEDED:
        writing.execute(delete(table))
    for page in reading.execute(_rows(table)).mappings().partitions(_ROWS):
        writing.execute(insert(table), [dict(row) for row in page])
    if table.name == "outbox":
        newest = select(func.coalesce(func.max(table.c.seq), 0) + 1).scalar_subquery()
        writing.execute(func.setval(func.pg_get_serial_sequence(table.name, "seq"), newest, False))


def _sum(table: Table, connection: Connection) -> tuple[int, int]:
    """Count and checksum of the rows, in whatever order they come."""
    count, total = 0, 0
    for row in connection.execution_options(yield_per=_ROWS).execute(_rows(table)):
        count += 1
        total += int.from_bytes(hashlib.sha256(repr(tuple(row)).encode()).digest())
    return count, total


def _mark(reading: Connection, to: str, now: datetime) -> None:
    """Mark the source as copied, durably; "" takes the mark away."""
    with reading.begin():
        if to:
            Flags(reading).set(MOVED, {"to": to, "at": now.isoformat()}, now)
        else:
            Flags(reading).forget(MOVED)
