"""T5, T9: votes, quorum, the typed amount, who never counts; what nobody decides ends by itself."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import DAY
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, LIN, Rig
from tests.support.shown import shown
from tests.workflows.looking import actions, ephemerals, heard, state, there, votes

BIG = "send ana@example.com 1500.00 rent"
STALE = ":no_entry_sign: This request has changed since. Look at its card again."


async def test_the_form_of_a_large_amount_shows_what_is_approved(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    assert shown(rig.workspace.modal(ADA)) == snapshot("""\
Approve a payout
$1,500.00 to Ana Maria Lopez (ana@example.com) · P-······
:warning: Needs 2 approvers because it's over $1,000. Each types the amount.
To approve, type the amount: 1500.00""")
    assert not await votes(rig)


@pytest.mark.parametrize("typed", ["1500.01", "15000.00", "1,500", "150000", "abc", "-1500.00", "1e3"])
async def test_another_amount_stands_at_its_field_and_counts_nothing(rig: Rig, typed: str) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: typed})
    form = there(rig.workspace.modal(ADA))
    assert list(form.errors) == [forms.AMOUNT]
    assert shown(form.errors[forms.AMOUNT]) == snapshot("That doesn't match. Type 1500.00")
    assert not await votes(rig)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00 usd"})
    assert rig.workspace.modal(ADA) is None
    assert len(await votes(rig)) == 1


async def test_who_has_voted_is_told_so_before_typing_it_again(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: "1500"})
    await rig.press("approve")
    assert rig.workspace.modal(ADA) is None
    assert shown(ephemerals(rig, ADA)[-1]) == snapshot(":no_entry_sign: You've already approved this.")
    assert [vote.person for vote in await votes(rig)] == [ADA]
    assert not rig.paid
    assert (await actions(rig)).count("approve") == 1


async def test_a_typed_amount_cannot_be_skipped_by_a_button_that_says_so(rig: Rig) -> None:
    """A forged submission without the field."""
    await rig.pay(BIG)
    await rig.press("approve")
    assert rig.workspace.modal(ADA) is not None
    await rig.workspace.submit(ADA, {}, force=True)
    assert not await votes(rig)


async def test_who_comes_after_the_decision_is_told_who_was_first(rig: Rig) -> None:
    await rig.pay()
    card = await rig.card()
    late = card.button("payout.approve").value
    await rig.press("approve", user=ADA)
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.approve", value=late, force=True)
    assert shown(await heard(rig, LIN, "approved by")) == snapshot("""\
:information_source: $25.00 to Ana Maria Lopez (P-······) is now *sent*, approved by <@U0ADA>.""")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.reject", value=late, force=True)
    assert shown(await heard(rig, LIN, "already")) == snapshot("""\
:information_source: $25.00 to Ana Maria Lopez (P-······) is already *paid*, approved by <@U0ADA> at \
<!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>.""")


async def test_a_button_of_another_request_or_card_or_round_does_nothing(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("send luis@example.com 30.00 rent")
    first, second = rig.cards(APPROVALS)
    other = second.button("payout.approve").value
    elsewhere = rig.cards(FINANCE)[0]
    tries = [
        (APPROVALS, first.ts, other),
        (APPROVALS, first.ts, first.button("payout.approve").value.replace(":1", ":2")),
        (APPROVALS, first.ts, first.button("payout.approve").value.partition(":")[0]),
        (APPROVALS, first.ts, "nonsense"),
        (APPROVALS, first.ts, ""),
        (APPROVALS, first.ts, "'; DROP TABLE vote; --:1"),
        (FINANCE, elsewhere.ts, other),
    ]
    for number, (channel, ts, value) in enumerate(tries, start=1):
        ack = await rig.workspace.click(ADA, channel, ts, "payout.approve", value=value, force=True)
        assert ack.ok
        await rig.workspace.until(lambda number=number: len(ephemerals(rig, ADA)) == number)  # type: ignore[misc]
    waiting = f"{STALE} Its status: *waiting for approval*."  # the button is of this card
    assert ephemerals(rig, ADA) == [STALE, waiting, waiting, STALE, STALE, STALE, STALE]
    await rig.settle()
    assert not rig.paid
    assert not await votes(rig)


async def test_a_button_on_a_message_of_somebody_else_does_nothing(rig: Rig) -> None:
    await rig.pay()
    value = rig.cards(APPROVALS)[0].button("payout.approve").value
    copied = await rig.workspace.say(EVE, APPROVALS, "the same card, I promise")
    await rig.workspace.click(ADA, APPROVALS, copied.ts, "payout.approve", value=value, force=True)
    await heard(rig, ADA, "has changed since")
    assert not await votes(rig)


async def test_a_click_after_the_deadline_counts_nothing_even_before_anybody_noticed(rig: Rig) -> None:
    await rig.pay()
    rig.clock.advance(DAY)  # nothing has noticed yet
    card = await rig.card()
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    assert shown(await heard(rig, ADA, "expired")) == snapshot(
        ":no_entry_sign: This request has expired. Send it again. Nothing was paid."
    )
    assert not await votes(rig)
    await rig.settle()
    assert await state(rig) is State.EXPIRED


async def test_a_reason_typed_too_late_is_no_rejection(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    rig.clock.advance(DAY)
    await rig.workspace.submit(ADA, {forms.REASON: "no"})
    await rig.settle()
    assert await state(rig) is State.EXPIRED


async def test_card_whose_post_had_no_answer_can_be_pressed(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage", times=2))
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "conversations.history", times=None))
    await rig.pay()
    (card,) = rig.workspace.messages(APPROVALS)
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    await rig.settle()
    assert rig.paid == [("ana@example.com", 2500)]
    (card,) = rig.workspace.messages(APPROVALS)
    assert card.text.startswith("Sent")
