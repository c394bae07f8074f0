"""What is to be said reaches Slack once, whatever Slack does; edits show the newest state."""

from dataclasses import replace

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import HOUR, MINUTE
from tests.support.rig import ADA, APPROVALS, FINANCE, Rig
from tests.workflows.kinds import KINDS
from tests.workflows.looking import approved, buttons, everywhere, told, told_once


def arm(rig: Rig, kind: FaultKind, method: str, *, times: int | None = 1, skip: int = 0) -> None:
    rig.workspace.faults.arm(Fault(kind, method, times=times, skip=skip))


@pytest.mark.parametrize("skip", range(3), ids=["requester's card", "approvers' card", "news"])
async def test_each_post_arrives_once_despite_lost_answers(rig: Rig, skip: int) -> None:
    for number, kind in enumerate(KINDS, 1):
        rig.workspace.faults.clear()
        arm(rig, kind, "chat.postMessage", skip=skip)
        rig.add_payees(f"p{number}@example.com")
        await rig.pay(f"send p{number}@example.com {number}.00 March")
        await rig.pass_time(2 * MINUTE, steps=4)
        await rig.press("reject")
        await rig.submit(ADA, {forms.REASON: "no"})
        await rig.pass_time(2 * MINUTE, steps=4)
        assert not rig.workspace.faults.armed, "it struck"
        for channel in (FINANCE, APPROVALS):
            assert len(rig.cards(channel)) == number, kind
        assert len(told(rig, FINANCE, "rejected")) == number, kind
        assert not told(rig, APPROVALS, "rejected"), kind
        assert everywhere(rig, "rejected"), kind
        assert buttons(rig) == set(), kind


async def test_button_reveals_the_place_of_an_unconfirmed_card(rig: Rig) -> None:
    """Slack does not let us look for it, so without the button nobody would know."""
    arm(rig, FaultKind.DONE_DROPPED, "chat.postMessage", skip=1)
    arm(rig, FaultKind.REFUSED, "conversations.history", times=None)
    await rig.pay()
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.settle()
    told_once(rig, "*paid*")
    assert everywhere(rig, "Paid")
    await rig.pass_time(HOUR, steps=8)
    assert len(rig.cards(FINANCE)) == len(rig.cards(APPROVALS)) == 1


async def test_unreadable_channel_repeats_an_unconfirmed_post(rig: Rig) -> None:
    arm(rig, FaultKind.LOST, "chat.postMessage", skip=1)
    identity = rig.workspace._state.identity
    rig.workspace._state.identity = replace(
        identity, scopes=tuple(scope for scope in identity.scopes if not scope.endswith(":history"))
    )
    await rig.pay()
    await rig.pass_time(MINUTE, steps=12)
    assert len(rig.cards(APPROVALS)) == 1


async def test_hour_without_slack_neither_loses_nor_doubles_posts(rig: Rig) -> None:
    await rig.pay()
    for method in ("chat.postMessage", "chat.update"):
        arm(rig, FaultKind.ERROR_500, method, times=None)
    await rig.press("approve")
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(HOUR, steps=12)
    assert not rig.news(FINANCE)
    rig.workspace.faults.clear()
    await rig.pass_time(5 * MINUTE, steps=10)
    told_once(rig, "*paid*")
    assert everywhere(rig, "Paid")
    assert buttons(rig) == set()
    assert rig.paid == [("ana@example.com", 2500)]


async def test_failed_edit_of_a_copy_is_retried(rig: Rig) -> None:
    for number, kind in enumerate(KINDS, 1):
        rig.add_payees(f"p{number}@example.com")
        await rig.pay(f"send p{number}@example.com {number}.00 March")
        arm(rig, kind, "chat.update", times=3)
        await rig.press("reject")
        await rig.submit(ADA, {forms.REASON: "no"})
        await rig.pass_time(2 * MINUTE, steps=4)
        assert len(rig.cards(FINANCE)) == number
        assert everywhere(rig, "rejected"), kind
        assert buttons(rig) == set(), kind


def broken_section(text: dict[str, str]) -> dict[str, object]:
    """What Slack refuses."""
    return {"type": "section", "text": {**text, "type": "nonsense"}}


async def test_refused_blocks_are_posted_as_plain_text(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Should a renderer ever exceed a limit, the words still arrive and the buttons do not pretend."""
    monkeypatch.setattr("bot.presentation.blocks.text.section", broken_section)
    await rig.pay()
    await rig.pass_time(2 * MINUTE, steps=4)
    for channel in (FINANCE, APPROVALS):
        messages = [m for m in rig.workspace.messages(channel) if not m.ephemeral_to]
        assert len(messages) == 1
        assert "ana@example.com" in messages[0].text


async def test_edit_with_refused_blocks_removes_the_buttons(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.pay()
    await rig.press("reject")
    monkeypatch.setattr("bot.presentation.blocks.text.section", broken_section)
    await rig.submit(ADA, {forms.REASON: "no"})
    await rig.pass_time(10 * MINUTE, steps=8)
    for channel in (FINANCE, APPROVALS):
        message = next(m for m in rig.workspace.messages(channel) if not m.ephemeral_to)
        assert "Rejected" in message.text
        assert not message.buttons


async def test_posts_neither_unfurl_nor_autolink(rig: Rig) -> None:
    await approved(rig, "send ana@example.com 25.00 see https://evil.example/x now")
    sent = [call.args for call in rig.workspace.calls if call.method in ("chat.postMessage", "chat.update")]
    assert sent
    assert all(args.get("parse") == "none" for args in sent)
    assert all("link_names" not in args for args in sent)
    created = [call.args for call in rig.workspace.calls if call.method == "chat.postMessage"]
    assert all(args["unfurl_links"] is False and args["unfurl_media"] is False for args in created)


async def test_many_changes_need_few_edits(rig: Rig) -> None:
    """Only the newest state is shown: what changed in between is not drawn one by one."""
    arm(rig, FaultKind.TOO_MANY, "chat.update", times=8)
    await approved(rig)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(20 * MINUTE, steps=20)
    edits = [call for call in rig.workspace.calls if call.method == "chat.update" and call.ok]
    assert len(edits) <= 4
    assert everywhere(rig, "Paid")
