"""Database errors, by who must act."""

import sqlite3

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from bot.domain.errors import OperatorError

_DISK_FULL, _READ_ONLY = "53100", "25006"
"""SQLSTATEs of PostgreSQL. Classes used below: 08 connection, 57P server going or coming, 53 resources, 55P03 lock."""
_UNWRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""SQLite codes for a file that became read-only, or whose disk was remounted or fails."""
_AWAY = (
    "The database server cannot be used: see whether it runs, and whether host, port, name, user and password in "
    "DATABASE_URL are right."
)


class StorageError(OperatorError):
    """The operator must act: address, permissions, a second process, a missing migration."""


class StorageBusy(StorageError):
    """Locked by another process for too long, or unreachable. Nothing was written."""


class StorageClosed(StorageBusy):
    """The process is stopping and no longer writes."""


class StorageFull(StorageBusy):
    """The disk is full. Nothing was written; the operator has to make room."""

    def __init__(self, problem: str = "The disk of the database is full.") -> None:
        super().__init__(problem, mend="Make room on the disk of the database; no restart is needed.")


class StorageReadOnly(StorageBusy):
    """The database refuses changes: a standby, a server set to read-only, a file that can't be written."""

    def __init__(self, problem: str = "The database takes no changes: it is read-only.") -> None:
        super().__init__(
            problem,
            mend="See that DATABASE_URL reaches the primary server, or that the file and its disk can be written; "
            "no restart is needed.",
        )


class Conflict(StorageError):
    """A unique value already exists or a CHECK failed. The unit wrote nothing."""


class InUse(StorageError):
    """Another process holds the SQLite file; it is ``frozen`` if a signal or a debugger stopped it."""

    def __init__(self, problem: str, *, mend: str = "", frozen: bool = False) -> None:
        super().__init__(problem, mend=mend)
        self.frozen = frozen


class OtherKey(StorageError):
    """The key isn't the one in force: rows sealed with it would break the audit, and sealed keys wouldn't open."""

    def __init__(self) -> None:
        super().__init__(
            "SECRET_KEY is not the one that this database was written with.",
            mend="Set the SECRET_KEY it was written with. To change to another one, stop every process, set SECRET_KEY "
            "to the new one and SECRET_KEY_OLD to the old one, and run `switchboard rotate-key`.",
        )


class NewerDatabase(StorageError):
    """The tables belong to a later version of the program."""


class RowUnreadable(Exception):
    """A row is unreadable: damaged, forged, or newer than this program. ``storage.damage`` has recorded it."""

    # Not a ``StorageError``: the database works, and a retry doesn't help.

    def __init__(self, table: str, name: str, column: str) -> None:
        super().__init__(f"a row of {table} cannot be read{f' ({name})' if name else ''}: {column or 'its content'}")
        self.table = table
        self.name = name


class CommitUnknown(StorageError):
    """COMMIT was sent but not answered: read the rows back before continuing."""


def translated(error: SQLAlchemyError) -> StorageError:  # noqa: PLR0911 - each line returns one kind of error
    """Return our error for SQLAlchemy's. It never contains parameters, as engines have ``hide_parameters``."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    text = f"{type(cause).__name__}: {cause}".strip()
    if isinstance(error, IntegrityError):
        return Conflict(text)
    sqlite = getattr(cause, "sqlite_errorcode", 0) & 0xFF if isinstance(cause, sqlite3.Error) else None
    state = getattr(cause, "sqlstate", None) or ""
    if sqlite == sqlite3.SQLITE_FULL or (sqlite is None and state == _DISK_FULL):
        return StorageFull(text)
    if sqlite in _UNWRITABLE or state == _READ_ONLY:
        return StorageReadOnly(text)
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return StorageBusy(text, mend="The connection to the database broke; see whether the server runs.")
    # libpq's failures, such as an unreachable server, have no SQLSTATE.
    if isinstance(error, OperationalError) and sqlite is None and (state or "08").startswith(("08", "57P")):
        return StorageBusy(text, mend=_AWAY)
    is_locked = sqlite in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} or state.startswith(("53", "55P03"))
    if isinstance(error, OperationalError) and is_locked:
        return StorageBusy(text, mend="Something else keeps the database locked, e.g. an open sqlite3 or psql shell.")
    return StorageError(text, mend="See whether the disk is full and whether `switchboard migrate` has run.")


def commit_error(error: SQLAlchemyError) -> StorageError:
    """Return the error for a failed COMMIT: known to be rolled back, or of unknown outcome."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    broken = isinstance(error, DBAPIError) and error.connection_invalidated
    if isinstance(cause, sqlite3.Error):
        # Despite a failed write or fsync, the whole transaction may be on the disk.
        broken = (cause.sqlite_errorcode & 0xFF) == sqlite3.SQLITE_IOERR
    if broken:
        text = f"{type(cause).__name__}: {cause}".strip()
        return CommitUnknown(text, mend="The outcome is read back by itself; look after the disk.")
    return translated(error)
