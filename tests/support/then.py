"""A database of the previous version, on SQLite or PostgreSQL, with Slack's and the service's content of that time."""

import asyncio
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Boolean, Connection, MetaData, text

from bot.playground.simulators.payments.records import Item, Record
from bot.playground.workspace import Message
from storage.migrate import migrate
from tests.support.clock import ManualClock
from tests.support.rig import MARIA, Rig

_FOLDER = Path(__file__).parent.parent / "storage" / "databases"


def restore(url: str, version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill an empty database with the dump of this version from ``tests/storage/databases/make.py``."""
    dump = (_FOLDER / f"{version}.sql").read_text()
    if url.startswith("sqlite"):
        file = Path(url.partition("///")[2])
        file.touch(mode=0o600)
        with closing(sqlite3.connect(file)) as database:
            database.executescript(dump)
        return
    upgrade = command.upgrade

    def as_it_was(config: Config, _head: str) -> None:
        upgrade(config, version)
        _copy(dump, config.attributes["connection"])

    with monkeypatch.context() as patched:
        patched.setattr(command, "upgrade", as_it_was)
        asyncio.run(migrate(url))


def _copy(dump: str, connection: Connection) -> None:
    """Copy the rows from SQLite into PostgreSQL, with triggers and foreign keys off."""
    connection.execute(text("SET LOCAL session_replication_role = replica"))
    tables = MetaData()
    tables.reflect(connection)
    with closing(sqlite3.connect(":memory:")) as database:
        database.row_factory = sqlite3.Row
        database.executescript(dump)
        for table in tables.sorted_tables:
            connection.execute(table.delete())
            flags = {column.name for column in table.columns if isinstance(column.type, Boolean)}
            for row in database.execute(f'SELECT * FROM "{table.name}"'):  # noqa: S608 - the name of a table of ours
                values = {name: bool(value) if name in flags else value for name, value in dict(row).items()}
                connection.execute(table.insert().values(values))
    connection.execute(text("SELECT setval(pg_get_serial_sequence('outbox', 'seq'), (SELECT max(seq) FROM outbox))"))


async def open_then(url: str, version: str) -> Rig:
    """A rig on that database, with the messages and operations of that time."""
    outside: dict[str, Any] = json.loads((_FOLDER / f"{version}.json").read_text())
    clock = ManualClock(datetime.fromisoformat(outside["now"]))
    rig = await Rig.open(database_url=url, clock=clock, start=False)
    directory, direct = rig.workspace._state.directory, rig.workspace.open_dm(MARIA)
    del directory.channels[direct.id]
    directory.put_channel(replace(direct, id=outside["direct"]))
    for fields in outside["messages"]:
        given = {**fields, "reactions": (), "files": ()}
        rig.workspace._state.log.add(Message(**given))
    for fields in outside["operations"]:
        items = tuple(Item(**item) for item in fields["items"])
        rig.payments.book.shelf.add(Record(**{**fields, "items": items}))
    await rig.start()
    return rig
