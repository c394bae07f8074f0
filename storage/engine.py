"""The two kinds of databases and their connections: a whole transaction is one synchronous function on a connection.

On SQLite the function runs in the thread of an aiosqlite connection, in one hop. SQLAlchemy's own adapter
would hop for every cursor call: measured, that makes a vote five times slower.
"""

import asyncio
import fcntl
import logging
import os
import re
import sqlite3
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from operator import methodcaller
from pathlib import Path
from typing import IO, Any, Final, TypeVar, cast

import aiosqlite
from sqlalchemy import Connection, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DisconnectionError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry, StaticPool

from storage.errors import InUse, StorageError
from storage.migrations import session_name

T = TypeVar("T")

BUSY_SECONDS = 2.0
"""Timeout of a lock: below Slack's limit of 3 s for an answer, so that a person gets a true answer in time."""
LOOK_AGAIN_SECONDS = 0.2
"""Time between two checks whether the previous process has released the database file."""
KEEPALIVE: Final[dict[str, Any]] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}
"""libpq parameters that detect a vanished server after seconds, not a quarter of an hour."""
IDLE_SECONDS = 10
"""Timeout after which PostgreSQL ends a frozen process's transaction, which would block every other writer."""

LOG = logging.getLogger(__name__)

_PRAGMAS = {
    "journal_mode": "wal",
    # With NORMAL, a power cut may undo a commit: a vote, or the claim before a payment.
    "synchronous": 2,
    "foreign_keys": 1,
    "busy_timeout": int(BUSY_SECONDS * 1000),
}

_EXAMPLE = "Set DATABASE_URL to e.g. sqlite+aiosqlite:///switchboard.db or postgresql://user@host/database."
_NO_DATABASE = "See that DATABASE_URL names a database file of Switchboard, or none yet."


@dataclass(frozen=True, slots=True)
class SqliteFile:
    path: Path

    def __str__(self) -> str:
        return f"SQLite {self.path}"


@dataclass(frozen=True, slots=True)
class PostgresServer:
    """A server that several processes share. The URL holds a password: never print it."""

    url: URL

    def __str__(self) -> str:
        """Return host, port and name, without user and password."""
        port = f":{self.url.port}" if self.url.port else ""
        return f"PostgreSQL {self.url.host or 'localhost'}{port}/{self.url.database or ''}"


