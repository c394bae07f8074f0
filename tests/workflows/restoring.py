"""A database that is put back to an earlier moment while everything outside of it goes on."""

import sqlite3
from pathlib import Path

from bot.domain.recovery import LastSearch, ReadingOnly
from bot.domain.references import derived_key
from bot.workflows.admin import resume
from bot.workflows.context import Unit
from bot.workflows.reading_only import looks, reading_only
from storage.anchors import AnchorFile, anchors_path
from tests.support.rig import SECRET_KEY, Rig
from tests.workflows.looking import read, there


def path_of(url: str) -> Path:
    return Path(url.partition("///")[2])


def back_up(url: str, to: Path) -> Path:
    """A consistent copy of a database in use, as the documents say how to take one."""
    source, copy = sqlite3.connect(path_of(url)), sqlite3.connect(to)
    source.backup(copy)
    source.close()
    copy.close()
    return to


def put_back(url: str, kept: Path) -> None:
    path = path_of(url)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    path.write_bytes(kept.read_bytes())


async def restore(rig: Rig, kept: Path) -> None:
    await rig.switchboard.stop()
    put_back(rig.settings.database_url, kept)
    await rig.start()
    await rig.settle()


async def mode(rig: Rig) -> ReadingOnly | None:
    return await read(rig, reading_only)


async def looked(rig: Rig) -> list[LastSearch]:
    return list((await read(rig, looks)).values())


def anchors(rig: Rig) -> AnchorFile:
    return AnchorFile(anchors_path(rig.settings.database_url), key=derived_key(SECRET_KEY, "anchor"))


async def resumed(rig: Rig, *, forced: bool = False) -> list[str]:
    ctx = rig.switchboard.context
    now = ctx.clock.now()
    found = there(await read(rig, resume.standing))
    assert found.is_complete or forced
    return await ctx.store.write(
        lambda tx: resume.resume(Unit(tx, now=now, policy=ctx.policy), found, reason="looked", forced=forced)
    )
