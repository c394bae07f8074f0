"""A simulated requester who pays while processes die, and records the acts and the answers."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count

from bot.playground.workspace import ImpossibleAct
from tests.process.scene import Scene, is_paid
from tests.support.answers import is_accepted
from tests.support.rig import FINANCE, MARIA

EMAIL = "ana@example.com"
_FIRST_CENTS = 100
_ROWS = 3
_PATIENCE = 240.0
_MIX = ("send",) * 6 + ("now",) * 3 + ("bulk",)


@dataclass(frozen=True, slots=True)
class Typed:
    """One request with one amount, or those of its rows; all amounts differ."""

    kind: str
    cents: tuple[int, ...]
    accepted: bool


class Typist:
    """Requests one payment after the other, so many at once, and never repeats an unanswered request."""

    def __init__(self, scene: Scene, chance: random.Random, *, at_once: int = 4) -> None:
        self._scene = scene
        self._chance = chance
        self._at_once = at_once
        self.typed: list[Typed] = []
        self.enough = asyncio.Event()

    @asynccontextmanager
    async def typing(self) -> AsyncIterator[None]:
        task = asyncio.create_task(self._go_on(), name="typist")
        try:
            yield
            self.enough.set()
            await task
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _go_on(self) -> None:
        amounts = count(_FIRST_CENTS)
        while not self.enough.is_set():
            await self._scene.workspace.until(self._has_patience, timeout=_PATIENCE)
            if self.enough.is_set():
                return
            kind = self._chance.choice(_MIX)
            if kind == "bulk":
                cents = tuple(next(amounts) for _ in range(_ROWS))
                self.typed.append(Typed(kind, cents, await self._bulk(cents)))
            else:
                one = next(amounts)
                ack = await self._scene.pay(f"{kind} {EMAIL} {one // 100}.{one % 100:02} No {one}")
                self.typed.append(Typed(kind, (one,), is_accepted(ack)))
            with suppress(TimeoutError):
                async with asyncio.timeout(self._chance.uniform(0.05, 0.5)):
                    await self.enough.wait()

    async def _bulk(self, cents: tuple[int, ...]) -> bool:
        """Submit a form with rows. Its answer comes in the form, so only the card shows that it was accepted."""
        workspace = self._scene.workspace
        rows = "\n".join(f"{EMAIL},{one // 100}.{one % 100:02},No {one}" for one in cents)
        await workspace.slash(MARIA, FINANCE, "/pay", "bulk")
        with suppress(ImpossibleAct):
            if workspace.modal(MARIA) is not None:
                await workspace.submit(MARIA, {"rows": rows})
            if workspace.modal(MARIA) is not None:
                await workspace.close(MARIA)
        return False

    def _has_patience(self) -> bool:
        """Whether few enough requests are open. More would measure the service's rate limit."""
        return self.enough.is_set() or sum(not is_paid(card) for card in self._scene.cards(FINANCE)) < self._at_once
