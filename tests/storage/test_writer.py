"""The group writer: together in one commit, alone in failing, never in part."""

import asyncio
import sqlite3

import psycopg
import pytest

from storage import CommitUnknown, Conflict, StorageBusy, Store, Tx
from storage.errors import StorageFull
from tests.storage.factories import KEY, NOW, ask, attempt, end_sessions, instruction, opened, unit, vote
from tests.support.rows import audit_rows, verify

BATCH_MAX = 128


def _increment(tx: Tx) -> int:
    value = tx.flags.get("counter")
    number = (value if isinstance(value, int) else 0) + 1
    tx.flags.set("counter", number, NOW)
    return number


async def test_concurrent_increments_lose_nothing(store: Store) -> None:
    async def twenty() -> None:
        for _ in range(20):
            await store.write(_increment)

    await asyncio.gather(*(twenty() for _ in range(4)))
    assert await store.read(lambda tx: tx.flags.get("counter")) == 80


@pytest.mark.postgres
async def test_processes_share_one_audit_chain(postgres_url: str) -> None:
    stores = [await Store.open(postgres_url, audit_key=KEY) for _ in range(3)]

    def request(tx: Tx) -> int:
        tx.instructions.insert(instruction(), actor="U1")
        return _increment(tx)

    async def run(store: Store) -> None:
        for _ in range(20):
            await store.write(request)

    await asyncio.gather(*map(run, stores))
    counted, rows = await stores[0].read(lambda tx: (tx.flags.get("counter"), audit_rows(tx)))
    assert (counted, [row.seq for row in rows]) == (60, list(range(1, 61)))
    assert verify(key=KEY, rows=rows).bad_seq is None
    for store in stores:
        await store.close()


async def test_fifty_clicks_are_one_vote(store: Store) -> None:
    asked = await ask(store)
    firsts = await asyncio.gather(*(unit(store).votes.cast(vote(asked)) for _ in range(50)))
    assert sorted(firsts) == [False] * 49 + [True]
    assert await store.read(lambda tx: tx.votes.of(asked.id, 1)) == [vote(asked)]


async def test_concurrent_units_share_one_commit(store: Store) -> None:
    before = store.writer.commits
    await asyncio.gather(*(store.write(_increment) for _ in range(BATCH_MAX)))
    assert store.writer.commits - before == 1
    await store.write(_increment)
    assert store.writer.commits - before == 2


async def test_failing_unit_does_not_affect_others(store: Store) -> None:
    def fail(tx: Tx) -> None:
        _increment(tx)
        raise LookupError("mine")

    def break_a_rule(tx: Tx) -> None:
        _increment(tx)
        asked = instruction()
        tx.instructions.insert(asked, actor="U1")
        tx.attempts.open(attempt(asked, 1))
        tx.attempts.open(attempt(asked, 2))

    before = store.writer.commits
    units = [_increment, fail, _increment, break_a_rule, _increment]
    results = await asyncio.gather(*(store.write(unit) for unit in units), return_exceptions=True)
    assert store.writer.commits - before == 1
    assert [result for result in results if not isinstance(result, Exception)] == [1, 2, 3]
    assert isinstance(results[1], LookupError)
    assert isinstance(results[3], Conflict)
    assert await store.read(lambda tx: (tx.flags.get("counter"), tx.audit.head().seq)) == (3, 0)


async def test_canceled_reader_does_not_affect_others(store: Store) -> None:
    inside = asyncio.Event()
    loop = asyncio.get_running_loop()

    def announce(tx: Tx) -> int:
        loop.call_soon_threadsafe(inside.set)
        return _increment(tx)

    caller = asyncio.create_task(store.write(announce))
    other = asyncio.create_task(store.write(_increment))
    await inside.wait()
    caller.cancel()
    assert await other == 2
    assert await store.read(lambda tx: tx.flags.get("counter")) == 2


async def test_close_commits_accepted_units_and_refuses_others(database_url: str) -> None:
    store = await Store.open(database_url, audit_key=KEY)
    accepted = [asyncio.create_task(store.write(_increment)) for _ in range(10)]
    await asyncio.sleep(0)
    await store.close()
    assert [task.result() for task in accepted] == list(range(1, 11))
    with pytest.raises(StorageBusy):
        await store.write(_increment)
    with pytest.raises(StorageBusy):
        await store.read(lambda tx: tx.flags.get("counter"))
    async with opened(database_url) as again:
        assert await again.read(lambda tx: tx.flags.get("counter")) == 10


