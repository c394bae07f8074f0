"""A process that died while it posted: the next one looks for the message, but not before Slack would show it."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.slack.messenger import Messenger, Posted
from bot.workflows import quarantine
from bot.workflows.admin.takeover import recover_claims
from bot.workflows.workers import Workers
from storage.leases import Leases
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.settling import run_due

SCAN_AFTER = timedelta(seconds=10)


class PowerCutError(BaseException):
    """Nothing of the process goes on after it."""


@pytest.mark.parametrize("shown", [True, False], ids=["it was posted", "it never left"])
async def test_post_of_a_dead_process_is_searched_after_slack_lag(rig: Rig, shown: bool) -> None:
    cut = ["write.before:posted" if shown else "write.after:claim_outbox"]

    def probe(point: str) -> None:
        if point in cut:
            cut.clear()
            raise PowerCutError

    await rig.start_again(probe=probe)
    with pytest.raises(PowerCutError):
        await rig.pay()
    assert len(rig.cards(FINANCE)) == int(shown)
    await rig.start_again()
    await rig.pass_time(SCAN_AFTER.total_seconds() - 1, steps=3)
    assert not looks(rig)
    assert len(rig.cards(FINANCE)) == int(shown)
    await rig.pass_time(2)
    assert looks(rig)[0] == FINANCE
    assert len(rig.cards(FINANCE)) == len(rig.cards(APPROVALS)) == 1


class Slow:
    """A messenger whose first post takes longer than a lease; meanwhile another process does what is due there."""

    def __init__(self, messenger: Messenger, meanwhile: Callable[[], Awaitable[None]]) -> None:
        self._messenger = messenger
        self._meanwhile = [meanwhile]

    async def post(self, **what: Any) -> Posted:
        posted = await self._messenger.post(**what)
        while self._meanwhile:
            await self._meanwhile.pop()()
        return posted


@pytest.mark.rig(on="both")
async def test_post_with_an_expired_lease_is_left_to_its_new_holder(rig: Rig) -> None:
    ctx = rig.switchboard.context
    for _ in range(2):
        await rig.workspace.slash(MARIA, FINANCE, "/pay", "send ana@example.com 25.00 March")

    async def meanwhile() -> None:
        leases = Leases(store=ctx.store, clock=rig.clock, owner="another process", sleep=rig.clock.sleep)
        other = replace(ctx, owner="another process", workers=Workers(run=quarantine.take), leases=leases)
        rig.clock.advance(60.0 + 1)
        await recover_claims(other)
        rig.clock.advance(SCAN_AFTER.total_seconds() + 1)
        await run_due(other, "outbox")

    rig.clock.advance(6)  # a line is posted after five seconds, whether the recipient was looked up or not
    slow: Any = Slow(ctx.messenger, meanwhile)
    await run_due(replace(ctx, messenger=slow), "outbox")
    assert not slow._meanwhile
    assert len(rig.cards(FINANCE)) == 2


def looks(rig: Rig) -> list[str]:
    """Where the bot searched for a message it may have posted."""
    return [str(call.args["channel"]) for call in rig.workspace.calls if call.method == "conversations.history"]
