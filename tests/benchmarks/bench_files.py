"""How much memory the bot needs to pass a file of one gigabyte on, there and back.

Run with ``python -m tests.benchmarks.bench_files``. The bot runs in a process of its own; the file goes from the
workspace through it to a service, and what the service makes of it, as large as the file, back into the thread. What
counts is by how much the bot's resident memory grew at its highest: at most 64 MiB, whatever the file's size. Ends with
1 when it is more.
"""

import asyncio
import sys
import tempfile
from pathlib import Path

from tests.benchmarks.ratios import options
from tests.process.streams import MEGA, Passed, bot_between, let_pass

ALLOWED = 64 * MEGA


async def measure(sizes: list[int]) -> list[Passed]:
    """One pass for each size, in MiB, one after the other through the same bot."""
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-") as name:
        folder = Path(name)
        async with bot_between(folder) as (scene, service):
            return [await let_pass(scene, service, folder, size * MEGA) for size in sizes]


def main() -> int:
    found = asyncio.run(measure(options(__doc__, sizes=[64, 1_024]).sizes))
    sys.stdout.write(f"{'file':>10}  {'there and back':>14}  {'memory before':>13}  {'grew by at most':>15}\n")
    for one in found:
        speed = f"{2 * one.size / MEGA / one.seconds:.0f} MiB/s"
        figures = (f"{one.size // MEGA} MiB", speed, f"{one.before / MEGA:.0f} MiB", f"{one.growth / MEGA:.1f} MiB")
        sys.stdout.write(f"{figures[0]:>10}  {figures[1]:>14}  {figures[2]:>13}  {figures[3]:>15}\n")
    return 1 if any(one.growth > ALLOWED for one in found) else 0


if __name__ == "__main__":
    sys.exit(main())
