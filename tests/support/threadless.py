"""SQLite in the thread that calls it: changing threads takes longer than most units of work."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

import storage.engine
from tests.support.replaced import replaced

T = TypeVar("T")

_connect = sqlite3.connect


@contextmanager
def without_threads() -> Iterator[None]:
    """Connections that are opened and used while the context is open do without their threads."""
    with (
        replaced(storage.engine._ThreadConnection, "call", _call),
        replaced(sqlite3, "connect", _for_any_thread),
    ):
        yield


async def _call(_: object, work: Callable[[], T]) -> T:
    return work()


def _for_any_thread(*values: Any, **more: Any) -> sqlite3.Connection:
    connection: sqlite3.Connection = _connect(*values, **{"check_same_thread": False, **more})
    return connection
