"""Holds requests on their way to a simulator: before their effect, or after it and before the answer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground.simulators.payments.dialect import ROUTES

_PATIENCE = 15.0


@dataclass(eq=False)
class Held:
    """One held request. ``arrived`` is set when it is held; it continues at :meth:`release`."""

    operation: str
    after_effect: bool
    skip: int = 0
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    done: asyncio.Event = field(default_factory=asyncio.Event)
    _released: asyncio.Event = field(default_factory=asyncio.Event)
    _vanish: bool = False

    def release(self, *, vanish: bool = False) -> None:
        """Let it continue, even if its sender is dead; with ``vanish`` it never arrives."""
        self._vanish = vanish
        self._released.set()

    async def arrival(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            await self.arrived.wait()

    async def stand(self) -> bool:
        """Hold the request; returns whether it continues."""
        self.arrived.set()
        await self._released.wait()
        return not self._vanish


class Gate:
    """A middleware of one simulator. Requests still held at the end vanish."""

    def __init__(self, name_of: Callable[[web.Request], str]) -> None:
        self._name_of = name_of
        self._armed: list[Held] = []
        self._standing: list[Held] = []

    def install(self, app: web.Application) -> None:

        @web.middleware
        async def pass_gate(request: web.Request, handler: Handler) -> web.StreamResponse:
            return await self._pass(request, handler)

        app.middlewares.append(pass_gate)

    def hold(self, operation: str, *, after_effect: bool, skip: int = 0) -> Held:
        held = Held(operation, after_effect, skip)
        self._armed.append(held)
        return held

    def close(self) -> None:
        self._armed.clear()
        for held in self._standing:
            held.release(vanish=True)

    async def _pass(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        held = self._take(self._name_of(request))
        if held is None:
            return await handler(request)
        await request.read()  # while its sender lives
        answer = await handler(request) if held.after_effect else None
        if await held.stand() and answer is None:
            answer = await handler(request)
        held.done.set()
        if answer is None:
            if request.transport is not None:
                request.transport.close()
            return web.Response(status=500)
        return answer

    def _take(self, name: str) -> Held | None:
        for held in self._armed:
            if held.operation == name:
                if held.skip:
                    held.skip -= 1
                    return None
                self._armed.remove(held)
                self._standing.append(held)
                return held
        return None


def payments_operation(request: web.Request) -> str:
    """The simulator's name of the operation, e.g. ``commit_payout``."""
    resource = request.match_info.route.resource
    path = resource.canonical if resource is not None else ""
    return next((name for name, route in ROUTES.items() if route == (request.method, path)), "")
