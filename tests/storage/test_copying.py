"""A file is copied to PostgreSQL as a whole or not at all, and nothing starts on it afterwards."""

import asyncio
from datetime import datetime
from pathlib import Path

import psycopg
import pytest
from sqlalchemy import Connection, Table

from bot.domain.anchors import Anchor
from bot.domain.payments.instruction import Choice, Vote
from storage import Store, Tx, maintenance, migrate
from storage.anchors import AnchorFile, anchors_path
from storage.errors import OtherKey, StorageBusy, StorageError
from storage.maintenance import Copied, copy
from storage.tables.columns import metadata
from tests.storage.factories import KEY, NOW, instruction, opened, post, unit
from tests.support.replaced import replaced

pytestmark = pytest.mark.postgres

ASKED = instruction()
MANY = {"send_slot": 10, "outbox": 3}


@pytest.fixture
async def filled(sqlite_url: str) -> str:
    async with opened(sqlite_url) as store:
        vote = Vote(instruction_id=ASKED.id, round=1, person="U0ADA", choice=Choice.APPROVE, at=NOW, typed=True)

        def work(tx: Tx) -> Anchor:
            assert tx.instructions.insert(ASKED, actor="U1")
            assert tx.votes.cast(vote)
            tx.flags.set("frozen", {"by": "U0ADA", "why": "päivä \U0001f600"}, NOW)
            for n in range(3):
                tx.outbox.add(post(f"m{n}"))
            head = tx.audit.head()
            return Anchor(at=NOW, seq=head.seq, head=head.hash)

        anchor = await store.write(work)
    anchors(sqlite_url).append(anchor)
    return sqlite_url


def anchors(url: str) -> AnchorFile:
    return AnchorFile(anchors_path(url), key=KEY)


async def copied(source: str, target: str, *, key: bytes = KEY) -> Copied:
    return await copy(source, target, audit_key=key, anchors=anchors(source), now=NOW)


async def refusal(source: str, target: str) -> str:
    with pytest.raises(StorageError) as refused:
        await copied(source, target)
    return f"{refused.value.problem} {refused.value.mend}".strip()


async def rows(url: str) -> int:
    with psycopg.connect(url) as connection:
        if connection.execute("SELECT to_regclass('audit')").fetchone() == (None,):
            return 0
        found = connection.execute("SELECT count(*) FROM instruction, audit").fetchone()
    return int(found[0]) if found else 0


async def test_copy_has_every_row_and_keeps_working(filled: str, new_postgres_url: str) -> None:
    done = await copied(filled, new_postgres_url)
    counts = {name: count for name, count in done.rows.items() if count}
    assert counts == {**dict.fromkeys(("audit", "audit_head", "audit_key", "flag", "instruction", "vote"), 1), **MANY}
    assert set(done.rows) == {table.name for table in metadata.sorted_tables}
    async with opened(new_postgres_url) as store:
        assert await unit(store).instructions.get(ASKED.id) == ASKED
        assert await store.read(lambda tx: [vote.typed for vote in tx.votes.of(ASKED.id, 1)]) == [True]
        assert await unit(store).flags.get("frozen") == {"by": "U0ADA", "why": "päivä \U0001f600"}
        await unit(store).outbox.add(post("m9"))


async def test_nothing_starts_on_the_file_afterwards(filled: str, new_postgres_url: str) -> None:
    await copied(filled, new_postgres_url)
    for opening in (migrate(filled, audit_key=KEY), Store.open(filled, audit_key=KEY)):
        with pytest.raises(StorageError) as refused:
            await opening
        moved = new_postgres_url.rpartition("@")[2]
        assert refused.value.problem == f"This database was moved to PostgreSQL {moved}."
        assert refused.value.mend.startswith("Set DATABASE_URL to that one. To go back to the file, restore a backup")


async def test_neither_side_may_be_in_use(filled: str, new_postgres_url: str) -> None:
    async with opened(filled):
        assert "uses" in await refusal(filled, new_postgres_url)
    await migrate(new_postgres_url)
    async with opened(new_postgres_url):
        assert (await refusal(filled, new_postgres_url)).startswith("A process of Switchboard uses that database.")
    assert await rows(new_postgres_url) == 0
    await copied(filled, new_postgres_url)


async def test_ending_session_is_waited_for(filled: str, new_postgres_url: str) -> None:
    """As that of the migration just before, whose server process may take a moment to end."""
    await migrate(new_postgres_url)
    ending = psycopg.connect(new_postgres_url, application_name="switchboard 0019", autocommit=True)

    def end() -> None:
        ending.execute("SELECT pg_sleep(0.5)")
        ending.close()

    leaving = asyncio.create_task(asyncio.to_thread(end))
    await copied(filled, new_postgres_url)
    await leaving


