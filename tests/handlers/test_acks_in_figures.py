"""Acks in figures: one for each request of Slack, by its kind, whichever way it came."""

from typing import Any

import pytest

from bot.version import version
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.support.scraped import Page

NAME = "switchboard_ack_seconds"


@pytest.fixture(params=["http", "socket"])
def variations(request: pytest.FixtureRequest) -> dict[str, Any]:
    return {"socket_mode": request.param == "socket"}


async def acks(rig: Rig) -> dict[str, float]:
    found = await Page.of(rig.switchboard.url)
    return {kind: count for (kind,), count in found.counted(f"{NAME}_count", "kind").items()}


async def test_every_ack_is_counted_by_its_kind(rig: Rig) -> None:
    await rig.pay()
    assert await acks(rig) == {"command": 1}
    await rig.press("reject", user=ADA)
    await rig.submit(ADA, {"reason": "no budget"})
    assert await acks(rig) == {"command": 1, "action": 1, "view": 1}
    message = await rig.workspace.say(MARIA, FINANCE, "anything")
    await rig.workspace.open_home(MARIA)
    await rig.workspace.shortcut(MARIA, "use_file", channel=FINANCE, ts=message.ts, force=True)
    found = await acks(rig)
    assert found.pop("event") >= 1
    assert found == {"command": 1, "action": 1, "view": 1, "shortcut": 1}


async def test_ack_seconds_use_a_monotonic_clock(rig: Rig) -> None:
    await rig.pay()
    found = await Page.of(rig.switchboard.url)
    assert found.value(f"{NAME}_bucket", kind="command", le="0.001") == 1, "the clock stood still"
    transport = "socket" if rig.settings.socket_mode else "http"
    assert found.value("switchboard_build_info", version=version(), database="sqlite", transport=transport) == 1
