"""An audit in a database of its own, and ways to tamper with it."""

import io
import os
import sqlite3
from collections.abc import Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from bot.cli.main import main
from bot.domain.audit import Entry, Stored
from bot.domain.references import derived_key
from storage import Store, migrate
from storage.reading import open_for_reading

SECRET = "the-secret-key-of-these-tests"
KEY = derived_key(SECRET, "audit")
ROWS = 8
COLUMNS = '"at", instruction_id, actor, action, "before", "after", detail, previous, hash'
"""Everything but the number, for SQL."""

STATES = ["", "new", "creating", "awaiting", "approved", "sending", "committed", "completed"]


def entry(number: int, *, at: datetime | None = None, **changes: Any) -> Entry:
    values: dict[str, Any] = {
        "at": (at or datetime.now(UTC)) + timedelta(microseconds=number),
        "instruction_id": "01KAGT00000000000000000000",
        "actor": f"U0{number}",
        "action": "booked" if number == 1 else "observed",
        "before": STATES[(number - 1) % 8],
        "after": STATES[number % 8],
        "detail": {"reference": "P-4F7K2M", "é": [1.5, None, "\U0001f600"], "n": number},
    }
    return Entry(**{**values, **changes})


async def write(url: str, entries: Sequence[Entry]) -> None:
    await migrate(url)
    store = await Store.open(url, audit_key=KEY)
    await store.write(lambda tx: [tx.audit.append(one) for one in entries])
    await store.close()


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str


def audit(*arguments: str, url: str, **environment: str) -> Answer:
    """Run the command in this process, with only these settings."""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        for name in list(os.environ):
            if name != "PATH":
                patch.delenv(name)
        for name, value in {"DATABASE_URL": url, "SECRET_KEY": SECRET, **environment}.items():
            patch.setenv(name, value)
        code = main(["audit", *arguments])
    return Answer(code, out.getvalue(), err.getvalue())


def tamper(url: str, *statements: str | tuple[str, tuple[object, ...]]) -> None:
    """Change rows without the triggers, as the owner of the file or the tables can."""
    asked = [one if isinstance(one, tuple) else (one, ()) for one in statements]
    if "sqlite" in url:
        with closing(sqlite3.connect(url.partition("///")[2])) as raw, raw:
            for name in [row[0] for row in raw.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")]:
                raw.execute(f"DROP TRIGGER {name}")
            for statement, values in asked:
                raw.execute(statement, values)
        return
    with psycopg.connect(url, autocommit=True) as connection:
        for table in ("audit", "audit_head"):
            connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL".encode())
        for statement, _ in asked:
            connection.execute(statement.encode())


def rows_of(url: str) -> list[Stored]:
    with open_for_reading(url, audit_key=KEY) as reading:
        return reading.read(lambda tx: list(tx.audit.stored()))
