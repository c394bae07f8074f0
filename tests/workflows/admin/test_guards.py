"""What watches over the whole: damaged rows, anchors, rows compared with the audit, services that fell silent."""

import pytest

from bot.workflows.admin.damage import _hold
from bot.workflows.requests.authority import freeze
from storage.damage import Damaged
from storage.errors import StorageBusy
from tests.support.rig import ALERTS, MARIA, OLGA, Rig
from tests.workflows.looking import disagreements


async def test_flags_that_disagree_with_the_audit_are_named(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {"by": MARIA, "reason": "x", "at": "", "lifting": []}, now))
    assert await disagreements(rig) == ("payments are frozen in the database but not in the audit log.",)
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ()
    await freeze(ctx, person=OLGA, reason="odd")
    assert await disagreements(rig) == ()
    await ctx.store.write(lambda tx: tx.flags.set("frozen", {}, now))
    assert await disagreements(rig) == ("payments are frozen in the audit log but not in the database.",)


def told(rig: Rig) -> int:
    return sum("can't be read" in m.text for m in rig.workspace.messages(ALERTS))


async def damaged(rig: Rig, table: str, *key: object, name: str = "", about: str = "") -> None:
    await _hold(rig.switchboard.context, Damaged(table=table, key=key, name=name, about=about, column="x"))
    await rig.settle()


@pytest.mark.parametrize(("name", "alerts"), [("unreadable:x", 0), ("notice:x", 1)])
async def test_unreadable_alert_causes_no_alert(rig: Rig, name: str, alerts: int) -> None:
    """Or they would never end; of any other message it is told."""
    await damaged(rig, "outbox", "01KA", name=name)
    assert told(rig) == alerts


async def test_silent_database_stops_sending(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    water = rig.switchboard._high_water
    assert await water.may_leave("payout X")

    async def busy() -> None:
        raise StorageBusy("locked")

    monkeypatch.setattr(water, "_stand", busy)
    assert not await water.may_leave("payout X")
