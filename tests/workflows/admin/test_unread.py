"""Notes of unread answers: taken in memory, stored when the database takes them, never in the way of a call."""

from collections.abc import AsyncIterator

import pytest

from bot.domain.unread import UnreadAnswer
from bot.workflows.admin.unread_log import UnreadLog
from storage import Store
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


async def test_repeated_callbacks_share_one_row(store: Store, clock: ManualClock, log: UnreadLog) -> None:
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


async def test_callback_during_storage_is_not_lost(store: Store, log: UnreadLog) -> None:
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


async def test_waiting_callbacks_are_bounded(store: Store, log: UnreadLog) -> None:
    for number in range(500):
        log.unread(answer(f"payments.{chr(97 + number // 26)}{chr(97 + number % 26)}"))
    assert await log.flush() == 50
    assert len(await store.read(lambda tx: tx.unread.all())) == 50
