"""A client that hardly costs anything: keep-alive connections, requests as bytes, answers read as far as needed.

A client library would use up more of the machine than the program that is measured.
"""

import asyncio
import json
import time
from collections.abc import Iterator
from urllib.parse import urlencode, urlsplit

from bot.playground.workspace.delivery import sign


def post(url: str, body: bytes, **headers: str) -> bytes:
    """A request as it goes over the wire; in names of headers, underlines stand for dashes."""
    parts = urlsplit(url)
    lines = [f"POST {parts.path} HTTP/1.1", f"Host: {parts.netloc}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def signed(body: bytes) -> dict[str, str]:
    """Headers with which the workspace sends it; in their names, underlines stand for dashes."""
    stamp = str(int(time.time()))
    return {
        "Content_Type": "application/x-www-form-urlencoded",
        "X_Slack_Request_Timestamp": stamp,
        "X_Slack_Signature": sign(b"playground-signing-secret", stamp, body),
    }


def click(person: str, channel: str, ts: str, value: str, number: int) -> bytes:
    """The body of a click on Approve; no two numbers are the same, or the second would be a replay."""
    payload = {
        "type": "block_actions",
        "team": {"id": "T0HOME"},
        "user": {"id": person, "team_id": "T0HOME"},
        "trigger_id": f"{number}.1",
        "channel": {"id": channel},
        "container": {"type": "message", "message_ts": ts, "channel_id": channel},
        "actions": [{"action_id": "payout.approve", "block_id": "b", "type": "button", "value": value}],
    }
    return urlencode({"payload": json.dumps(payload)}).encode()


async def fire(url: str, requests: Iterator[bytes], *, connections: int, seconds: float) -> tuple[float, list[float]]:
    """One request after the other on each connection: answers a second, and the seconds that each took."""
    parts = urlsplit(url)
    loop = asyncio.get_running_loop()
    begun = time.perf_counter()
    end = begun + seconds
    made = [
        await loop.create_connection(lambda: _Connection(requests, end), parts.hostname or "", parts.port or 80)
        for _ in range(connections)
    ]
    for _, connection in made:
        connection.begin()
    try:
        async with asyncio.timeout(seconds + 30):
            await asyncio.gather(*(connection.over for _, connection in made))
    finally:
        for transport, _ in made:
            transport.close()
    delays = [delay for _, connection in made for delay in connection.delays]
    return len(delays) / (time.perf_counter() - begun), delays


class _Connection(asyncio.Protocol):
    """One request at a time. Answers have a ``Content-Length``, as all of those that are measured do."""

    def __init__(self, requests: Iterator[bytes], end: float) -> None:
        self.delays: list[float] = []
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._requests = requests
        self._end = end
        self._held = b""
        self._sent = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.over.done():
            self.over.set_exception(exc or ConnectionError("the server hung up"))

    def begin(self) -> None:
        request = next(self._requests, None)
        self._sent = time.perf_counter()
        if request is None or self._sent >= self._end:
            self.over.set_result(None)
            return
        self._transport.write(request)

    def data_received(self, data: bytes) -> None:
        self._held += data
        head, found, body = self._held.partition(b"\r\n\r\n")
        length = head.lower().partition(b"content-length:")[2]
        if not found or len(body) < (int(length.split(b"\r\n", 1)[0]) if length else 0):
            return
        if not head.startswith(b"HTTP/1.1 200"):
            self.over.set_exception(RuntimeError(f"answered {head.splitlines()[0].decode()}"))
            return
        self.delays.append(time.perf_counter() - self._sent)
        self._held = b""
        self.begin()
