"""Databases for tests: empty ones, and copies of one that was migrated once."""

import asyncio
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import storage.engine
from storage.migrate import migrate
from tests.support.postgres import PostgresServer
from tests.support.replaced import replaced
from tests.support.scratch import scratch


def sqlite_address(file: Path) -> str:
    return f"sqlite+aiosqlite:///{file}"


@contextmanager
def locked(file: Path | str) -> Iterator[None]:
    """Another program holds the write lock of a SQLite file, or of the one at an address."""
    path = str(file).partition("///")[2] or file
    with closing(sqlite3.connect(path, isolation_level=None)) as shell:
        shell.execute("BEGIN IMMEDIATE")
        yield
        shell.execute("ROLLBACK")


@cache
def migrated_file() -> bytes:
    """The content of a file that was migrated once: a copy is faster than a migration."""
    with ThreadPoolExecutor(1) as pool:  # migrating runs a loop of its own
        return pool.submit(_migrated).result()


def _migrated() -> bytes:
    with tempfile.TemporaryDirectory(dir=scratch()) as folder:
        file = Path(folder) / "switchboard.db"
        asyncio.run(migrate(sqlite_address(file)))
        return file.read_bytes()


def lay(file: Path, content: bytes) -> None:
    """Write a copy of a migrated file, readable by its owner only, as ``migrate`` makes it."""
    file.touch(mode=0o600)
    file.write_bytes(content)


def migrated_database(server: PostgresServer) -> str:
    name = server.create_database()
    asyncio.run(migrate(server.url(name)))
    return name


@contextmanager
def statements_compiled_once() -> Iterator[None]:
    """Let every store of this process share its compiled statements, on either database."""
    with ExitStack() as stack:
        for name in ("create_engine", "create_async_engine"):
            stack.enter_context(replaced(storage.engine, name, _one_compiler(getattr(storage.engine, name))))
        yield


def _one_compiler(original: Callable[..., Any]) -> Callable[..., Any]:
    """Let all runs share SQLAlchemy's compiled statements: compiling them anew took half of each run.

    Args:
        original: ``create_engine`` or ``create_async_engine``.
    """
    first: list[Any] = []

    def create(*values: Any, **more: Any) -> Any:
        made = original(*values, **more)
        engine = getattr(made, "sync_engine", made)
        if not first:
            first.append(engine)
        elif first[0].dialect.server_version_info is None:  # it never connected to its database
            first[0] = engine
        else:
            engine.dialect, engine._compiled_cache = first[0].dialect, first[0]._compiled_cache
        return made

    return create
