"""How fast the complete application acknowledges, against Bolt's hello-world in the same run.

Run with ``python -m tests.benchmarks.bench_ack``. Each server is a process of its own; the load comes from this
one: signed requests over keep-alive connections, each with its own body, as Slack sends them. Rounds are
interleaved and medians compared, so that a busy machine slows all of them alike. Only the ratios mean anything.
"""

import asyncio
import logging
import statistics
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response, to_bolt_request
from slack_bolt.async_app import AsyncAck, AsyncApp
from slack_bolt.authorization import AuthorizeResult
from slack_sdk.web.async_client import AsyncWebClient

import bot.wiring.slack
from handlers.registry import make_router
from handlers.router import Router
from tests.benchmarks.load import click, fire, post, signed
from tests.benchmarks.processes import Serving, Spawned, quiet, said, switchboard, web_server
from tests.benchmarks.ratios import Ratio, options, verdict
from tests.support.rig import FINANCE, MARIA, ZOE, Rig

MORE = 100
"""Further commands and buttons in the third server."""

# Servers


async def _bolt_hello(pipe: Connection) -> None:

    async def authorize() -> AuthorizeResult:
        return AuthorizeResult(enterprise_id=None, team_id="T0HOME", bot_token="xoxb-1", bot_id="B1", bot_user_id="U1")

    async def hello(ack: AsyncAck) -> None:
        await ack("hello")

    logging.getLogger("slack_bolt.AsyncApp").setLevel(logging.ERROR)  # it warns of the token, which is meant
    apps = {}
    for kind in ("command", "click"):
        app = AsyncApp(
            client=AsyncWebClient(token="xoxb-1"), authorize=authorize, signing_secret="playground-signing-secret"
        )
        (app.command("/pay") if kind == "command" else app.action("payout.approve"))(hello)
        apps[kind] = app

    async def serve(request: web.Request) -> web.Response:
        app = apps[request.match_info["kind"]]
        return await to_aiohttp_response(await app.async_dispatch(await to_bolt_request(request)))

    server = web.Application()
    server.router.add_post("/{kind}", serve)
    async with web_server(server) as base:
        pipe.send(base)
        await said(pipe)


async def _outside(pipe: Connection) -> None:
    """The local workspace and the service, which are not what is measured; and a card that waits for approval."""
    quiet()
    with tempfile.TemporaryDirectory() as folder:
        database = f"sqlite+aiosqlite:///{Path(folder) / 'bench.db'}"
        rig = await Rig.open(database_url=database, poll_seconds=30, start=False)
        pipe.send(rig.settings)
        url = await said(pipe)
        rig.workspace.deliver_to(f"{url}/slack/events")
        await rig.workspace.slash(MARIA, FINANCE, "/pay", 'send ana@example.com 25.00 "March translation"')
        card = await rig.card()
        pipe.send({"value": card.button("payout.approve").value, "ts": card.ts})
        await said(pipe)
        await rig._stack.aclose()


async def _switchboard_and_more(pipe: Connection) -> None:
    """The complete application, with further commands and buttons."""

    def router(*given: Any, **named: Any) -> Router:
        found = make_router(*given, **named)
        for number in range(MORE):
            found.commands[f"/more{number}"] = found.commands["/pay"]
            found.actions[f"more{number}"] = found.actions["payout.approve"]
        return found

    vars(bot.wiring.slack)["make_router"] = router
    await switchboard(pipe)


# Load


