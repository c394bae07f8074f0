"""Notes of unread answers: taken in memory, stored when the database takes them, never in the way of a call."""

import sqlite3
from collections.abc import AsyncIterator

import pytest

from bot.domain.unread import UnreadAnswer
from bot.workflows.admin.overview import UnreadLog
from storage import Store, engine
from storage.errors import StorageBusy
from tests.storage.factories import KEY
from tests.support.clock import ManualClock

PARTNER, PAYOUT = "payments.partner", "payments.create_payout"


def answer(operation: str = PAYOUT, body: str = "no JSON (HTML page of 35 bytes)") -> UnreadAnswer:
    return UnreadAnswer(operation=operation, status=200, body=body)


@pytest.fixture
async def store(database_url: str) -> AsyncIterator[Store]:
    opened = await Store.open(database_url, audit_key=KEY)
    yield opened
    await opened.close()


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def log(store: Store, clock: ManualClock) -> UnreadLog:
    return UnreadLog(store=store, clock=clock)


async def test_what_comes_often_is_one_row(store: Store, clock: ManualClock, log: UnreadLog) -> None:
    first = clock.now()
    for _ in range(100):
        log.unread(answer())
        clock.advance(1)
    before = store.writer.commits
    assert await log.flush() == 1
    assert store.writer.commits == before + 1
    assert await log.flush() == 0
    [found] = await store.read(lambda tx: tx.unread.all())
    assert (found.count, found.first_seen) == (100, first)


async def test_an_operation_that_was_always_read_costs_no_write(store: Store, log: UnreadLog) -> None:
    await log.look()
    before = store.writer.commits
    for _ in range(100):
        log.read(PARTNER)
        await log.flush()
    assert store.writer.commits == before


async def test_an_answer_that_is_read_mends_its_operation(store: Store, clock: ManualClock, log: UnreadLog) -> None:
    log.unread(answer())
    log.unread(answer(PARTNER))
    await log.flush()
    clock.advance(1)
    log.read(PARTNER)
    await log.flush()
    found = await store.read(lambda tx: tx.unread.all())
    assert [(one.answer.operation, one.mended_at is None) for one in found] == [(PAYOUT, True), (PARTNER, False)]
    before = store.writer.commits
    log.read(PARTNER)
    await log.flush()
    assert store.writer.commits == before


@pytest.mark.parametrize(("last", "is_open"), [("read", False), ("unread", True)])
async def test_of_one_moment_the_last_counts(store: Store, log: UnreadLog, last: str, is_open: bool) -> None:
    log.unread(answer())
    log.read(PAYOUT)
    if last == "unread":
        log.unread(answer())
    await log.flush()
    assert [one.mended_at is None for one in await store.read(lambda tx: tx.unread.all())] == [is_open]


async def test_what_another_process_could_not_read_is_learnt(store: Store, clock: ManualClock, log: UnreadLog) -> None:
    await log.look()
    other = UnreadLog(store=store, clock=clock)
    other.unread(answer())
    await other.flush()
    clock.advance(31)
    await log.flush()
    log.read(PAYOUT)
    await log.flush()
    assert [one.mended_at is None for one in await store.read(lambda tx: tx.unread.all())] == [False]


async def test_a_lock_stops_nobody(sqlite_url: str, clock: ManualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(engine._PRAGMAS, "busy_timeout", 50)  # nobody has to wait for the lock
    store = await Store.open(sqlite_url, audit_key=KEY)
    log = UnreadLog(store=store, clock=clock)
    shell = sqlite3.connect(sqlite_url.partition("///")[2], isolation_level=None)
    try:
        shell.execute("BEGIN IMMEDIATE")
        log.unread(answer())
        with pytest.raises(StorageBusy):
            await log.flush()
        log.unread(answer())
        await log.finish()
        shell.execute("ROLLBACK")
        await log.flush()
        [found] = await store.read(lambda tx: tx.unread.all())
        assert found.count == 2
    finally:
        shell.close()
        await store.close()


async def test_what_comes_while_it_is_stored_is_not_lost(store: Store, log: UnreadLog) -> None:
    log.unread(answer())
    written = store.write

    async def meanwhile(*args: object, **more: object) -> object:
        log.unread(answer())
        log.unread(answer(PARTNER))
        return await written(*args, **more)  # type: ignore[arg-type]

    store.write = meanwhile  # type: ignore[method-assign, assignment]
    await log.flush()
    store.write = written  # type: ignore[method-assign]
    await log.flush()
    assert {one.answer.operation: one.count for one in await store.read(lambda tx: tx.unread.all())} == {
        PAYOUT: 2,
        PARTNER: 1,
    }


async def test_what_waits_is_bounded(store: Store, log: UnreadLog) -> None:
    for number in range(500):
        log.unread(answer(f"payments.{chr(97 + number // 26)}{chr(97 + number % 26)}"))
    assert await log.flush() == 50
    assert len(await store.read(lambda tx: tx.unread.all())) == 50
