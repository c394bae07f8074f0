"""T14 to T16: an unknown outcome is read and never sent again by itself; in the end a person decides."""

import pytest
from inline_snapshot import snapshot

from bot.domain.approvals import Refusal
from bot.domain.payments.instruction import AttemptKind, AttemptOutcome, State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests.decide import Click, withdraw
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, OLGA, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    DAY,
    HOUR,
    MINUTE,
    QUIET,
    alerts,
    approved,
    asked,
    attempts,
    buttons,
    everywhere,
    heard,
    newest,
    operation,
    state,
    told,
    told_once,
    votes,
)

EXECUTED = [FaultKind.DONE_DROPPED, FaultKind.DONE_500, FaultKind.GARBAGE]
NOT_EXECUTED = [FaultKind.LOST, FaultKind.ERROR_500]


def arm(rig: Rig, kind: FaultKind, name: str = "commit_payout", *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times))


async def unknown(rig: Rig, kind: FaultKind = FaultKind.LOST) -> None:
    """Approved, sent, and nobody knows; reading fails at first, so that it stays so."""
    arm(rig, kind)
    await approved(rig)
    assert await state(rig) is State.COMMIT_UNKNOWN


async def with_people(rig: Rig) -> None:
    """The commit was lost, and that has been read often enough."""
    await unknown(rig)
    await rig.pass_time(QUIET + MINUTE, steps=4)
    assert await state(rig) is State.NEEDS_HUMAN


@pytest.mark.parametrize("kind", [*EXECUTED, *NOT_EXECUTED])
async def test_people_are_told_at_once_not_to_pay_again(rig: Rig, kind: FaultKind) -> None:
    await unknown(rig, kind)
    assert everywhere(rig, "unknown")
    assert everywhere(rig, "Do not pay again")
    assert told_once(rig, "unknown").endswith(" Switchboard is finding out. Do not pay again.")
    assert buttons(rig) == set()


@pytest.mark.parametrize("kind", EXECUTED)
async def test_what_was_executed_is_adopted_by_reading(rig: Rig, kind: FaultKind) -> None:
    await unknown(rig, kind)
    await rig.pass_time(5)
    assert await state(rig) is State.COMMITTED
    assert asked(rig, "commit_payout") == 1
    assert rig.paid == [("ana@example.com", 2500)]
    await rig.payments.advance()
    await rig.pass_time(2 * MINUTE, steps=2)
    told_once(rig, "completed")


@pytest.mark.parametrize("kind", NOT_EXECUTED)
async def test_what_was_not_executed_is_read_through_the_quiet_period_and_never_resent(
    rig: Rig, kind: FaultKind
) -> None:
    await unknown(rig, kind)
    await rig.pass_time(QUIET - 10, steps=5)
    assert await state(rig) is State.COMMIT_UNKNOWN
    assert asked(rig, "get_operation") >= 4
    await rig.pass_time(MINUTE + 10)
    assert await state(rig) is State.NEEDS_HUMAN
    assert asked(rig, "commit_payout") == 1
    assert not rig.paid
    assert told_once(rig, "needs a person").endswith("the service still shows it as not committed.")
    assert everywhere(rig, "needs a person")
    assert len(alerts(rig)) == 1
    assert buttons(rig, APPROVALS) == {"Retry", "Close as not paid"}
    assert buttons(rig, FINANCE) == set()


async def test_what_arrives_late_is_adopted_while_it_is_unknown(rig: Rig) -> None:
    await unknown(rig)
    await rig.pass_time(10 * MINUTE, steps=10)
    await rig.payments.settle(operation(rig).id, "committed")  # the request was only slow
    await rig.pass_time(MINUTE)
    assert await state(rig) is State.COMMITTED
    assert rig.paid == [("ana@example.com", 2500)]


async def test_what_arrives_when_people_are_asked_already_is_adopted_too(rig: Rig) -> None:
    await with_people(rig)
    await rig.payments.settle(operation(rig).id, "committed")
    await rig.pass_time(HOUR + MINUTE, steps=2)
    assert await state(rig) is State.COMMITTED
    assert buttons(rig) == set()
    await rig.payments.advance()
    await rig.pass_time(2 * MINUTE, steps=2)
    told_once(rig, "completed")


