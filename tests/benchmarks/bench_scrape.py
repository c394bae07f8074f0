"""A scrape of ``/metrics`` over a database with 100,000 rows in each large table, against one with a single request.

Run with ``python -m tests.benchmarks.bench_scrape``. The rows are copies of those that one completed payout left, so
they are over, but for one in a hundred followed resources and messages, which waits. Times are those of the whole
request in one process, the client included.
"""

import asyncio
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import aiohttp

from storage.migrate import migrate
from tests.benchmarks.processes import quiet
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.support.clock import MINUTE, ManualClock
from tests.support.rig import Rig
from tests.workflows.looking import approved

GOAL = 5.0
OWN = {
    "instruction": ("id", "reference", "code", "source_key"),
    "attempt": ("n",),
    "outbox": ("id", "key"),
    "inbox": ("id", "token_hash", "body_hash"),
    "tracked": ("remote_id",),
    "board": ("subject",),
    "vote": ("person",),
}
"""The large tables, and the columns in which two rows differ."""
_WAITING = (
    "UPDATE tracked SET due_at = 1 WHERE rowid % 100 = 0",
    "UPDATE outbox SET state = 'new', due_at = 1 WHERE rowid % 100 = 0",
)


def multiply(path: Path, count: int) -> None:
    """Fill the large tables up with copies of the rows that are there."""
    with closing(sqlite3.connect(path)) as connection:
        for table, own in OWN.items():
            cursor = connection.execute(f"SELECT * FROM {table} ORDER BY rowid DESC LIMIT 1")  # noqa: S608 - our own words
            names = [column[0] for column in cursor.description]
            row = cursor.fetchone()
            assert row is not None, table
            marks = ", ".join("?" * len(names))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",  # noqa: S608
                _copies(dict(zip(names, row, strict=True)), own, count),
            )
        for waiting in _WAITING:
            connection.execute(waiting)
        connection.commit()


def _copies(row: dict[str, Any], own: Sequence[str], count: int) -> Iterator[list[Any]]:
    for number in range(1, count + 1):
        different = {
            name: row[name] + number if isinstance(row[name], int) else f"{row[name]}-{number}" for name in own
        }
        yield list({**row, **different, **({"seq": None} if "seq" in row else {})}.values())


async def scrapes(rig: Rig, times: int) -> tuple[float, float]:
    took, used = [], []
    async with aiohttp.ClientSession() as session:
        for _ in range(times + 1):
            begun, worked = time.perf_counter(), time.process_time()
            async with session.get(f"{rig.switchboard.url}/metrics") as answer:
                assert "switchboard_waiting" in await answer.text()
            took.append(time.perf_counter() - begun)
            used.append(time.process_time() - worked)
    return statistics.median(took[1:]) * 1e3, statistics.median(used[1:]) * 1e3


async def _run(rows: int, times: int) -> tuple[tuple[float, float], tuple[float, float]]:
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-") as folder:
        path = Path(folder) / "bench.db"
        await migrate(f"sqlite+aiosqlite:///{path}")
        rig = await Rig.open(database_url=f"sqlite+aiosqlite:///{path}", clock=ManualClock())
        try:
            await approved(rig)
            await rig.payments.advance()
            await rig.payments.delivered()
            await rig.pass_time(MINUTE)
            one = await scrapes(rig, times)
            await rig.switchboard.stop()
            multiply(path, rows)
            await rig.start()
            return one, await scrapes(rig, times)
        finally:
            await rig.close()


def main() -> int:
    given = options(__doc__, rows=100_000, scrapes=20)
    quiet()
    one, many = asyncio.run(_run(given.rows, given.scrapes))
    print(f"{'rows a table':>14}{'ms a scrape':>14}{'ms of processor':>18}")  # noqa: T201 - this is what it is for
    for rows, (took, used) in ((1, one), (given.rows, many)):
        print(f"{rows:>14,}{took:>14.1f}{used:>18.1f}")  # noqa: T201
    return verdict([Ratio(f"a scrape with {given.rows:,} rows / with one", many[0] / one[0], GOAL, at_least=False)])


if __name__ == "__main__":
    raise SystemExit(main())
