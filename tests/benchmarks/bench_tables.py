"""A million rows of CSV, read and checked, against the csv module alone; and whether anybody has to wait meanwhile.

Run with ``python -m tests.benchmarks.bench_tables``. "Checked" is what the reader does: encoding, header, broken
quotes, NUL, rows of another width, cells that a spreadsheet would run. Rounds are interleaved and medians compared. The
stall is the longest that a task beside it, which only wants to run every millisecond, had to wait while this process
computed: the processor's time is counted, not the clock's, so that other programs on a busy machine do not count. It is
held against the goal for as many rows as the product takes; a million rows hold others up longest when they are
forgotten all at once, by whatever read them.
"""

import asyncio
import csv
import io
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from bot.domain.files.tables import MEBIBYTE, Limits
from bot.tables.reading import read_table
from tests.benchmarks.ratios import Ratio, options, verdict

GOAL = 0.5
STALL = 0.05
"""Seconds."""


def table(rows: int) -> bytes:
    """Addresses, amounts and notes, some of them in quotes."""
    lines = (f'p{n}@example.com,{n % 900 + 1}.{n % 100:02d},"March, part {n}"' for n in range(rows))
    return ("email,amount,note\r\n" + "\r\n".join(lines) + "\r\n").encode()


def alone(content: bytes) -> int:
    """The csv module, every row kept, as ours are."""
    return len([tuple(row) for row in csv.reader(io.TextIOWrapper(io.BytesIO(content), "utf-8", newline=""))]) - 1


def ours(content: bytes) -> int:
    limits = Limits(size=1024 * MEBIBYTE, rows=10_000_000)
    return len(read_table(io.BytesIO(content), name="people.csv", limits=limits).rows)


@dataclass
class Figures:
    seconds: list[float] = field(default_factory=list)
    stalls: list[float] = field(default_factory=list)


async def _measure(read: Callable[[bytes], int], content: bytes, rows: int, figures: Figures) -> None:
    def timed() -> tuple[int, float]:
        begun = time.thread_time()
        return read(content), time.thread_time() - begun

    reading = asyncio.create_task(asyncio.to_thread(timed))
    longest, last = 0.0, time.process_time()
    while not reading.done():
        await asyncio.sleep(0.001)
        now = time.process_time()
        longest, last = max(longest, now - last), now
    found, seconds = await reading
    if found != rows:
        raise RuntimeError(f"{found} rows instead of {rows}")
    figures.stalls.append(longest)
    figures.seconds.append(seconds)


async def _run(rows: int, rounds: int) -> tuple[Figures, Figures, Figures]:
    allowed = Limits().rows
    content, largest = table(rows), table(allowed)
    ours_, theirs, taken = Figures(), Figures(), Figures()
    for _ in range(rounds):
        await _measure(alone, content, rows, theirs)
        await _measure(ours, content, rows, ours_)
        await _measure(ours, largest, allowed, taken)
    return ours_, theirs, taken


def main() -> int:
    given = options(__doc__, rounds=5, rows=1_000_000)
    ours_, theirs, taken = asyncio.run(_run(given.rows, given.rounds))
    ratios = [
        Ratio("rows read and checked: rate / csv.reader's", median(theirs.seconds) / median(ours_.seconds), GOAL),
        Ratio(f"longest stall at {Limits().rows:,} rows / 50 ms", median(taken.stalls) / STALL, 1.0, at_least=False),
    ]
    print(f"{given.rows:,} rows {'':<14}{'CPU s':>10}{'longest stall, ms':>20}")  # noqa: T201 - this is what it is for
    for name, one in (("csv.reader alone", theirs), ("read and checked", ours_), (f"{Limits().rows:,} of them", taken)):
        print(f"{name:<29}{median(one.seconds):>10.2f}{median(one.stalls) * 1e3:>20.1f}")  # noqa: T201
    return verdict(ratios)


if __name__ == "__main__":
    raise SystemExit(main())
