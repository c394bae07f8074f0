"""Deliveries to the app, signed over HTTP or as envelopes, and their limit of three seconds."""

import asyncio
import hashlib
import hmac
import json
import time
from collections.abc import Callable, Mapping
from urllib.parse import urlencode

import aiohttp

from bot.playground.workspace.model import Ack, Json, SentRequest
from bot.playground.workspace.socket_mode import Sockets

SOCKET = "socket"
OPERATION_TIMEOUT = "operation_timeout"
DISPATCH_FAILED = "dispatch_failed"


class EventSender:
    """Sends acts of people and events to the app.

    Signatures carry the real time whatever the workspace's clock: the app checks them against its own clock.
    """

    def __init__(self, *, signing_secret: str, sockets: Sockets, ack_seconds: float) -> None:
        self._secret = signing_secret.encode()
        self._sockets = sockets
        self.ack_seconds = ack_seconds
        self.request_url: str | None = None
        self.signing_clock: Callable[[], float] = time.time
        self._session: aiohttp.ClientSession | None = None

    async def close(self) -> None:
        """Close the client session."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    async def send(self, kind: str, payload: Json, *, retry: int = 0, reason: str = "http_timeout") -> Ack:
        """Deliver one act or event.

        Args:
            kind: ``slash_commands``, ``interactive`` or ``events_api``.
            payload: The payload in Socket Mode; over HTTP it becomes a form or JSON body.
            retry: Number of the retry, 0 for the first attempt; only for events.
            reason: Reason for the retry.
        """
        return await self._deliver(self._request(kind, payload, retry, reason), retry, reason)

    async def resend(self, request: SentRequest) -> Ack:
        """Send a request again with the same bytes, timestamp and signature."""
        return await self._deliver(request, 0, "")

    async def _deliver(self, request: SentRequest, retry: int, reason: str) -> Ack:
        started = time.monotonic()
        status, body = 200, None
        headers: Mapping[str, str] = {}
        try:
            async with asyncio.timeout(self.ack_seconds):
                if request.url == SOCKET:
                    answer = await self._sockets.send(request.kind, request.payload, attempt=retry, reason=reason)
                    body = answer.get("payload", "")
                else:
                    status, headers, body = await self._post(request)
        except TimeoutError:
            return Ack(status=0, seconds=time.monotonic() - started, request=request, error=OPERATION_TIMEOUT)
        except (aiohttp.ClientError, ConnectionError):
            return Ack(status=0, seconds=time.monotonic() - started, request=request, error=DISPATCH_FAILED)
        ack = Ack(status=status, body=body, headers=headers, seconds=time.monotonic() - started, request=request)
        return ack if ack.ok else Ack(**{**vars(ack), "error": DISPATCH_FAILED})

    async def _post(self, request: SentRequest) -> tuple[int, Mapping[str, str], object]:
        if self._session is None:
            self._session = aiohttp.ClientSession(trust_env=False)
        async with self._session.post(
            request.url, data=request.body, headers=request.headers, allow_redirects=False
        ) as response:
            return response.status, dict(response.headers), _body(await response.text())

    def _request(self, kind: str, payload: Json, retry: int, reason: str) -> SentRequest:
        if self.request_url is None:
            return SentRequest(url=SOCKET, headers={}, body=b"", kind=kind, payload=payload)
        body, content_type = _encoded(kind, payload)
        stamp = str(int(self.signing_clock()))
        headers = {
            "Content-Type": content_type,
            "User-Agent": "Slackbot 1.0 (+https://api.slack.com/robots)",
            "Accept": "application/json,*/*",
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": sign(self._secret, stamp, body),
        }
        if retry:
            headers |= {"X-Slack-Retry-Num": str(retry), "X-Slack-Retry-Reason": reason}
        return SentRequest(url=self.request_url, headers=headers, body=body, kind=kind, payload=payload)


def sign(secret: bytes, stamp: str, body: bytes) -> str:
    """Slack's signature of a request body."""
    return "v0=" + hmac.new(secret, b"v0:" + stamp.encode() + b":" + body, hashlib.sha256).hexdigest()


def _encoded(kind: str, payload: Json) -> tuple[bytes, str]:
    if kind == "events_api":
        return json.dumps(payload).encode(), "application/json"
    form = payload if kind == "slash_commands" else {"payload": json.dumps(payload)}
    return urlencode(form).encode(), "application/x-www-form-urlencoded"


def _body(text: str) -> object:
    """Parsed JSON, otherwise the text."""
    if not text.startswith(("{", "[")):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text