async def test_a_service_that_cannot_be_read_for_an_hour_needs_a_person(rig: Rig) -> None:
    await unknown(rig)
    arm(rig, FaultKind.ERROR_500, "get_operation", times=None)
    await rig.pass_time(HOUR - MINUTE, steps=12)
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(2 * MINUTE, steps=2)
    assert await state(rig) is State.NEEDS_HUMAN
    assert alerts(rig)[0].splitlines()[1] == (
        "It cannot be read (payments: it answered 500, saying “Internal server error”)."
    )


async def test_a_record_that_is_not_ours_decides_nothing(rig: Rig) -> None:
    await unknown(rig)
    record = operation(rig)
    record.cents, record.status = 9900, "completed"
    await rig.pass_time(HOUR, steps=10)
    assert await state(rig) in (State.COMMIT_UNKNOWN, State.NEEDS_HUMAN)
    assert any("99.00 instead of 25.00" in text for text in alerts(rig))
    assert not told(rig, FINANCE, "completed")


async def test_a_new_attempt_takes_the_typed_amount_and_one_voice(rig: Rig) -> None:
    await with_people(rig)
    await rig.press("retry", user=LIN)
    assert shown(rig.workspace.modal(LIN)) == snapshot(
        """\
Retry a payout
25.00 USD to ana@example.com
Reference P-······
:warning: *Look this payout up at the service first.* If it was paid there, a new attempt may pay it again. \
Switchboard reads it once more before it sends anything.
Type the amount, 25.00 USD"""
    )
    await rig.submit(LIN, {forms.AMOUNT: "52.00"})
    form = rig.workspace.modal(LIN)
    assert form is not None
    assert shown(form.errors[forms.AMOUNT]) == snapshot(
        "This is not the amount on the card. Type that amount, with a point before the cents: 25.00"
    )
    await rig.submit(LIN, {forms.AMOUNT: "25.00"})
    assert rig.workspace.modal(LIN) is None
    assert asked(rig, "commit_payout") == 2
    assert rig.paid == [("ana@example.com", 2500)]
    outcomes = [one.outcome for one in await attempts(rig) if one.kind is AttemptKind.COMMIT]
    assert outcomes == [AttemptOutcome.UNKNOWN, AttemptOutcome.DONE]
    assert await state(rig) is State.COMMITTED


async def test_a_new_attempt_needs_its_own_quorum(rig: Rig) -> None:
    arm(rig, FaultKind.LOST)
    await rig.pay("send ana@example.com 1500.00 rent")
    for user in (ADA, LIN):
        await rig.press("approve", user=user)
        await rig.submit(user, {forms.AMOUNT: "1500.00"})
    await rig.pass_time(QUIET + MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    assert not await votes(rig)
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    assert (await state(rig), asked(rig, "commit_payout")) == (State.NEEDS_HUMAN, 1)
    assert everywhere(rig, "1 of 2")
    await rig.press("retry", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "1500.00"})
    assert rig.paid == [("ana@example.com", 150_000)]


async def test_a_new_attempt_reads_once_more_and_adopts_instead_of_paying_twice(rig: Rig) -> None:
    await with_people(rig)
    await rig.payments.settle(operation(rig).id, "committed")
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert asked(rig, "commit_payout") == 1
    assert await state(rig) is State.COMMITTED
    assert len(rig.paid) == 1


