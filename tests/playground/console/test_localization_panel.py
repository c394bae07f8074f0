"""The localization service behind the scenes: its calls in plain words, and its switches."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import pytest

from bot.playground.console.localization_panel import MANNERS, OPERATIONS, LocalizationPanel
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.localization.rules import RULES


@pytest.fixture
async def box() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator() as running:
        yield running


async def ask(box: LocalizationSimulator, text: str = "Hello there.") -> int:
    form = aiohttp.FormData({"text": text}, default_to_multipart=True)
    headers = {"Authorization": f"Bearer {box.api_key}"}
    url = f"{box.base_url}/paraphrase"
    async with aiohttp.ClientSession() as session, session.post(url, data=form, headers=headers) as answer:
        return answer.status


async def test_every_operation_can_be_made_to_fail(box: LocalizationSimulator) -> None:
    panel = LocalizationPanel(simulator=box)
    assert {each.name for each in OPERATIONS} == {"*", MANNERS, *RULES}
    for operation in OPERATIONS:
        for fault in operation.faults:
            panel.arm(operation.name, fault.kind, 1)
    armed = panel.status().armed
    assert len(armed) == sum(len(each.faults) for each in OPERATIONS)
    panel.behave()
    assert not panel.status().armed
    assert await ask(box) == 200


@pytest.mark.parametrize(("operation", "kind"), [("paraphrase", "nonsense"), (MANNERS, "slow"), ("nothing", "slow")])
async def test_what_is_not_offered(box: LocalizationSimulator, operation: str, kind: str) -> None:
    with pytest.raises(ValueError, match="not offered"):
        LocalizationPanel(simulator=box).arm(operation, kind, 1)


async def test_calls_in_plain_words(box: LocalizationSimulator) -> None:
    panel = LocalizationPanel(simulator=box)
    follower = panel.follow()
    seen = asyncio.ensure_future(anext(follower))
    await asyncio.sleep(0)
    panel.arm("paraphrase", "done_500", 1)
    assert await ask(box) == 504
    assert await seen == "in-1"
    assert await anext(follower) == "in-1"
    (line,) = panel.calls()
    assert (line.title, line.status, line.ok, line.fault) == ("Paraphrase", 504, False, "Do it, then answer 504")
    assert panel.call("in-1") is line
    assert line.body == {"text": "Hello there."}
    await follower.aclose()  # type: ignore[attr-defined]  # a generator
