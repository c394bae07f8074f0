"""T14 to T16: an unknown outcome is read and never sent again by itself; in the end a person decides."""

from datetime import timedelta

from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests import send
from tests.support.clock import DAY, HOUR, MINUTE, QUIET
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import alerts, approved, asked, buttons, everywhere, newest, state, votes
from tests.workflows.planted import on_one_rig, planted


def arm(rig: Rig, kind: FaultKind, name: str = "commit_payout", *, times: int | None = 1) -> None:
    rig.payments.faults.arm(Fault(kind, name, times=times))


async def unknown(rig: Rig, kind: FaultKind = FaultKind.LOST) -> None:
    """Approved, sent, and nobody knows; reading fails at first, so that it stays so."""
    arm(rig, kind)
    await approved(rig)
    assert await state(rig) is State.COMMIT_UNKNOWN


async def with_people(rig: Rig) -> None:
    await unknown(rig)
    await rig.pass_time(QUIET + MINUTE, steps=4)
    assert await state(rig) is State.NEEDS_HUMAN


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
    await rig.submit(ADA, {forms.AMOUNT: "1500.01"})
    assert not await votes(rig)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    assert (await state(rig), asked(rig, "commit_payout")) == (State.NEEDS_HUMAN, 1)
    assert everywhere(rig, "1 of 2")
    await rig.press("retry", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "1500.00"})
    assert rig.paid == [("ana@example.com", 150_000)]


async def test_who_has_to_look_is_told_where_and_who_may_decide(rig: Rig) -> None:
    await with_people(rig)
    found = await newest(rig)
    assert everywhere(rig, f"Check `{found.remote_id}` in the provider's dashboard")
    assert shown(rig.cards(APPROVALS)[0].text.partition(f"{found.reference}. ")[2]) == snapshot("""\
We couldn't confirm this payout. The provider still lists it as not sent. Check `······` in the provider's dashboard, \
then retry or close it as not paid. <!subteam^S0TREASURY>""")
    (alert,) = alerts(rig)
    assert shown(alert) == snapshot(
        """\
:rotating_light: *P-······* ($25.00 to Ana Maria Lopez (ana@example.com), requested by Maria Silva) couldn't be \
confirmed. Retry it or close it on the card.
The provider still lists it as not sent.
Look for `······`. <http://127.0.0.1/archives/C0APPROVE/p······|Open the card>
<!subteam^S0TREASURY>, please decide.
Look it up at the provider first. If it's paid there, do nothing.\
"""
    )


async def test_a_retry_that_is_not_sent_in_time_is_with_people_again(rig: Rig) -> None:
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
    assert shown(rig.cards(FINANCE)[0].text.partition(f"{(await newest(rig)).reference}. ")[2]) == snapshot("""\
We couldn't confirm this payout. The new attempt wasn't sent in time (Payments has not answered since \
<!date^1795166160^{date_short_pretty} {time}|2026-11-20 09:16 UTC>, so nothing was sent). Check `······` in the \
provider's dashboard, then retry or close it as not paid.""")


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


@on_one_rig([(QUIET - 1, True), (QUIET, False)])
async def test_new_attempt_waits_until_the_earlier_one_cannot_arrive(rig: Rig, seconds: float, waits: bool) -> None:
    now = rig.clock.now()
    sent, until = now - timedelta(seconds=seconds), now + timedelta(hours=1)
    one = await planted(rig, state=State.APPROVED, commits=1, sent_at=sent, exec_deadline=until)
    assert await send.not_now(rig.switchboard.context, one) is waits
