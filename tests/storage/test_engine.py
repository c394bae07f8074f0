"""Opening: which database an address names, one process on a SQLite file, what money depends on is set."""

import asyncio
import os
import signal
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from storage import StorageError, Store, Tx, engine, migrate
from storage.engine import PostgresServer, SqliteFile, parse_address
from storage.errors import InUse
from tests.storage.factories import KEY, opened, unit
from tests.support.databases import sqlite_address
from tests.support.fixtures import Logged, Patch


async def _hold(url: str, *, frozen: bool = False) -> asyncio.subprocess.Process:
    holder = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.storage.holder", url, stdout=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.PIPE
    )
    assert holder.stdout is not None
    assert await holder.stdout.readline() == b"open\n"
    if frozen:
        holder.send_signal(signal.SIGSTOP)
        await asyncio.to_thread(os.waitid, os.P_PID, holder.pid, os.WSTOPPED | os.WNOWAIT)
    return holder


async def _refused(url: str, holder: asyncio.subprocess.Process) -> None:
    for opening in (Store.open(url, audit_key=KEY), migrate(url)):
        with pytest.raises(InUse, match=f"id {holder.pid}"):
            await opening


async def test_second_process_is_refused_despite_link_or_removed_lock(sqlite_url: str, tmp_path: Path) -> None:
    file = Path(sqlite_url.partition("///")[2])
    (tmp_path / "symbolic.db").symlink_to(file)
    folder = tmp_path / "folder"
    folder.symlink_to(file.parent)
    holder = await _hold(sqlite_url)
    try:
        for path in (tmp_path / "symbolic.db", folder / file.name):
            await _refused(sqlite_address(path), holder)
        file.with_name(f"{file.name}.lock").unlink()
        await _refused(sqlite_url, holder)
        hard = file.with_name("hard.db")
        hard.hardlink_to(file)
        await _refused(sqlite_address(hard), holder)
        hard.unlink()
    finally:
        holder.send_signal(signal.SIGKILL)
        await holder.communicate()
    async with opened(sqlite_url) as store:
        assert store.exclusive


async def test_database_file_with_two_names_is_refused(sqlite_url: str) -> None:
    file = Path(sqlite_url.partition("///")[2])
    hard = file.with_name("hard.db")
    hard.hardlink_to(file)
    for url in (sqlite_url, sqlite_address(hard)):
        with pytest.raises(StorageError, match="has a second name") as refused:
            await Store.open(url, audit_key=KEY)
        assert refused.value.mend == "Remove the other name, or make it a copy: two names of one file damage it."
    hard.unlink()
    await (await Store.open(sqlite_url, audit_key=KEY)).close()


async def test_refused_second_start_keeps_sqlite_locks(sqlite_url: str) -> None:
    """Closing any descriptor of the file would end them; a second one is not even opened."""
    async with opened(sqlite_url):
        file = Path(sqlite_url.partition("///")[2])
        before = _locks(file)
        assert before
        with pytest.raises(InUse):
            await Store.open(sqlite_url, audit_key=KEY)
        assert _locks(file) == before
    assert not _locks(file)


def _locks(file: Path) -> list[str]:
    """Locks of the file by the system's table: ours of the inode, SQLite's of its bytes."""
    lines = Path("/proc/locks").read_text().splitlines()
    return sorted(line.partition(": ")[2] for line in lines if f":{file.stat().st_ino} " in line)


async def test_open_waits_for_the_end_of_a_stopped_process(sqlite_url: str, caplog: Logged, monkeypatch: Patch) -> None:
    """Once it runs again it has a moment to end."""
    holder = await _hold(sqlite_url, frozen=True)
    looks: asyncio.Queue[bool] = asyncio.Queue()
    is_frozen = engine._is_frozen

    def look(process: str) -> bool:
        looks.put_nowait(is_frozen(process))
        return is_frozen(process)

    monkeypatch.setattr(engine, "_is_frozen", look)
    patience = engine.LockPatience(running=0.0, frozen=300.0)
    opening = asyncio.create_task(Store.open(sqlite_url, audit_key=KEY, patience=patience))
    try:
        assert [await looks.get() for _ in range(3)] == [True] * 3
        assert caplog.messages == [
            f"Another process (id {holder.pid}) uses {sqlite_url.partition('///')[2]}. It is stopped, so its end is "
            "waited for, up to 300 s."
        ]
        holder.send_signal(signal.SIGCONT)
        while await looks.get():
            assert not opening.done()
        assert not opening.done()
    finally:
        holder.send_signal(signal.SIGKILL)
        await holder.communicate()
    await (await opening).close()


