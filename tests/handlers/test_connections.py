"""Who may hold a connection, over real sockets: the silent are few and have seconds; Slack, services and health find
room.
"""

import asyncio
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import cast
from urllib.parse import urlencode, urlsplit

import aiohttp
import pytest
from aiohttp import web

from handlers.connections import Bodies, Connections, Site, room
from tests.support.posting import signed
from tests.support.rig import FINANCE, MARIA, Rig

IDLE_SECONDS = 75.0

HALF = b"POST /slack/events HTTP/1.1\r\nHost: x\r\nX-Slow: "
MEBIBYTE = 1 << 20


class Server:
    """A server with one address that reads a body, one that vouches, and one that takes its time."""

    def __init__(self, most: int) -> None:
        self.seconds = 0.0
        self.connections = Connections(now=lambda: self.seconds, most=most, pause=3_600)
        self.bodies = Bodies(self.connections, seconds=60, most=MEBIBYTE)
        self.release = asyncio.Event()
        self.port = 0
        self.listens: Callable[[], bool]
        self.stop: Callable[[], Awaitable[None]]
        self._clients: list[Client] = []

    async def client(self, *, source: str = "127.0.0.1") -> "Client":
        client = await Client.open(self.port, source=source)
        self._clients.append(client)
        return client

    async def _read(self, request: web.Request) -> web.Response:
        body = await self.bodies.read(request, largest=MEBIBYTE)
        return body if isinstance(body, web.Response) else web.Response(text=str(len(body)))

    async def _vouched(self, request: web.Request) -> web.Response:
        self.connections.vouch(request)
        return web.Response(text="signed")

    async def _slow(self, _: web.Request) -> web.Response:
        await self.release.wait()
        return web.Response(text="slow")

    @classmethod
    @asynccontextmanager
    async def open(cls, *, most: int = 2_000) -> AsyncIterator["Server"]:
        server = cls(most)
        app = web.Application(middlewares=[server.connections.middleware])
        app.router.add_post("/read", server._read)
        app.router.add_get("/vouched", server._vouched)
        app.router.add_get("/slow", server._slow)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        server.stop = runner.cleanup
        site = Site(runner, server.connections, "127.0.0.1", 0)
        await site.start()
        server.listens = lambda: cast("asyncio.Server", site._server).is_serving()
        server.port = runner.addresses[0][1]
        yield server
        for client in server._clients:
            client.close()
        await server.stop()