async def test_copy_target_must_be_empty(filled: str, postgres_url: str) -> None:
    async with opened(postgres_url) as store:
        await unit(store).flags.set("x", 1, NOW)
    assert (await refusal(filled, postgres_url)).startswith("The target holds rows of Switchboard already.")
    await (await Store.open(filled, audit_key=KEY)).close()  # it is not marked


@pytest.mark.parametrize("target", ["sqlite+aiosqlite:///other.db", "postgresql://nobody@127.0.0.1:1/nothing"])
async def test_unusable_copy_target_is_named(filled: str, target: str) -> None:
    said = await refusal(filled, target)
    assert said.startswith(("The target is no PostgreSQL database.", "OperationalError"))
    await (await Store.open(filled, audit_key=KEY)).close()


async def test_copy_source_must_be_a_file(tmp_path: Path, new_postgres_url: str) -> None:
    for source in (f"sqlite:///{tmp_path}/none.db", new_postgres_url):
        with pytest.raises(StorageError, match="names no SQLite file"):
            await copy(source, new_postgres_url, audit_key=KEY, anchors=AnchorFile(tmp_path / "a", key=KEY), now=NOW)


async def test_wrong_key_or_tampered_audit_copies_nothing(filled: str, new_postgres_url: str) -> None:
    with pytest.raises(OtherKey):
        await copied(filled, new_postgres_url, key=b"x" * 32)
    anchors(filled).append(Anchor(at=NOW, seq=99, head="f" * 64))
    assert (await refusal(filled, new_postgres_url)).startswith("The audit does not hold, so nothing was copied.")
    assert await rows(new_postgres_url) == 0


async def test_row_that_does_not_read_back_is_not_committed(filled: str, new_postgres_url: str) -> None:
    def forgetful(table: Table, reading: Connection, writing: Connection) -> None:
        if table.name != "vote":
            real(table, reading, writing)

    real = maintenance._copy_table
    with replaced(maintenance, "_copy_table", forgetful):
        said = await refusal(filled, new_postgres_url)
    assert said.startswith("Not everything reads back as it was written (vote), so nothing was copied.")
    assert await rows(new_postgres_url) == 0
    await copied(filled, new_postgres_url)


@pytest.mark.parametrize("committed", [False, True])
async def test_copy_killed_at_commit_can_be_repeated(filled: str, new_postgres_url: str, committed: bool) -> None:
    """Before the target was committed it is done again; afterwards it is found done."""

    class Died(BaseException):
        pass

    def dying(reading: Connection, to: str, now: datetime) -> None:
        real(reading, to, now)
        raise Died

    real = maintenance._mark
    if committed:
        done = await copied(filled, new_postgres_url)
    else:
        with replaced(maintenance, "_mark", dying), pytest.raises(Died):
            await copied(filled, new_postgres_url)
    assert (await rows(new_postgres_url) > 0) == committed
    with pytest.raises(StorageError, match="was moved to"):
        await Store.open(filled, audit_key=KEY)
    again = await copied(filled, new_postgres_url)
    assert not committed or again == done
    async with opened(new_postgres_url) as store:
        await unit(store).flags.set("x", 1, NOW)
    assert "that database has changed since. Set DATABASE_URL to it." in await refusal(filled, new_postgres_url)


async def test_refused_commit_resets_the_anchor_mark(filled: str, new_postgres_url: str) -> None:
    """A check that PostgreSQL makes at the commit fails."""
    await migrate(new_postgres_url)
    with psycopg.connect(new_postgres_url) as connection:
        connection.execute("CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'full'; END $$")
        connection.execute(
            "CREATE CONSTRAINT TRIGGER no AFTER INSERT ON vote DEFERRABLE INITIALLY DEFERRED "
            "FOR EACH ROW EXECUTE FUNCTION no()"
        )
    assert "full" in await refusal(filled, new_postgres_url)
    await (await Store.open(filled, audit_key=KEY)).close()


async def test_program_started_during_migration_waits(filled: str, new_postgres_url: str) -> None:
    await migrate(new_postgres_url)
    begun, go_on = asyncio.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def slow(reading: Connection, to: str, now: datetime) -> None:
        loop.call_soon_threadsafe(begun.set)
        asyncio.run_coroutine_threadsafe(go_on.wait(), loop).result()
        real(reading, to, now)

    real = maintenance._mark
    with replaced(maintenance, "_mark", slow):
        copying_it = asyncio.create_task(copied(filled, new_postgres_url))
        await begun.wait()
        with pytest.raises(StorageBusy):
            await Store.open(new_postgres_url, audit_key=KEY)
        starting = asyncio.create_task(migrate(new_postgres_url, audit_key=KEY))  # as run does first; it waits
        go_on.set()
        await copying_it
        await starting
    async with opened(new_postgres_url) as store:
        assert await unit(store).instructions.get(ASKED.id) == ASKED
