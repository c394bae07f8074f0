"""The log and the feed that the panel follows."""

import asyncio

import pytest

from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.simulators.recorder import Recorder
from tests.playground.simulators.partner import Partner


async def test_feed_shows_calls_states_money_and_callbacks(simulator: PaymentsSimulator, partner: Partner) -> None:
    with simulator.subscribe() as feed:
        await partner.pay()
        await simulator.advance()
        await simulator.delivered()
        feed.close()
        kinds = [change.kind async for change in feed]
    assert kinds == [
        "call", "operation", "answer",
        "call", "ledger", "operation", "answer",
        "operation", "delivery",
    ]  # fmt: skip


async def test_slow_reader_loses_oldest_events_only() -> None:
    recorder = Recorder()
    with recorder.subscribe() as feed:
        for number in range(1_500):
            recorder.publish("operation", number)
        feed.close()
        subjects = [change.subject async for change in feed]
    assert subjects == list(range(501, 1_500))


async def test_closing_lets_a_waiting_reader_go() -> None:
    recorder = Recorder()
    feed = recorder.subscribe()
    reader = asyncio.create_task(anext(feed, None))
    await asyncio.sleep(0)
    recorder.close()
    assert await reader is None


async def test_until_returns_a_match_or_reports_what_it_saw(simulator: PaymentsSimulator, partner: Partner) -> None:
    waiting = asyncio.create_task(simulator.until(lambda: simulator.calls_of("create_payout")))
    await partner.create()
    assert [call.operation for call in await waiting] == ["create_payout"]
    with pytest.raises(TimeoutError, match="create_payout -> 200"):
        await simulator.until(lambda: False, timeout=0.01)
