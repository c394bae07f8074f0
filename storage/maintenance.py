"""Operations on a whole database, all or nothing: copy it to PostgreSQL, change its ``SECRET_KEY``.

Neither database may be in use during a copy, which is one transaction at the target. Before that commits, the source is
marked, so that a program refuses to start on it afterwards: two databases would pay the same request twice.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, SQLAlchemyError
from sqlalchemy.types import TypeDecorator

from bot.domain.audit import Entry, check, key_id
from bot.domain.payments.instruction import FINAL
from bot.domain.references import callback_token, derived_key, token_hash
from storage.anchors import AnchorFile
from storage.batches import WRITERS_LOCK
from storage.damage import Damage, Shape, read_all
from storage.engine import IMPATIENT, PostgresServer, SqliteFile, open_writing, parse_address
from storage.errors import StorageError, translated
from storage.migrate import MOVED, OLDEST, check_version, keep_programs_out, migrate, moved_to
from storage.repositories.audit import AuditTrail
from storage.repositories.flags import Flags
from storage.repositories.payments import ATTEMPT, VOTE
from storage.repositories.requests import SHAPE as REQUEST
from storage.rows import STORE_KEY, Head
from storage.sealing import Sealer, SealError
from storage.seals import Seals
from storage.tables.columns import metadata
from storage.tables.instructions import callback_token as token_table
from storage.tables.instructions import instruction as instruction_table
from storage.transaction import Tx

_ROWS = 1_000
_SEEDED = ("send_slot", "audit_key")
"""Tables that `switchboard migrate` fills with rows."""
_STAYS = (MOVED, OLDEST)
"""Flags that are about a single database and aren't copied."""
_ADDRESSED = (
    sa.select(token_table.c.instruction_id, token_table.c.kind)
    .join(instruction_table, instruction_table.c.id == token_table.c.instruction_id)
    .where(instruction_table.c.state.not_in(FINAL))
    .distinct()
)
"""Query for the open requests with callback addresses."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied:
    """Number of copied ``rows`` by table, and the target, without user and password."""

    rows: Mapping[str, int]
    to: str


async def copy(source: str, target: str, *, audit_key: bytes, anchors: AnchorFile, now: datetime) -> Copied:
    """Copy every row to an empty PostgreSQL database. Raises StorageError, and OSError for the anchors."""
    # Can be repeated after a crash.
    file, server = parse_address(source), parse_address(target)
    if not isinstance(file, SqliteFile) or not file.path.is_file():
        raise StorageError("DATABASE_URL names no SQLite file to copy from.", mend="Set it to the file of the bot.")
    if not isinstance(server, PostgresServer):
        raise StorageError("The target is no PostgreSQL database.", mend="Example: postgresql://user@host/database")

    def look(reading: sa.Connection) -> None:
        with reading.begin():
            check_version(reading, moving_to=str(server))
            AuditTrail(reading, key=audit_key).check_key()
            _require_whole(Tx(reading, audit_key=audit_key), anchors, so="nothing was copied")

    try:
        async with open_writing(file, patience=IMPATIENT) as line:
            await line.run(look)
            await migrate(target)
            return await line.run(lambda reading: _copy(reading, server, audit_key, anchors, now))
    except SQLAlchemyError as error:
        raise translated(error) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Rotated:
    head: Head
    stores: tuple[str, ...]
    """Names of the stores whose keys were sealed again."""
    unopened: tuple[str, ...]
    """Names of the stores whose keys the old key didn't open; those keys weren't changed."""
    addresses: int
    """Number of open requests that got an additional callback address."""


async def rotate(url: str, *, anchors: Path, old: str, new: str, now: datetime) -> Rotated | None:
    """Switch to another key; None if it is already in force. Raises StorageError, and OSError for the anchors."""

    def work(connection: sa.Connection) -> Rotated | None:
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({WRITERS_LOCK})").close()
            check_version(connection)
            tx = Tx(connection, audit_key=derived_key(old, "audit"))
            if tx.audit.key_in_force() == key_id(derived_key(new, "audit")):
                return None
            tx.audit.ensure_key()
            # Check first: after the switch, forged rows from before it would look genuine.
            _require_whole(tx, AnchorFile(anchors, key=derived_key(old, "anchor")), so="nothing was changed")
            entry = Entry(at=now, instruction_id="", actor="system", action="", before="", after="", detail={})
            last = tx.audit.rotate_key(entry, to=derived_key(new, "audit"), anchor_key=derived_key(old, "anchor"))
            sealed, unopened = [], []
            before, after = Sealer(key=derived_key(old, "stores")), Sealer(key=derived_key(new, "stores"))
            for store in tx.stores.all():
                if not store.sealed_key:
                    continue
                try:
                    text = before.open(store.sealed_key, row=store.id, column=STORE_KEY)
                except SealError:
                    unopened.append(store.name)
                    continue
                tx.stores.touch(store, sealed_key=after.seal(text, row=store.id, column=STORE_KEY))
                sealed.append(store.name)
            _seal_rows(connection, Seals(derived_key(old, "audit")), Seals(derived_key(new, "audit")))
            # The callback addresses that open requests will use when they are sent or resent.
            addressed = connection.execute(_ADDRESSED).all()
            for request, kind in addressed:
                token = callback_token(key=derived_key(new, "callbacks"), instruction_id=request, kind=kind)
                tx.tokens.put(token_hash=token_hash(token), instruction_id=request, kind=kind)
            return Rotated(
                head=Head(last.seq, last.hash),
                stores=tuple(sealed),
                unopened=tuple(unopened),
                addresses=len({request for request, _ in addressed}),
            )

    try:
        async with open_writing(parse_address(url), patience=IMPATIENT) as line:
            return await line.run(work)
    except SQLAlchemyError as error:
        raise translated(error) from error


def _seal_rows(connection: sa.Connection, before: Seals, after: Seals) -> None:
    """Seal rows with valid seals under the new key, so that the old key is useless to anyone who learns it."""
    shapes: Sequence[Shape[Any]] = (REQUEST, VOTE, ATTEMPT)
    for shape in shapes:
        table, keys = shape.table, shape.table.primary_key.columns
        where = [key == sa.bindparam(f"same_{key.name}") for key in keys]
        change = sa.update(table).where(*where).values(seal=sa.bindparam("sealed"))
        for one in read_all(Damage(), shape, connection.execute(sa.select(table)).all()):
            if before.hold(table, one):
                same = {f"same_{key.name}": getattr(one, key.name) for key in keys}
                connection.execute(change, {**same, "sealed": after.of(table, one)})


def _copy(reading: sa.Connection, server: PostgresServer, audit_key: bytes, file: AnchorFile, now: datetime) -> Copied:
    engine = sa.create_engine(server.url, hide_parameters=True)
    tables = []
    for table in metadata.sorted_tables:  # raw column types, so that values are copied as stored
        kinds = [one.type.impl_instance if isinstance(one.type, TypeDecorator) else one.type for one in table.columns]
        columns = (sa.Column(one.name, kind, key=one.key) for one, kind in zip(table.columns, kinds, strict=True))
        tables.append(sa.Table(table.name, sa.MetaData(), *columns))
    try:
        with engine.connect() as writing:
            transaction = writing.begin()
            keep_programs_out(writing)
            with reading.begin():
                own = [table for table in tables if table.name not in _SEEDED]
                # An earlier run may have committed and died before reporting success.
                is_done = any(writing.execute(_rows(table).limit(1)).first() for table in own)
                if is_done and moved_to(Flags(reading)) != str(server):
                    raise StorageError(
                        "The target holds rows of Switchboard already.",
                        mend="Name a new database, for example one made by createdb.",
                    )
                for table in [] if is_done else tables:
                    _copy_table(table, reading, writing)
                sums = {table.name: _sum(table, reading) for table in tables}
                differing = [table.name for table in tables if _sum(table, writing) != sums[table.name]]
            if differing and is_done:
                raise StorageError(
                    f"The file was copied to {server} before, and that database has changed since.",
                    mend="Set DATABASE_URL to it.",
                )
            if differing:
                raise StorageError(
                    f"Not everything reads back as it was written ({', '.join(differing)}), so nothing was copied.",
                    mend="Look for what changes rows at the target, such as a trigger; otherwise tell us.",
                )
            _require_whole(Tx(writing, audit_key=audit_key), file, so="nothing was copied")
            _mark(reading, str(server), now)
            try:
                transaction.commit()
            except DBAPIError as error:
                if not error.connection_invalidated:  # otherwise it may have been committed: the mark stays
                    _mark(reading, "", now)
                raise
    finally:
        engine.dispose()
    return Copied(rows={name: count for name, (count, _) in sums.items()}, to=str(server))


def _rows(table: sa.Table) -> sa.Select[tuple[object, ...]]:
    stays: sa.ColumnElement[bool] = table.c.key.not_in(_STAYS) if table.name == "flag" else sa.true()
    return sa.select(*table.columns).where(stays)


def _copy_table(table: sa.Table, reading: sa.Connection, writing: sa.Connection) -> None:
    if table.name in _SEEDED:
        writing.execute(sa.delete(table))
    for page in reading.execute(_rows(table)).mappings().partitions(_ROWS):
        writing.execute(sa.insert(table), [dict(row) for row in page])
    if table.name == "outbox":
        newest = sa.select(sa.func.coalesce(sa.func.max(table.c.seq), 0) + 1).scalar_subquery()
        writing.execute(sa.func.setval(sa.func.pg_get_serial_sequence(table.name, "seq"), newest, False))


def _sum(table: sa.Table, connection: sa.Connection) -> tuple[int, int]:
    """Return count and order-independent checksum of the rows."""
    count, total = 0, 0
    for row in connection.execution_options(yield_per=_ROWS).execute(_rows(table)):
        count += 1
        total += int.from_bytes(hashlib.sha256(repr(tuple(row)).encode()).digest())
    return count, total


def _mark(reading: sa.Connection, to: str, now: datetime) -> None:
    with reading.begin():
        if to:
            Flags(reading).set(MOVED, {"to": to, "at": now.isoformat()}, now)
        else:
            Flags(reading).forget(MOVED)


def _require_whole(tx: Tx, file: AnchorFile, *, so: str) -> None:
    earlier = [(one.until, one.anchors) for one in tx.audit.closed_keys()]
    anchors = file.with_keys(earlier).read()
    verdict = check(keys=tx.audit.keys(), rows=tx.audit.stored(), end=tx.audit.head(), anchors=anchors.held)
    if verdict.bad_seq is not None or anchors.forged or anchors.unreadable:
        raise StorageError(
            f"The audit does not hold, so {so}.",
            mend="Run `switchboard audit verify` with the key of the database in SECRET_KEY: it says what is wrong.",
        )
