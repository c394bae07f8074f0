"""Several processes on one PostgreSQL: ``kill -9``, SIGSTOP, restarts of the server, clocks that differ."""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict
from pathlib import Path

from bot.playground.faults import Fault, FaultKind
from bot.playground.process import free_port
from tests.campaigns.books import broken
from tests.campaigns.gauge import Gauged, Stop, pace_of
from tests.campaigns.kills import MOST_TOLD, START_SECONDS, keep
from tests.campaigns.results import Ledger, Piece
from tests.campaigns.traffic import Typist, Witness
from tests.process.balancer import Balancer
from tests.process.bot_process import PLAYED, BotProcess, Ended
from tests.process.ends import all_is_over
from tests.process.scene import Scene
from tests.support.databases import migrated_database
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.rig import ADA
from tests.support.scratch import scratch

KILLS = 30
"""Kills of a round."""
SKEWS: Sequence[Sequence[float]] = ((0, 0, 0, 0), (0, 61, 0, -61), (0, 0, 0, 0), (0, 0, 7_200, -7_200))
"""Seconds by which the processes' clocks are ahead, round by round."""
_SLACK_TAKES = 300.0
"""Largest skew in seconds with which Slack's signatures verify; a process beyond it gets no requests here."""
_FROZEN, _RESTARTED = 0.15, 0.04
_STILLBORN = 0.25
"""Share of lives that end while starting; low enough that some process is usually ready."""
_LONGEST_GAP, _LONGEST_PAUSE = 2.5, 8.0
_PATIENCE = 420.0
_SUPERVISED = 0.2
STILL_SECONDS = 90.0
"""One and a half leases, so that other processes take over the rows of the paused one."""
_COMMIT_SECONDS = 1.5
_CATCHING_UP = 15.0
"""Seconds for a continued process to handle the requests that arrived during the pause."""


def campaign(ledger: Ledger, *, kills: int, processes: int, first: int = 0) -> None:
    name = f"kills over {processes} processes"
    done = ledger.done(name)
    for number in range(first // KILLS, -(-(first + kills) // KILLS)):
        if number * KILLS not in done:
            keep(ledger, play(number, KILLS, processes=processes))


def stand_still(ledger: Ledger, *, times: int, processes: int, first: int = 0) -> None:
    """Pause one process for longer than a lease, during slow commits."""
    done = ledger.done(_still(processes))
    for number in range(first, first + times):
        if number not in done:
            keep(ledger, play(number, 0, processes=processes))


def _still(processes: int) -> str:
    return f"{STILL_SECONDS:g} s of SIGSTOP of one of {processes} processes"


def play(number: int, kills: int, *, processes: int) -> Piece:
    """Run one round; its number is its seed. Without kills, one process is paused for a long time."""
    folder = Path(tempfile.mkdtemp(prefix=f"fleet-{number}-", dir=scratch()))
    with postgres_server(synchronous_commit="on") as server:
        database = migrated_database(server)
        piece = asyncio.run(_round(number, kills, processes, folder, server, server.url(database)))
    if not piece.violations:
        shutil.rmtree(folder)
    return piece


class Fleet:
    def __init__(self, bots: Sequence[BotProcess], skews: Sequence[float]) -> None:
        self.bots = bots
        self._skews = skews
        self._frozen: set[BotProcess] = set()
        self._watching: asyncio.Task[None] | None = None
        self.starts = 0
        self.stops: list[Stop] = []

    def urls(self) -> list[str]:
        """Processes that get Slack's requests, paused ones included, because Slack cannot know."""
        return [bot.url for bot, skew in zip(self.bots, self._skews, strict=True) if abs(skew) < _SLACK_TAKES]

    async def start(self) -> None:
        for bot in self.bots:
            await bot.start()
        self._watching = asyncio.create_task(self._supervise(), name="supervisor")
        await self.ready()

    async def ready(self) -> None:
        async with asyncio.timeout(START_SECONDS):
            for bot in self.bots:
                while bot not in self._frozen and not await _is_ready(bot):  # noqa: ASYNC110 - there is no event of another process
                    await asyncio.sleep(_SUPERVISED)

    async def stop(self) -> None:
        await self._leave_alone()
        await asyncio.gather(*(bot.stop(timeout=60.0) for bot in self.bots if bot.running))

    async def discard(self) -> None:
        await self._leave_alone()
        for bot in self.bots:
            await bot.discard()

    async def kill(self, bot: BotProcess) -> None:
        if bot.running:
            await bot.kill()

    async def freeze(self, bot: BotProcess, seconds: float) -> None:
        if not bot.running or bot in self._frozen:
            return
        self._frozen.add(bot)
        bot.pause()
        await asyncio.sleep(seconds)
        self._frozen.discard(bot)
        self.stops.append(Stop(self.bots.index(bot), time.monotonic()))
        with suppress(ProcessLookupError):
            bot.resume()

    async def _leave_alone(self) -> None:
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)

    async def _supervise(self) -> None:
        while True:
            for bot in self.bots:
                if not bot.running:
                    await bot.start()
                    self.starts += 1
            await asyncio.sleep(_SUPERVISED)