class Client:
    """One connection, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, port: int, *, source: str = "127.0.0.1") -> "Client":
        return cls(*await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0)))

    @classmethod
    async def of(cls, connected: socket.socket) -> "Client":
        return cls(*await asyncio.open_connection(sock=connected))

    async def send(self, data: bytes) -> None:
        self._writer.write(data)
        with suppress(ConnectionError):
            await self._writer.drain()

    async def ask(self, path: str) -> bytes:
        await self.send(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        return await self.answer()

    async def answer(self) -> bytes:
        """The status line and the body; empty when there is nothing more to come."""
        try:
            head = await self._reader.readuntil(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0])
            return head.split(b"\r\n")[0].split(b" ", 2)[1] + b" " + await self._reader.readexactly(length)
        except (asyncio.IncompleteReadError, ConnectionError):
            return b""

    async def over(self) -> bool:
        """Waits until the other side has closed it."""
        with suppress(ConnectionError):
            async with asyncio.timeout(60):
                return await self._reader.read() == b""
        return True

    def close(self) -> None:
        self._writer.transport.abort()


async def until(found: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not found():  # noqa: ASYNC110 - what a socket did is told nobody
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("sent", [b"", HALF])
async def test_connected_client_is_answered_during_stop(sent: bytes) -> None:
    async with Server.open() as server:
        in_time = await server.client()
        await in_time.send(sent)
        stopping = asyncio.ensure_future(server.stop())
        await until(lambda: not server.listens())
        rest = b"GET /vouched HTTP/1.1\r\nHost: x\r\n\r\n"
        await in_time.send(rest if not sent else b"y\r\nContent-Length: 0\r\n\r\n")
        assert await in_time.answer() == (b"200 signed" if not sent else b"404 404: Not Found")
        await stopping


@pytest.mark.parametrize("rounds", [0, 1, 2])
async def test_connections_during_shutdown_are_answered(rounds: int) -> None:
    """Of the event loop: who is accepted in the last one has not been reported yet when the listening ends."""
    async with Server.open() as server:
        loop = asyncio.get_running_loop()
        stopping = asyncio.ensure_future(server.stop())
        with socket.socket() as late:

            def come(after: int) -> None:
                if after:
                    loop.call_soon(come, after - 1)
                else:
                    late.connect(("127.0.0.1", server.port))  # the kernel accepts it at once
                    late.setblocking(False)

            come(rounds)
            await until(lambda: not server.listens())
            client = await Client.of(late)
            await client.send(b"GET /vouched HTTP/1.1\r\nHost: x\r\n\r\n")
            assert await client.answer() == b"200 signed"
            await stopping
            client.close()


async def test_stop_does_not_wait_for_idle_connections() -> None:
    async with Server.open() as server:
        idle, silent = [await server.client() for _ in range(2)]
        assert await idle.ask("/vouched") == b"200 signed"
        await server.stop()
        assert await idle.over()
        assert await silent.over()


async def test_connection_may_be_idle_but_not_stall_in_a_request() -> None:
    async with Server.open() as server:
        idle, half = [await server.client() for _ in range(2)]
        assert await idle.ask("/vouched") == b"200 signed"
        assert await half.ask("/vouched") == b"200 signed"
        server.seconds = IDLE_SECONDS - 5
        await half.send(HALF)
        # What was sent before on another connection has been read once this one is answered.
        assert await (await server.client()).ask("/vouched") == b"200 signed"
        server.seconds = IDLE_SECONDS - 0.1
        server.connections.sweep()
        assert await idle.ask("/vouched") == b"200 signed"
        server.seconds += 10.0
        server.connections.sweep()
        assert await half.over()
        assert await idle.ask("/vouched") == b"200 signed"
        server.seconds += IDLE_SECONDS
        server.connections.sweep()
        assert await idle.over()


def test_unverified_connections_leave_two_hundred_descriptors_to_the_process_itself() -> None:
    assert [room(descriptors) for descriptors in (256, 400, 401, 2_200, 4_096)] == [200, 200, 201, 2_000, 2_000]


async def test_bodies_that_never_end_are_cut_off_the_largest_first() -> None:
    async with Server.open() as server:
        head = b"POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
        large, small = [await server.client() for _ in range(2)]
        await large.send(head + b"x" * 600_000)
        await until(lambda: server.bodies.held >= 600_000)
        await small.send(head + b"x" * 500_000)
        assert await large.over()
        await until(lambda: server.bodies.held == 500_000)
        await small.send(b"x" * 500_000)
        assert await small.answer() == b"200 1000000"
        assert server.bodies.held == 0


def command(number: int) -> bytes:
    """A command as Slack sends it, no two alike."""
    fields = {"command": "/pay", "text": "help", "team_id": "T0HOME", "user_id": MARIA, "channel_id": FINANCE}
    return urlencode({**fields, "trigger_id": f"{number}.1"}).encode()


@pytest.mark.rig(clock=None, around={"ticking": False})
async def test_slack_and_health_are_served_beside_1500_idle_connections(rig: Rig) -> None:
    port = urlsplit(rig.switchboard.url).port
    assert port is not None
    plausible = signed(command(0))
    endless = "".join(f"{name}: {value}\r\n" for name, value in plausible.items())
    body = f"POST /slack/events HTTP/1.1\r\nHost: x\r\n{endless}Content-Length: 1000000\r\n\r\n".encode()
    crowd = []
    try:
        for number in range(1_500):
            client = await Client.open(port)
            crowd.append(client)
            await client.send(body + b"x" * 1_000 if number % 3 == 0 else HALF)
        for number in range(1, 31):
            data, url = command(number), f"{rig.switchboard.url}/slack/events"
            async with aiohttp.ClientSession() as session:  # a new connection each
                async with session.post(url, data=data, headers=signed(data)) as answer:
                    assert answer.status == 200
                    assert "/pay send" in await answer.text()
                async with session.get(f"{rig.switchboard.url}/healthz") as answer:
                    assert answer.status == 200
        closed = await asyncio.gather(*(client.over() for client in crowd[:1_300]))
        assert all(closed)
    finally:
        for client in crowd:
            client.close()


async def addresses(rig: Rig) -> list[str]:
    """Paths of the callbacks of one payout."""
    await rig.pay()
    (record,) = rig.payments.operations.values()
    return [urlsplit(uri or "").path for uri in (record.confirmation_uri, record.failure_uri, record.cancel_uri)]


def callback(path: str, body: bytes = b"{}", *, missing: int = 0) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: {len(body) + missing}\r\n\r\n"
    return head.encode() + body


@pytest.mark.rig(on="both")
async def test_thousand_callbacks_are_answered_beside_500_idle_connections(rig: Rig) -> None:
    """From one address, as behind a proxy: half of the silent ones are there before, half come between."""
    port = urlsplit(rig.switchboard.url).port
    assert port is not None
    paths = await addresses(rig)
    silent: list[Client] = []

    async def say_nothing(number: int) -> bytes:
        silent.append(client := await Client.open(port))
        await client.send([b"", HALF, callback("/callbacks/payments/x", missing=9)][number % 3])
        return b""

    async def call(number: int) -> bytes:
        client = await Client.open(port)
        try:
            await client.send(callback(paths[number % 3]))
            return await client.answer()
        finally:
            client.close()

    try:
        for number in range(250):
            await say_nothing(number)
        visits = [say_nothing(n) if n % 5 == 0 else call(n) for n in range(1_250)]
        answers = [answer for answer in await asyncio.gather(*visits) if answer]
        assert answers == [b'200 {"ok": true}'] * 1_000
        assert len(silent) == 500
        closed = [asyncio.ensure_future(client.over()) for client in silent]
        await until(lambda: sum(one.done() for one in closed) >= 300)
        for one in closed:
            one.cancel()
    finally:
        for client in silent:
            client.close()


@pytest.mark.rig(on="both")
async def test_slow_callback_body_is_not_treated_as_idle(rig: Rig) -> None:
    port = urlsplit(rig.switchboard.url).port
    assert port is not None
    paths = await addresses(rig)
    clients = [await Client.open(port) for _ in range(4)]
    try:
        for client, path in zip(clients, [*paths, "/callbacks/payments/" + "x" * 43], strict=True):
            await client.send(callback(path, b"{", missing=1))
        crowd = [await Client.open(port) for _ in range(260)]
        clients += crowd
        assert all(await asyncio.gather(*(client.over() for client in crowd[:59])))  # two seconds later
        for client in clients[:4]:
            await client.send(b"}")
        assert [await client.answer() for client in clients[:4]] == [b'200 {"ok": true}'] * 3 + [b""]
    finally:
        for client in clients:
            client.close()
