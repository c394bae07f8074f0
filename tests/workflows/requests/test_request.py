"""T1: a request is stored whole, or not at all, before anything is sent to anybody."""

from datetime import timedelta

import pytest

from bot.domain.payments.instruction import Kind, PayoutPayload, State
from bot.domain.reasons import OfRequest
from bot.presentation.payments import forms
from tests.support.rig import APPROVALS, FINANCE, MARIA, RANDOM, Rig
from tests.workflows.authority import approved_just_now
from tests.workflows.looking import ephemerals, newest, requests, there
from tests.workflows.planted import on_one_rig, planted

SEND = 'send ana@example.com 25.00 "March translation"'


async def test_asker_is_answered_alone_only_if_the_line_does_not_say_the_same(rig: Rig) -> None:
    ack = await rig.pay()
    assert (ack.body, ephemerals(rig, MARIA), len(rig.cards(FINANCE))) == ("", [], 1)
    await rig.pay()
    await rig.pay("send luis@example.com 3.00 x", channel=RANDOM)
    repeated, elsewhere = ephemerals(rig, MARIA)
    assert "because it repeats" in repeated
    assert "/invite" in elsewhere


PURPOSE = "pay &lt;the (https://evil.example/login) usual invoice&gt;"


async def test_link_in_the_purpose_shows_its_address(rig: Rig) -> None:
    await rig.pay('send ana@example.com 25.00 "pay <https://evil.example/login|the usual invoice>"')
    for channel in (FINANCE, APPROVALS):
        (card,) = rig.cards(channel)
        assert "? " + PURPOSE in card.text or ". " + PURPOSE in card.text
    assert PURPOSE in rig.cards(APPROVALS)[0].plain.splitlines()[2]
    assert not rig.payments.ledger.entries


DAY, SECOND = timedelta(days=1), timedelta(seconds=1)


@on_one_rig(enumerate([
    (State.AWAITING, timedelta(), 2), (State.REJECTED, timedelta(), 1), (State.FAILED, timedelta(), 1),
    (State.EXPIRED, timedelta(), 1), (State.CLOSED, timedelta(), 2), (State.COMPLETED, DAY - SECOND, 2),
    (State.COMPLETED, DAY + SECOND, 1), (State.COMMIT_UNKNOWN, DAY + SECOND, 2), (State.AWAITING, DAY + SECOND, 2),
]))  # fmt: skip
async def test_repeated_payment_within_a_day_needs_one_more_approver(
    rig: Rig, number: int, case: tuple[State, timedelta, int]
) -> None:
    state, ago, quorum = case
    payload = PayoutPayload(email="ana@example.com", cents=700 + number, description="rent")
    await planted(rig, payload=payload, created_at=rig.clock.now() - ago, state=state)
    await rig.pay(f"send ANA@example.com 7.0{number} again")
    assert [one.requirement.quorum for one in await requests(rig) if one.cents == 700 + number][-1] == quorum


async def test_form_submitted_twice_requests_once(rig: Rig) -> None:
    await rig.pay("send")
    values = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March translation"}
    assert rig.workspace.modal(MARIA) is not None
    first = await rig.workspace.submit(MARIA, values)
    again = await rig.workspace._delivery.send("interactive", first.request.payload if first.request else {})
    await rig.settle()
    assert again.ok
    assert len(await requests(rig)) == 1
    assert len(rig.cards(APPROVALS)) == 1


@pytest.mark.rig(payments_partner_secret=None)
async def test_unconfigured_service_names_the_missing_settings(rig: Rig) -> None:
    for text in (SEND, "send"):
        await rig.pay(text)
        assert "set `PAYMENTS_PARTNER_SECRET`" in ephemerals(rig, MARIA)[-1]
    assert not await requests(rig)


async def test_approved_request_expires_in_its_window_while_payments_are_not_configured(rig: Rig) -> None:
    await approved_just_now(rig, Kind.PAYOUT)
    settings = rig.settings
    rig.settings = settings.model_copy(update={"payments_partner_secret": None})
    await rig.start_again()
    await rig.pass_time(3_500, steps=4)
    held = await newest(rig)
    assert (held.state, there(held.reason).code) == (State.APPROVED, OfRequest.NOT_CONFIGURED)
    await rig.pass_time(3_600, steps=4)
    assert (await newest(rig)).state is State.EXPIRED
    rig.settings = settings
    await rig.start_again()
    await rig.pass_time(60)
    assert ((await newest(rig)).state, rig.paid) == (State.EXPIRED, [])
