"""T14 to T16: an unknown outcome is read and never sent again by itself; in the end a person decides."""

from datetime import timedelta

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests import send
from tests.support.clock import DAY, HOUR, MINUTE, QUIET
from tests.support.rig import ADA, FINANCE, LIN, MARIA, Rig
from tests.workflows.looking import alerts, approved, asked, buttons, everywhere, newest, state, votes
from tests.workflows.planted import on_one_rig, planted


def arm(rig: Rig, kind: FaultKind, name: str = "commit_payout", *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times))


async def with_people(rig: Rig) -> None:
    arm(rig, FaultKind.LOST)
    await approved(rig)
    await rig.pass_time(QUIET + MINUTE, steps=4)
    assert await state(rig) is State.NEEDS_HUMAN


@pytest.mark.parametrize("pause", [0.0, DAY + MINUTE], ids=["at once", "after a day"])
async def test_new_attempt_needs_its_own_valid_quorum(rig: Rig, pause: float) -> None:
    arm(rig, FaultKind.LOST)
    await rig.pay("send ana@example.com 1500.00 rent")
    for user in (ADA, LIN):
        await rig.press("approve", user=user)
        await rig.submit(user, {forms.AMOUNT: "1500.00"})
    await rig.pass_time(QUIET + MINUTE, steps=5)
    assert await state(rig) is State.NEEDS_HUMAN
    await rig.press("retry", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.01"})
    assert not await votes(rig)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    assert (await state(rig), asked(rig, "commit_payout")) == (State.NEEDS_HUMAN, 1)
    assert everywhere(rig, "1 of 2")
    await rig.press("retry", user=LIN)
    rig.clock.advance(pause)  # nobody looks in between, for example because the process is down
    await rig.submit(LIN, {forms.AMOUNT: "1500.00"})
    if pause:
        assert await state(rig) is State.NEEDS_HUMAN
        assert [vote.person for vote in await votes(rig)] == [LIN]
    else:
        assert rig.paid == [("ana@example.com", 150_000)]


async def test_card_names_where_to_look_and_who_decides(rig: Rig) -> None:
    await with_people(rig)
    found = await newest(rig)
    assert everywhere(rig, f"Check `{found.remote_id}` in the provider's dashboard")
    assert everywhere(rig, "The provider still lists it as not sent.")
    (alert,) = alerts(rig)
    assert "couldn't be confirmed. Retry it or close it on the card." in alert
    assert "<!subteam^S0TREASURY>, please decide." in alert


async def test_unsent_retry_returns_to_people(rig: Rig) -> None:
    await with_people(rig)
    await rig.payments.stop()
    await rig.press("retry")
    await rig.submit(ADA, {forms.AMOUNT: "25.00"})
    assert await state(rig) is State.APPROVED
    assert buttons(rig) == set()  # something may have been paid, so nothing can be withdrawn
    found, card = await newest(rig), rig.cards(FINANCE)[0]
    value = f"{found.id}:{found.round}"
    await rig.workspace.click(MARIA, FINANCE, card.ts, "payout.withdraw", value=value, force=True)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(HOUR + MINUTE, steps=12)
    assert await state(rig) is State.NEEDS_HUMAN
    assert everywhere(rig, "The new attempt wasn't sent in time (Payments has not answered since ")


@on_one_rig([(QUIET - 1, True), (QUIET, False)])
async def test_new_attempt_waits_until_the_earlier_one_cannot_arrive(rig: Rig, seconds: float, waits: bool) -> None:
    now = rig.clock.now()
    sent, until = now - timedelta(seconds=seconds), now + timedelta(hours=1)
    one = await planted(rig, state=State.APPROVED, commits=1, sent_at=sent, exec_deadline=until)
    assert await send.not_now(rig.switchboard.context, one) is waits