class _Crash(BaseException):
    pass


@pytest.mark.parametrize(("point", "held"), [("write.before:pay", None), ("write.after:pay", 1)])
async def test_crash_at_commit_leaves_the_written_value_or_none(
    database_url: str, point: str, held: int | None
) -> None:
    def crash(name: str) -> None:
        if name == point:
            raise _Crash

    async with opened(database_url, probe=crash) as store:
        bystander = asyncio.create_task(store.write(lambda tx: tx.flags.get("counter"), name="look"))
        with pytest.raises(_Crash):
            await store.write(_increment, name="pay")
        with pytest.raises(_Crash):
            await bystander
        with pytest.raises(_Crash):  # a dead process writes nothing
            await store.write(_increment, name="later")
    async with opened(database_url) as after:
        assert await after.read(lambda tx: tx.flags.get("counter")) == held


async def test_refused_commit_fails_its_batch_only(store: Store, database_url: str) -> None:
    if database_url.startswith("postgres"):
        with psycopg.connect(database_url, autocommit=True) as connection:
            connection.execute(
                "ALTER TABLE vote ALTER CONSTRAINT fk_vote_instruction_id_instruction INITIALLY DEFERRED"
            )

    def orphan(tx: Tx) -> None:
        if not database_url.startswith("postgres"):
            tx.votes._connection.exec_driver_sql("PRAGMA defer_foreign_keys=ON")
        tx.votes.cast(vote(instruction()))

    results = await asyncio.gather(store.write(_increment), store.write(orphan), return_exceptions=True)
    assert [type(result) for result in results] == [Conflict, Conflict]
    assert await store.write(_increment) == 1


@pytest.mark.postgres
async def test_connection_lost_at_commit_is_unknown_and_replaced(postgres_url: str) -> None:
    def cut(name: str) -> None:
        if name == "write.before:pay":
            end_sessions(postgres_url)

    async with opened(postgres_url, probe=cut) as store:
        with pytest.raises(CommitUnknown):
            await store.write(_increment, name="pay")
        assert await store.write(_increment, name="next") == 1


@pytest.mark.postgres
async def test_connection_lost_between_batches_is_replaced_silently(postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        assert await store.write(_increment) == 1
        end_sessions(postgres_url)
        assert await store.write(_increment) == 2


@pytest.mark.postgres
async def test_connection_lost_in_a_unit_writes_nothing(postgres_url: str) -> None:
    async with opened(postgres_url) as store:

        def cut(tx: Tx) -> None:
            _increment(tx)
            end_sessions(postgres_url)
            _increment(tx)

        results = await asyncio.gather(store.write(_increment), store.write(cut), return_exceptions=True)
        assert [type(result) for result in results] == [StorageBusy, StorageBusy]
        assert await store.write(_increment) == 1


async def test_foreign_lock_is_reported_and_survived(sqlite_url: str) -> None:
    async with opened(sqlite_url) as store:
        shell = sqlite3.connect(sqlite_url.removeprefix("sqlite+aiosqlite:///"), isolation_level=None)
        shell.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageBusy):
            await store.write(_increment)
        assert await store.read(lambda tx: tx.flags.get("counter")) is None
        shell.execute("ROLLBACK")
        shell.close()
        assert await store.write(_increment) == 1


async def test_full_disk_fails_one_batch(sqlite_url: str) -> None:
    async with opened(sqlite_url) as store:

        def limit(tx: Tx, pages: int) -> None:
            tx.flags._connection.exec_driver_sql(f"PRAGMA max_page_count={pages}").close()

        await store.write(lambda tx: limit(tx, 1))  # SQLite takes the present size as the least
        big = "x" * 1_000_000
        results = await asyncio.gather(
            store.write(_increment), unit(store).flags.set("big", big, NOW), return_exceptions=True
        )
        assert any(isinstance(result, StorageFull) for result in results)
        told = await store.read(lambda tx: tx.flags.get("counter"))
        assert told == (results[0] if isinstance(results[0], int) else None)
        assert await store.read(lambda tx: tx.flags.get("big")) is None
        await store.write(lambda tx: limit(tx, 1_000_000))
        await unit(store).flags.set("big", big, NOW)
