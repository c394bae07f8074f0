"""A database of an earlier version, on SQLite or PostgreSQL, with Slack's and the services' content of that time."""

import asyncio
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Boolean, Connection, MetaData, text

from bot.domain.references import derived_key
from bot.playground.simulators.delivery import Booking, DeliverySimulator
from bot.playground.simulators.delivery.records import Order, Store
from bot.playground.simulators.ledger import EntryKind
from bot.playground.simulators.payments.bulk import BulkItem, BulkJob, BulkOrder
from bot.playground.simulators.payments.records import COMMITTED, PENDING, Account, Item, Record
from bot.playground.workspace import Message
from storage.anchors import AnchorFile, anchors_path
from storage.maintenance import copy
from storage.migrate import migrate
from tests.support.clock import ManualClock
from tests.support.deliveries import CENTRO, DELIVERIES, DELIVERY_POLICY
from tests.support.rig import MARIA, POLICY, SECRET_KEY, Rig

_FOLDER = Path(__file__).parent.parent / "storage" / "databases"


DATABASES = ["sqlite", *(pytest.param(name, marks=pytest.mark.postgres) for name in ("postgres", "copied to postgres"))]
"""Where a database of an earlier version may lie; the last was on SQLite then and was copied with this program."""


def laid_out(request: pytest.FixtureRequest, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of a database with this dump; ``request.param`` is one of ``DATABASES``."""
    is_copied = request.param.startswith("copied")
    url: str = request.getfixturevalue(f"new_{'sqlite' if is_copied else request.param}_url")
    restore(url, name, monkeypatch)
    return _copied(url, request.getfixturevalue("new_postgres_url")) if is_copied else url


def _copied(url: str, to: str) -> str:
    """The address of a copy on PostgreSQL, made when the file was at this program's version."""
    key = derived_key(SECRET_KEY, "audit")
    asyncio.run(migrate(url, audit_key=key))
    anchors = AnchorFile(anchors_path(url), key=derived_key(SECRET_KEY, "anchor"))
    asyncio.run(copy(url, to, audit_key=key, anchors=anchors, now=datetime.now(UTC)))
    return to


def restore(url: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fill an empty database with a dump from ``tests/storage/databases``, whose name begins with its version."""
    dump, version = (_FOLDER / f"{name}.sql").read_text(), name.partition("-")[0]
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


async def open_then(url: str, name: str) -> Rig:
    """A rig on that database, with what stood in Slack and at the services at that time."""
    outside: dict[str, Any] = json.loads((_FOLDER / f"{name}.json").read_text())
    clock = ManualClock(datetime.fromisoformat(outside["now"]))
    delivers = "stores" in outside
    delivery = DeliverySimulator(clock=clock.seconds) if delivers else None
    policy = DELIVERY_POLICY if delivers else POLICY
    rig = await Rig.open(database_url=url, clock=clock, start=False, delivery=delivery, policy=policy)
    _fill_workspace(rig, outside)
    _fill_payments(rig, outside)
    if delivery is not None:
        _fill_delivery(delivery, outside)
    await rig.start()
    return rig


def _fill_workspace(rig: Rig, outside: Mapping[str, Any]) -> None:
    if rig.delivery is not None:
        for channel, name in ((DELIVERIES, "deliveries"), (CENTRO, "centro")):
            rig.workspace.add_channel(channel, name, members=[MARIA])
    directory, direct = rig.workspace._state.directory, rig.workspace.open_dm(MARIA)
    del directory.channels[direct.id]
    directory.put_channel(replace(direct, id=outside["direct"]))
    for user, changes in outside.get("people", {}).items():
        rig.workspace.set_user(user, **changes)
    for fields in outside["messages"]:
        given = {**fields, "reactions": (), "files": ()}
        rig.workspace._state.log.add(Message(**given))


def _fill_payments(rig: Rig, outside: Mapping[str, Any]) -> None:
    """Money that had moved is in the ledger, so that :attr:`Rig.paid` begins with it."""
    for fields in outside.get("accounts", ()):
        rig.payments.accounts[fields["email"].casefold()] = Account(**fields)
    for fields in outside.get("ledger", ()):
        values = {name: fields[name] for name in ("operation_id", "code", "email", "cents")}
        rig.payments.ledger.append(EntryKind(fields["kind"]), **values)
    for fields in outside["operations"]:
        items = tuple(Item(**item) for item in fields["items"])
        record = Record(**{**fields, "items": items})
        rig.payments.book.shelf.add(record)
        if record.status in (COMMITTED, PENDING):
            rig.payments.book._moving[record.id] = record
    for fields in outside.get("bulk", ()):
        rows = [BulkItem(**{**item, "order": BulkOrder(**item["order"])}) for item in fields["items"]]
        rig.payments.bulk.jobs[fields["id"]] = BulkJob(
            **{**fields, "items": rows, "by_hash": {row.hash: row for row in rows}}
        )


def _fill_delivery(delivery: DeliverySimulator, outside: Mapping[str, Any]) -> None:
    book = delivery.book
    for fields in outside["stores"]:
        book.stores[fields["token"]] = Store(**fields)
    for fields in outside["bookings"]:
        orders = [Order(**order) for order in fields["orders"]]
        book.bookings[fields["id"]] = Booking(**{**fields, "store": book.stores[fields["store"]], "orders": orders})
