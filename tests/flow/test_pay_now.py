"""Payouts in one step: approved first, sent once, found again by their code."""

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, Rig

NOW = 'now ana@example.com 25.00 "March translation"'


def asked(rig: Rig, operation: str) -> int:
    return len(rig.payments.calls_of(operation))


async def test_nothing_is_at_the_service_before_the_approval(rig: Rig) -> None:
    await rig.pay(NOW)
    assert "waiting for approval" in rig.cards(APPROVALS)[0].text
    assert not rig.payments.operations
    await rig.press("approve")
    assert asked(rig, "one_step_payout") == 1
    assert "sent" in rig.cards(APPROVALS)[0].text
    await rig.payments.advance()
    await rig.pass_time(60)
    assert ["completed" in m.text for m in rig.news(FINANCE)] == [True]
    assert rig.paid == [("ana@example.com", 2_500)]


@pytest.mark.parametrize("kind", [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE])
async def test_a_lost_answer_is_found_by_the_code_and_never_sent_again(rig: Rig, kind: FaultKind) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(kind, "one_step_payout"))
    await rig.press("approve")
    assert "unknown" in rig.cards(APPROVALS)[0].text
    await rig.pass_time(30, steps=6)
    await rig.payments.advance()
    await rig.pass_time(120, steps=4)
    assert asked(rig, "one_step_payout") == 1
    assert "completed" in rig.cards(APPROVALS)[0].text
    assert rig.paid == [("ana@example.com", 2_500)]


async def test_a_lost_request_ends_with_people_who_may_retry(rig: Rig) -> None:
    await rig.pay(NOW)
    rig.payments.faults.arm(Fault(FaultKind.LOST, "one_step_payout"))
    await rig.press("approve")
    await rig.pass_time(1_200, steps=20)
    card = rig.cards(APPROVALS)[0]
    assert "needs a person" in card.text
    assert asked(rig, "one_step_payout") == 1
    assert any("needs a person" in m.text for m in rig.workspace.messages(ALERTS))
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
    await rig.pass_time(4_000, steps=60)
    assert "needs a person" in rig.cards(APPROVALS)[0].text
    rig.payments.faults.clear()
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {"amount": "25.00"})
    await rig.pass_time(60)
    assert asked(rig, "one_step_payout") == 1
    assert "sent" in rig.cards(APPROVALS)[0].text
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
    await rig.pass_time(1_200, steps=20)
    assert asked(rig, "one_step_payout") == 1
    assert rig.paid == [("ana@example.com", 2_500)]
