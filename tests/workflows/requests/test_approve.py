"""T5: votes, quorum, the typed amount, and who never counts."""

import asyncio

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, GUS, LIN, OLGA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    actions,
    asked,
    buttons,
    ephemerals,
    everywhere,
    heard,
    state,
    told_once,
    votes,
)

BIG = "send ana@example.com 1500.00 rent"
NOT_AMONG = snapshot(":no_entry_sign: You are not among the approvers of the policy, so your decision does not count.")
GUESTS = snapshot(":no_entry_sign: Guests cannot do this. Ask a full member of the workspace.")
STALE = ":no_entry_sign: This button is out of date; the request has changed since. Look at its card again."
STRANGERS = snapshot(":no_entry_sign: Only members of this workspace can do this; you belong to another one.")


async def test_one_approval_where_one_is_needed(rig: Rig) -> None:
    await rig.pay()
    await rig.press("approve")
    assert rig.paid == [("ana@example.com", 2500)]
    assert await state(rig) is State.COMMITTED
    assert everywhere(rig, f"Approved by <@{ADA}>")
    assert shown(await heard(rig, ADA, "Your approval is recorded")) == snapshot(
        ":ballot_box_with_check: Your approval is recorded: 1 of 1. The card shows how it goes on."
    )


async def test_two_approvals_where_two_are_needed(rig: Rig) -> None:
    await rig.pay(BIG)
    assert everywhere(rig, "0 of 2")
    await rig.press("approve", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    assert await state(rig) is State.AWAITING
    assert everywhere(rig, "1 of 2")
    assert everywhere(rig, f"Approved by <@{ADA}>")
    assert not rig.paid
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "1500"})
    assert rig.paid == [("ana@example.com", 150_000)]
    assert everywhere(rig, f"Approved by <@{ADA}>, <@{LIN}>")


async def test_the_form_of_a_large_amount_shows_what_is_approved(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    assert shown(rig.workspace.modal(ADA)) == snapshot("""\
Approve a payout
1500.00 USD to ana@example.com
Reference P-······
Type the amount, 1500.00 USD, to approve it""")
    assert not await votes(rig)


@pytest.mark.parametrize("typed", ["1500.01", "15000.00", "1,500.00", "150000", "abc", "-1500.00", "1e3"])
async def test_another_amount_stands_at_its_field_and_counts_nothing(rig: Rig, typed: str) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: typed})
    form = rig.workspace.modal(ADA)
    assert form is not None
    assert list(form.errors) == [forms.AMOUNT]
    assert shown(form.errors[forms.AMOUNT]) == snapshot(
        "This is not the amount on the card. Type that amount, with a point before the cents: 1500.00"
    )
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
    assert shown(ephemerals(rig, ADA)[-1]) == snapshot(
        ":no_entry_sign: Your approval is recorded already; each person counts once."
    )
    assert [vote.person for vote in await votes(rig)] == [ADA]
    assert not rig.paid
    assert (await actions(rig)).count("approve") == 1


async def test_a_typed_amount_cannot_be_skipped_by_a_button_that_says_so(rig: Rig) -> None:
    """A forged submission without the field."""
    await rig.pay(BIG)
    await rig.press("approve")
    form = rig.workspace.modal(ADA)
    assert form is not None
    await rig.workspace.submit(ADA, {}, force=True)
    assert not await votes(rig)


@pytest.mark.parametrize(("user", "said"), [(ZOE, NOT_AMONG), (OLGA, NOT_AMONG), (GUS, GUESTS), (EVE, STRANGERS)])
@pytest.mark.parametrize("action", ["approve", "reject"])
async def test_who_does_not_count_is_told_alone_and_changes_nothing(
    rig: Rig, user: str, said: str, action: str
) -> None:
    await rig.pay()
    await rig.press(action, user=user)
    assert await heard(rig, user, ":no_entry_sign:") == said
    assert rig.workspace.modal(user) is None
    assert not await votes(rig)
    assert await state(rig) is State.AWAITING
    assert not rig.paid


async def test_who_asked_never_approves_even_as_an_approver(rig: Rig) -> None:
    await rig.pay(user=TOM)
    for action in ("approve", "reject"):
        await rig.press(action, user=TOM)
        assert shown(await heard(rig, TOM, "yourself")) == snapshot(
            ":no_entry_sign: You asked for this yourself, so somebody else has to decide."
        )
    assert not await votes(rig)
    await rig.press("approve", user=ADA)
    assert len(rig.paid) == 1


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deleted": True}, snapshot(":no_entry_sign: Your account is deactivated, so this has no effect.")),
        ({"bot": True}, snapshot(":no_entry_sign: Bots cannot do this.")),
        ({"restricted": True}, GUESTS),
        ({"ultra_restricted": True}, GUESTS),
        ({"team_id": "T0OTHER"}, STRANGERS),
    ],
)
async def test_being_in_the_approvers_group_is_not_enough(rig: Rig, change: dict[str, object], said: str) -> None:
    await rig.pay()
    rig.workspace.set_user(LIN, **change)
    await rig.press("approve", user=LIN, force=True)
    assert await heard(rig, LIN, ":no_entry_sign:") == said
    assert not await votes(rig)
    assert not rig.paid


async def test_nobody_approves_where_the_group_is_empty(rig: Rig) -> None:
    rig.workspace.set_group("S0TREASURY", [])
    await rig.pay()
    await rig.press("approve")
    await heard(rig, ADA, "not among the approvers")
    assert not rig.paid


