"""That something is not at the service is believed of lists that would have shown it, and of two of them."""

from dataclasses import replace

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.records import PayoutOrder
from tests.laws.effects import ONE_STEP, PURCHASE, before, retried
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.rig import APPROVALS, FINANCE, Rig
from tests.workflows.looking import alerts, buttons, newest, operation, state


async def unreadable(rig: Rig) -> None:
    """It was done and its answer lost, and the list could not be read before people were asked; it can be now."""
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_operations", times=None))
    await ONE_STEP.leaves(rig, ONE_STEP.fault(FaultKind.DONE_DROPPED))
    await rig.pass_time(HOUR + 2 * MINUTE, steps=16)
    assert await state(rig) is State.NEEDS_HUMAN
    rig.payments.faults.clear()


async def test_new_attempt_looks_twice_at_a_list_that_lags(rig: Rig) -> None:
    await unreadable(rig)
    rig.payments.switches.lists_lag_seconds = rig.clock.seconds() - operation(rig).created_at + MINUTE / 2
    await retried(rig)
    await rig.pass_time(3 * MINUTE, steps=3)
    assert (await state(rig), ONE_STEP.sent(rig)) == (State.COMMITTED, 1)


async def test_new_attempt_that_meets_a_suspect_goes_back_to_people(rig: Rig) -> None:
    await before(rig)
    await unreadable(rig)
    rig.payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))
    await retried(rig)
    await rig.pass_time(MINUTE)
    found = await newest(rig)
    assert (found.state, found.suspect) == (State.NEEDS_HUMAN, operation(rig).id)
    assert ONE_STEP.sent(rig) == 1


async def test_suspect_with_our_code_is_adopted(rig: Rig) -> None:
    await before(rig)
    rig.payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))
    await ONE_STEP.leaves(rig, ONE_STEP.fault(FaultKind.DONE_DROPPED))
    await rig.pass_time(HOUR + 2 * MINUTE, steps=16)
    assert (await newest(rig)).suspect == operation(rig).id
    rig.payments.faults.clear()  # an admin has named the field
    await rig.pass_time(HOUR + MINUTE, steps=2)
    found = await newest(rig)
    assert (found.state, found.remote_id) == (State.COMMITTED, operation(rig).id)
    assert ONE_STEP.sent(rig) == 1


async def test_cleared_suspect_allows_retry(rig: Rig) -> None:
    await before(rig)
    await ONE_STEP.leaves(rig, ONE_STEP.fault(FaultKind.LOST))
    order = PayoutOrder(email="ana@example.com", description="", cents=2500, confirmation_uri="", failure_uri="")
    twin = rig.payments.add_payout(replace(order, code="INVOICE-7"))
    await rig.pass_time(HOUR + 2 * MINUTE, steps=16)
    assert buttons(rig, APPROVALS) == {"Close as not paid"}
    twin.cents = 9900  # their mistake, corrected
    await rig.pass_time(2 * HOUR + MINUTE, steps=3)
    assert buttons(rig, APPROVALS) == {"Retry", "Close as not paid"}
    await retried(rig)
    await rig.pass_time(2 * MINUTE, steps=2)
    assert rig.paid[1:] == [("ana@example.com", 2500)]


async def test_list_that_hides_our_codes_proves_nothing(rig: Rig) -> None:
    await before(rig)
    rig.payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))
    await ONE_STEP.leaves(rig, ONE_STEP.fault(FaultKind.LOST))
    await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(HOUR - QUIET, steps=9)
    assert await state(rig) is State.NEEDS_HUMAN
    assert "The provider's list doesn't show our codes" in alerts(rig)[-1]
    await retried(rig)
    await rig.pass_time(5 * MINUTE, steps=5)
    assert ONE_STEP.sent(rig) == 1
    rig.payments.faults.clear()
    await rig.pass_time(3 * MINUTE, steps=3)
    assert rig.paid[1:] == [("ana@example.com", 2500)]


async def test_uncertain_purchase_is_not_created_again(rig: Rig) -> None:
    await rig.pay('collect luis@example.com "before" web=1x7.00')
    await rig.pass_time(1)  # the other one is newer
    rig.payments.faults.arm(Fault(FaultKind.NO_CODES, "list_operations", times=None))
    await PURCHASE.leaves(rig, PURCHASE.fault(FaultKind.DONE_DROPPED))
    await rig.pass_time(HOUR + 2 * MINUTE, steps=16)
    assert await state(rig) is State.NEEDS_HUMAN
    assert operation(rig).id in rig.cards(FINANCE)[-1].text
    assert PURCHASE.sent(rig) == 2
