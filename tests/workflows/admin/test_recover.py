"""A process that died while it posted: the next one looks for the message, but not before Slack would show it."""

from datetime import timedelta

import pytest

from tests.support.rig import APPROVALS, FINANCE, Rig

SCAN_AFTER = timedelta(seconds=10)


class PowerCutError(BaseException):
    """Nothing of the process goes on after it."""


@pytest.mark.parametrize("shown", [True, False], ids=["it was posted", "it never left"])
async def test_a_post_that_died_with_its_process_is_looked_for_after_slacks_lag(rig: Rig, shown: bool) -> None:
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


def looks(rig: Rig) -> list[str]:
    """Where the bot searched for a message it may have posted."""
    return [str(call.args["channel"]) for call in rig.workspace.calls if call.method == "conversations.history"]
