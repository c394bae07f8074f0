"""Requests for the same payment, rows that agree again, and requests whose requester edits them."""

from datetime import timedelta
from typing import Any

from bot.domain.payments.instruction import Kind, PayoutPayload, State
from bot.domain.policy import Requirement
from bot.workflows.context import Unit
from bot.workflows.requests.send import required, resumed, tighten
from tests.support.reasons import NO_ANSWER
from tests.support.rig import Rig
from tests.workflows.looking import there
from tests.workflows.planted import everything_stored, on_one_rig, planted, write

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
SAME = PayoutPayload(email="ana@example.com", cents=777, description="rent")


@on_one_rig([
    ({}, 1), ({"state": State.REJECTED}, 0), ({"state": State.FAILED}, 0), ({"state": State.EXPIRED}, 0),
    ({"state": State.COMPLETED}, 1), ({"state": State.CLOSED}, 1), ({"state": State.NEEDS_HUMAN}, 1),
    ({"ago": DAY, "state": State.COMPLETED}, 1), ({"ago": DAY + SECOND, "state": State.COMPLETED}, 0),
    ({"ago": DAY + SECOND}, 1), ({"ago": DAY + SECOND, "state": State.COMMIT_UNKNOWN}, 1),
    ({"email": "ANA@example.com"}, 1), ({"cents": 778}, 0),
    ({"email": "luis@example.com"}, 0), ({"kind": Kind.ONE_STEP}, 1),
])  # fmt: skip
async def test_a_request_of_the_day_for_the_same_payment_counts_unless_it_ended_unpaid(
    rig: Rig, like: dict[str, Any], count: int
) -> None:
    now = rig.clock.now()
    payload = SAME.model_copy(update={name: like.pop(name) for name in ("email", "cents") if name in like})
    one = await planted(rig, **{"payload": payload, "created_at": now - like.pop("ago", timedelta()), **like})
    ctx = rig.switchboard.context
    own = await ctx.read(lambda uow: required(uow, one.kind, SAME, (), now, before=one.id))  # it repeats not itself
    assert (await ctx.read(lambda uow: required(uow, one.kind, SAME, (), now))).quorum == own.quorum + count
    await write(
        rig, lambda tx: tx._connection.exec_driver_sql("UPDATE instruction SET cents = 1 WHERE id = ?", (one.id,))
    )


async def test_a_shorter_window_has_an_approved_request_looked_at_when_that_ends(rig: Rig) -> None:
    now = rig.clock.now()
    soft = Requirement(quorum=1, execute_within_seconds=7_200)
    one = await planted(rig, state=State.APPROVED, requirement=soft, exec_deadline=now + DAY, due_at=now + DAY)
    after = there(await write(rig, lambda uow: tighten(uow, one)))
    assert after.exec_deadline == after.due_at == now + DAY - timedelta(hours=1)


async def test_what_is_not_held_is_not_released(rig: Rig) -> None:
    one = await planted(rig, reason=NO_ANSWER)
    before = everything_stored(rig)
    assert await rig.switchboard.context.store.write(lambda tx: resumed(Unit(tx, now=rig.clock.now()), one)) is one
    assert everything_stored(rig) == before