def parse_address(text: str) -> SqliteFile | PostgresServer:
    """Read ``sqlite+aiosqlite:///path`` or ``postgresql://…`` (``postgres://`` too). Raises StorageError."""
    # Errors don't contain the address, which may include a password.
    try:
        url = make_url(text.strip())
    except ArgumentError:
        raise StorageError("DATABASE_URL is no database address.", mend=_EXAMPLE) from None
    family, _, driver = url.drivername.partition("+")
    if family in {"postgres", "postgresql"} and driver in {"", "psycopg"}:
        return PostgresServer(url.set(drivername="postgresql+psycopg"))
    if family == "sqlite" and driver in {"", "aiosqlite"}:
        if not url.database or url.database == ":memory:" or url.query:
            problem = "SQLite needs the path of a file: what is in memory is lost with money in it."
            raise StorageError(problem, mend=_EXAMPLE)
        return SqliteFile(Path(url.database).absolute())
    raise StorageError(f"DATABASE_URL names {url.drivername}, which is not supported.", mend=_EXAMPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class LockPatience:
    """Seconds to wait for another process to release a SQLite file; a frozen one may be killed soon."""

    running: float = 0.0
    frozen: float = 0.0


IMPATIENT = LockPatience()
_ENDING_SECONDS = 2.0
"""Time that a killed frozen process may need to release its lock, while the system reports it as running."""


class LockFile:
    """Keeps a second process off a SQLite file. The system releases the lock however the process ends."""

    def __init__(self, file: IO[str], inode: int | None) -> None:
        self._file = file
        self._inode = inode

    @classmethod
    async def wait(cls, database: Path, *, patience: LockPatience) -> "LockFile":
        """Take ``<database>.lock`` as soon as it is free. Raises like :meth:`take` if ``patience`` runs out."""
        began = time.monotonic()
        seen_frozen: float | None = None
        while True:
            try:
                return cls.take(database)
            except InUse as taken:
                now = time.monotonic()
                is_ending = not taken.frozen and seen_frozen is not None and now - seen_frozen < _ENDING_SECONDS
                most = patience.frozen if taken.frozen else patience.running
                if now - began >= most and not is_ending:
                    raise
                if taken.frozen and seen_frozen is None:
                    LOG.warning("%s It is stopped, so its end is waited for, up to %g s.", taken.problem, most)
                if taken.frozen:
                    seen_frozen = now
            await asyncio.sleep(LOOK_AGAIN_SECONDS)

    @classmethod
    def take(cls, database: Path) -> "LockFile":
        """Take ``<database>.lock``. Raises InUse, or StorageError if the folder can't be written."""
        database = database.resolve()
        path = database.with_name(database.name + ".lock")
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise StorageError(
                f"The folder of the database cannot be used: {error.strerror}: {path.parent}",
                mend="Create the folder, or give the user that runs Switchboard the right to write into it.",
            ) from error
        file = os.fdopen(descriptor, "r+")
        inode: int | None = None
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            inode = _locked_inode(database)
        except BlockingIOError:
            holder = file.read().strip() or _holder(database) or "unknown"
            file.close()
            raise InUse(
                f"Another process (id {holder}) uses {database}.",
                mend="Stop it first. To run several processes, set DATABASE_URL to a PostgreSQL database.",
                frozen=_is_frozen(holder),
            ) from None
        except BaseException:
            file.close()
            raise
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        return cls(file, inode)

    def release(self) -> None:
        """Release the lock, after SQLite has closed. The file stays: removing it would race with the next owner."""
        if self._inode is not None:
            os.close(self._inode)
        self._file.close()


def _locked_inode(database: Path) -> int | None:
    """Lock the database file itself, against second processes that use a link or after the lock file was removed."""
    # Only on Linux, where ``flock`` and SQLite's locks don't interact. The descriptor stays open until SQLite has
    # closed the file: closing any descriptor of it would release this process's SQLite locks.
    if not sys.platform.startswith("linux"):
        return None
    _create_private(database)
    try:
        descriptor = os.open(database, os.O_RDONLY)
    except OSError as error:
        problem = f"The database cannot be opened: {error.strerror}: {database}"
        raise StorageError(problem, mend=_NO_DATABASE) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        names = os.fstat(descriptor).st_nlink
    except OSError:
        os.close(descriptor)
        raise
    if names > 1:  # SQLite wouldn't find a journal beside the other name
        os.close(descriptor)
        raise StorageError(
            f"The database has a second name (a hard link): {database}.",
            mend="Remove the other name, or make it a copy: two names of one file damage it.",
        )
    return descriptor


def _holder(database: Path) -> str:
    """Return the id of the process that locked the file; "" if the system doesn't report it."""
    try:
        found = database.stat()
        locks = Path("/proc/locks").read_text(encoding="utf-8")
    except OSError:
        return ""
    same = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    found_by = re.search(rf"FLOCK +\S+ +\S+ +(\d+) +{same} ", locks)
    return found_by[1] if found_by else ""


def _is_frozen(process: str) -> bool:
    """Return whether a process is stopped by a signal or a debugger; False if unknown."""
    if not process.isdecimal():
        return False
    try:
        status = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return status.rpartition(") ")[2][:1] in ("T", "t")


class _ThreadConnection(aiosqlite.Connection):
    def __init__(self, connector: Callable[[], sqlite3.Connection]) -> None:
        super().__init__(connector, iter_chunk_size=64)
        # A process that fails without closing the store must exit instead of waiting forever for this thread.
        self._thread.daemon = True

    async def call(self, work: Callable[[], T]) -> T:
        run = cast("Callable[[Callable[[], T]], Awaitable[T]]", self._execute)
        return await run(work)

    def raw(self) -> sqlite3.Connection:
        return self._conn


class SqliteLine:
    """A SQLite connection with its thread, the only one that uses the connection."""

    def __init__(self, aio: _ThreadConnection, connection: Connection) -> None:
        self._aio = aio
        self._connection = connection

    @classmethod
    async def open(cls, database: SqliteFile, *, writes: bool) -> "SqliteLine":
        """Connect and check that every PRAGMA that money depends on took effect. Raises StorageError."""

        def connect() -> sqlite3.Connection:
            # With isolation_level None, the engine's event begins transactions, not the driver.
            raw = sqlite3.connect(database.path, isolation_level=None, timeout=BUSY_SECONDS, cached_statements=256)
            # Invalid UTF-8 makes its row unreadable, but doesn't break every query that reads it.
            raw.text_factory = methodcaller("decode", "utf-8", "surrogateescape")
            return raw

        def prepare() -> Connection:
            raw = aio.raw()
            try:
                for name, value in _PRAGMAS.items():
                    raw.execute(f"PRAGMA {name}={value}")
                    held = raw.execute(f"PRAGMA {name}").fetchone()[0]
                    if held != value:
                        raise StorageError(
                            f"SQLite did not take PRAGMA {name}={value}, it says {held}.",
                            mend="Put the database on a local disk; network file systems cannot hold it.",
                        )
                raw.execute(f"PRAGMA query_only={int(not writes)}")
            except sqlite3.Error as error:
                raise StorageError(f"The database cannot be used: {error}", mend=_NO_DATABASE) from error
            engine = create_engine("sqlite://", creator=lambda: raw, poolclass=StaticPool, hide_parameters=True)
            # On SQLite, a transaction that reads before it writes can fail or lose an update whatever the timeout, so
            # writers take the lock at once.
            begin = "BEGIN IMMEDIATE" if writes else "BEGIN"
            event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
            return engine.connect()

        aio = _ThreadConnection(connect)
        try:
            try:
                await aio
            except sqlite3.Error as error:
                problem = f"The database cannot be opened: {error}: {database.path}"
                raise StorageError(problem, mend=_NO_DATABASE) from error
            connection = await aio.call(prepare)
        except BaseException:
            await aio.close()
            raise
        return cls(aio, connection)

    async def run(self, work: Callable[[Connection], T]) -> T:
        return await self._aio.call(lambda: work(self._connection))

    def renew(self) -> None:
        """Do nothing: a file can't move, and its lock belongs to this connection."""

    async def close(self) -> None:
        try:
            await self._aio.call(self._connection.close)
        finally:
            await self._aio.close()


class PostgresLine:
    """A small pool of psycopg connections behind SQLAlchemy's async engine."""

    def __init__(self, server: PostgresServer, *, writes: bool, connections: int, one_by_one: bool = False) -> None:
        """With ``one_by_one``, each statement is a separate transaction, and may be lost if the server crashes."""
        limits: dict[str, object] = {
            "lock_timeout": int(BUSY_SECONDS * 1000),
            "idle_in_transaction_session_timeout": IDLE_SECONDS * 1000,
            **({"synchronous_commit": "off"} if one_by_one else {}),
        }
        options = " ".join(f"-c {name}={value}" for name, value in limits.items())
        snapshot: dict[str, object] = {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}
        if writes:
            snapshot = {"isolation_level": "AUTOCOMMIT"} if one_by_one else {}
        self._engine = create_async_engine(
            server.url,
            hide_parameters=True,
            pool_size=connections,
            max_overflow=0,
            pool_timeout=BUSY_SECONDS,
            connect_args={
                "connect_timeout": 5,
                "options": options,
                "application_name": session_name(),
                **KEEPALIVE,
            },
            execution_options=snapshot,
        )
        self._generation = 0
        event.listen(self._engine.sync_engine, "connect", self._stamp)
        event.listen(self._engine.sync_engine, "checkout", self._refuse_older)

    async def run(self, work: Callable[[Connection], T]) -> T:
        async with self._engine.connect() as connection:
            return await connection.run_sync(work)

    def renew(self) -> None:
        """Replace every connection before its next use: after a failover, it may be one to a former primary."""
        self._generation += 1

    def _stamp(self, _: object, record: ConnectionPoolEntry) -> None:
        record.info["generation"] = self._generation

    def _refuse_older(self, _: object, record: ConnectionPoolEntry, __: object) -> None:
        if record.info["generation"] != self._generation:
            raise DisconnectionError

    async def close(self) -> None:
        await self._engine.dispose()


Line = SqliteLine | PostgresLine


@asynccontextmanager
async def open_writing(address: SqliteFile | PostgresServer, *, patience: LockPatience | None) -> AsyncIterator[Line]:
    """Open the writing line of a database; locks a SQLite file first, unless ``patience`` is None. Raises InUse."""
    async with AsyncExitStack() as stack:
        line: Line
        if isinstance(address, PostgresServer):
            line = PostgresLine(address, writes=True, connections=1)
        else:
            if patience is not None:
                stack.callback((await LockFile.wait(address.path, patience=patience)).release)
            _create_private(address.path)
            line = await SqliteLine.open(address, writes=True)
        stack.push_async_callback(line.close)
        yield line


async def open_lines(
    address: SqliteFile | PostgresServer, readers: int, stack: AsyncExitStack, patience: LockPatience | None
) -> tuple[Line, list[Line]]:
    """Return the writing and the reading lines; the stack closes them. Without ``patience``, no lock is taken."""
    line = await stack.enter_async_context(open_writing(address, patience=patience))
    if isinstance(address, PostgresServer):
        pool = PostgresLine(address, writes=False, connections=readers)
        stack.push_async_callback(pool.close)
        # All lines share one pool: each line may use one of its connections.
        return line, [pool] * readers
    lines: list[Line] = []
    for _ in range(readers):
        lines.append(await SqliteLine.open(address, writes=False))
        stack.push_async_callback(lines[-1].close)
    return line, lines


def _create_private(path: Path) -> None:
    """Create the database file readable by its owner only; its journal files inherit that."""
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
