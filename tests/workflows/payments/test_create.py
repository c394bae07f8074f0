"""T2 to T4, T16: created once, found again by our own code; what the service says carries it forward."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.rig import ADA, APPROVALS, FINANCE, Rig
from tests.workflows.looking import alerts, asked, buttons, operation, state, told_once


def arm(rig: Rig, kind: FaultKind, operation_name: str = "create_payout", *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, operation_name, times=times, seconds=0.1))


async def test_a_person_can_let_it_be_created_once_more(rig: Rig) -> None:
    arm(rig, FaultKind.LOST, times=3)
    await rig.pay()
    await rig.pass_time(HOUR, steps=15)
    assert buttons(rig, APPROVALS) == {"Retry", "Close as not paid"}
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
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
    assert alert.splitlines()[1] == snapshot(
        "An admin has to fix this: Payments didn't accept our credentials (401), saying “Unauthorized”; check \
PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET: each environment has its own."
    )


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("cents", 9900, "the amount is 99.00 instead of 25.00"),
        ("email", "mallory@example.com", "the recipient is different"),
        ("operation_type", "purchase", "it is no payout"),
    ],
)
async def test_a_payout_that_is_not_what_was_asked_for_is_never_shown_for_approval(
    rig: Rig, field: str, value: object, said: str
) -> None:
    arm(rig, FaultKind.DONE_DROPPED)
    await rig.pay()
    setattr(operation(rig), field, value)
    await rig.pass_time(20 * MINUTE, steps=5)
    if field == "operation_type":  # such a record is not in the list of payouts at all
        assert not rig.paid
        return
    assert await state(rig) is State.MISMATCH
    assert (
        told_once(rig, "failed", FINANCE)
        .partition(" <@")[0]
        .endswith(f"isn't what was requested. {said[0].upper()}{said[1:]}.")
    )
    assert alerts(rig)[0].splitlines()[1] == f"{said[0].upper()}{said[1:]}."
    assert not rig.workspace.messages(APPROVALS)


async def test_an_answer_to_the_commit_that_is_final_already(rig: Rig) -> None:
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
