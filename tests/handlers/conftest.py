"""The whole product on a clock that stands still until a test moves it."""

from collections.abc import AsyncIterator

import pytest

from tests.support.clock import ManualClock
from tests.support.rig import Rig


@pytest.fixture
async def rig(sqlite_url: str) -> AsyncIterator[Rig]:
    opened = await Rig.open(database_url=sqlite_url, clock=ManualClock())
    yield opened
    await opened.close()