async def test_fifty_clicks_at_once_are_one_voice_and_one_payment(rig: Rig) -> None:
    await rig.pay()
    card = await rig.card()
    clicks = [rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve") for _ in range(50)]
    assert all(ack.ok for ack in await asyncio.gather(*clicks))
    await rig.settle()
    assert [vote.person for vote in await votes(rig)] == [ADA]
    assert rig.paid == [("ana@example.com", 2500)]
    assert asked(rig, "commit_payout") == 1


async def test_an_identical_signed_click_has_no_second_effect(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve", user=ADA)
    ack = await rig.workspace.submit(ADA, {forms.AMOUNT: "1500.00"})
    assert (await rig.workspace.resend(ack)).ok
    assert len(await votes(rig)) == 1


async def test_two_approvers_at_the_same_moment_both_count_and_it_is_paid_once(rig: Rig) -> None:
    await rig.pay(BIG)
    for user in (ADA, LIN):
        await rig.press("approve", user=user)
    acks = await asyncio.gather(*(rig.workspace.submit(user, {forms.AMOUNT: "1500.00"}) for user in (ADA, LIN)))
    await rig.settle()
    assert all(ack.ok for ack in acks)
    assert {vote.person for vote in await votes(rig)} == {ADA, LIN}
    assert rig.paid == [("ana@example.com", 150_000)]


@pytest.mark.parametrize("turn", range(3))
async def test_of_approve_and_reject_at_the_same_moment_one_wins_and_the_other_is_told(rig: Rig, turn: int) -> None:
    await rig.pay()
    await rig.press("reject", user=LIN)
    card = await rig.card()
    acts = [
        rig.workspace.submit(LIN, {forms.REASON: "no invoice"}),
        rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve"),
    ]
    await asyncio.gather(*(acts if turn % 2 else reversed(acts)))
    await rig.settle()
    if await state(rig) is State.REJECTED:
        assert shown(await heard(rig, ADA, "*rejected* by")) == snapshot(
            ":information_source: 25.00 USD to ana@example.com (P-······) is already *rejected* by <@U0LIN> at "
            "<!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>."
        )
        assert not rig.paid
    else:
        assert shown(rig.workspace.modal(LIN)) == snapshot("""\
Without effect
:information_source: 25.00 USD to ana@example.com (P-······) is now *sent*, approved by <@U0ADA>.""")
        assert len(rig.paid) == 1
    assert buttons(rig) == set()


async def test_who_comes_after_the_decision_is_told_who_was_first(rig: Rig) -> None:
    await rig.pay()
    card = await rig.card()
    late = card.button("payout.approve").value
    await rig.press("approve", user=ADA)
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.approve", value=late, force=True)
    assert shown(await heard(rig, LIN, "approved by")) == snapshot(
        ":information_source: 25.00 USD to ana@example.com (P-······) is now *sent*, approved by <@U0ADA>."
    )
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.reject", value=late, force=True)
    assert shown(await heard(rig, LIN, "already")) == snapshot(
        ":information_source: 25.00 USD to ana@example.com (P-······) is already *completed*, approved by <@U0ADA> "
        "at <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC>."
    )


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
    await heard(rig, ADA, "out of date")
    assert not await votes(rig)


async def test_the_requesters_copy_has_no_decisions_and_its_buttons_no_power(rig: Rig) -> None:
    await rig.pay()
    copy = rig.cards(FINANCE)[0]
    assert buttons(rig, FINANCE) == {"Withdraw"}
    value = rig.cards(APPROVALS)[0].button("payout.approve").value
    await rig.workspace.click(ZOE, FINANCE, copy.ts, "payout.approve", value=value, force=True)
    await heard(rig, ZOE, "not among the approvers")
    assert not rig.paid


async def test_approvers_are_called_once_and_nobody_else_is(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    card = rig.cards(APPROVALS)[0]
    assert shown(card.text) == snapshot(
        "Payout P-······: 1500.00 USD to ana@example.com (Ana Maria Lopez, active, verified, primary address) for "
        "“rent”, asked by Maria Silva (maria). :hourglass_flowing_sand: *waiting for approval*: 0 of 2, until "
        "<!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 2 approvals besides the "
        "requester, typing the amount (over 1000.00 USD). To decide: <!subteam^S0TREASURY>."
    )
    assert card.text.replace(" (maria)", "") == f"{rig.cards(FINANCE)[0].text} To decide: <!subteam^S0TREASURY>."
    for person in (ADA, LIN):
        await rig.press("approve", user=person)
        await rig.submit(person, {forms.AMOUNT: "1500.00"})
        assert not ephemerals(rig, person)
    card, copy = rig.cards(APPROVALS)[0], rig.cards(FINANCE)[0]
    assert shown(card.text) == snapshot(
        "Payout P-······: 1500.00 USD to ana@example.com (Ana Maria Lopez, active, verified, primary address) for "
        "“rent”, asked by Maria Silva (maria). :hourglass_flowing_sand: *sent*: the service has accepted it and is "
        "paying; it has not said yet that the money arrived. Approved by <@U0ADA>, <@U0LIN>. Needed 2 approvals "
        "besides the requester, typing the amount (over 1000.00 USD)."
    )
    assert card.plain.replace(" (maria)", "") == copy.plain
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    told_once(rig, "completed")
    assert not [m.text for m in rig.news(APPROVALS) if f"<@{ADA}>" in m.text or f"<@{LIN}>" in m.text or "<!" in m.text]


async def test_a_name_that_slack_does_not_say_is_left_out_and_asked_again(rig: Rig) -> None:
    people = rig.switchboard.context.people
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "users.info", times=None))
    assert await people.names([OLGA]) == {}
    rig.workspace.faults.clear()
    assert await people.names([OLGA, "", "U0NOBODY"]) == {OLGA: "Olga Reis"}