@asynccontextmanager
async def _opened(
    folder: Path, url: str, *, processes: int, skews: Sequence[float], chance: random.Random
) -> AsyncIterator[tuple[Scene, Fleet, Gauged]]:
    fleet: Fleet | None = None
    async with Balancer(lambda: fleet.urls() if fleet is not None else [], chance=chance) as balancer:
        scene = await Scene.open(
            folder,
            start=False,
            program=PLAYED,
            simulator={"rate_limit": None},
            DATABASE_URL=url,
            PUBLIC_URL=balancer.url,
        )
        gauge = Gauged(scene.payments.port, senders=processes)
        bots = []
        for n in range(processes):
            own = folder / f"process-{n}"
            own.mkdir()
            different = {
                "PORT": str(free_port()),
                "PLAY_SKEW": str(skews[n]),
                "PAYMENTS_BASE_URL": f"http://127.0.0.1:{gauge.ports[n]}",
            }
            environment = {**scene.bot.environment, **different}
            bots.append(BotProcess(environment=environment, folder=own, program=PLAYED))
        fleet = Fleet(bots, skews)
        scene.bot = bots[0]
        scene.workspace.deliver_to(f"{balancer.url}/slack/events")
        try:
            yield scene, fleet, gauge
        finally:
            await fleet.discard()
            gauge.stop()
            await scene._stack.aclose()


async def _round(number: int, kills: int, processes: int, folder: Path, server: PostgresServer, url: str) -> Piece:
    started = time.monotonic()
    chance = random.Random(number)  # noqa: S311 - repeatable on purpose
    skews = SKEWS[number % len(SKEWS)][:processes]
    counts: Counter[str] = Counter()
    violations: list[str] = []
    async with _opened(folder, url, processes=processes, skews=skews, chance=chance) as (scene, fleet, gauge):
        typist = Typist(scene, random.Random(-number - 1), at_once=6)  # noqa: S311
        witness = Witness(scene, user=ADA)
        try:
            async with asyncio.timeout(_PATIENCE * 2 + kills * 20), witness:
                await fleet.start()
                async with typist.typing():
                    if kills:
                        await _torment(fleet, server, chance, kills, counts)
                    else:
                        await _let_stand(scene, fleet, chance, counts)
                accepted = sum(one.accepted for one in typist.typed)
                await scene.workspace.until(lambda: all_is_over(scene, at_least=accepted), timeout=_PATIENCE)
                await scene.settled(timeout=_PATIENCE)
        except (TimeoutError, AssertionError) as stuck:
            violations.append(f"no end: {type(stuck).__name__}: {str(stuck)[:1000]}")
        await fleet.stop()
        violations += await broken(scene, url.replace("+psycopg", ""), typed=typist.typed, witness=witness)
        arrivals = gauge.arrivals()
        pace = pace_of(arrivals, fleet.stops)
        (folder / "arrivals.json").write_text(
            json.dumps([[asdict(one) for one in part] for part in (arrivals, fleet.stops)])
        )
        if pace.too_many:
            violations.append(f"{pace.too_many} requests too many, up to {pace.certain} in a second")
        counts["paid"] = sum(scene.executions().values())
    counts |= {"asked": len(typist.typed), "approvals": len(witness.acknowledged), "requests": pace.requests}
    counts |= {
        "sent after standing still": pace.stopped,
        "most in a second, seen": pace.seen,
        "most in a second, certain": pace.certain,
        "starts": fleet.starts,
    }
    counts["ended by themselves"] = sum(bot.stdout.count("switchboard cannot go on") for bot in fleet.bots)
    counts["tracebacks"] = sum(bot.stdout.count("Traceback") for bot in fleet.bots)
    return Piece(
        campaign=f"kills over {processes} processes" if kills else _still(processes),
        first=number * (kills or 1),
        runs=kills or 1,
        seconds=time.monotonic() - started,
        violations=tuple(f"round {number} ({folder}): {one}" for one in violations[:MOST_TOLD]),
        counts=dict(counts),
    )


async def _torment(
    fleet: Fleet, server: PostgresServer, chance: random.Random, kills: int, counts: Counter[str]
) -> None:
    pauses: set[asyncio.Task[None]] = set()
    while counts["killed"] < kills:
        await asyncio.sleep(chance.uniform(0.1, _LONGEST_GAP))  # the instant is what is random
        victim, what = chance.choice(list(fleet.bots)), chance.random()
        if what < _RESTARTED:
            await asyncio.to_thread(server.restart, mode=chance.choice(["fast", "immediate"]))
            counts["database restarted"] += 1
        elif what < _RESTARTED + _FROZEN:
            pauses.add(asyncio.create_task(fleet.freeze(victim, chance.uniform(0, _LONGEST_PAUSE))))
            counts["stood still"] += 1
        elif victim.running:
            if chance.random() < _STILLBORN:
                counts["killed while starting"] += not await _is_ready(victim)
            else:
                await fleet.ready()
            await fleet.kill(victim)
            counts["killed"] += 1
    await asyncio.gather(*pauses)
    await fleet.ready()


async def _let_stand(scene: Scene, fleet: Fleet, chance: random.Random, counts: Counter[str]) -> None:
    """Pause one process while commits are answered slowly; count the others' payments during that time."""
    slow = Fault(FaultKind.SLOW, "commit_payout", times=None, seconds=_COMMIT_SECONDS)
    scene.payments.faults.arm(slow)
    await scene.workspace.until(lambda: slow.hits >= len(fleet.bots) * 2, timeout=_PATIENCE)
    await asyncio.sleep(chance.uniform(0, _COMMIT_SECONDS))  # the instant is what is random
    before = sum(scene.executions().values())
    await fleet.freeze(chance.choice(list(fleet.bots)), STILL_SECONDS)
    counts["paid meanwhile"] = sum(scene.executions().values()) - before
    scene.payments.faults.clear()
    await asyncio.sleep(_CATCHING_UP)
    await fleet.ready()


async def _is_ready(bot: BotProcess) -> bool:
    try:
        await bot.ready(timeout=_SUPERVISED * 10)
    except (TimeoutError, Ended, AssertionError):
        return False
    return True
