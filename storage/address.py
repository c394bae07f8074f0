"""Database addresses: which of the two databases, and where."""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from storage.errors import StorageError

_EXAMPLE = "Set DATABASE_URL to e.g. sqlite+aiosqlite:///switchboard.db or postgresql://user@host/database."


@dataclass(frozen=True, slots=True)
class SqliteFile:
    """One file for one process."""

    path: Path

    def __str__(self) -> str:
        return f"SQLite {self.path}"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server that several processes share. The URL holds a password: never print it."""

    url: URL

    def __str__(self) -> str:
        """Host, port and name, without user and password."""
        port = f":{self.url.port}" if self.url.port else ""
        return f"PostgreSQL {self.url.host or 'localhost'}{port}/{self.url.database or ''}"


def parse_address(text: str) -> SqliteFile | PostgresServer:
    """Read ``sqlite+aiosqlite:///path`` or ``postgresql://…`` (``postgres://`` too).

    Raises:
        StorageError: it is neither; the address itself is not repeated, it may hold a password.
    """
    try:
        url = make_url(text.strip())
    except ArgumentError:
        raise StorageError("DATABASE_URL is no database address.", mend=_EXAMPLE) from None
    family, _, driver = url.drivername.partition("+")
    if family in {"postgres", "postgresql"} and driver in {"", "psycopg"}:
        return PostgresServer(url.set(drivername="postgresql+psycopg"))
    if family == "sqlite" and driver in {"", "aiosqlite"}:
        if not url.database or url.database == ":memory:" or url.query:
            raise StorageError(
                "SQLite needs the path of a file: what is in memory is lost with money in it.", mend=_EXAMPLE
            )
        return SqliteFile(Path(url.database).absolute())
    raise StorageError(f"DATABASE_URL names {url.drivername}, which is not supported.", mend=_EXAMPLE)
