"""Requests for the same payment, rows that agree again, and requests whose requester edits them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, State
from bot.domain.payments.sealed import Odd
from bot.domain.policy import Requirement
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit
from bot.workflows.payments.recipient import _waiting, edited, send_anyway
from bot.workflows.requests.authority import checked
from bot.workflows.requests.decide import Click, Decided
from bot.workflows.requests.request import Requested
from bot.workflows.requests.send import _twins, resumed, tighten
from tests.support.reasons import NO_ANSWER
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.workflows.looking import newest, read, there
from tests.workflows.planted import everything_stored, on_one_rig, planted, stored, write

DAY, SECOND = timedelta(days=1), timedelta(seconds=1)
SAME = PayoutPayload(email="ana@example.com", cents=777, description="rent")


@on_one_rig([
    ({}, 1), ({"state": State.REJECTED}, 0), ({"state": State.FAILED}, 0), ({"state": State.EXPIRED}, 0),
    ({"state": State.COMPLETED}, 1), ({"state": State.CLOSED}, 1), ({"state": State.NEEDS_HUMAN}, 1),
    ({"ago": DAY}, 1), ({"ago": DAY + SECOND}, 0), ({"email": "ANA@example.com"}, 1), ({"cents": 778}, 0),
    ({"email": "luis@example.com"}, 0), ({"kind": Kind.ONE_STEP}, 1),
])  # fmt: skip
async def test_a_request_of_the_day_for_the_same_payment_counts_unless_it_ended_unpaid(
    rig: Rig, like: dict[str, Any], count: int
) -> None:
    now = rig.clock.now()
    payload = SAME.model_copy(update={name: like.pop(name) for name in ("email", "cents") if name in like})
    one = await planted(rig, **{"payload": payload, "created_at": now - like.pop("ago", timedelta()), **like})
    assert await read(rig, lambda tx: _twins(tx, SAME, now, "")) == count
    assert await read(rig, lambda tx: _twins(tx, SAME, now, one.id)) == 0, "it is not its own twin"
    await write(
        rig, lambda tx: tx._connection.exec_driver_sql("UPDATE instruction SET cents = 1 WHERE id = ?", (one.id,))
    )


async def test_what_agrees_again_goes_on_and_its_card_says_so(rig: Rig) -> None:
    ctx = rig.switchboard.context
    await rig.pay()
    now, found = rig.clock.now(), await newest(rig)
    reason = Reason(OfRequest.ON_HOLD, found=[(Odd.ITEMS.value, ())])
    held = await write(
        rig,
        lambda tx: tx.instructions.touch(found, now=now, reason=reason, lease_owner=ctx.owner, lease_until=now + DAY),
    )
    assert held is not None
    before = await read(rig, lambda tx: tx.boards.get(f"request:{found.id}:approvals"))
    after = there(await checked(ctx, held))
    assert (after.reason, after.lease_owner, after.lease_until) == (None, ctx.owner, now + DAY)
    board = there(await read(rig, lambda tx: tx.boards.get(f"request:{found.id}:approvals")))
    assert before is not None
    assert board.wanted_version > before.wanted_version
    assert await checked(ctx, after) is after, "nothing is to be said"
    assert await checked(ctx, replace(held, version=1)) is None, "somebody was faster"


def asks_for(requester: str = MARIA, source: str = "form:9") -> Requested:
    return Requested(requester=requester, channel=FINANCE, kind=Kind.PAYOUT, payload=SAME, source_key=source)


async def no_account(rig: Rig) -> Instruction:
    """One whose address has no account: it waits for its requester."""
    await rig.pay("send nobody@example.com 25.00 rent")
    return await newest(rig)


async def test_an_edited_request_takes_the_place_of_the_one_that_waits(rig: Rig) -> None:
    ctx = rig.switchboard.context
    one = await no_account(rig)
    click = Click(instruction_id=one.id, round=one.round, person=MARIA)
    made = await edited(ctx, click, asks_for())
    assert not isinstance(made, Decided)
    before = await stored(rig, one)
    assert (before.state, before.reason, before.decided_by) == (
        State.WITHDRAWN, Reason(OfRequest.EDITED), MARIA
    )  # fmt: skip
    late = await edited(ctx, click, asks_for(source="form:10"))
    assert isinstance(late, Decided)
    assert (late.refusal, late.instruction.id) == (Refusal.DECIDED, one.id)
    assert await read(rig, lambda tx: tx.instructions.by_source("form:10")) is None


async def test_only_who_asked_says_what_becomes_of_it_and_only_in_this_round(rig: Rig) -> None:
    ctx = rig.switchboard.context
    one = await no_account(rig)
    stale = Click(instruction_id=one.id, round=one.round + 1, person=MARIA)
    other = Click(instruction_id=one.id, round=one.round, person=ADA)
    mine = Click(instruction_id=one.id, round=one.round, person=MARIA)
    before = everything_stored(rig)
    assert await read(rig, lambda tx: _waiting(tx, stale)) == Decided(one, Refusal.STALE)
    assert await read(rig, lambda tx: _waiting(tx, other)) == Decided(one, Refusal.NOT_ASKED)
    assert (await send_anyway(ctx, other)).refusal is Refusal.NOT_ASKED
    assert await read(rig, lambda tx: _waiting(tx, mine)) == one
    assert everything_stored(rig) == before
    said = await send_anyway(ctx, mine)
    assert said.refusal is None
    after = await stored(rig, one)
    assert after.recipient is not None
    assert (after.recipient.anyway, after.due_at) == (True, rig.clock.now())
    assert (await send_anyway(ctx, mine)).refusal is Refusal.DECIDED


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
