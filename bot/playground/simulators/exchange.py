"""One request of a simulator, from arrival to answer, with the fault switches applied around the effect."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, DecimalException
from typing import NoReturn

from aiohttp import web

from bot.playground.faults import Fault, FaultKind, Faults
from bot.playground.simulators.recorder import Recorder

PROXY_PAGE = "<!doctype html><html><head><title>Gateway</title></head><body><h1>{title}</h1></body></html>"
"""What a proxy in front of a service answers by itself."""

_CLOSED_AFTER = frozenset({FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS})


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A request as a service reads it; header names are lower case, ``raw`` is the body's bytes."""

    operation: str
    method: str
    path: str
    params: Mapping[str, str]
    query: Mapping[str, str]
    headers: Mapping[str, str]
    raw: bytes = b""

    def json(self) -> object:
        """The body with its numbers exact (Decimal), or None when it is empty.

        Raises:
            ValueError: the body is not JSON (NaN and Infinity are not).
        """
        if not self.raw.strip():
            return None
        return json.loads(self.raw, parse_float=_exact, parse_constant=_no_constant)

    def loggable(self) -> object:
        """The body for the log: plain JSON values, or its text when it is no JSON."""
        if not self.raw:
            return None
        text = self.raw.decode("utf-8", "replace")
        try:
            body: object = json.loads(text)
        except ValueError:
            return text
        return body


@dataclass(frozen=True, kw_only=True)
class Answer:
    """A reply. ``body`` is sent as JSON, unless ``content_type`` says otherwise; then it is text."""

    status: int = 200
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "application/json"
    effect: bool = False

    def response(self) -> web.Response:
        """The same as aiohttp sends it."""
        text = json.dumps(self.body) if self.content_type == "application/json" else str(self.body)
        return web.Response(
            status=self.status, text=text, content_type=self.content_type, headers=dict(self.headers), charset="utf-8"
        )


class Refusal(Exception):
    """A handler's way out: nothing was done, ``answer`` says why."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {answer.body}")
        self.answer = answer


class Exchange:
    """Serves requests through one handler, records each, and misbehaves as the switches say."""

    def __init__(
        self,
        *,
        clock: Callable[[], float],
        faults: Faults,
        recorder: Recorder,
        answer_to: Callable[[FaultKind], Answer],
    ) -> None:
        self._clock = clock
        self._faults = faults
        self._recorder = recorder
        self._answer_to = answer_to
        self._stopping = asyncio.Event()

    async def serve(
        self, request: web.Request, *, operation: str, handle: Callable[[Ask], Answer]
    ) -> web.StreamResponse:
        """Answer one request; ``handle`` does the effect at once, without waiting for anything."""
        ask = await _read(request, operation)
        fault = self._faults.take(operation)
        call = self._recorder.arrived(
            at=self._clock(),
            operation=operation,
            method=ask.method,
            path=ask.path,
            query=ask.query,
            headers=ask.headers,
            body=ask.loggable(),
            fault=fault.kind if fault else None,
        )
        answer, effect = self._answer(ask, fault, handle)
        if fault is not None and fault.kind in (FaultKind.DONE_HANGS, FaultKind.SLOW):
            await self._pause(fault.seconds)
        if fault is not None and fault.kind in _CLOSED_AFTER:
            self._recorder.answered(call, status=None, response=None, effect=effect)
            return _hang_up(request)
        self._recorder.answered(call, status=answer.status, response=answer.body, effect=effect)
        return answer.response()

    def start(self) -> None:
        """Let requests hang again, after a stop."""
        self._stopping.clear()

    def stop(self) -> None:
        """Let go of the requests that hang, so that a server can close."""
        self._stopping.set()

    def _answer(self, ask: Ask, fault: Fault | None, handle: Callable[[Ask], Answer]) -> tuple[Answer, bool]:
        """What to answer, and whether the request had an effect."""
        kind = fault.kind if fault else None
        if kind in (FaultKind.LOST, FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.REFUSED):
            return self._answer_to(kind), False
        try:
            answer = handle(ask)
        except Refusal as refusal:
            answer = refusal.answer
        if kind in (FaultKind.DONE_500, FaultKind.GARBAGE):
            return self._answer_to(kind), answer.effect
        return answer, answer.effect

    async def _pause(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()


async def _read(request: web.Request, operation: str) -> Ask:
    return Ask(
        operation=operation,
        method=request.method,
        path=request.path,
        params=dict(request.match_info),
        query=dict(request.query),
        headers={name.lower(): value for name, value in request.headers.items()},
        raw=await request.read(),
    )


def _hang_up(request: web.Request) -> web.Response:
    """Close the connection without an answer; the response returned here never leaves."""
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=500)


def _exact(digits: str) -> Decimal:
    try:
        return Decimal(digits)
    except DecimalException:
        raise ValueError("a number beyond all bounds") from None


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")
