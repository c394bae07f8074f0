"""Effect of an armed fault on one request of the app."""

import asyncio
from collections.abc import Awaitable, Callable

from aiohttp import web

from bot.playground.faults import NOT_DONE, Fault, FaultKind

_HTML = "<html><head><title>502 Bad Gateway</title></head><body><h1>Bad Gateway</h1></body></html>"


def prevents(fault: Fault | None) -> bool:
    """Return whether the fault prevents the request's effect."""
    return fault is not None and fault.kind in NOT_DONE


async def answer(
    request: web.Request, fault: Fault | None, act: Callable[[], Awaitable[web.Response]], stopping: asyncio.Event
) -> web.Response:
    """Perform the act and answer the request according to the fault.

    Args:
        request: The app's request.
        fault: The fault armed for it, if any.
        act: Performs the effect and returns the normal answer.
        stopping: Set when the workspace stops, so that hanging requests end with it.
    """
    if fault is None:
        return await act()
    if prevents(fault):
        return _instead(request, fault)
    if fault.kind is FaultKind.SLOW:
        await _pass(fault.seconds, stopping)
        return await act()
    return await _after_effect(request, fault, await act(), stopping)


def too_many(seconds: int) -> web.Response:
    """429 with the seconds to wait."""
    headers = {"Retry-After": str(seconds)}
    return web.json_response({"ok": False, "error": "ratelimited"}, status=429, headers=headers)


def _instead(request: web.Request, fault: Fault) -> web.Response:
    if fault.kind is FaultKind.LOST:
        return _drop(request)
    if fault.kind is FaultKind.TOO_MANY:
        return too_many(1)
    if fault.kind is FaultKind.REFUSED:
        return web.json_response({"ok": False, "error": "fatal_error"})
    return web.Response(status=500, text="internal error")


async def _after_effect(
    request: web.Request, fault: Fault, honest: web.Response, stopping: asyncio.Event
) -> web.Response:
    if fault.kind is FaultKind.DONE_500:
        return web.Response(status=500, text="internal error")
    if fault.kind is FaultKind.DONE_REFUSED:
        return web.json_response({"ok": False, "error": "fatal_error"})
    if fault.kind is FaultKind.GARBAGE:
        return web.Response(text=_HTML, content_type="text/html")
    if fault.kind is FaultKind.DONE_HANGS:
        await _pass(fault.seconds, stopping)
    if fault.kind in (FaultKind.DONE_HANGS, FaultKind.DONE_DROPPED):
        return _drop(request)
    return honest


def _drop(request: web.Request) -> web.Response:
    """Close the connection without an answer; the returned response is never sent."""
    if request.transport is not None:
        request.transport.close()
    return web.Response(status=500)


async def _pass(seconds: float, stopping: asyncio.Event) -> None:
    try:
        async with asyncio.timeout(seconds):
            await stopping.wait()
    except TimeoutError:
        return
