"""A database that is restored to an earlier moment while everything outside of it goes on."""

import pickle
import sqlite3
from pathlib import Path

import psycopg

from bot.domain.references import derived_key
from bot.workflows.admin import resume
from bot.workflows.context import Unit
from bot.workflows.restored import Restored, restored
from storage.anchors import AnchorFile
from tests.support.rig import SECRET_KEY, Rig
from tests.workflows.looking import read, there


def path_of(url: str) -> Path:
    return Path(url.partition("///")[2])


def back_up(url: str, to: Path) -> Path:
    """A consistent copy of a database in use."""
    if url.startswith("postgresql"):
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            rows = {}
            for table in _tables(connection):
                with connection.cursor().copy(f'COPY "{table}" TO STDOUT'.encode()) as copy:
                    rows[table] = b"".join(map(bytes, copy))
        to.write_bytes(pickle.dumps(rows))
        return to
    source, target = sqlite3.connect(path_of(url)), sqlite3.connect(to)
    source.backup(target)
    source.close()
    target.close()
    return to


def put_back(url: str, kept: Path) -> None:
    if url.startswith("postgresql"):
        with psycopg.connect(url.replace("+psycopg", "")) as connection:
            connection.execute("SET session_replication_role = replica")  # without triggers
            for table, rows in pickle.loads(kept.read_bytes()).items():  # noqa: S301 - written above
                connection.execute(f'DELETE FROM "{table}"'.encode())  # noqa: S608 - our own tables
                with connection.cursor().copy(f'COPY "{table}" FROM STDIN'.encode()) as copy:
                    copy.write(rows)
        return
    path = path_of(url)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(kept.read_bytes())


def _tables(connection: psycopg.Connection) -> list[str]:
    return [name for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")]


async def restore(rig: Rig, kept: Path) -> None:
    await rig.switchboard.stop()
    put_back(rig.settings.database_url, kept)
    await rig.start()
    await rig.settle()


async def older(rig: Rig) -> Restored | None:
    """How the product knows that the database is older than what was sent; None: it isn't, or an operator resumed."""
    return await read(rig, restored)


def anchors(rig: Rig) -> AnchorFile:
    return AnchorFile(rig.switchboard._high_water._file.path, key=derived_key(SECRET_KEY, "anchor"))


async def resumed(rig: Rig) -> list[str]:
    """What ``switchboard resume`` does; references of the requests to check."""
    ctx = rig.switchboard.context
    now, found = ctx.clock.now(), there(await older(rig))
    return await ctx.store.write(lambda tx: resume.resume(Unit(tx, now=now, policy=ctx.policy), found, reason="looked"))