async def test_durability_pragmas_are_set(new_sqlite_url: str) -> None:
    await migrate(new_sqlite_url)
    async with opened(new_sqlite_url) as store:

        def held(tx: Tx) -> list[object]:
            names = ["journal_mode", "synchronous", "foreign_keys", "busy_timeout"]
            return [tx.flags._connection.exec_driver_sql(f"PRAGMA {name}").scalar_one() for name in names]

        for pragmas in (await store.write(held), await store.read(held)):
            assert pragmas == ["wal", 2, 1, 2000]


async def test_ineffective_pragma_stops_the_start(sqlite_url: str, monkeypatch: Patch) -> None:
    monkeypatch.setitem(engine._PRAGMAS, "synchronous", 7)
    with pytest.raises(StorageError, match="synchronous"):
        await Store.open(sqlite_url, audit_key=KEY)
    monkeypatch.undo()
    await (await Store.open(sqlite_url, audit_key=KEY)).close()  # the failed start let go of the lock


async def test_writer_locks_from_its_first_statement(sqlite_url: str) -> None:
    path = sqlite_url.removeprefix("sqlite+aiosqlite:///")
    async with opened(sqlite_url) as store:

        def only_reads(tx: Tx) -> str:
            tx.flags.get("counter")
            other = sqlite3.connect(path, timeout=0, isolation_level=None)
            try:
                other.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError as error:
                return str(error)
            finally:
                other.close()
            return "not locked"

        assert await store.write(only_reads) == "database is locked"


async def test_database_files_are_private_to_their_owner(new_sqlite_url: str) -> None:
    await migrate(new_sqlite_url)
    async with opened(new_sqlite_url) as store:
        await unit(store).flags.get("x")
        folder = Path(new_sqlite_url.removeprefix("sqlite+aiosqlite:///")).parent
        names = sorted(entry.name for entry in folder.iterdir())
        assert names == ["switchboard.db", "switchboard.db-shm", "switchboard.db-wal", "switchboard.db.lock"]
        assert {stat.S_IMODE(entry.stat().st_mode) for entry in folder.iterdir()} == {0o600}


async def test_copying_an_empty_database_is_refused(new_database_url: str) -> None:
    with pytest.raises(StorageError, match="version none") as refused:
        await Store.open(new_database_url, audit_key=KEY)
    assert refused.value.mend == "Run `switchboard migrate` with this version of the program."
    await migrate(new_database_url)
    await (await Store.open(new_database_url, audit_key=KEY)).close()


@pytest.mark.parametrize(
    "text",
    ["s3cret", "mysql://u:s3cret@host/x", "postgresql+asyncpg://u:s3cret@host/x", "sqlite+pysqlite:///s3cret"]
    + [f"sqlite://{rest}" for rest in ("", "/:memory:", "/a.db?mode=memory")],
)
def test_wrong_address_is_refused_without_its_password(text: str) -> None:
    with pytest.raises(StorageError) as refused:
        parse_address(text)
    assert "s3cret" not in f"{refused.value.problem} {refused.value.mend}"
    assert refused.value.mend.startswith("Set DATABASE_URL to e.g. ")


@pytest.mark.parametrize("scheme", ["sqlite", "sqlite+aiosqlite"])
def test_address_of_a_file_names_its_absolute_path(scheme: str) -> None:
    assert parse_address(f" {scheme}:////var/lib/a.db ") == SqliteFile(Path("/var/lib/a.db"))
    assert str(parse_address(f"{scheme}:///a.db")) == f"SQLite {Path.cwd() / 'a.db'}"


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_server_address_hides_credentials(scheme: str) -> None:
    server = parse_address(f"{scheme}://u:s3cret@host:5433/x")
    assert isinstance(server, PostgresServer)
    assert (server.url.drivername, str(server)) == ("postgresql+psycopg", "PostgreSQL host:5433/x")
