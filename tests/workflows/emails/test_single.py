"""A few addresses at once: what may be answered a moment later is asked once more, after a second."""

import asyncio
from typing import cast

import pytest

from bot.clients.emails import EmailsClient
from bot.domain.emails.lists import Answer, Busy, Checked, Lost, Outcome
from bot.domain.reasons import Exchange, Reason
from bot.workflows.emails.lists import check_addresses

VALID = Answer(outcome=Outcome.ANSWERED, result="valid")
BUSY = Busy(reason=Reason(Exchange.TOO_MANY), retry_after=7.0)
LOST = Lost(reason=Reason(Exchange.NO_ANSWER, failure="timed out"))


@pytest.mark.parametrize(
    ("said", "outcome", "pauses"),
    [
        ([VALID], Outcome.ANSWERED, []),
        ([BUSY, VALID], Outcome.ANSWERED, [1.0]),
        ([LOST, VALID], Outcome.ANSWERED, [1.0]),
        ([BUSY, LOST, VALID], Outcome.FAILED, [1.0]),
        ([LOST, BUSY, VALID], Outcome.FAILED, [1.0]),
    ],
)
async def test_a_second_later_it_is_asked_once_more(
    monkeypatch: pytest.MonkeyPatch, said: list[Checked], outcome: Outcome, pauses: list[float]
) -> None:
    paused: list[float] = []

    class Service:
        async def check(self, _: str) -> Checked:
            return said.pop(0)

    async def pause(seconds: float) -> None:
        paused.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", pause)
    [(address, answer)] = await check_addresses(cast("EmailsClient", Service()), ["ana@example.com"])
    assert (address, answer.outcome, paused) == ("ana@example.com", outcome, pauses)
