"""Read-only access for commands that must work while the bot runs, and on a database that was tampered with."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, inspect
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import StaticPool

from storage.engine import BUSY_SECONDS, PostgresServer, SqliteFile, parse_address
from storage.errors import OtherKey, StorageError, translated
from storage.migrate import check_version, refuse_newer
from storage.repositories.audit import AuditTrail
from storage.tables.instructions import audit, audit_head, audit_key
from storage.transaction import Tx

T = TypeVar("T")


class Reading:
    """Reads one database, blocking meanwhile. Created by :func:`open_for_reading`."""

    def __init__(self, engine: Engine, *, audit_key: bytes) -> None:
        self._engine = engine
        self._audit_key = audit_key

    def read(self, work: Callable[[Tx], T]) -> T:
        """Run a unit of work on one consistent committed state. Raises StorageError if it writes."""
        return self._run(lambda connection: work(Tx(connection, audit_key=self._audit_key)))

    def refuse_newer(self) -> None:
        self._run(refuse_newer)

    def fits(self) -> bool:
        """Return whether our key is the one in force; older databases don't store it."""

        def check_key(connection: Connection) -> None:
            if inspect(connection).has_table(audit_key.name):
                AuditTrail(connection, key=self._audit_key).check_key()

        try:
            self._run(check_key)
        except OtherKey:
            return False
        return True

    def is_current(self) -> bool:
        def see(connection: Connection) -> bool:
            with suppress(StorageError):
                check_version(connection)
                return True
            return False

        return self._run(see)

    def _run(self, work: Callable[[Connection], T]) -> T:
        try:
            with self._engine.connect() as connection, connection.begin():
                return work(connection)
        except SQLAlchemyError as error:
            raise translated(error) from error


@contextmanager
def open_for_reading(url: str, *, audit_key: bytes) -> Iterator[Reading]:
    """Open a database of any version to read its audit: evidence isn't migrated. Raises StorageError."""
    address = parse_address(url)
    with _postgres(address) if isinstance(address, PostgresServer) else _sqlite(address) as engine:
        try:
            with engine.connect() as connection, connection.begin():
                held = inspect(connection)
                if not all(held.has_table(table.name) for table in (audit, audit_head)):
                    raise StorageError(
                        "This database holds no audit.",
                        mend="Set DATABASE_URL to the database of the bot, or run `switchboard migrate` to make one.",
                    )
        except SQLAlchemyError as error:
            raise translated(error) from error
        yield Reading(engine, audit_key=audit_key)


@contextmanager
def _postgres(server: PostgresServer) -> Iterator[Engine]:
    engine = create_engine(
        server.url,
        hide_parameters=True,
        pool_size=1,
        max_overflow=0,
        connect_args={"connect_timeout": 5, "application_name": "switchboard reading"},
        execution_options={"isolation_level": "REPEATABLE READ", "postgresql_readonly": True},
    )
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _sqlite(file: SqliteFile) -> Iterator[Engine]:
    if not file.path.is_file():
        raise StorageError(
            f"There is no database: {file.path}",
            mend="Set DATABASE_URL to the database of the bot; a relative path counts from the working directory.",
        )
    with closing(_connect(file.path)) as raw:
        # Invalid UTF-8 is a sign of tampering, which is reported and must not abort reading.
        raw.text_factory = lambda found: found.decode("utf-8", "surrogateescape")
        engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool, hide_parameters=True)
        # The driver doesn't begin a transaction: without this, each page would see a separate snapshot.
        event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
        yield engine


def _connect(path: Path) -> sqlite3.Connection:
    """Return a connection that can't write, whatever the statement."""
    journal = path.with_name(path.name + "-wal")
    for options in ("mode=ro", "mode=ro&immutable=1"):
        address = f"file:{quote(str(path))}?{options}"
        try:
            raw = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
        except sqlite3.Error as error:
            raise StorageError(f"The database cannot be opened: {error}: {path}") from error
        try:
            raw.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchall()
        except sqlite3.Error as error:
            raw.close()
            # In a read-only folder, SQLite can't coordinate with a writer. Without a journal there isn't one, and the
            # file is the whole database.
            has_journal = journal.exists() and journal.stat().st_size > 0
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_CANTOPEN or has_journal:
                raise StorageError(f"The database cannot be read: {error}: {path}") from error
        else:
            return raw
    raise StorageError(f"The database cannot be read: {path}")
