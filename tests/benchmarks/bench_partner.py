"""The partner's ten requests a second: how many of them are used, and whether any is one too many.

Run with ``python -m tests.benchmarks.bench_partner``. The real client asks a server that counts arrivals as strictly as
can be, in a window that slides: the eleventh within any second is refused with 429. Every answer takes 80 ms, and up to
20 ms of jitter lie on the way there. The ideal is ten at once and ten more each second that follows.
"""

import argparse
import asyncio
import random
import time
from collections import deque
from dataclasses import dataclass, field
from multiprocessing.connection import Connection

from aiohttp import web
from pydantic import SecretStr

from bot.clients.limiter import SlidingWindowLimiter
from bot.clients.payments import PaymentsClient
from bot.clients.routes_file import load_routes
from bot.clients.transport import Transport, open_session
from bot.domain.errors import ServiceNow
from tests.benchmarks.processes import Spawned, quiet, said
from tests.benchmarks.ratios import Ratio, told

GOAL = 0.99
_ALLOWED = 10
_LATENCY = 0.08
_JITTER = 0.02
_WORKERS = 30


@dataclass
class Partner:
    """Counts arrivals: those of the last second stand in ``_window``."""

    taken: int = 0
    refused: int = 0
    _window: deque[float] = field(default_factory=deque)

    async def answer(self, _: web.Request) -> web.Response:
        await asyncio.sleep(random.uniform(0, _JITTER))  # noqa: S311 - the way there
        now = time.monotonic()
        while self._window and self._window[0] <= now - 1.0:
            self._window.popleft()
        if len(self._window) >= _ALLOWED:
            self.refused += 1
            return web.json_response({"message": "too many"}, status=429)
        self._window.append(now)
        self.taken += 1
        await asyncio.sleep(_LATENCY)
        return web.json_response({"id": "op-1", "svc_status": "committed", "svc_amount": "25.00"})


async def serve(pipe: Connection) -> None:
    """The partner, in a process of its own: what keeps the client busy must not delay its arrivals."""
    quiet()
    partner = Partner()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", partner.answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    pipe.send(f"http://127.0.0.1:{runner.addresses[0][1]}")
    while await said(pipe) != "stop":
        pipe.send((partner.taken, partner.refused))
    await runner.cleanup()


async def _run(url: str, seconds: float) -> None:
    session = open_session()
    client = PaymentsClient(
        routes=load_routes(None, environment="sandbox"),
        transport=Transport(session=session, base_url=url, service="payments", total=30),
        limiter=SlidingWindowLimiter(clock=time.monotonic),
        partner_id="partner",
        partner_secret=SecretStr("secret"),
    )
    end = time.monotonic() + seconds

    async def work() -> None:
        while time.monotonic() < end:
            try:
                await client.get_operation("op-1")
            except ServiceNow:
                continue

    workers = [asyncio.create_task(work()) for _ in range(_WORKERS)]
    await asyncio.sleep(seconds)
    for worker in workers:
        worker.cancel()
    await asyncio.gather(*workers, return_exceptions=True)
    await session.close()


def main() -> int:
    """Measure and print; 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=30.0)
    given = parser.parse_args()
    quiet()
    partner = Spawned(serve)
    asyncio.run(_run(partner.told, given.seconds))
    taken, refused = partner.ask("count")
    partner.stop()
    ratios = [
        Ratio(f"of ten a second, used in {given.seconds:g} s", taken / (_ALLOWED * given.seconds), GOAL),
        Ratio("refused with 429", refused, 0, at_least=False),
    ]
    print(told(ratios))  # noqa: T201 - this is what it is for
    return 0 if all(one.met for one in ratios) else 1


if __name__ == "__main__":
    raise SystemExit(main())
