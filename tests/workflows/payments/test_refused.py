"""What the service refused: told as refused once a read agrees, and watched all the same."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments import PaymentsSimulator
from storage.rows import InboxState
from tests.laws.effects import ONE_STEP
from tests.support.clock import DAY, MINUTE, QUIET
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, Rig
from tests.support.rows import callbacks_of
from tests.workflows.looking import alerts, approved, newest, operation, read, state

COMMIT = "commit_payout"


def arm(rig: Rig, kind: FaultKind, name: str, *, times: int | None = 1, skip: int = 0) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times, skip=skip))


def paid_alerts(rig: Rig) -> list[str]:
    return [text for text in alerts(rig) if "the provider shows a payment" in text or "committed elsewhere" in text]


# done, but answered 422


async def refused(rig: Rig) -> None:
    """Refused, and the record that was read agreed: it lags behind."""
    rig.payments.switches.stale_reads = 1
    arm(rig, FaultKind.DONE_REFUSED, COMMIT)
    await approved(rig)


async def test_a_callback_about_a_refused_one_is_kept_until_it_can_be_read(rig: Rig) -> None:
    await refused(rig)
    assert await state(rig) is State.REFUSED
    arm(rig, FaultKind.ERROR_500, "get_operation", times=None)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    instruction_id = (await newest(rig)).id
    assert InboxState.RECEIVED in [row.state for row in await read(rig, lambda tx: callbacks_of(tx, instruction_id))]
    rig.payments.faults.clear()
    await rig.pass_time(5 * MINUTE, steps=5)
    assert len(paid_alerts(rig)) == 1
    assert {row.state for row in await read(rig, lambda tx: callbacks_of(tx, instruction_id))} == {InboxState.STALE}


async def test_a_callback_about_a_refused_one_without_id_has_it_looked_for(rig: Rig) -> None:
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


async def test_what_was_created_with_another_amount_is_watched(rig: Rig) -> None:
    dearer(rig.payments)
    await rig.pay()
    assert await state(rig) is State.MISMATCH
    assert (await newest(rig)).remote_id == operation(rig).id
    before = len(rig.workspace.messages(ALERTS))
    await rig.payments.settle(operation(rig).id, "committed")  # by hand, in the service's own pages
    for _ in range(4):
        await rig.payments.advance()
        await rig.pass_time(DAY)
    assert len(rig.workspace.messages(ALERTS)) == before + 1
    said = alerts(rig)[-1].splitlines()[0].partition("requested by Maria Silva) ")[2]
    assert said == "was never sent by Switchboard, but was committed elsewhere."


def dearer(payments: PaymentsSimulator) -> None:
    create = payments.book.create_payout

    def wrong(order: object) -> object:
        record = create(order)  # type: ignore[arg-type]
        record.cents *= 10
        return record

    payments.book.create_payout = wrong  # type: ignore[assignment,method-assign]


@pytest.mark.parametrize("action", ["reject", "withdraw"])
async def test_a_callback_and_the_watch_raise_one_alert_together(rig: Rig, action: str) -> None:
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
