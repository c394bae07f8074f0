"""Repeated ``kill -9`` at random instants while people pay and approve."""

import asyncio
import random
import re
from collections import Counter
from itertools import count

import pytest

from bot.domain.payments.instruction import State
from tests.process.approver import Approver
from tests.process.conftest import Opening
from tests.process.ends import all_is_over, is_over
from tests.process.scene import Scene
from tests.support.answers import is_accepted
from tests.support.rig import ADA, APPROVALS, FINANCE

SEED = 20261120
_LONGEST_START = 1.5
_LONGEST_WORK = 1.5
_STILLBORN = 0.25
"""Share of lives that end while starting; the others end while working."""
_PATIENCE = 60.0
_AT_ONCE = 4


@pytest.mark.parametrize(
    "kills",
    [
        pytest.param(5, marks=pytest.mark.timeout(300)),
        pytest.param(100, marks=[pytest.mark.campaign, pytest.mark.timeout(1_800)]),
    ],
)
async def test_nothing_is_lost_and_nothing_doubled(open_scene: Opening, kills: int) -> None:
    chance = random.Random(SEED)  # noqa: S311 - repeatable on purpose
    scene = await open_scene()
    typed = Payer(scene, random.Random(SEED + 1))  # noqa: S311
    async with Approver(scene, user=ADA):
        paying = asyncio.create_task(typed.go_on())
        await torment(scene, chance, kills)
        typed.enough.set()
        await paying
        await scene.workspace.until(lambda: all_is_over(scene, at_least=typed.accepted), timeout=_PATIENCE)
        await scene.settled()
    for channel in (FINANCE, APPROVALS):
        assert set(Counter(references(card.text) for card in scene.cards(channel)).values()) == {1}
    completed = [text for text in scene.news(FINANCE) if "*Paid*" in text]
    assert set(Counter(references(text) for text in completed).values()) == {1}
    assert len(completed) == len(scene.cards(FINANCE))
    assert await scene.bot.stop() == 0
    stored = await scene.stored()
    assert {one.state for one in stored} == {State.COMPLETED}
    assert scene.executions() == Counter({one.code: 1 for one in stored})
    assert typed.accepted <= len(stored) <= typed.tried
    print(f"{kills} kills, seed {SEED}: {typed.accepted} of {typed.tried} commands acknowledged, {len(stored)} paid")  # noqa: T201


class Payer:
    """Requests one payout after the other, a few at a time, each with another amount."""

    def __init__(self, scene: Scene, chance: random.Random) -> None:
        self._scene = scene
        self._chance = chance
        self.tried = 0
        self.accepted = 0
        self.enough = asyncio.Event()

    async def go_on(self) -> None:
        """Type until ``enough`` is set."""
        for number in count(100):
            await self._scene.workspace.until(self._has_patience, timeout=_PATIENCE)
            self.tried += 1
            ack = await self._scene.pay(f"send ana@example.com {number // 100}.{number % 100:02} No {number}")
            self.accepted += is_accepted(ack)
            try:
                async with asyncio.timeout(self._chance.uniform(0.05, 0.5)):
                    await self.enough.wait()
            except TimeoutError:
                continue
            return

    def _has_patience(self) -> bool:
        """Whether few enough requests are open. More would measure the service's rate limit."""
        return self.enough.is_set() or sum(not is_over(card) for card in self._scene.cards(FINANCE)) < _AT_ONCE


async def torment(scene: Scene, chance: random.Random, kills: int) -> None:
    for _ in range(kills):
        if chance.random() < _STILLBORN:
            await asyncio.sleep(chance.uniform(0, _LONGEST_START))  # the instant is what is random
        else:
            await scene.bot.ready()
            await asyncio.sleep(chance.uniform(0, _LONGEST_WORK))
        await scene.bot.kill()
        await scene.bot.start()
    await scene.bot.ready()


def references(text: str) -> str:
    found = re.search(r"P-[0-9A-Z]{6}", text)
    assert found, text
    return found[0]
