"""Errors of the database, sorted by who must act."""

import sqlite3

from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError, SQLAlchemyError

from bot.domain.errors import OperatorError

_DISK_FULL, _READ_ONLY = "53100", "25006"
"""SQLSTATEs of PostgreSQL. Classes used below: 08 connection, 57P server going or coming, 53 resources, 55P03 lock."""
_UNWRITABLE = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN})
"""Codes of SQLite for a file that lost its right to write, or lies on a disk that was remounted or fails."""
_AWAY = (
    "The database server cannot be used: see whether it runs, and whether host, port, name, user and password in "
    "DATABASE_URL are right."
)


class StorageError(OperatorError):
    """The operator must act: address, permissions, a second process, a missing migration."""


class StorageBusy(StorageError):
    """Locked by another process for too long, or unreachable. Nothing was written."""


class StorageClosed(StorageBusy):
    """The process is stopping and writes nothing any more."""


class StorageFull(StorageBusy):
    """The disk is full. Nothing was written; the operator has to make room."""

    def __init__(self, problem: str = "The disk of the database is full.") -> None:
        super().__init__(problem, mend="Make room on the disk of the database; no restart is needed.")


class StorageReadOnly(StorageBusy):
    """The database takes no changes: a standby, a server set to read-only, a file that can't be written."""

    def __init__(self, problem: str = "The database takes no changes: it is read-only.") -> None:
        super().__init__(
            problem,
            mend="See that DATABASE_URL reaches the primary server, or that the file and its disk can be written; "
            "no restart is needed.",
        )


class Conflict(StorageError):
    """A unique value exists already or a CHECK failed. The unit that tried wrote nothing."""


class InUse(StorageError):
    """Another process holds the SQLite file; ``frozen``: that process is stopped by a signal or a debugger."""

    def __init__(self, problem: str, *, mend: str = "", frozen: bool = False) -> None:
        super().__init__(problem, mend=mend)
        self.frozen = frozen


class OtherKey(StorageError):
    """The key is not the one in force: rows sealed with it would break the audit, and sealed keys would not open."""

    def __init__(self) -> None:
        super().__init__(
            "SECRET_KEY is not the one that this database was written with.",
            mend="Set the SECRET_KEY it was written with. To change to another one, stop every process, set SECRET_KEY "
            "to the new one and SECRET_KEY_OLD to the old one, and run `switchboard rotate-key`.",
        )


class NewerDatabase(StorageError):
    """The tables belong to a later version of the program."""


class RowUnreadable(Exception):
    """A row cannot be read: damaged, forged, or newer than this program. It was noted, see ``storage.damage``."""

    # No ``StorageError``: the database works, and trying again does not help.

    def __init__(self, table: str, name: str, column: str) -> None:
        super().__init__(f"a row of {table} cannot be read{f' ({name})' if name else ''}: {column or 'its content'}")
        self.table = table
        self.name = name


class CommitUnknown(StorageError):
    """COMMIT was sent and not answered: read the rows back before going on."""


def translated(error: SQLAlchemyError) -> StorageError:  # noqa: PLR0911 - one kind of trouble a line
    """Our error for one of SQLAlchemy's. It never holds the parameters: engines are made with ``hide_parameters``."""
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
    # libpq's own failures, such as a server out of reach, carry no SQLSTATE.
    if isinstance(error, OperationalError) and sqlite is None and (state or "08").startswith(("08", "57P")):
        return StorageBusy(text, mend=_AWAY)
    is_locked = sqlite in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED} or state.startswith(("53", "55P03"))
    if isinstance(error, OperationalError) and is_locked:
        return StorageBusy(text, mend="Something else keeps the database locked, e.g. an open sqlite3 or psql shell.")
    return StorageError(text, mend="See whether the disk is full and whether `switchboard migrate` has run.")


def commit_error(error: SQLAlchemyError) -> StorageError:
    """What a failed COMMIT means: known to be rolled back, or unknown."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    broken = isinstance(error, DBAPIError) and error.connection_invalidated
    if isinstance(cause, sqlite3.Error):
        # A failed write or fsync may still have put the whole transaction on the disk.
        broken = (cause.sqlite_errorcode & 0xFF) == sqlite3.SQLITE_IOERR
    if broken:
        text = f"{type(cause).__name__}: {cause}".strip()
        return CommitUnknown(text, mend="The outcome is read back by itself; look after the disk.")
    return translated(error)
