"""Payouts in one step: approved first, sent once, found again by their code."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from tests.support.rig import ADA, ALERTS, FINANCE, LIN, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import asked, state

NOW = 'now ana@example.com 25.00 "March translation"'


async def test_nothing_is_at_the_service_before_the_approval(rig: Rig) -> None:
    await rig.pay(NOW)
    assert await state(rig) is State.AWAITING
    assert not rig.payments.operations
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
    assert await state(rig) is State.COMMITTED
    await rig.payments.advance()
    await rig.pass_time(60)
    assert [shown(m.text) for m in rig.news(FINANCE)] == [
        snapshot(""":white_check_mark: <@U0MARIA> 25.00 USD to ana@example.com (P-······) is *completed*: the service \
confirms that the recipient was credited. Approved by Ada Okafor. Hash `······`.""")
    ]
    assert rig.paid == [("ana@example.com", 2_500)]


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_a_lost_answer_is_found_by_the_code_and_never_sent_again(rig: Rig, kind: FaultKind) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(kind, "one_step_payout"))
    await rig.press("approve")
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(30, steps=6)
    await rig.payments.advance()
    await rig.pass_time(120, steps=4)
    assert asked(rig, "one_step_payout") == 1
    assert await state(rig) is State.COMPLETED
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_a_lost_request_ends_with_people_who_may_retry(rig: Rig) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(FaultKind.LOST, "one_step_payout"))
    await rig.press("approve")
    await rig.pass_time(1_200, steps=7)
    assert await state(rig) is State.NEEDS_HUMAN
    assert asked(rig, "one_step_payout") == 1
    assert [shown(m.text) for m in rig.workspace.messages(ALERTS)] == [
        snapshot("""\
:rotating_light: Payout P-······, 25.00 USD to ana@example.com, asked by Maria Silva: needs a person: its outcome is \
unknown. Look it up at the service, then decide on the card.
The service does not list it.
Our code at the service: `······` · <http://127.0.0.1/archives/C0APPROVE/p······|The card>
To decide: <!subteam^S0TREASURY>
Runbook: `docs/alerts.md#needs-a-person`\
""")
    ]
    await rig.press("retry", user=LIN)
    await rig.submit(LIN, {"amount": "25.00"})
    await rig.pass_time(60)
    assert asked(rig, "one_step_payout") == 2
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_what_shows_up_before_the_retry_is_taken_in(rig: Rig) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "one_step_payout"))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "list_operations", times=None))
    await rig.press("approve")
    await rig.pass_time(4_000, steps=16)
    assert await state(rig) is State.NEEDS_HUMAN
    rig.payments.faults.clear()
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {"amount": "25.00"})
    await rig.pass_time(60)
    assert asked(rig, "one_step_payout") == 1
    assert await state(rig) is State.COMMITTED
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_the_form_asks_for_the_same(rig: Rig) -> None:
    await rig.pay("now")
    await rig.submit(MARIA, {"email": "ana@example.com", "amount": "25.00", "description": "March translation"})
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1


async def test_a_crash_between_claim_and_answer_pays_once(rig: Rig) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(FaultKind.DONE_DROPPED, "one_step_payout"))
    await rig.press("approve")
    await rig.switchboard.stop()
    await rig.start()
    await rig.pass_time(1_200, steps=7)
    assert asked(rig, "one_step_payout") == 1
    assert rig.paid == [("ana@example.com", 2_500)]
