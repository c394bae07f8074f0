"""``kill -9``, SIGSTOP and restarts of the server while people pay: one process on SQLite, several on one PostgreSQL.

A round has its own database; its number is its seed.
"""

import asyncio
import json
import random
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import as_completed
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path

from bot.playground.faults import Fault, FaultKind
from tests.campaigns.books import broken
from tests.campaigns.gauge import Gauged, Stop, pace_of
from tests.campaigns.results import Ledger, Piece
from tests.campaigns.traffic import Typist
from tests.process.approver import Approver
from tests.process.bot_process import BotProcess, Ended
from tests.process.fleet import Fleet, open_fleet
from tests.support.crews import Processes
from tests.support.databases import lay, migrated_database, migrated_file, sqlite_address
from tests.support.postgres import PostgresServer, postgres_server
from tests.support.scratch import scratch

KILLS = 30
"""Kills of a round."""
SKEWS: Sequence[Sequence[float]] = ((0, 0, 0, 0), (0, 61, 0, -61), (0, 0, 0, 0), (0, 0, 7_200, -7_200))
"""Seconds by which the clocks of several processes are ahead, round by round."""
_SLACK_TAKES = 300.0
"""Largest skew in seconds with which Slack's signatures verify; a process beyond it gets no requests here."""
_FROZEN, _RESTARTED = 0.15, 0.04
_STILLBORN = 0.25
"""Share of lives that end while starting; low enough that some process is usually ready."""
_LONGEST_GAP, _LONGEST_PAUSE = 2.5, 8.0
_PATIENCE = 420.0
_START_SECONDS = 300.0
"""Generous, because many start at once. The speed of a start is measured elsewhere."""
_SUPERVISED = 0.2
_STILL_SECONDS = 90.0
"""One and a half leases, so that other processes take over the rows of the paused one."""
_COMMIT_SECONDS = 1.5
_CATCHING_UP = 15.0
"""Seconds for a continued process to handle the requests that arrived during the pause."""
_MOST_TOLD = 20


