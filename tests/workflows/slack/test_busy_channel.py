"""A post whose answer was lost is searched for to the end, however busy its channel and however slow the looking."""

from collections.abc import Iterator
from typing import Any

import pytest

from bot.playground.faults import Fault, FaultKind
from storage.rows import OutboxRow, OutboxState
from tests.support.rig import APPROVALS, MARIA, Rig
from tests.support.settling import run_due
from tests.support.strict import Referee
from tests.workflows.looking import newest, read

MESSAGES = 3_000
PAGE = 200
"""Messages that one look into the history brings."""
PAGES = MESSAGES // PAGE


@pytest.fixture
def variations() -> Iterator[dict[str, Any]]:
    referee = Referee()
    referee.slow_down("conversations.history", per_minute=1)
    yield {"prepare": referee.watch}
    assert not referee.too_early


def chat(rig: Rig, count: int) -> None:
    for number in range(count):
        rig.workspace._state.post_as(MARIA, APPROVALS, text=f"word {number}")


async def row_of(rig: Rig) -> OutboxRow:
    found = await newest(rig)
    row = await read(rig, lambda tx: tx.outbox.by_key(f"card:{found.id}:approvals"))
    assert row is not None
    return row


async def looks(rig: Rig, times: int, *, talk: int = 0) -> int:
    """Let so many minutes pass, with so many new messages in each; how many until the card is known to be there."""
    for minute in range(times):
        rig.clock.advance(61)
        chat(rig, talk)
        while await run_due(rig.switchboard.context, "outbox"):
            pass
        if (await row_of(rig)).state is OutboxState.SENT:
            return minute
    return times


async def test_unconfirmed_post_is_found_among_thousands(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage", skip=1))
    await rig.pay()
    chat(rig, MESSAGES)
    assert await looks(rig, 6, talk=20) == 6
    await rig.start_again()
    minutes = await looks(rig, 3 * PAGES, talk=20)
    assert PAGES - 6 <= minutes < 2 * PAGES, "it went on where it had stopped"
    assert len(rig.cards(APPROVALS)) == 1
    assert (await row_of(rig)).sent_ts == rig.cards(APPROVALS)[0].ts


async def test_booking_lost_twice_is_searched_twice(rig: Rig) -> None:
    """What was read before the second try cannot hold what it left there."""
    rig.workspace.faults.arm(Fault(FaultKind.LOST, "chat.postMessage", skip=1))
    await rig.pay()
    chat(rig, 3 * PAGE)
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage"))
    assert await looks(rig, 30) < 30
    assert len(rig.cards(APPROVALS)) == 1
    assert (await row_of(rig)).sent_ts == rig.cards(APPROVALS)[0].ts
