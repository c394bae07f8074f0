"""T2 to T4, T16: created once, found again by our own code; what the service says carries it forward."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import FaultKind
from tests.laws.effects import CREATE, retried
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.rig import APPROVALS, FINANCE, Rig
from tests.workflows.looking import alerts, asked, buttons, operation, state, told_once


async def test_failed_creation_can_be_retried_by_a_person(rig: Rig) -> None:
    await CREATE.leaves(rig, CREATE.fault(FaultKind.LOST, times=3))
    await rig.pass_time(HOUR, steps=15)
    assert buttons(rig, APPROVALS) == {"Retry", "Close as not paid"}
    await retried(rig)
    await rig.pass_time(QUIET + MINUTE, steps=8)
    assert await state(rig) is State.AWAITING
    assert len(rig.payments.operations) == 1
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2500)]


async def test_wrong_credentials_name_no_secret(rig: Rig) -> None:
    rig.payments._gate._credentials = "partner:another-secret"
    await rig.pay()
    await rig.pass_time(MINUTE, steps=4)
    assert asked(rig, "create_payout") <= 1
    read = [message.plain for channel in (FINANCE, APPROVALS) for message in rig.workspace.messages(channel)]
    assert not [text for text in (*read, *alerts(rig)) if "partner-secret" in text]
    (alert,) = alerts(rig)
    assert "check PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET" in alert


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("cents", 9900, "The amount is 99.00 instead of 25.00."),
        ("email", "mallory@example.com", "The recipient is different."),
    ],
)
async def test_mismatched_payout_is_never_shown_for_approval(rig: Rig, field: str, value: object, said: str) -> None:
    await CREATE.leaves(rig, CREATE.fault(FaultKind.DONE_DROPPED))
    setattr(operation(rig), field, value)
    await rig.pass_time(20 * MINUTE, steps=5)
    assert await state(rig) is State.MISMATCH
    assert said in told_once(rig, "failed", FINANCE)
    assert alerts(rig)[0].splitlines()[1] == said
    assert not rig.workspace.messages(APPROVALS)


async def test_commit_answer_may_be_final(rig: Rig) -> None:
    await rig.pay()
    record = operation(rig)
    execute = rig.payments.book.execute

    def at_once(asked_for):  # type: ignore[no-untyped-def]
        done = execute(asked_for)
        rig.payments.book.settle(record, "completed")
        return done

    rig.payments.book.execute = at_once  # type: ignore[method-assign]
    await rig.press("approve")
    await rig.settle()
    assert await state(rig) is State.COMPLETED
    told_once(rig, "*paid*")
