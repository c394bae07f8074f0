"""Posts of a conversation keep their order when they are made at the same time; one holds up no other for long."""

import asyncio
from typing import Any

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.workflows.context import Unit
from bot.workflows.slack import outbox
from bot.workflows.slack.boards import post_line
from storage.rows import OutboxRow, OutboxState
from tests.support.rig import APPROVALS, FINANCE, Rig
from tests.support.strict import Referee
from tests.workflows.looking import read
from tests.workflows.play import Play

CHANNELS = (FINANCE, APPROVALS)


@pytest.fixture
def referee() -> Referee:
    return Referee()


@pytest.fixture
def variations(referee: Referee) -> dict[str, Any]:
    return {"prepare": referee.watch, "around": {"pace": None}}


async def lines(play: Play, count: int, *, channels: tuple[str, ...] = (FINANCE,)) -> None:
    """Queue lines of as many subjects, so that only their conversation gives them an order."""
    now = play.ctx.clock.now()
    for number in range(count):
        for channel in channels:
            await play.ctx.store.write(
                lambda tx, number=number, channel=channel: post_line(  # type: ignore[misc]
                    Unit(tx, now=now),
                    subject=f"job:{channel}{number}",
                    key="x",
                    payload={"word": number},
                    channel=channel,
                )
            )


async def claimed(play: Play, count: int) -> list[OutboxRow]:
    now = play.ctx.clock.now()
    return await play.ctx.store.write(
        lambda tx: tx.outbox.claim_due(now=now, owner=play.ctx.owner, lease_seconds=60, limit=count)
    )


def said(play: Play, channel: str = FINANCE) -> list[int]:
    return [int(message.text.rpartition(" ")[2]) for message in play.messages(channel)]


async def test_rows_that_run_at_the_same_time_are_posted_in_their_order(rig: Rig) -> None:
    play = Play(rig)
    await lines(play, 12, channels=CHANNELS)
    # The first of each conversation takes its time: whoever did not wait for it would stand before it.
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "chat.postMessage", times=2, seconds=0.15))
    await asyncio.gather(*(outbox._deliver_ours(play.ctx, row) for row in await claimed(play, 24)))
    for channel in CHANNELS:
        assert said(play, channel) == list(range(12))


async def test_hanging_post_delays_others_briefly(rig: Rig) -> None:
    play = Play(rig)
    await lines(play, 5)
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "chat.postMessage", seconds=2))
    rows = await claimed(play, 5)
    work = asyncio.gather(*(outbox._deliver_ours(play.ctx, row) for row in rows))
    passed = 0.0
    while len(said(play)) < 4:
        rig.clock.advance(0.1)
        passed += 0.1
        await asyncio.sleep(0.02)
    assert said(play) == [1, 2, 3, 4]
    assert passed < 2.5
    await work
    assert sorted(said(play)) == list(range(5))


async def test_busy_conversation_keeps_order_and_pace(rig: Rig, referee: Referee) -> None:
    play = Play(rig)
    await lines(play, 40, channels=CHANNELS)
    await play.pass_time(0)
    for _ in range(25):
        await play.pass_time(1)
    for channel in CHANNELS:
        assert said(play, channel) == list(range(40))
        assert referee.refused[f"chat.postMessage:{channel}"] <= 2
    assert not referee.too_early


async def test_slack_rate_limit_does_not_count_as_an_attempt(rig: Rig) -> None:
    """A post dies after many refusals; how often Slack was busy before does not count."""
    play = Play(rig)
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "chat.postMessage", times=30))
    await lines(play, 1)
    await play.pass_time(0)
    for _ in range(30):
        await play.pass_time(2)
    assert said(play) == [0]
    row = await read(rig, lambda tx: tx.outbox.by_key(f"line:job:{FINANCE}0:x"))
    assert row is not None
    assert (row.state, row.attempts) == (OutboxState.SENT, 1)
