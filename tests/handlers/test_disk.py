"""A disk that runs full: people hear it in words, machines at ``/readyz``, and no new money is asked for."""

import aiohttp
import pytest
from inline_snapshot import snapshot

from tests.support.rig import MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import ephemerals, requests

GIGABYTE = 1_000_000_000


async def _ready(rig: Rig) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/readyz") as answer:
        return answer.status, str((await answer.json())["database"])


@pytest.mark.parametrize(
    ("free", "whole", "status", "database"),
    [
        (499_000_000, 100 * GIGABYTE, 200, "its disk is almost full"),
        (1_000_000, 100 * GIGABYTE, 503, "its disk is full"),
        (6_000_000, 64_000_000, 200, "its disk is almost full"),
    ],
)
async def test_no_money_is_asked_for_on_a_full_disk(
    rig: Rig, free: int, whole: int, status: int, database: str
) -> None:
    disk = rig.switchboard.context.store.disk
    disk.usage = lambda: (free, whole)
    await rig.pay("send ana@example.com 25.00 rent")
    assert shown(ephemerals(rig, MARIA)[-1]) == snapshot(""":warning: Switchboard cannot store anything new now: its \
disk is full. The operator has been told. Nothing was started; please try again later.""")
    assert not await requests(rig)
    assert await _ready(rig) == (status, database)
    disk.usage = lambda: (7_000_000, 64_000_000)
    await rig.pay("send ana@example.com 25.00 rent")
    assert len(await requests(rig)) == 1
    assert await _ready(rig) == (200, "ok")