def campaign(ledger: Ledger, *, kills: int, processes: int = 1, at_once: int = 1, first: int = 0) -> None:
    """Play the rounds that are not done yet."""
    done = ledger.done(_name(KILLS, processes))
    wanted = [number for number in range(first // KILLS, -(-(first + kills) // KILLS)) if number * KILLS not in done]
    with Processes(at_once) as pool:
        for future in as_completed([pool.submit(play, number, KILLS, processes) for number in wanted]):
            ledger.add(future.result())


def stand_still(ledger: Ledger, *, times: int, processes: int, first: int = 0) -> None:
    """Pause one process for longer than a lease, during slow commits."""
    done = ledger.done(_name(0, processes))
    for number in range(first, first + times):
        if number not in done:
            ledger.add(play(number, 0, processes))


def _name(kills: int, processes: int) -> str:
    if not kills:
        return f"{_STILL_SECONDS:g} s of SIGSTOP of one of {processes} processes"
    return f"kills over {processes} processes" if processes > 1 else "kills on SQLite"


def play(number: int, kills: int, processes: int = 1) -> Piece:
    """Run one round. Its folder stays if something was violated."""
    folder = Path(tempfile.mkdtemp(prefix=f"kills-{number}-", dir=scratch()))
    with ExitStack() as stack:
        server = stack.enter_context(postgres_server(synchronous_commit="on")) if processes > 1 else None
        if server is None:
            lay(folder / "switchboard.db", migrated_file())
        url = sqlite_address(folder / "switchboard.db") if server is None else server.url(migrated_database(server))
        piece = asyncio.run(_Round(number, kills, processes, folder, server).play(url))
    if not piece.violations:
        shutil.rmtree(folder)
    return piece


class _Round:
    def __init__(self, number: int, kills: int, processes: int, folder: Path, server: PostgresServer | None) -> None:
        self._number, self._kills, self._processes = number, kills, processes
        self._folder = folder
        self._server = server
        self._chance = random.Random(number)  # noqa: S311 - repeatable on purpose
        self._counts: Counter[str] = Counter()
        self._frozen: set[BotProcess] = set()
        self._stops: list[Stop] = []
        self._fleet: Fleet

    async def play(self, url: str) -> Piece:
        started = time.monotonic()
        # One process on SQLite counts its own requests, so that the simulator may refuse them.
        more = {"simulator": {"rate_limit": None}} if self._processes > 1 else {}
        async with open_fleet(self._folder, url, chance=self._chance, **more) as self._fleet:
            violations = await self._played(url)
        return Piece(
            campaign=_name(self._kills, self._processes),
            first=self._number * (self._kills or 1),
            runs=self._kills or 1,
            seconds=time.monotonic() - started,
            violations=tuple(f"round {self._number} ({self._folder}): {one}" for one in violations[:_MOST_TOLD]),
            counts=dict(self._counts),
        )

    async def _played(self, url: str) -> list[str]:
        fleet, violations = self._fleet, list[str]()
        gauge = Gauged(fleet.payments.port, senders=self._processes) if self._processes > 1 else None
        for n, skew in enumerate(SKEWS[self._number % len(SKEWS)][: self._processes]):
            own = {"PAYMENTS_BASE_URL": f"http://127.0.0.1:{gauge.ports[n]}"} if gauge is not None else {}
            bot = fleet.add(PLAY_SKEW=str(skew), **own)
            if abs(skew) < _SLACK_TAKES:
                fleet.rotation.append(bot)  # also while it is paused, because Slack cannot know
        fleet.bot = fleet.bots[0]
        typist = Typist(fleet, random.Random(-self._number - 1), at_once=4 if gauge is None else 6)  # noqa: S311
        approver = Approver(fleet)
        supervisor = asyncio.create_task(self._supervise(), name="supervisor")
        try:
            async with asyncio.timeout(_PATIENCE * 2 + self._kills * 20), approver:
                await self._ready()
                async with typist.typing():
                    await (self._torment() if self._kills else self._let_stand())
                accepted = sum(one.accepted for one in typist.typed)
                await fleet.workspace.until(lambda: fleet.is_over(at_least=accepted), timeout=_PATIENCE)
                await fleet.settled(timeout=_PATIENCE)
        except (TimeoutError, AssertionError) as stuck:
            violations.append(f"no end: {type(stuck).__name__}: {str(stuck)[:1000]}")
        supervisor.cancel()
        await asyncio.gather(supervisor, return_exceptions=True)
        codes = await asyncio.gather(*(bot.stop(timeout=60.0) for bot in fleet.bots if bot.running))
        violations += await broken(fleet, url, typed=typist.typed, approver=approver)
        violations += [*self._too_many(gauge), *([f"stopped with {codes}"] if any(codes) else [])]
        self._count_what_was_written(violations)
        self._counts |= {"asked": len(typist.typed), "approvals": len(approver.acknowledged)}
        self._counts["paid"] = sum(fleet.executions().values())
        return violations

    def _too_many(self, gauge: Gauged | None) -> list[str]:
        """More requests in a second than the partner allows, by the gauge."""
        if gauge is None:
            return []
        arrivals = gauge.arrivals()
        gauge.stop()
        told = [[asdict(one) for one in part] for part in (arrivals, self._stops)]
        (self._folder / "arrivals.json").write_text(json.dumps(told))
        pace = pace_of(arrivals, self._stops)
        self._counts |= {"requests": pace.requests, "sent after standing still": pace.stopped}
        self._counts |= {"most in a second, seen": pace.seen, "most in a second, certain": pace.certain}
        return [f"{pace.too_many} requests too many, up to {pace.certain} in a second"] if pace.too_many else []

    def _count_what_was_written(self, violations: list[str]) -> None:
        """Only a database that goes away explains a traceback, or a process that ends by itself."""
        for bot in self._fleet.bots:
            self._counts["starts"] += bot.starts
            self._counts["ended by themselves"] += bot.stdout.count("switchboard cannot go on")
            self._counts["tracebacks"] += bot.stdout.count("Traceback")
            if self._server is None and (bot.stderr or "Traceback" in bot.stdout):
                violations.append(f"it wrote {bot.stderr[:300]} {bot.stdout.partition('Traceback')[2][:600]}")

    async def _supervise(self) -> None:
        while True:
            for bot in self._fleet.bots:
                if not bot.running:
                    await bot.start()
            await asyncio.sleep(_SUPERVISED)

    async def _ready(self) -> None:
        async with asyncio.timeout(_START_SECONDS):
            for bot in self._fleet.bots:
                while bot not in self._frozen and not await _is_ready(bot):  # noqa: ASYNC110 - there is no event of another process
                    await asyncio.sleep(_SUPERVISED)

    async def _freeze(self, bot: BotProcess, seconds: float) -> None:
        if not bot.running or bot in self._frozen:
            return
        self._frozen.add(bot)
        bot.pause()
        await asyncio.sleep(seconds)
        self._frozen.discard(bot)
        self._stops.append(Stop(self._fleet.bots.index(bot), time.monotonic()))
        with suppress(ProcessLookupError):
            bot.resume()

    async def _torment(self) -> None:
        chance, counts, pauses = self._chance, self._counts, set[asyncio.Task[None]]()
        while counts["killed"] < self._kills:
            await asyncio.sleep(chance.uniform(0.1, _LONGEST_GAP))  # the instant is what is random
            victim, what = chance.choice(self._fleet.bots), chance.random()
            if what < _RESTARTED and self._server is not None:
                await asyncio.to_thread(self._server.restart, mode=chance.choice(["fast", "immediate"]))
                counts["database restarted"] += 1
            elif what < _RESTARTED + _FROZEN:
                pauses.add(asyncio.create_task(self._freeze(victim, chance.uniform(0, _LONGEST_PAUSE))))
                counts["stood still"] += 1
            elif victim.running:
                if chance.random() < _STILLBORN:
                    counts["killed while starting"] += not await _is_ready(victim, within=_SUPERVISED)
                else:
                    await self._ready()
                if victim.running:
                    await victim.kill()
                counts["killed"] += 1
        await asyncio.gather(*pauses)
        await self._ready()

    async def _let_stand(self) -> None:
        """Pause one process while commits are answered slowly; count the others' payments during that time."""
        fleet = self._fleet
        slow = Fault(FaultKind.SLOW, "commit_payout", times=None, seconds=_COMMIT_SECONDS)
        fleet.payments.faults.arm(slow)
        await fleet.workspace.until(lambda: slow.hits >= len(fleet.bots) * 2, timeout=_PATIENCE)
        await asyncio.sleep(self._chance.uniform(0, _COMMIT_SECONDS))  # the instant is what is random
        before = sum(fleet.executions().values())
        await self._freeze(self._chance.choice(fleet.bots), _STILL_SECONDS)
        self._counts["paid meanwhile"] = sum(fleet.executions().values()) - before
        fleet.payments.faults.clear()
        await asyncio.sleep(_CATCHING_UP)
        await self._ready()


async def _is_ready(bot: BotProcess, *, within: float = 2.0) -> bool:
    try:
        await bot.ready(timeout=within)
    except (TimeoutError, Ended, AssertionError):
        return False
    return True
