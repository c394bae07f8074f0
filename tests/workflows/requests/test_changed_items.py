"""F94: a bulk payment or cancellation whose payments were changed is held as it stands until they are put back."""

import pytest
from sqlalchemy import select, update

from bot.domain.payments.instruction import Kind, State
from bot.presentation.reasons import worded
from storage.tables.instructions import bulk_item
from storage.transaction import Tx
from tests.support.rig import POLICY, Rig
from tests.workflows.authority import approved_just_now, sent
from tests.workflows.looking import actions, alerts, disagreements, everywhere, newest, read, state, there

pytestmark = pytest.mark.rig(policy=POLICY.replace('execute_within = "60m"', 'execute_within = "5h"'), on="both")

NOT_ASKED = "its payments differ from those requested"
HELD = f"on hold: the database and the audit log disagree: {NOT_ASKED}"
CHANGES = [
    (Kind.BULK, "cents", 999_999),
    (Kind.BULK, "email", "thief@example.com"),
    (Kind.BULK_CANCEL, "hash", "other"),
]


async def written(rig: Rig, column: str, value: object) -> object:
    """Write to the first payment of the newest request, past the program; the value that stood there."""
    found = await newest(rig)
    number = (await read(rig, lambda tx: tx.bulk_items.rows(found.id)))[0].row

    def work(tx: Tx) -> object:
        connection = tx.bulk_items._connection
        this = (bulk_item.c.instruction_id == found.id) & (bulk_item.c.number == number)
        before = connection.execute(select(bulk_item.c[column]).where(this)).scalar_one()
        connection.execute(update(bulk_item).where(this).values({column: value}))
        return before

    return await rig.switchboard.context.store.write(work)


def alarms(rig: Rig) -> list[str]:
    return [one for one in alerts(rig) if NOT_ASKED in one]


@pytest.mark.parametrize(("kind", "column", "value"), CHANGES)
async def test_payments_that_were_changed_are_held_until_they_are_put_back(
    rig: Rig, kind: Kind, column: str, value: object
) -> None:
    await approved_just_now(rig, kind)
    before = await written(rig, column, value)
    story = await actions(rig)
    await rig.settle()
    held = await newest(rig)
    assert (held.state, worded(held.reason), sent(rig, kind)) == (State.APPROVED, HELD, 0)
    assert everywhere(rig, NOT_ASKED)
    assert len(alarms(rig)) == 1
    assert await disagreements(rig) == (f"{held.reference}: {NOT_ASKED}.",)
    due = there(held.due_at)
    assert (due - rig.clock.now()).total_seconds() == 3_600

    await rig.pass_time(3_700, steps=2)
    again = await newest(rig)
    assert (again.state, worded(again.reason), sent(rig, kind), len(alarms(rig))) == (State.APPROVED, HELD, 0, 1)
    assert await actions(rig) == story, "no row of the audit seals what was changed"

    await written(rig, column, before)
    await rig.pass_time(3_599 - 50)
    assert sent(rig, kind) == 0, "it is looked at every hour"
    await rig.pass_time(51)
    assert sent(rig, kind) == 1
    assert await state(rig) is not State.APPROVED
    assert (await newest(rig)).reason is None
    assert await disagreements(rig) == ()
