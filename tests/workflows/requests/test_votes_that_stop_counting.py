"""T8: whoever voted must still count when it is sent, and whoever lifts a freeze when it is lifted."""

from datetime import timedelta

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from bot.workflows.requests import send
from tests.support.clock import MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, GUS, LIN, MARIA, OLGA, POLICY, TOM, Rig
from tests.workflows.looking import actions, asked, buttons, everywhere, state, told_once, votes
from tests.workflows.planted import on_one_rig, planted, stored, voted, write


async def approved_while_the_service_is_away(rig: Rig, text: str = "send ana@example.com 25.00 rent") -> int:
    """Approved by Ada, not sent yet; the port at which the service can come back."""
    await rig.pay(text)
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve", user=ADA)
    assert await state(rig) is State.APPROVED
    return port


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"deleted": True}, "an approver's account is deactivated"),
        ({"restricted": True}, "an approver is a guest now"),
        ({"bot": True}, "an approver is a bot"),
        ({"team_id": "T0OTHER"}, "an approver belongs to another workspace"),
        (None, "an approver was removed"),
    ],
    ids=["deactivated", "guest", "bot", "elsewhere", "left the group"],
)
async def test_invalid_vote_has_to_be_replaced(rig: Rig, change: dict[str, object] | None, said: str) -> None:
    port = await approved_while_the_service_is_away(rig)
    if change is None:
        rig.workspace.set_group("S0TREASURY", [LIN, TOM, GUS])
    else:
        rig.workspace.set_user(ADA, **change)
    await rig.payments.start(port=port)
    await rig.pass_time(2 * MINUTE, steps=4)
    assert await state(rig) is State.AWAITING
    assert asked(rig, "commit_payout") == 0
    assert everywhere(rig, "0 of 1")
    assert rig.cards(FINANCE)[0].text.partition("1 more approval needed: ")[2] == f"{said}."
    assert buttons(rig, APPROVALS) == {"Approve", "Reject"}
    assert "votes_no_longer_count" in await actions(rig)


async def test_valid_votes_are_kept_and_older_forms_outdated(rig: Rig) -> None:
    await rig.pay("send ana@example.com 1500.00 rent")
    await rig.press("approve", user=ADA)
    await rig.submit(ADA, {forms.AMOUNT: "1500.00"})
    await rig.press("approve", user=TOM)
    rig.workspace.set_user(ADA, deleted=True)
    await rig.pass_time(MINUTE)
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {forms.AMOUNT: "1500.00"})
    assert await state(rig) is State.AWAITING
    assert everywhere(rig, "1 of 2")
    await rig.submit(TOM, {forms.AMOUNT: "1500.00"})
    assert "This request has changed since" in rig.form(TOM).plain
    assert [vote.person for vote in await votes(rig)] == [LIN]
    await rig.workspace.close(TOM)
    await rig.press("approve", user=TOM)
    await rig.submit(TOM, {forms.AMOUNT: "1500.00"})
    assert rig.paid == [("ana@example.com", 150_000)]
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    assert "Approved by Lin Chen, Tom Berg." in told_once(rig, "*paid*")


async def test_unknown_approvers_stop_sending(rig: Rig) -> None:
    """Nobody counts on a guess: it waits, and then the time to execute is over."""
    port = await approved_while_the_service_is_away(rig)
    for method in ("users.info", "usergroups.list"):
        rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, method, times=None))
    await rig.pass_time(2 * MINUTE)
    await rig.payments.start(port=port)
    await rig.pass_time(50 * MINUTE, steps=8)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(10 * MINUTE, steps=5)
    assert await state(rig) is State.EXPIRED
    told_once(rig, "expired")
    assert asked(rig, "commit_payout") == 0


async def say(rig: Rig, user: str, words: str) -> str:
    ack = await rig.workspace.slash(user, FINANCE, "/pay", words)
    await rig.settle()
    return str(ack.body)


async def frozen(rig: Rig) -> bool:
    return bool(await rig.switchboard.context.store.read(lambda tx: tx.flags.get("frozen")))


@pytest.mark.rig(policy=POLICY.replace("quorum = 1\n", "quorum = 2\n", 1))
async def test_vote_of_a_former_approver_does_not_count(rig: Rig) -> None:
    await say(rig, OLGA, "freeze something is odd")
    await say(rig, ADA, "unfreeze")
    rig.workspace.set_group("S0TREASURY", users=[LIN, TOM])
    rig.clock.advance(120)
    await say(rig, LIN, "unfreeze")
    assert await frozen(rig)
    await say(rig, TOM, "unfreeze")
    assert not await frozen(rig)


@on_one_rig([(timedelta(hours=25), True), (timedelta(hours=25, seconds=1), False)])
async def test_vote_counts_until_both_windows_are_over(rig: Rig, ago: timedelta, counts: bool) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.APPROVED, exec_deadline=now + timedelta(hours=1))
    await voted(rig, one, ADA, at=now - ago)
    standings = await rig.switchboard.context.people.standings([MARIA, ADA])
    allowed = await write(rig, lambda uow: send.still_approved(uow, one, standings))
    assert (allowed is not None, (await stored(rig, one)).round) == (counts, 1 if counts else 2)


async def test_shorter_window_applies_to_approved_requests(rig: Rig) -> None:
    await approved_while_the_service_is_away(rig)
    rig.settings.policy_file.write_text(POLICY.replace('execute_within = "60m"', 'execute_within = "30m"'))
    await rig.start_again()
    await rig.pass_time(30 * MINUTE - 1, steps=4)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(1)
    assert await state(rig) is State.EXPIRED
