"""Several bots on one database, behind a balancer."""

import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from bot.playground.process import free_port
from tests.process.balancer import Balancer
from tests.process.bot_process import BotProcess
from tests.process.scene import Scene


class Fleet(Scene):
    """A scene with several bots, each with its own folder; ``bot`` is the one that ``settled`` asks."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.bots: list[BotProcess] = []
        self.rotation: list[BotProcess] = []
        """Bots that get the requests of Slack and of services."""

    def add(self, **different: str) -> BotProcess:
        folder = self.folder / f"process-{len(self.bots)}"
        folder.mkdir()
        environment = {**self.bot.environment, "PORT": str(free_port()), **different}
        self.bots.append(BotProcess(environment=environment, folder=folder))
        self._stack.push_async_callback(self.bots[-1].discard)
        return self.bots[-1]


@asynccontextmanager
async def open_fleet(folder: Path, url: str, *, chance: random.Random, **different: Any) -> AsyncIterator[Fleet]:
    """A fleet without bots on the database at ``url``; ``different``: as in ``Scene.open``."""
    opened: list[Fleet] = []
    async with Balancer(lambda: [bot.url for one in opened for bot in one.rotation], chance=chance) as balancer:
        fleet = await Fleet.open(folder, start=False, DATABASE_URL=url, PUBLIC_URL=balancer.url, **different)
        opened.append(fleet)
        fleet.workspace.deliver_to(f"{balancer.url}/slack/events")
        try:
            yield fleet
        finally:
            await fleet._stack.aclose()
