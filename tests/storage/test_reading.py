"""Looking in from outside: while the bot has the database, and without changing anything."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import text

from bot.domain.audit import Entry
from storage import StorageError, Store, Tx
from storage.reading import open_for_reading
from tests.storage.factories import KEY, NOW, opened


def _append(tx: Tx, count: int = 1) -> None:
    for _ in range(count):
        tx.audit.append(
            Entry(at=NOW, instruction_id="i", actor="U1", action="approve", before="a", after="b", detail={"é": 1.5})
        )


async def test_one_read_sees_one_state(store: Store, database_url: str) -> None:
    """The pages of one walk are of one moment, whatever is committed between them."""
    await store.write(lambda tx: _append(tx, 1500))

    async def append_elsewhere() -> None:
        async with opened(database_url) as other:
            await other.write(lambda tx: _append(tx, 1000))

    def walk(tx: Tx) -> int:
        rows = tx.audit.stored()
        first = next(rows)  # the first page is read now, the second one after the other process has written
        added.submit(lambda: asyncio.run(append_elsewhere())).result(timeout=30)
        return len([first, *rows])

    with ThreadPoolExecutor() as added, open_for_reading(database_url, audit_key=KEY) as reading:
        if "sqlite" in database_url:
            await store.close()
        assert reading.read(walk) == 1500
        assert reading.read(lambda tx: tx.audit.head().seq) == 2500


async def test_schema_version_is_compared_with_the_program(store: Store, database_url: str) -> None:
    with open_for_reading(database_url, audit_key=KEY) as reading:
        assert reading.is_current()
    older = text("UPDATE alembic_version SET version_num = '0003'")
    await store.write(lambda tx: tx.audit._connection.execute(older).rowcount)
    with open_for_reading(database_url, audit_key=KEY) as reading:
        assert not reading.is_current()


async def test_errors_hold_no_requested_values(store: Store, database_url: str) -> None:
    del store  # it made the tables

    def look(tx: Tx) -> None:
        tx.audit._connection.execute(text("SELECT :word FROM nowhere"), {"word": "sentinel"})

    with open_for_reading(database_url, audit_key=KEY) as reading, pytest.raises(StorageError) as refused:
        reading.read(look)
    assert "sentinel" not in f"{refused.value} {refused.value.__cause__}"


async def test_reader_cannot_write(store: Store, database_url: str) -> None:
    with open_for_reading(database_url, audit_key=KEY) as reading, pytest.raises(StorageError):
        reading.read(_append)
    assert await store.read(lambda tx: tx.audit.head().seq) == 0


def test_copy_source_must_hold_an_audit(new_database_url: str) -> None:
    if new_database_url.startswith("sqlite"):
        Path(new_database_url.partition("///")[2]).touch()
    with pytest.raises(StorageError, match="no audit"), open_for_reading(new_database_url, audit_key=KEY):
        pass
