"""SQLite in the thread that calls it: changing threads takes longer than most units of work."""

from collections.abc import Callable, Generator, Iterator
from contextlib import AsyncExitStack, contextmanager
from typing import TypeVar

import storage.engine
import storage.store
from storage.engine import Line, LockPatience, PostgresServer, SqliteFile, _ThreadConnection
from tests.support.replaced import replaced

T = TypeVar("T")

_connect_lines = storage.engine.open_lines


@contextmanager
def without_threads() -> Iterator[None]:
    """Stores that are opened and used while the context is open do without threads, and with one connection to read."""
    with (
        replaced(_ThreadConnection, "__await__", _open),
        replaced(_ThreadConnection, "call", _call),
        replaced(_ThreadConnection, "close", _close),
        replaced(storage.store, "open_lines", _one_reader),
    ):
        yield


def _open(line: _ThreadConnection) -> Generator[None, None, _ThreadConnection]:
    line._connection = line._connector()
    yield
    return line


async def _call(_: object, work: Callable[[], T]) -> T:
    return work()


async def _close(line: _ThreadConnection) -> None:
    connection, line._connection = line._connection, None
    if connection is not None:
        connection.close()


async def _one_reader(
    address: SqliteFile | PostgresServer, readers: int, stack: AsyncExitStack, patience: LockPatience | None
) -> tuple[Line, list[Line]]:
    return await _connect_lines(address, readers if isinstance(address, PostgresServer) else 1, stack, patience)
