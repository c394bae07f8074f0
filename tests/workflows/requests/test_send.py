"""T11 to T13: everything is checked again, one claim is one request, and what did not happen is tried again."""

import pytest

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, Reason
from bot.playground.faults import Fault, FaultKind
from tests.support.clock import HOUR, MINUTE
from tests.support.rig import APPROVALS, MARIA, POLICY, Rig
from tests.workflows.looking import approved, asked, newest, read, requests, there


async def waits(rig: Rig) -> float:
    due = there((await newest(rig)).due_at)
    return (due - rig.clock.now()).total_seconds()


async def test_without_a_wait_in_seconds_the_pauses_grow(rig: Rig) -> None:
    for named in (None, "0", "soon", "Fri, 20 Nov 2026 10:00:00 GMT"):
        rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "commit_payout", times=2, wait=named))
    await approved(rig)
    pauses = []
    for _ in range(8):
        pauses.append(await waits(rig))
        await rig.pass_time(pauses[-1])
    assert pauses == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0]
    assert rig.paid == [("ana@example.com", 2500)]


@pytest.mark.parametrize("pause", [3.0, 300.0])
async def test_poll_honors_retry_after(rig: Rig, pause: float) -> None:
    await approved(rig)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, "get_operation", wait=str(int(pause))))
    before = asked(rig, "get_operation")
    await rig.pass_time(30)
    await rig.pass_time(pause - 0.5)
    assert asked(rig, "get_operation") == before + 1
    await rig.pass_time(0.5)
    assert asked(rig, "get_operation") == before + 2


LIMITED = POLICY.replace('daily_limit = "25000.00"', 'daily_limit = "50.00"')


@pytest.mark.rig(policy=LIMITED)
async def test_daily_limit_is_checked_when_sending(rig: Rig) -> None:
    await approved(rig, "send ana@example.com 30.00 first")
    assert not rig.workspace.ephemerals(MARIA)
    await approved(rig, "send luis@example.com 30.00 second")
    assert "$20.00 of everyone's daily limit of $50.00 is left today" in rig.workspace.ephemerals(MARIA)[-1].text
    assert rig.paid == [("ana@example.com", 3000)]
    held = await newest(rig)
    assert (held.state, held.reason) == (State.APPROVED, Reason(OfRequest.OVER_TODAY, left=2000, limit=5000))
    assert "$20.00 of everyone's daily limit of $50.00 is left today: send less" in rig.cards(APPROVALS)[1].plain
    await approved(rig, "send luis@example.com 20.00 third")
    assert rig.paid == [("ana@example.com", 3000), ("luis@example.com", 2000)]
    await rig.pass_time(HOUR, steps=6)
    assert (await requests(rig))[1].state is State.EXPIRED


@pytest.mark.rig(policy=LIMITED)
async def test_daily_limit_resets_each_day(rig: Rig) -> None:
    await rig.pass_time(14.5 * HOUR)  # half past eleven at night, UTC
    await approved(rig, "send ana@example.com 30.00 first")
    await approved(rig, "send luis@example.com 30.00 second")
    assert len(rig.paid) == 1
    await rig.pass_time(31 * MINUTE, steps=10)
    assert rig.paid == [("ana@example.com", 3000), ("luis@example.com", 3000)]


@pytest.mark.parametrize(("kind", "left"), [(FaultKind.REFUSED, 0), (FaultKind.LOST, 3000)])
@pytest.mark.rig(policy=LIMITED)
async def test_limit_is_released_only_if_certainly_unpaid(rig: Rig, kind: FaultKind, left: int) -> None:
    rig.payments.faults.arm(Fault(kind, "commit_payout"))
    await approved(rig, "send ana@example.com 30.00 first")
    day = rig.switchboard.context.clock.now().date().isoformat()
    assert await read(rig, lambda tx: tx.reservations.sum(day)) == left
