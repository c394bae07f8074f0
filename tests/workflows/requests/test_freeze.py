"""Starting again after a freeze takes voices that count now."""

import pytest

from tests.support.rig import ADA, FINANCE, LIN, OLGA, POLICY, TOM, Rig

pytestmark = pytest.mark.rig(policy=POLICY.replace("quorum = 1\n", "quorum = 2\n", 1))


async def say(rig: Rig, user: str, words: str) -> str:
    ack = await rig.workspace.slash(user, FINANCE, "/pay", words)
    await rig.settle()
    return str(ack.body)


async def frozen(rig: Rig) -> bool:
    return bool(await rig.switchboard.context.store.read(lambda tx: tx.flags.get("frozen")))


async def test_the_voice_of_somebody_who_left_the_approvers_counts_no_more(rig: Rig) -> None:
    await say(rig, OLGA, "freeze something is odd")
    await say(rig, ADA, "unfreeze")
    rig.workspace.set_group("S0TREASURY", users=[LIN, TOM])
    rig.clock.advance(120)
    await say(rig, LIN, "unfreeze")
    assert await frozen(rig)
    await say(rig, TOM, "unfreeze")
    assert not await frozen(rig)
