"""What the service refused: told as refused once a read agrees, and watched all the same."""

from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from storage.rows import InboxState
from tests.laws.effects import ONE_STEP
from tests.support.clock import DAY, MINUTE, QUIET
from tests.support.rig import ADA, APPROVALS, FINANCE, Rig
from tests.workflows.calling import inbox
from tests.workflows.looking import alerts, approved, newest, operation, state


def arm(rig: Rig, kind: FaultKind, name: str, *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times))


def paid_alerts(rig: Rig) -> list[str]:
    return [text for text in alerts(rig) if "the provider shows a payment" in text or "committed elsewhere" in text]


async def test_callback_about_a_refused_payout_is_kept_until_read(rig: Rig) -> None:
    """Refused, and the record that was read agreed: it lags behind."""
    rig.payments.switches.stale_reads = 1
    arm(rig, FaultKind.DONE_REFUSED, "commit_payout")
    await approved(rig)
    assert await state(rig) is State.REFUSED
    arm(rig, FaultKind.ERROR_500, "get_operation", times=None)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    assert InboxState.RECEIVED in await inbox(rig)
    rig.payments.faults.clear()
    await rig.pass_time(5 * MINUTE, steps=5)
    assert len(paid_alerts(rig)) == 1
    assert set(await inbox(rig)) == {InboxState.STALE}


async def test_callback_about_a_refused_payout_without_id_starts_a_search(rig: Rig) -> None:
    rig.payments.switches.lists_lag_seconds = QUIET + 3 * MINUTE
    await ONE_STEP.leaves(rig, ONE_STEP.fault(FaultKind.DONE_REFUSED))
    await rig.pass_time(QUIET + 2 * MINUTE, steps=9)
    assert await state(rig) is State.REFUSED
    await rig.pass_time(2 * MINUTE)
    assert not paid_alerts(rig)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    assert len(paid_alerts(rig)) == 1


async def test_payout_created_with_another_amount_is_watched(rig: Rig) -> None:
    create = rig.payments.book.create_payout

    def dearer(order: Any) -> Any:
        record = create(order)
        record.cents *= 10
        return record

    rig.payments.book.create_payout = dearer  # type: ignore[method-assign]
    await rig.pay()
    assert await state(rig) is State.MISMATCH
    assert (await newest(rig)).remote_id == operation(rig).id
    before = len(alerts(rig))
    await rig.payments.settle(operation(rig).id, "committed")  # by hand, in the service's own pages
    for _ in range(4):
        await rig.payments.advance()
        await rig.pass_time(DAY)
    assert len(alerts(rig)) == before + 1
    assert "was never sent by Switchboard, but was committed elsewhere." in alerts(rig)[-1]


@pytest.mark.parametrize("action", ["reject", "withdraw"])
async def test_callback_and_watch_raise_one_alert(rig: Rig, action: str) -> None:
    await rig.pay()
    if action == "reject":
        await rig.press("reject")
        await rig.submit(ADA, {"reason": "no invoice"})
    else:
        await rig.press("withdraw", user="U0MARIA", channel=FINANCE)
    await rig.payments.settle(operation(rig).id, "committed")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(2 * DAY, steps=8)
    assert len(alerts(rig)) == 1
    assert await state(rig) in (State.REJECTED, State.WITHDRAWN)
    assert rig.cards(APPROVALS)
