"""Reads that wait together share a transaction; each still answers, and fails, for itself."""

import asyncio
import threading

import pytest
from sqlalchemy import text

from storage import Store, migrate
from storage.errors import StorageBusy, StorageError
from storage.store import Tx
from tests.storage.factories import KEY, NOW, opened, unit

BATCH_MAX = 16


async def put_flag(store: Store, value: int) -> None:
    await unit(store).flags.set("n", value, NOW)


def good(tx: Tx) -> object:
    return tx.flags.get("n")


async def test_concurrent_reads_share_a_transaction(store: Store) -> None:
    seen = await asyncio.gather(*(store.read(id) for _ in range(BATCH_MAX)))
    assert len(set(seen)) == 1


async def test_read_sees_all_earlier_writes(store: Store) -> None:
    for value in range(20):
        await put_flag(store, value)
        others = [store.read(lambda tx: tx.flags.get("other")) for _ in range(3)]
        found, *_ = await asyncio.gather(store.read(good), *others)
        assert found == value


def fail(_: Tx) -> None:
    raise LookupError("mine")


def write(tx: Tx) -> None:
    tx.flags.set("n", 8, NOW)


def misspell(tx: Tx) -> None:
    tx.flags._connection.execute(text("SELEC 1"))


async def test_failing_read_does_not_affect_others(store: Store) -> None:
    await put_flag(store, 7)
    works = [good, fail, good, misspell, write, good]
    found = await asyncio.gather(*(store.read(work) for work in works), return_exceptions=True)
    assert [found[0], found[2], found[5]] == [7, 7, 7]
    assert isinstance(found[1], LookupError)
    assert isinstance(found[3], StorageError)
    assert isinstance(found[4], StorageError)
    assert await store.read(good) == 7


def break_the_connection(tx: Tx) -> None:
    tx.flags._connection.execute(text("SELECT pg_terminate_backend(pg_backend_pid())"))


async def test_broken_connection_is_replaced_for_other_readers(postgres_url: str) -> None:
    await migrate(postgres_url)
    async with opened(postgres_url, readers=1) as store:
        await put_flag(store, 7)
        works = [good, break_the_connection, good, break_the_connection, good]
        found = await asyncio.gather(*(store.read(work) for work in works), return_exceptions=True)
        assert [found[0], found[2], found[4]] == [7, 7, 7]
        assert isinstance(found[1], StorageBusy)
        assert isinstance(found[3], StorageBusy)
        assert await store.read(good) == 7


async def test_closing_answers_pending_reads_and_refuses_others(store: Store) -> None:
    await put_flag(store, 7)
    asked = [asyncio.ensure_future(store.read(good)) for _ in range(3 * BATCH_MAX)]
    await asyncio.sleep(0)
    await store.close()
    assert await asyncio.gather(*asked) == [7] * len(asked)
    with pytest.raises(StorageBusy):
        await store.read(good)


async def test_canceled_reader_releases_its_waiters(sqlite_url: str) -> None:
    await migrate(sqlite_url, audit_key=KEY)
    async with opened(sqlite_url) as store:
        begun, go_on = threading.Event(), threading.Event()

        def wait(_: Tx) -> None:
            begun.set()
            go_on.wait(30)

        asked = asyncio.ensure_future(store.read(wait))
        assert await asyncio.to_thread(begun.wait, 30)
        [reader] = [task for task in asyncio.all_tasks() if task.get_name() == "reader"]
        reader.cancel()
        go_on.set()
        await asyncio.wait([asked], timeout=30)
        assert asked.cancelled()
