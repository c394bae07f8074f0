"""Holds requests on their way to a simulator: before their effect, or after it and before the answer."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from aiohttp import web
from aiohttp.typedefs import Handler

from bot.playground.simulators.payments.dialect import ROUTES

_PATIENCE = 15.0


@dataclass(eq=False)
class Held:
    """One held request. It continues at :meth:`release`."""

    operation: str
    after_effect: bool
    skip: int = 0
    vanishes: bool = False
    arrived: asyncio.Event = field(default_factory=asyncio.Event)
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def release(self, *, vanish: bool = False) -> None:
        """Let it continue, even if its sender is dead; with ``vanish`` it never arrives."""
        self.vanishes = vanish
        self.released.set()

    async def arrival(self) -> None:
        async with asyncio.timeout(_PATIENCE):
            await self.arrived.wait()


class Gate:
    """A middleware of one simulator. Requests still held at the end vanish."""

    def __init__(self, name_of: Callable[[web.Request], str]) -> None:
        self._name_of = name_of
        self._armed: list[Held] = []
        self._standing: list[Held] = []

    def install(self, app: web.Application) -> None:
        app.middlewares.append(web.middleware(partial(self._pass)))

    def hold(self, operation: str, *, after_effect: bool, skip: int = 0) -> Held:
        held = Held(operation, after_effect, skip)
        self._armed.append(held)
        return held

    def close(self) -> None:
        self._armed.clear()
        for held in self._standing:
            held.release(vanish=True)

    async def _pass(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        held = next((one for one in self._armed if one.operation == self._name_of(request)), None)
        if held is None or held.skip:
            if held is not None:
                held.skip -= 1
            return await handler(request)
        self._armed.remove(held)
        self._standing.append(held)
        await request.read()  # while its sender lives
        answer = await handler(request) if held.after_effect else None
        held.arrived.set()
        await held.released.wait()
        if answer is None and not held.vanishes:
            answer = await handler(request)
        if answer is None and request.transport is not None:
            request.transport.close()
        return web.Response(status=500) if answer is None else answer


def payments_operation(request: web.Request) -> str:
    """The simulator's name of the operation, e.g. ``commit_payout``."""
    resource = request.match_info.route.resource
    path = resource.canonical if resource is not None else ""
    return next((name for name, route in ROUTES.items() if route == (request.method, path)), "")
