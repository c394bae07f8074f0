"""T5, T9: votes, quorum, the typed amount, who never counts; what nobody decides ends by itself."""

from bot.domain.payments.instruction import State
from bot.presentation.payments import forms
from tests.support.clock import DAY
from tests.support.rig import ADA, APPROVALS, EVE, FINANCE, LIN, Rig
from tests.workflows.looking import actions, ephemerals, heard, state, votes

BIG = "send ana@example.com 1500.00 rent"


async def test_large_amount_is_typed_exactly_or_counts_nothing(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    assert "$1,500.00 to Ana Maria Lopez (ana@example.com)" in rig.form(ADA).plain
    await rig.workspace.submit(ADA, {}, force=True)  # a forged submission without the field
    for typed in ("1500.01", "15000.00", "1,500", "150000", "abc", "-1500.00", "1e3"):
        await rig.submit(ADA, {forms.AMOUNT: typed})
        assert list(rig.form(ADA).errors) == [forms.AMOUNT], typed
        assert not await votes(rig)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00 usd"})
    assert rig.workspace.modal(ADA) is None
    assert len(await votes(rig)) == 1


async def test_repeated_voter_is_told_before_typing(rig: Rig) -> None:
    await rig.pay(BIG)
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: "1500"})
    await rig.press("approve")
    assert rig.workspace.modal(ADA) is None
    assert "already approved" in ephemerals(rig, ADA)[-1]
    assert [vote.person for vote in await votes(rig)] == [ADA]
    assert not rig.paid
    assert (await actions(rig)).count("approve") == 1


async def test_late_voter_learns_who_decided(rig: Rig) -> None:
    await rig.pay()
    card = await rig.card()
    late = card.button("payout.approve").value
    await rig.press("approve", user=ADA)
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.approve", value=late, force=True)
    assert "is now *sent*, approved by <@U0ADA>" in await heard(rig, LIN, "approved by")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    await rig.workspace.click(LIN, APPROVALS, card.ts, "payout.reject", value=late, force=True)
    assert "is already *paid*, approved by <@U0ADA> at <!date^" in await heard(rig, LIN, "already")


async def test_button_of_another_request_card_or_round_does_nothing(rig: Rig) -> None:
    await rig.pay()
    await rig.pay("send luis@example.com 30.00 rent")
    first, second = rig.cards(APPROVALS)
    value, other = first.button("payout.approve").value, second.button("payout.approve").value
    copied = await rig.workspace.say(EVE, APPROVALS, "the same card, I promise")
    tries = [
        (APPROVALS, first.ts, other),
        (APPROVALS, first.ts, value.replace(":1", ":2")),
        (APPROVALS, first.ts, value.partition(":")[0]),
        (APPROVALS, first.ts, "nonsense"),
        (APPROVALS, first.ts, ""),
        (APPROVALS, first.ts, "'; DROP TABLE vote; --:1"),
        (FINANCE, rig.cards(FINANCE)[0].ts, other),
        (APPROVALS, copied.ts, value),
    ]
    for number, (channel, ts, given) in enumerate(tries, start=1):
        ack = await rig.workspace.click(ADA, channel, ts, "payout.approve", value=given, force=True)
        assert ack.ok
        await rig.workspace.until(lambda number=number: len(ephemerals(rig, ADA)) == number)  # type: ignore[misc]
        assert "This request has changed since" in ephemerals(rig, ADA)[-1]
    await rig.settle()
    assert not rig.paid
    assert not await votes(rig)


async def test_click_after_the_deadline_does_not_count(rig: Rig) -> None:
    await rig.pay()
    rig.clock.advance(DAY)  # nothing has noticed yet
    card = await rig.card()
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    assert "expired" in await heard(rig, ADA, "expired")
    assert not await votes(rig)
    await rig.settle()
    assert await state(rig) is State.EXPIRED


async def test_late_rejection_reason_rejects_nothing(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    rig.clock.advance(DAY)
    await rig.workspace.submit(ADA, {forms.REASON: "no"})
    await rig.settle()
    assert await state(rig) is State.EXPIRED