async def test_a_new_attempt_can_be_unknown_too_and_its_refusal_proves_nothing(rig: Rig) -> None:
    await with_people(rig)
    arm(rig, FaultKind.REFUSED)
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert await state(rig) is State.COMMIT_UNKNOWN
    await rig.pass_time(QUIET + MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    assert len(told(rig, FINANCE, "needs a person")) == 2
    assert not rig.paid


async def test_who_has_to_look_is_told_where_and_who_may_decide(rig: Rig) -> None:
    await with_people(rig)
    assert everywhere(rig, f"The service's id: `{(await newest(rig)).remote_id}`.")
    assert shown(rig.cards(APPROVALS)[0].text.partition("Silva (maria). ")[2]) == snapshot(
        ":warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new "
        "attempt needs a new approval. The service's id: `······`. The service still shows it as not committed. "
        "Needs 1 approval besides the requester. To decide: <!subteam^S0TREASURY>."
    )
    (alert,) = alerts(rig)
    assert shown(alert) == snapshot(
        """\
:rotating_light: Payout P-······, 25.00 USD to ana@example.com, asked by Maria Silva: needs a person: its outcome is \
unknown. Look it up at the service, then decide on the card.
The service still shows it as not committed.
The service's id: `······` · <http://127.0.0.1/archives/C0APPROVE/p······|The card>
To decide: <!subteam^S0TREASURY>
Runbook: `docs/alerts.md#needs-a-person`\
"""
    )


async def test_an_alert_goes_out_without_its_link_too(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.getPermalink", times=None))
    await with_people(rig)
    (alert,) = alerts(rig)
    assert shown(alert).splitlines()[2:4] == ["The service's id: `······`", "To decide: <!subteam^S0TREASURY>"]


@pytest.mark.parametrize("action", ["retry", "close"])
async def test_only_approvers_besides_the_requester_decide_then(rig: Rig, action: str) -> None:
    await with_people(rig)
    rig.workspace.set_group("S0TREASURY", [MARIA, ADA, LIN])
    await rig.pass_time(MINUTE)
    for user in (MARIA, ZOE):
        await rig.press(action, user=user)
        assert rig.workspace.modal(user) is None
    await heard(rig, MARIA, "You asked for this yourself")
    await heard(rig, ZOE, "You are not among the approvers")
    assert await state(rig) is State.NEEDS_HUMAN


async def test_closing_it_takes_a_reason_and_is_told(rig: Rig) -> None:
    await with_people(rig)
    await rig.press("close", user=LIN)
    await rig.workspace.submit(LIN, {forms.REASON: " "}, force=True)
    form = rig.workspace.modal(LIN)
    assert form is not None
    assert shown(form.errors[forms.REASON]) == snapshot("Give a reason, for example: the invoice is from last year.")
    await rig.submit(LIN, {forms.REASON: "I saw it in their list as not paid"})
    assert await state(rig) is State.CLOSED
    assert shown(told_once(rig, "failed")) == snapshot(
        ":no_entry: <@U0MARIA> 25.00 USD to ana@example.com (P-······) has *failed*: Lin Chen closed it as not paid. "
        "Reason: I saw it in their list as not paid."
    )
    assert buttons(rig) == set()
    assert rig.cards(FINANCE)[0].text.partition("Silva. ")[2] == snapshot(
        ":no_entry: *failed*: closed as not paid by <@U0LIN>. Reason: I saw it in their list as not paid."
    )


async def closed(rig: Rig) -> None:
    await with_people(rig)
    await rig.press("close", user=LIN)
    await rig.submit(LIN, {forms.REASON: "not paid"})


async def test_a_payment_after_it_was_closed_is_an_alarm_and_the_state_stays(rig: Rig) -> None:
    await closed(rig)
    before = len(rig.workspace.messages(ALERTS))
    await rig.payments.settle(operation(rig).id, "committed")
    await rig.pass_time(3 * HOUR, steps=6)
    assert await state(rig) is State.CLOSED
    assert len(rig.workspace.messages(ALERTS)) == before + 1
    assert shown(alerts(rig)[-1]) == snapshot(
        """\
:rotating_light: Payout P-······, 25.00 USD to ana@example.com, asked by Maria Silva: was closed as not paid, but the \
service shows a payment.
The service says sent.
The service's id: `······` · <http://127.0.0.1/archives/C0APPROVE/p······|The card>
Runbook: `docs/alerts.md#paid-after-the-end`\
"""
    )
    assert not told(rig, FINANCE, "completed")


async def test_a_failure_after_it_was_closed_is_no_alarm(rig: Rig) -> None:
    await closed(rig)
    before = len(rig.workspace.messages(ALERTS))
    await rig.payments.settle(operation(rig).id, "failed")
    await rig.pass_time(3 * HOUR, steps=6)
    assert len(rig.workspace.messages(ALERTS)) == before


async def test_it_is_not_watched_for_ever(rig: Rig) -> None:
    await closed(rig)
    assert (await newest(rig)).due_at is not None
    await rig.pass_time(31 * DAY, steps=6)
    assert (await newest(rig)).due_at is None


async def test_a_retry_that_is_not_sent_in_time_is_with_people_again(rig: Rig) -> None:
    await with_people(rig)
    await rig.payments.stop()
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert await state(rig) is State.APPROVED
    assert buttons(rig) == set()  # something may have been paid, so nothing can be withdrawn
    await rig.pass_time(HOUR + MINUTE, steps=12)
    assert await state(rig) is State.NEEDS_HUMAN
    assert shown(rig.cards(FINANCE)[0].text.partition("Silva. ")[2]) == snapshot(
        ":warning: *needs a person*: the outcome is *unknown*. Look it up at the service before you decide; a new "
        "attempt needs a new approval. The service's id: `······`. The new attempt was not sent in time (the "
        "payments service has not answered since <!date^1795166160^{date_short_pretty} {time}|2026-11-20 09:16 UTC>, "
        "so nothing was sent). Needs 1 approval besides the requester."
    )


async def test_a_record_that_changed_before_a_new_attempt_stays_with_people(rig: Rig) -> None:
    """Something was sent before, so nobody may say that it was not."""
    await with_people(rig)
    operation(rig).cents = 9900
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert asked(rig, "commit_payout") == 1
    assert await state(rig) is State.NEEDS_HUMAN
    assert everywhere(rig, "99.00 instead of 25.00")


async def test_a_vote_for_a_new_attempt_that_stops_counting_leaves_it_with_people_who_go_on_reading(rig: Rig) -> None:
    await with_people(rig)
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    rig.workspace.set_user(ADA, deleted=True)
    await rig.payments.start(port=port)
    await rig.pass_time(5 * MINUTE, steps=10)
    assert await state(rig) is State.NEEDS_HUMAN
    assert asked(rig, "commit_payout") == 1
    await rig.payments.settle(operation(rig).id, "committed")
    await rig.pass_time(2 * HOUR, steps=4)
    assert await state(rig) is State.COMMITTED


async def test_a_vote_for_a_new_attempt_counts_no_longer_than_an_approval(rig: Rig) -> None:
    """Of two votes the first is sixty days old: it was given knowing the service of that day."""
    arm(rig, FaultKind.LOST)
    await rig.pay('send ana@example.com 2000.00 "Big"')
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await rig.submit(person, {forms.AMOUNT: "2000.00"})
    await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "2000.00"})
    await rig.pass_time(23 * HOUR, steps=6)
    assert [vote.person for vote in await votes(rig)] == [ADA]
    await rig.pass_time(2 * HOUR, steps=2)
    assert not await votes(rig), "the card does not show it any more"
    assert everywhere(rig, "n approval no longer counts, because it was given too long ago")
    await rig.pass_time(60 * DAY, steps=6)
    await rig.press("retry", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "2000.00"})
    await rig.pass_time(5 * MINUTE, steps=5)
    assert (await state(rig), rig.paid) == (State.NEEDS_HUMAN, [])
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "2000.00"})
    await rig.pass_time(MINUTE)
    assert rig.paid == [("ana@example.com", 200_000)]


