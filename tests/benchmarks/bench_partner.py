"""The partner's ten requests a second, in one process and over four: how many are used, and is one too many?

Run with ``python -m tests.benchmarks.bench_partner``. The real client asks a server that accepts at once and counts as
strictly as can be, by arrival. Every connection is made anew, at once or after up to a second. Up to 50 ms of jitter
lie on the way; in the last case the network holds up one request in five for up to 0.9 s. Four processes share the
rows of one PostgreSQL. Against jitter that may hold up any request and not the next, ten a second can be promised to
1 / (1 + jitter) where answers are late, and to 1 / (1 + half of it) where they come at once.
"""

import asyncio
import random
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any

import aiohttp
from pydantic import SecretStr

from bot.clients.limiter import PartnerTurns, SlidingWindow
from bot.clients.payments import PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.errors import ServiceNow
from storage.send_slots import SharedSlots
from tests.benchmarks.processes import Spawned, quiet, said
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.campaigns.gauge import ALLOWED, Arrival, pace_of
from tests.support.databases import migrated_database
from tests.support.postgres import postgres_server

GOAL, LATE_GOAL, HELD_GOAL = 0.97, 0.92, 0.75
"""Share of ten a second: answers at once, 80 ms later, and with some requests held up."""
_JITTER = 0.05
_HELD = 0.9
_LATENCY = 0.08
_WARM = 2.0
_WORKERS = 24
_BEAT = 0.002
_BODY = '{"id": "%s", "status": "committed", "amount": "25.00"}'
_HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\nContent-Length: %d\r\n\r\n"


@dataclass(frozen=True)
class Case:
    """What is measured: seconds that a connection takes at most, those of an answer, and whether some are held up."""

    processes: int
    connecting: float
    latency: float
    held: bool = False

    def __str__(self) -> str:
        made = f"≤ {self.connecting:g} s" if self.connecting else "at once"
        late = f"{self.latency * 1000:g} ms later" if self.latency else "at once"
        some = f", one in five held up by ≤ {_HELD:g} s" * self.held
        return f"{self.processes} process{'es' * (self.processes > 1)}, connected {made}, answered {late}{some}"


CASES = [
    Case(processes=processes, connecting=connecting, latency=latency, held=held)
    for processes in (1, 4)
    for connecting, latency, held in ((0.0, 0.0, False), (1.0, 0.0, False), (0.0, _LATENCY, False), (1.0, 0.0, True))
]


class Partner:
    """Writes down when the first byte of each request arrives, at the far end of a way with jitter."""

    def __init__(self) -> None:
        self.arrivals: list[tuple[float, float, str]] = []
        self.latency = 0.0
        self.held = False
        self._beat = time.monotonic()
        self._waited = 0.0

    async def beat(self) -> None:
        """Notice how long the loop was away: a count may be late by that."""
        while True:
            await asyncio.sleep(_BEAT)
            now = time.monotonic()
            self._waited, self._beat = now - self._beat, now

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            is_held = self.held and random.random() < 1 / 5  # noqa: S311 - the way there
            now, jitter = time.monotonic(), random.uniform(0, _HELD if is_held else _JITTER)  # noqa: S311 - the same
            who = head.partition(b"/operations/")[2].split(b" ")[0].decode()
            self.arrivals.append((now + jitter, now - self._beat + self._waited, who))
            await asyncio.sleep(jitter + self.latency)
            body = _BODY % who
            writer.write(f"{_HEAD % len(body)}{body}".encode())
            await writer.drain()
        except (OSError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()


async def serve(pipe: Connection) -> None:
    """The partner, in a process of its own: what keeps the client busy must not delay its arrivals."""
    partner = Partner()
    server = await asyncio.start_server(partner.answer, "127.0.0.1", 0)
    beating = asyncio.create_task(partner.beat())
    pipe.send(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    while (word := await said(pipe)) != "stop":
        pipe.send(sorted(partner.arrivals))
        partner.arrivals.clear()
        partner.latency, partner.held = word
    beating.cancel()


async def ask(pipe: Connection) -> None:
    """A process that asks for some seconds, as fast as it may."""
    quiet()
    url, database, case, seconds, name = await said(pipe)
    shared = SharedSlots(database) if case.processes > 1 else None
    session = open_session()
    session.trace_configs.append(_slow(case.connecting))
    client = PaymentsClient(
        routes=load_routes(None, environment="sandbox"),
        transport=Transport(session=session, base_url=url, service="payments", total=30),
        limiter=PartnerTurns(shared or SlidingWindow(clock=time.monotonic), clock=time.monotonic),
        partner_id="partner",
        partner_secret=SecretStr("secret"),
    )
    pipe.send("ready")
    await said(pipe)
    await _ask(partial(client.get_operation, name), seconds)
    pipe.send("over")
    await session.close()
    if shared is not None:
        await shared.close()
    await said(pipe)


async def _ask(one: Callable[[], Awaitable[object]], seconds: float) -> None:
    async def work() -> None:
        while True:
            with suppress(ServiceNow):
                await one()

    workers = [asyncio.create_task(work()) for _ in range(_WORKERS)]
    await asyncio.sleep(seconds)
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)


def _slow(connecting: float) -> aiohttp.TraceConfig:
    async def wait(*_: Any) -> None:
        if connecting:
            await asyncio.sleep(random.uniform(0, connecting))  # noqa: S311 - the way there

    trace = aiohttp.TraceConfig()
    trace.on_connection_create_start.append(wait)
    trace.freeze()
    return trace


@dataclass
class Figures:
    """Of one case: share of ten a second, requests too many, and the smallest share of a process of its fair one."""

    case: Case
    used: float
    too_many: int
    least: float


def measure(case: Case, partner: Spawned, url: str, *, seconds: float) -> Figures:
    partner.ask((case.latency, case.held))
    clients = [Spawned(ask, (partner.told, url, case, seconds, f"from-{n}")) for n in range(case.processes)]
    begun = time.monotonic() + _WARM
    for client in clients:
        client.pipe.send("go")
    for client in clients:
        client.heard()
    arrivals = partner.ask((0.0, False))
    for client in clients:
        client.stop()
    steady = [at for at, _, _ in arrivals if at >= begun]
    whole = (len(steady) - 1) // ALLOWED * ALLOWED
    each = Counter(who for _, _, who in arrivals)
    return Figures(
        case=case,
        used=whole / (steady[whole] - steady[0]) / ALLOWED,
        too_many=pace_of([Arrival(at, late) for at, late, _ in arrivals]).too_many,
        least=min(each[f"from-{n}"] for n in range(case.processes)) * case.processes / len(arrivals),
    )


def main() -> int:
    given = options(__doc__, seconds=14.0, processes=[1, 4])
    quiet()
    partner = Spawned(serve)
    with postgres_server() as server:
        figures = [
            measure(case, partner, server.url(migrated_database(server)), seconds=given.seconds)
            for case in CASES
            if case.processes in given.processes
        ]
    partner.stop()
    ratios = [
        Ratio(str(one.case), one.used, HELD_GOAL if one.case.held else LATE_GOAL if one.case.latency else GOAL)
        for one in figures
    ]
    ratios.append(Ratio("requests certainly one too many", sum(one.too_many for one in figures), 0, at_least=False))
    ratios.append(Ratio("a process's share of the ten / its fair one", min(one.least for one in figures), 0.8))
    return verdict(ratios)


if __name__ == "__main__":
    raise SystemExit(main())