@dataclass
class Server:
    """A server process and the requests that suit it."""

    name: str
    serving: Serving
    told: dict[str, str] = field(default_factory=dict)
    rates: dict[str, list[float]] = field(default_factory=dict)
    costs: dict[str, list[float]] = field(default_factory=dict)
    delays: dict[str, list[float]] = field(default_factory=dict)
    _processes: list[Spawned] = field(default_factory=list)

    def start(self) -> "Server":
        """Start it, and for the application the world it lives in."""
        if self.serving is _bolt_hello:
            base = self._spawn(self.serving).told
            self.told = {"command": f"{base}/command", "click": f"{base}/click", "value": "x:1", "ts": "1.1"}
            return self
        world = self._spawn(_outside)
        url = self._spawn(self.serving, world.told).told
        self.told = {"command": f"{url}/slack/events", "click": f"{url}/slack/events", **world.ask(url)}
        return self

    def _spawn(self, serving: Serving, *first: object) -> Spawned:
        self._processes.append(Spawned(serving, *first))
        return self._processes[-1]

    def stop(self) -> None:
        for process in reversed(self._processes):
            process.stop()

    @property
    def cpu(self) -> float:
        return self._processes[-1].cpu

    def body(self, kind: str, number: int) -> bytes:
        """One request; no two are the same, or the second would be a replay."""
        if kind == "command":
            # Many people: one person alone would be told to wait.
            person = f"{MARIA}{number % 5_000}"
            form = {
                "command": "/pay",
                "text": "help",
                "user_id": person,
                "channel_id": FINANCE,
                "team_id": "T0HOME",
                "trigger_id": f"{number}.1",
                "response_url": "https://hooks.slack.com/x",
            }
            return urlencode(form).encode()
        return click(ZOE, "C0APPROVE", self.told["ts"], self.told["value"], number)


_NUMBERS: Iterator[int] = count()


async def _measure(server: Server, kind: str, *, connections: int, seconds: float) -> tuple[float, list[float]]:
    """Requests a second and each request's delay in seconds."""
    bodies = (server.body(kind, number) for number in _NUMBERS)
    requests = (post(server.told[kind], body, **signed(body)) for body in bodies)
    return await fire(server.told[kind], requests, connections=connections, seconds=seconds)


async def _rounds(servers: list[Server], *, rounds: int, seconds: float, connections: int) -> None:
    for turn in range(rounds + 1):
        for kind in ("command", "click"):
            for server in servers:
                used = server.cpu
                rate, all_of_them = await _measure(server, kind, connections=connections, seconds=seconds)
                cost = (server.cpu - used) / len(all_of_them)
                _, delays = await _measure(server, kind, connections=1, seconds=min(seconds, 1.0))
                if turn:  # the first round warms up
                    server.rates.setdefault(kind, []).append(rate)
                    server.costs.setdefault(kind, []).append(cost)
                    server.delays.setdefault(kind, []).append(statistics.median(delays))


# Telling


def ratios(hello: Server, whole: Server, more: Server) -> list[Ratio]:
    found = []
    for kind, words in (("command", "a command (`/pay help`)"), ("click", "a refused click")):
        rate = {server.name: statistics.median(server.rates[kind]) for server in (hello, whole, more)}
        delay = {server.name: statistics.median(server.delays[kind]) for server in (hello, whole, more)}
        found += [
            Ratio(f"ack of {words}: rate / Bolt's", rate[whole.name] / rate[hello.name], 1.0),
            Ratio(f"ack of {words}: rate with {MORE} more / own", rate[more.name] / rate[whole.name], 0.9),
            Ratio(f"ack of {words}: delay / Bolt's", delay[whole.name] / delay[hello.name], 1.0, at_least=False),
        ]
    return found


def table(servers: list[Server]) -> str:
    head = "".join(f"{name:>10}" for name in ("command/s", "CPU µs", "p50 ms", "click/s", "CPU µs", "p50 ms"))
    lines = [f"{'program':<34}{head}"]
    for server in servers:
        cells = []
        for kind in ("command", "click"):
            rate, cost = statistics.median(server.rates[kind]), statistics.median(server.costs[kind])
            cells.append(f"{rate:>10,.0f}{cost * 1e6:>10,.0f}{statistics.median(server.delays[kind]) * 1000:>10.2f}")
        lines.append(f"{server.name:<34}{''.join(cells)}")
    return "\n".join(lines)


def main() -> int:
    given = options(__doc__, rounds=5, seconds=3.0, connections=64)
    servers = [
        Server("Bolt hello-world, one listener", _bolt_hello),
        Server("Switchboard", switchboard),
        Server(f"Switchboard, {MORE} more of each", _switchboard_and_more),
    ]
    started = [server.start() for server in servers]
    try:
        asyncio.run(_rounds(started, **vars(given)))
    finally:
        for server in started:
            server.stop()
    print(table(started))  # noqa: T201 - this is what it is for
    return verdict(ratios(*started))


if __name__ == "__main__":
    raise SystemExit(main())
