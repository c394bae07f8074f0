"""One request of a simulator, from arrival to answer, with the fault switches applied around the effect."""

import asyncio
import contextlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal, DecimalException
from typing import NoReturn

from aiohttp import web

from bot.playground.faults import LATE, NOT_DONE, REPLACED, UNANSWERED, Fault, FaultKind, Faults
from bot.playground.simulators.recorder import Call, Recorder

PROXY_PAGE = "<!doctype html><html><head><title>Gateway</title></head><body><h1>{title}</h1></body></html>"
"""Page that a proxy in front of a service answers by itself."""


_CALLERS_OWN = frozenset({"code", "internal_note"})


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
        """Return the body for the log: plain JSON values, or its text if it isn't JSON."""
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
        """Convert the answer to one of aiohttp."""
        text = json.dumps(self.body) if self.content_type == "application/json" else str(self.body)
        return web.Response(
            status=self.status, text=text, content_type=self.content_type, headers=dict(self.headers), charset="utf-8"
        )


class Refusal(Exception):
    """Raised by a handler that did nothing; ``answer`` gives the reason."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status}: {answer.body}")
        self.answer = answer


_LEAVES_UNKNOWN = UNANSWERED | REPLACED | {FaultKind.ERROR_500}


class Exchange:
    """Records requests and answers, and applies armed faults."""

    def __init__(self, *, clock: Callable[[], float], faults: Faults, recorder: Recorder) -> None:
        self._clock = clock
        self._faults = faults
        self._recorder = recorder
        self.unsteady_seconds = 0.0
        self._steady_at = 0.0
        self._stopping = asyncio.Event()

    async def serve(
        self,
        request: web.Request,
        *,
        operation: str,
        handle: Callable[[Ask], Answer],
        answer_to: Callable[[Fault], Answer],
    ) -> web.StreamResponse:
        """Answer one request; ``handle`` performs the effect synchronously."""
        ask = await _read(request, operation)
        fault = self._faults.take(operation)
        call = self.arrived(request, operation, fault, body=ask.loggable())
        if fault is not None and fault.kind in _LEAVES_UNKNOWN:
            self._steady_at = self._clock() + self.unsteady_seconds
        elif fault is None and request.method == "GET":
            await self.pause(self._steady_at - self._clock())
        answer, effect = answered(fault, lambda: handle(ask), answer_to)
        await self.delay(fault)
        return self.leave(request, call, fault, answer.response(), told=answer.body, effect=effect)

    def arrived(
        self,
        request: web.Request,
        operation: str,
        fault: Fault | None,
        *,
        body: object,
        query: Mapping[str, str] | None = None,
    ) -> Call:
        """Record a request; ``query`` replaces one that holds a secret."""
        return self._recorder.arrived(
            at=self._clock(),
            operation=operation,
            method=request.method,
            path=request.path,
            query=dict(request.query if query is None else query),
            headers=_headers(request),
            body=body,
            fault=fault.kind if fault else None,
        )

    def leave(
        self,
        request: web.Request,
        call: Call,
        fault: Fault | None,
        response: web.StreamResponse,
        *,
        told: object,
        effect: bool,
    ) -> web.StreamResponse:
        """Record the end of a request and end it: with this response, or by closing the connection."""
        if fault is not None and fault.kind in UNANSWERED:
            self._recorder.answered(call, status=None, response=None, effect=effect)
            return _hang_up(request)
        if fault is not None and fault.body is not None:
            told = fault.body
            response = web.Response(status=fault.status, text=told, content_type=fault.content_type)
        self._recorder.answered(call, status=response.status, response=told, effect=effect)
        return response

    async def delay(self, fault: Fault | None) -> None:
        """Delay the answer, if that is the fault."""
        if fault is not None and fault.kind in LATE:
            await self.pause(fault.seconds)

    async def pause(self, seconds: float) -> None:
        """Wait, until the server stops at the latest."""
        if seconds <= 0:
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._stopping.wait()

    def start(self) -> None:
        """Allow requests to hang again, after a stop."""
        self._stopping.clear()

    def stop(self) -> None:
        """End hanging requests, so that the server can close."""
        self._stopping.set()


def answered(
    fault: Fault | None, handle: Callable[[], Answer], answer_to: Callable[[Fault], Answer]
) -> tuple[Answer, bool]:
    """The answer, and whether the request had an effect: a fault strikes before or after it."""
    if fault is not None and fault.kind in NOT_DONE:
        return answer_to(fault), False
    try:
        answer = handle()
    except Refusal as refusal:
        answer = refusal.answer
    if fault is not None and fault.kind in REPLACED:
        return answer_to(fault), answer.effect
    if fault is not None and fault.kind is FaultKind.NO_CODES:
        return replace(answer, body=_without_codes(answer.body)), answer.effect
    return answer, answer.effect


def _without_codes(body: object) -> object:
    """A body with the caller's own codes and notes emptied, at any depth."""
    if isinstance(body, dict):
        return {key: "" if key in _CALLERS_OWN else _without_codes(inner) for key, inner in body.items()}
    return [_without_codes(inner) for inner in body] if isinstance(body, list) else body


async def _read(request: web.Request, operation: str) -> Ask:
    return Ask(
        operation=operation,
        method=request.method,
        path=request.path,
        params=dict(request.match_info),
        query=dict(request.query),
        headers=_headers(request),
        raw=await request.read(),
    )


def _headers(request: web.Request) -> dict[str, str]:
    return {name.lower(): value for name, value in request.headers.items()}


def _hang_up(request: web.Request) -> web.Response:
    """Close the connection without an answer; the returned response is never sent."""
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
