"""How long the bot takes until it is ready, and how much memory it holds then, beside its libraries alone.

Run with ``python -m tests.benchmarks.bench_start``. The peer is a Python that imports the libraries and waits.
Both are started in turn and medians compared: the clock, the processor's time, and resident memory.
"""

import asyncio
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from tests.benchmarks.processes import memory, processor
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.process.scene import Scene

SECONDS, MEBIBYTES = 1.5, 120.0
_LIBRARIES = (
    "aiohttp.web",
    "aiosqlite",
    "alembic.command",
    "apscheduler.schedulers.asyncio",
    "cryptography.hazmat.primitives.ciphers.aead",
    "pydantic_settings",
    "slack_bolt.adapter.socket_mode.async_handler",
    "slack_bolt.async_app",
    "sqlalchemy.ext.asyncio",
    "structlog",
)
_BARE = f"import {', '.join(_LIBRARIES)}; print(flush=True); input()"


@dataclass
class Figures:
    """Seconds by the clock and of the processor, MiB."""

    clock: list[float] = field(default_factory=list)
    work: list[float] = field(default_factory=list)
    held: list[float] = field(default_factory=list)

    def add(self, begun: float, pid: int) -> None:
        self.clock.append(time.perf_counter() - begun)
        self.work.append(processor(pid))
        self.held.append(memory(pid))


def _bare(figures: Figures) -> None:
    begun = time.perf_counter()
    with subprocess.Popen([sys.executable, "-c", _BARE], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        figures.add(begun, process.pid)
        process.communicate(b"\n")


async def _run(rounds: int) -> tuple[Figures, Figures]:
    bare, bot = Figures(), Figures()
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-") as name:
        scene = await Scene.open(Path(name), POLL_SECONDS="30", QUIET_SECONDS="900")
        try:
            for _ in range(rounds):
                await asyncio.to_thread(_bare, bare)
                await scene.bot.kill()
                begun = time.perf_counter()
                await scene.start()
                bot.add(begun, scene.bot.pid)
        finally:
            await scene.close()
    return bare, bot


def main() -> int:
    bare, bot = asyncio.run(_run(options(__doc__, rounds=5).rounds))
    print(f"{'':<22}{'seconds':>10}{'CPU s':>10}{'MiB':>10}")  # noqa: T201 - this is what it is for
    for name, one in (("libraries alone", bare), ("kill -9 to ready", bot)):
        row = "".join(f"{statistics.median(values):>10.2f}" for values in (one.clock, one.work, one.held))
        print(f"{name:<22}{row}")  # noqa: T201
    goals = (
        Ratio("processor's seconds until ready / 1.5", statistics.median(bot.work) / SECONDS, 1.0, at_least=False),
        Ratio("MiB when ready / 120", statistics.median(bot.held) / MEBIBYTES, 1.0, at_least=False),
    )
    return verdict(goals)


if __name__ == "__main__":
    raise SystemExit(main())
