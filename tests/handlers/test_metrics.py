"""What Prometheus gets."""

import aiohttp

from tests.support.clock import ManualClock
from tests.support.rig import Rig


async def test_counts_and_ages_and_nobodys_data(sqlite_url: str) -> None:
    rig = await Rig.open(database_url=sqlite_url, clock=ManualClock())
    try:
        await rig.pay()
        async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/metrics") as answer:
            assert answer.status == 200
            text = await answer.text()
        assert 'switchboard_requests{kind="payout",state="awaiting"} 1.0' in text
        assert "switchboard_joined 1.0" in text
        assert 'switchboard_oldest_seconds{queue="messages"} 0.0' in text
        assert "ana@" not in text
    finally:
        await rig.close()
