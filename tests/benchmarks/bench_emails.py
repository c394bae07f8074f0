"""A list of addresses row by row, against aiohttp alone in the same run.

Run with ``python -m tests.benchmarks.bench_emails``. The service, the bare client and the bot are processes of their
own; Slack is this one. Ideal is what the rounds take at the service's own pace: 10,000
addresses, 1,000 at a time, 50 ms each are 0.5 s. Rounds are interleaved and medians compared, so that a busy machine
slows both alike; where it is very busy, the processor's time says more than the clock's. The bot's time begins with
the first request at the service and ends when the last answer is durable.
"""

import asyncio
import statistics
import tempfile
import time
from collections import defaultdict
from multiprocessing.connection import Connection
from pathlib import Path

import aiohttp

from bot.domain.references import derived_key
from bot.playground.simulators.emails import EmailsSimulator, Manners
from storage.store import Store
from tests.benchmarks.processes import Spawned, memory, processor, said
from tests.benchmarks.ratios import options
from tests.process.scene import Scene
from tests.support.rig import FINANCE, MARIA, SECRET_KEY
from tests.support.rows import jobs_of

KEY = "benchmark-key"
LATENCY = 0.05
GOAL = 0.7
"""Of aiohttp alone, with durable results."""
_ENOUGH = 180.0


async def _serve(pipe: Connection) -> None:
    """The service; each message asks for the first arrival, the requests and the peak since the last message."""
    simulator = EmailsSimulator(api_key=KEY, manners=Manners(latency=LATENCY))
    await simulator.start()
    pipe.send(simulator.url)
    while await said(pipe) != "stop":
        calls = list(simulator.calls)
        pipe.send((calls[0].at if calls else 0.0, len(calls), simulator.peak))
        simulator.calls.clear()
        simulator.peak = 0
    await simulator.stop()


async def _alone(pipe: Connection) -> None:
    """aiohttp alone: one session, as many workers as requests at a time."""
    url, count, at_once = await said(pipe)
    worked = time.process_time()
    addresses = iter(range(count))
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=at_once)) as session:

        async def ask() -> None:
            for n in addresses:
                query = {"email": f"p{n}@example.com", "apikey": KEY}
                async with session.get(f"{url}/single/", params=query) as answer:
                    await answer.json()

        begun = time.perf_counter()
        await asyncio.gather(*(ask() for _ in range(at_once)))
        seconds = time.perf_counter() - begun
    pipe.send((seconds, time.process_time() - worked, memory("self", "VmHWM")))
    await said(pipe)


class Bench:
    def __init__(self, *, count: int, at_once: int) -> None:
        self.count = count
        self.at_once = at_once
        self.figures = defaultdict[str, list[float]](list)

    async def run(self, rounds: int) -> None:
        self._server = await asyncio.to_thread(Spawned, _serve)
        try:
            for _ in range(rounds):
                alone = await asyncio.to_thread(Spawned, _alone, (self._server.told, self.count, self.at_once))
                await asyncio.to_thread(alone.stop)
                for name, figure in zip(("alone", "alone_work", "alone_memory"), alone.told, strict=True):
                    self.figures[name].append(figure)
                await asyncio.to_thread(self._server.ask, "seen?")
                await self._measure_bot(self._server.told)
        finally:
            self._server.stop()

    async def _measure_bot(self, url: str) -> None:
        with tempfile.TemporaryDirectory() as name:
            scene = await Scene.open(
                Path(name),
                EMAIL_SINGLE_BASE_URL=f"{url}/single",
                EMAIL_BULK_BASE_URL=f"{url}/bulk",
                EMAIL_API_KEY=KEY,
                POLL_SECONDS="30",
            )
            try:
                await self._measure(scene)
            finally:
                await scene.close()

    async def _measure(self, scene: Scene) -> None:
        self.figures["before"].append(memory(scene.bot.pid, "VmRSS"))
        work = processor(scene.bot.pid)
        await self._process(scene)
        self.figures["work"].append(processor(scene.bot.pid) - work)
        self.figures["most"].append(memory(scene.bot.pid, "VmHWM"))
        first, requests, peak = await asyncio.to_thread(self._server.ask, "seen?")
        assert requests == self.count, f"{requests} requests for {self.count} addresses"
        assert peak <= self.at_once
        await scene.bot.stop()
        self.figures["bot"].append(await _closed_at(scene) - first)

    async def _process(self, scene: Scene) -> None:
        """Choose a file, take the likely column, and wait for the result in the thread."""
        content = b"email,name\r\n" + b"".join(b"p%d@example.com,Ana\r\n" % n for n in range(self.count))
        await scene.workspace.slash(MARIA, FINANCE, "/email", "file")
        await scene.workspace.submit(MARIA, {"file": [scene.workspace.upload(MARIA, "people.csv", content)]})
        await scene.workspace.until(
            lambda: (form := scene.workspace.modal(MARIA)) and form.callback_id == "email.list", timeout=_ENOUGH
        )
        await scene.workspace.submit(MARIA, {"concurrent": str(self.at_once)})
        await scene.workspace.until(
            lambda: any(one.files for one in scene.workspace.messages(FINANCE)), timeout=_ENOUGH
        )


async def _closed_at(scene: Scene) -> float:
    store = await Store.open(f"sqlite+aiosqlite:///{scene.database}", audit_key=derived_key(SECRET_KEY, "audit"))
    try:
        (job,) = await store.read(lambda tx: jobs_of(tx, MARIA))
        assert job.closed_at is not None
        run = await store.read(lambda tx: tx.emails.get(job.id))
        assert run is not None
        assert run.outcomes == {"answered": run.total}
        return job.closed_at.timestamp()
    finally:
        await store.close()


def report(bench: Bench) -> str:
    middle = {name: statistics.median(values) for name, values in bench.figures.items()}
    ideal = bench.count / bench.at_once * LATENCY
    alone, bot = middle["alone"], middle["bot"]
    return "\n".join(
        [
            f"{bench.count:,} addresses, {bench.at_once:,} at a time, {LATENCY * 1_000:.0f} ms each; "
            f"ideal {ideal:.2f} s",
            "",
            "| | seconds | share of the ideal | processor, s | peak memory |",
            "|---|---|---|---|---|",
            f"| aiohttp alone | {alone:.2f} | {ideal / alone:.0%} | {middle['alone_work']:.2f} | "
            f"{middle['alone_memory']:.0f} MiB |",
            f"| the complete bot, results durable | {bot:.2f} | {ideal / bot:.0%} | {middle['work']:.2f} | "
            f"{middle['most']:.0f} MiB, before {middle['before']:.0f} |",
            "",
            f"Of aiohttp alone: {alone / bot:.2f} (goal {GOAL}: {'reached' if alone / bot >= GOAL else 'missed'})",
        ]
    )


def main() -> None:
    given = options(__doc__, rounds=3, count=10_000, at_once=1_000)
    bench = Bench(count=given.count, at_once=given.at_once)
    asyncio.run(bench.run(given.rounds))
    print(report(bench))  # noqa: T201 - the table is the point


if __name__ == "__main__":
    main()
