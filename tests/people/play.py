"""Play histories: one by its seed, in a world of its own, on either database."""

import asyncio
import logging
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import structlog

from tests.people.history import History
from tests.people.law import violations
from tests.support.clock import ManualClock
from tests.support.databases import lay, migrated_file, sqlite_address
from tests.support.rig import Rig
from tests.support.scratch import scratch
from tests.support.threadless import without_threads

_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """``broken``: what the history broke, each with the law's name first; ``story``: its acts in plain words."""

    seed: int
    theme: str
    broken: tuple[str, ...]
    story: tuple[str, ...]
    paid: int
    requests: int
    seconds: float

    def __str__(self) -> str:
        lines = [f"seed {self.seed} ({self.theme})", *(f"  broke {one}" for one in self.broken)]
        return "\n".join([*lines, *(f"    {one}" for one in self.story)])


def play(seed: int, address: str = "") -> Outcome:
    """Play the history of this seed on a new SQLite file, or on the migrated, empty database at this address."""
    with without_threads(), tempfile.TemporaryDirectory(dir=scratch()) as folder:
        if not address:
            file = Path(folder) / "switchboard.db"
            lay(file, _migrated())
            address = sqlite_address(file)
        return asyncio.run(_played(seed, address))


async def _played(seed: int, address: str) -> Outcome:
    began = time.monotonic()
    rig = await Rig.open(database_url=address, clock=ManualClock())
    try:
        history = History(rig, seed)
        try:
            async with asyncio.timeout(_SECONDS):
                await history.play()
            broken = await violations(rig, history)
        except Exception as error:  # noqa: BLE001 - a history that breaks is a finding like any other
            broken = [f"broke off: {error!r}"]
        return Outcome(
            seed=seed,
            theme=history.theme,
            broken=tuple(broken),
            story=tuple(history.scene.story),
            paid=len(rig.paid),
            requests=len(history.scene.requests),
            seconds=time.monotonic() - began,
        )
    finally:
        await rig.close()


@cache
def _migrated() -> bytes:
    return migrated_file()


@contextmanager
def silence() -> Iterator[None]:
    """No log lines, and no search for garbage in between."""
    before = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    yield
    structlog.configure(**before)
