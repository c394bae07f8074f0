"""A row that cannot be read: what is stopped for it, and who is told how often."""

import pytest

from bot.workflows.admin.damage import _hold
from storage.damage import Damaged
from tests.support.lists import requested
from tests.support.rig import ALERTS, Rig
from tests.workflows.planted import planted, stored


def told(rig: Rig) -> int:
    return sum("cannot be read" in m.text for m in rig.workspace.messages(ALERTS))


async def hold(rig: Rig, table: str, *key: object, name: str = "", about: str = "") -> None:
    await _hold(rig.switchboard.context, Damaged(table=table, key=key, name=name, about=about, column="x"))
    await rig.settle()


async def test_what_belongs_to_a_request_stops_the_request_and_is_told_once(rig: Rig) -> None:
    one, other = await planted(rig), await planted(rig)
    await hold(rig, "attempt", one.id, 1, about=one.id)
    first = (await stored(rig, one)).stopped
    assert (first != "", (await stored(rig, other)).stopped, told(rig)) == (True, "", 1)
    await hold(rig, "attempt", one.id, 2, about=one.id)
    assert ((await stored(rig, one)).stopped, told(rig)) == (first, 1)
    await hold(rig, "instruction", other.id, name=other.reference)
    assert ((await stored(rig, other)).stopped != "", told(rig)) == (True, 2)


async def test_what_belongs_to_a_list_stops_the_list(rig: Rig) -> None:
    job = await requested(rig)
    await hold(rig, "email_run", job.id)
    again = await rig.switchboard.context.store.read(lambda tx: tx.jobs.get(job.id))
    assert again is not None
    assert again.stopped != ""
    assert told(rig) == 1


@pytest.mark.parametrize(("name", "alerts"), [("unreadable:x", 0), ("notice:x", 1)])
async def test_an_alert_that_cannot_be_read_sets_off_no_alert(rig: Rig, name: str, alerts: int) -> None:
    """Or they would never end; of any other message it is told."""
    await hold(rig, "outbox", "01KA", name=name)
    assert told(rig) == alerts
