"""What Prometheus gets."""

import aiohttp
import pytest

from tests.support.rig import Rig


async def test_counts_and_ages_and_nobodys_data(rig: Rig) -> None:
    await rig.pay()
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/metrics") as answer:
        assert answer.status == 200
        text = await answer.text()
    assert 'switchboard_requests{kind="payout",state="awaiting"} 1.0' in text
    assert "switchboard_joined 1.0" in text
    assert 'switchboard_oldest_seconds{queue="messages"} 0.0' in text
    assert "ana@" not in text


@pytest.mark.rig(metrics_token="metrics-token")
async def test_with_a_token_nobody_else_reads(rig: Rig) -> None:
    async with aiohttp.ClientSession() as session:
        for seen, status in (
            (None, 401),
            ("Bearer metrics-toke", 401),
            ("Bearer metrics-token2", 401),
            ("metrics-token", 401),
            ("Bearer métrics", 401),
            ("Bearer metrics-token", 200),
        ):
            headers = {} if seen is None else {"Authorization": seen}
            async with session.get(f"{rig.switchboard.url}/metrics", headers=headers) as answer:
                assert answer.status == status
                assert ("switchboard_joined" in await answer.text()) is (status == 200)
        async with session.get(f"{rig.switchboard.url}/readyz") as answer:
            assert answer.status == 200
