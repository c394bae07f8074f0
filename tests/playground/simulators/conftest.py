from collections.abc import AsyncIterator

import pytest

from bot.playground.simulators.payments import PaymentsSimulator
from tests.playground.simulators.partner import Partner, Shop
from tests.support.clock import SecondsClock


@pytest.fixture
def clock() -> SecondsClock:
    return SecondsClock()


@pytest.fixture
async def simulator(clock: SecondsClock) -> AsyncIterator[PaymentsSimulator]:
    async with PaymentsSimulator(clock=clock, rate_limit=None) as running:
        yield running


@pytest.fixture
async def partner(simulator: PaymentsSimulator) -> AsyncIterator[Partner]:
    async with Partner(simulator) as ready:
        yield ready


@pytest.fixture
async def shop() -> AsyncIterator[Shop]:
    async with Shop() as listening:
        yield listening