async def test_an_old_vote_for_a_new_attempt_does_not_count_at_the_click_either(rig: Rig) -> None:
    """Nobody looked between the votes, for example because the process was down."""
    arm(rig, FaultKind.LOST)
    await rig.pay('send ana@example.com 2000.00 "Big"')
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await rig.submit(person, {forms.AMOUNT: "2000.00"})
    await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "2000.00"})
    await rig.press("retry", user=LIN)
    rig.clock.advance(DAY + MINUTE)
    await rig.workspace.submit(LIN, {forms.AMOUNT: "2000.00"})
    assert await state(rig) is State.NEEDS_HUMAN
    assert [vote.person for vote in await votes(rig)] == [LIN]


async def test_a_second_attempt_cannot_be_withdrawn(rig: Rig) -> None:
    """Its first commit left: *Nothing was paid* would be a guess."""
    await with_people(rig)
    arm(rig, FaultKind.LOST, "get_operation", times=None)  # approved, and it cannot be read before it is sent again
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert await state(rig) in (State.AWAITING, State.APPROVED)
    for person, words in ((MARIA, ""), (OLGA, "not mine")):
        [found] = await rig.switchboard.context.store.read(lambda tx: tx.instructions.awaiting(tuple(State)))
        assert found.commits == 1
        click = Click(instruction_id=found.id, round=found.round, person=person)
        decided = await withdraw(rig.switchboard.context, click, reason=words)
        assert decided.refusal is Refusal.TOO_LATE
    assert await state(rig) in (State.AWAITING, State.APPROVED)
    assert not told(rig, FINANCE, "withdrawn")
