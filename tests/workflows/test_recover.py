"""A process that died while it posted: the next one looks for the message, but not before Slack would show it."""

from typing import Any

import pytest

from bot.workflows.deliver import SCAN_AFTER
from tests.support.clock import ManualClock
from tests.support.rig import APPROVALS, FINANCE, Rig


class PowerCutError(BaseException):
    """Nothing of the process goes on after it."""


@pytest.mark.parametrize("shown", [True, False], ids=["it was posted", "it never left"])
async def test_a_post_that_died_with_its_process_is_looked_for_after_slacks_lag(sqlite_url: str, shown: bool) -> None:
    cut = ["write.before:posted" if shown else "write.after:claim_outbox"]

    def probe(point: str) -> None:
        if point in cut:
            cut.clear()
            raise PowerCutError

    around: dict[str, Any] = {"probe": probe}
    rig = await Rig.open(database_url=sqlite_url, clock=ManualClock(), around=around)
    try:
        with pytest.raises(PowerCutError):
            await rig.pay()
        assert len(rig.cards(FINANCE)) == int(shown)
        await rig.switchboard.stop()
        await rig.start()
        await rig.pass_time(SCAN_AFTER.total_seconds() - 1, steps=3)
        assert not looks(rig)
        assert len(rig.cards(FINANCE)) == int(shown)
        await rig.pass_time(2)
        assert looks(rig)[0] == FINANCE
        assert len(rig.cards(FINANCE)) == len(rig.cards(APPROVALS)) == 1
    finally:
        await rig.close()


def looks(rig: Rig) -> list[str]:
    """Where the bot searched for a message it may have posted."""
    return [str(call.args["channel"]) for call in rig.workspace.calls if call.method == "conversations.history"]
