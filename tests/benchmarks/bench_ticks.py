"""A tick when 100,000 resources are followed and 100 are due, against one when only those 100 are followed.

Run with ``python -m tests.benchmarks.bench_ticks``. A tick is every worker of the application, until nothing is due,
over its real database; a bare server answers for the payments service. With the many stand a tenth as many requests
that are over, with their messages and callbacks: what is kept must cost a tick nothing, and a scrape of ``/metrics``
little. At rest the same application runs by itself with the many; none is due. Times are processor times and include
the idle workspace and simulators.
"""

import asyncio
import secrets
import statistics
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
from aiohttp import web

from bot.domain.payments.instruction import CallbackKind, Instruction, State
from bot.domain.references import derived_key, ulid
from bot.wiring.workers import WORKERS, look
from storage.migrate import migrate
from storage.rows import InboxState, OutboxRow
from storage.store import Store, Tx
from tests.benchmarks.bench_durable import request
from tests.benchmarks.processes import quiet, web_server
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.support.rig import SECRET_KEY, Rig, Unlimited
from tests.support.settling import run_due

GOAL = 1.2
_SCRAPE_GOAL = 5.0
_AT_REST = 0.3
"""Percent of a core."""
_TO_REST = 45.0
"""Seconds for what a start leaves to do: every stored row is read once, to find what cannot be read."""
_DUE = 100
_BATCH = 500


async def _committed(asked: web.Request) -> web.Response:
    operation = {"id": asked.path.rsplit("/", 1)[-1], "status": "committed", "amount": "25.00"}
    return web.json_response(operation)


@dataclass
class World:
    followed: int
    rig: Rig
    due: list[str] = field(default_factory=list)
    ticks: list[float] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    scrapes: list[float] = field(default_factory=list)

    @classmethod
    async def open(cls, folder: Path, service: str, followed: int) -> "World":
        """With the application at a standstill: the benchmark says when it ticks."""
        url = f"sqlite+aiosqlite:///{folder / f'{followed}.db'}"
        await migrate(url)
        store = await Store.open(url, audit_key=derived_key(SECRET_KEY, "audit"))
        now = datetime.now(UTC)
        due: list[str] = []
        for start in range(0, followed, _BATCH):
            numbers = range(start, min(start + _BATCH, followed))
            kept = followed > _DUE
            await asyncio.gather(
                *(store.write(partial(_put, due=due, now=now, n=n, kept=kept and not n % 10)) for n in numbers)
            )
        await store.close()
        rig = await Rig.open(
            database_url=url,
            around={"ticking": False, "limiter": Unlimited()},
            payments_base_url=service,
            poll_seconds=30,
            quiet_seconds=900,
        )
        return cls(followed, rig, due)

    async def tick(self) -> None:
        """Once with everything due; then a look when nothing is, and a scrape."""
        ctx = self.rig.switchboard.context
        now = ctx.clock.now()
        await ctx.store.write(lambda tx: [tx.tracked.again("payout", one, now, "") for one in self.due])
        begun = time.process_time()
        for name in WORKERS:
            while await run_due(ctx, name):
                pass
        self.ticks.append(time.process_time() - begun)
        begun = time.process_time()
        assert not (await look(ctx)).due
        self.idle.append(time.process_time() - begun)
        begun = time.process_time()
        async with aiohttp.request("GET", f"{self.rig.switchboard.url}/metrics") as answer:
            assert "switchboard_waiting" in await answer.text()
        self.scrapes.append(time.process_time() - begun)

    async def rest(self, seconds: float) -> float:
        """The share of a core that the application uses when it runs by itself and nothing is due."""
        self.rig._around["ticking"] = True
        await self.rig.start_again()
        await asyncio.sleep(_TO_REST)
        begun = time.process_time()
        await asyncio.sleep(seconds)
        return (time.process_time() - begun) / seconds


def _put(tx: Tx, *, due: list[str], now: datetime, n: int, kept: bool) -> None:
    """A payout that is followed; with the many, one beside it that is over, and what is kept of it."""
    remote = f"op-{n}"
    followed = replace(request(State.COMMITTED), reference=f"P-{n}", remote_id=remote, commits=1)
    tx.instructions.insert(followed, actor="bench")
    if n < _DUE:
        due.append(remote)
    tx.tracked.follow("payout", remote, due_at=now + timedelta(days=1), now=now, instruction_id=followed.id)
    if kept:
        _keep(tx, replace(request(State.COMPLETED), reference=f"K-{n}", closed_at=now), now)


def _keep(tx: Tx, over: Instruction, now: datetime) -> None:
    tx.instructions.insert(over, actor="bench")
    post, callback, digest = ulid(now), ulid(now), secrets.token_hex(32)
    subject = f"request:{over.id}:approvals"
    about: Any = {"id": post, "subject": subject, "key": post, "action": "line", "place": "", "channel": "C1"}
    tx.outbox.add(OutboxRow(**about, payload={}, due_at=now, created_at=now))
    tx.outbox.sent(post, "C1", "1.1", now)
    tx.tokens.put(token_hash=digest, instruction_id=over.id, kind=CallbackKind.CONFIRMATION)
    tx.inbox.receive(new_id=lambda: callback, token_hash=digest, body_hash=digest, now=now, pause=timedelta(seconds=3))
    tx.inbox.finish(callback, InboxState.APPLIED, hints=1)


async def _run(many: int, rounds: int, seconds: float) -> tuple[World, World, float]:
    service = web.Application()
    service.router.add_route("*", "/{path:.*}", _committed)
    async with AsyncExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="switchboard-bench-")))
        url = await stack.enter_async_context(web_server(service))
        few, all_ = worlds = [await World.open(folder, url, followed) for followed in (_DUE, many)]
        for world in worlds:
            stack.push_async_callback(world.rig.close)
        for _ in range(rounds + 1):
            for world in worlds:
                await world.tick()
        return few, all_, await all_.rest(seconds)


def _middle(values: list[float]) -> float:
    return statistics.median(values[1:])


def main() -> int:
    given = options(__doc__, rounds=7, followed=100_000, seconds=60.0)
    quiet()
    few, many, resting = asyncio.run(_run(given.followed, given.rounds, given.seconds))
    print(f"{'followed':>10}{f'{_DUE} due, ms':>14}{'a look, ms':>14}{'a scrape, ms':>14}")  # noqa: T201 - this is what it is for
    for world in (few, many):
        figures = "".join(f"{_middle(one) * 1e3:>14.1f}" for one in (world.ticks, world.idle, world.scrapes))
        print(f"{world.followed:>10,}{figures}")  # noqa: T201
    slower = _middle(many.ticks) / _middle(few.ticks)
    ratio = Ratio(f"a tick with {given.followed:,} / with {_DUE}", slower, GOAL, False)
    scrape = _middle(many.scrapes) / _middle(few.scrapes)
    scraped = Ratio(f"a scrape with {given.followed:,} / with {_DUE}", scrape, _SCRAPE_GOAL, False)
    rest = Ratio(f"at rest with {given.followed:,}, % of a core", resting * 100, _AT_REST, False)
    return verdict([ratio, scraped, rest])


if __name__ == "__main__":
    raise SystemExit(main())
