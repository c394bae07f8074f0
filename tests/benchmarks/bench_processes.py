"""One, two and four processes on one PostgreSQL: votes and callbacks a second, and rest.

Run with ``python -m tests.benchmarks.bench_processes``; choose with ``--processes`` and ``--what durable rest``. Votes
and callbacks, durable before their answer, are spread evenly over the processes; each figure is a ratio to one process
of the same run. Where all processes share the machine's cores with the load and the database, more of them cannot be
faster: the ratio says how much slower they make each other. At rest each process has nothing due; its seconds of the
processor are counted.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator

from bot.playground.process import free_port
from bot.settings import Settings
from tests.benchmarks.bench_durable import Figures, World, callbacks_to, outside_of, votes_on
from tests.benchmarks.load import fire
from tests.benchmarks.processes import Spawned, switchboard
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.support.databases import migrated_database
from tests.support.postgres import PostgresServer, postgres_server

GOAL = 0.7
"""Of the rate of one process, for two and four on the same cores."""

_CONNECTIONS = 64

_CARDS = 400
_KINDS = ("votes", "callbacks")
_AT_REST = 0.3
"""Percent of a core, of each process."""
_TO_REST, _RESTS = 15.0, 30.0


class Group:
    """Some processes on a database of their own, with cards that wait and payouts that are followed."""

    def __init__(self, server: PostgresServer, processes: int) -> None:
        self._outside = Spawned(outside_of, (server.url(migrated_database(server)), _CARDS))
        world: World = self._outside.told
        assert isinstance(world.settings, Settings)
        self._bots = [
            Spawned(switchboard, world.settings.model_copy(update={"port": free_port()})) for _ in range(processes)
        ]
        self.measured = {kind: Figures() for kind in _KINDS}
        self._callbacks = [callbacks_to(bot.told, world.tokens) for bot in self._bots]
        self._votes_of = [votes_on(bot.told, world.cards[n::processes]) for n, bot in enumerate(self._bots)]

    async def round(self, seconds: float) -> None:
        await self._measure("votes", [iter(next(votes)) for votes in self._votes_of], seconds)
        await self._measure("callbacks", self._callbacks, seconds)

    async def _measure(self, what: str, requests: list[Iterator[bytes]], seconds: float) -> None:
        used = sum(bot.cpu for bot in self._bots)
        each = [
            fire(bot.told, some, connections=_CONNECTIONS // len(self._bots), seconds=seconds)
            for bot, some in zip(self._bots, requests, strict=True)
        ]
        fired = await asyncio.gather(*each)
        delays = [delay for _, some in fired for delay in some]
        measured = self.measured[what]
        measured.rates.append(sum(rate for rate, _ in fired))
        measured.delays.append(delays)
        measured.costs.append((sum(bot.cpu for bot in self._bots) - used) / len(delays))

    def rests(self) -> float:
        """Percent of a core that each process takes while nothing is due."""
        time.sleep(_TO_REST)
        before = sum(bot.cpu for bot in self._bots)
        time.sleep(_RESTS)
        return (sum(bot.cpu for bot in self._bots) - before) / _RESTS / len(self._bots) * 100

    def stop(self) -> None:
        for one in [*self._bots, self._outside]:
            one.stop()


def durable(server: PostgresServer, counts: list[int], *, rounds: int, seconds: float) -> list[Ratio]:
    groups = {count: Group(server, count) for count in counts}
    try:
        for _ in range(rounds + 1):  # the first one warms up
            for group in groups.values():
                asyncio.run(group.round(seconds))
    finally:
        for group in groups.values():
            group.stop()
    head = f"{'':<12}{'processes':>10}{'a second':>10}{'p99 ms':>10}{'CPU µs':>10}"
    print(head)  # noqa: T201 - this is what it is for
    for what, n, one in ((what, n, group.measured[what]) for what in _KINDS for n, group in groups.items()):
        cost = statistics.median(one.costs[1:]) * 1e6
        print(f"{what:<12}{n:>10}{one.rate:>10,.0f}{one.slow * 1e3:>10.0f}{cost:>10,.0f}", flush=True)  # noqa: T201
    first = groups[counts[0]]
    return [
        Ratio(f"{what}: {n} processes / {counts[0]}", group.measured[what].rate / first.measured[what].rate, GOAL)
        for what in first.measured
        for n, group in groups.items()
        if n != counts[0]
    ]


def rest(server: PostgresServer, count: int) -> Ratio:
    group = Group(server, count)
    try:
        return Ratio(f"at rest: {count} processes, % of a core each", group.rests(), _AT_REST, at_least=False)
    finally:
        group.stop()


def main() -> int:
    # at most 6 rounds: every vote is a new one
    given = options(__doc__, what=["durable", "rest"], processes=[1, 2, 4], rounds=3, seconds=1.5)
    ratios: list[Ratio] = []
    with postgres_server(max_connections="200") as server:
        if "durable" in given.what:
            ratios += durable(server, given.processes, rounds=given.rounds, seconds=given.seconds)
        if "rest" in given.what:
            ratios += [rest(server, count) for count in given.processes]
    return verdict(ratios)


if __name__ == "__main__":
    raise SystemExit(main())
