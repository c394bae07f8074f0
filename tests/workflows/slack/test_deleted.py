"""A message that somebody deleted, or that can never be edited again, is posted anew: once, in its place."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.methods import chat
from bot.presentation.payments import forms
from bot.workflows.context import Context, Subject
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, ZOE, Rig
from tests.workflows.looking import buttons, heard, newest, votes
from tests.workflows.play import Play

Lose = Callable[[Rig, Message, pytest.MonkeyPatch], None]


def delete(rig: Rig, message: Message, _: pytest.MonkeyPatch) -> None:
    """A person deletes a message that had answers: its thread stays."""
    rig.workspace._state.log.change(message, deleted=True)


def vanish(rig: Rig, message: Message, _: pytest.MonkeyPatch) -> None:
    """The same with a message that nobody had answered: nothing of it is left."""
    rig.workspace._state.log._channels[message.channel].pop(message.ts)


def belongs_to_another(rig: Rig, message: Message, _: pytest.MonkeyPatch) -> None:
    """The app was installed anew, with another bot user."""
    rig.workspace._state.log.change(message, bot_id="B0BEFORE")


def can_never_be_edited(_: Rig, message: Message, monkeypatch: pytest.MonkeyPatch) -> None:
    """The workspace lets nobody edit what is older than a minute; this message is."""
    own = chat._own_message

    def refuse(state: Any, arguments: Arguments, refusal: str) -> Any:
        if arguments.text("ts") == message.ts:
            raise ApiRefusal("edit_window_closed")
        return own(state, arguments, refusal)

    monkeypatch.setattr(chat, "_own_message", refuse)


LOST = [delete, vanish, belongs_to_another, can_never_be_edited]


async def show(rig: Rig, user: str) -> None:
    await rig.pay(f"show {(await newest(rig)).reference}", user=user)


@pytest.mark.parametrize("lose", LOST)
async def test_deleted_approvers_card_is_restored_on_refresh(
    rig: Rig, lose: Lose, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rig.pay()
    old = await rig.card(APPROVALS)
    expires = (await newest(rig)).expires_at
    rig.clock.advance(MINUTE)
    lose(rig, old, monkeypatch)
    await rig.settle()
    assert [card.ts for card in rig.cards(APPROVALS)] in ([], [old.ts]), "nobody has looked yet"
    await show(rig, ADA)
    await show(rig, LIN)
    new = rig.cards(APPROVALS)[-1]
    assert len([card for card in rig.cards(APPROVALS) if card.ts != old.ts]) == 1
    assert len(rig.cards(FINANCE)) == 1, "the other copy was edited"
    assert (await newest(rig)).expires_at == expires
    if lose is not vanish:
        await rig.workspace.click(ADA, APPROVALS, old.ts, "payout.approve", force=True)
        await heard(rig, ADA, "changed since")
        assert not await votes(rig)
    await rig.workspace.click(ADA, APPROVALS, new.ts, "payout.approve")
    await rig.settle()
    assert rig.paid == [("ana@example.com", 2500)]


async def test_deleted_requester_card_returns_with_the_next_change(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.pay()
    delete(rig, rig.cards(FINANCE)[0], monkeypatch)
    await rig.settle()
    assert not rig.cards(FINANCE)
    await rig.press("reject", user=ADA)
    await rig.submit(ADA, {forms.REASON: "twice"})
    [card] = rig.cards(FINANCE)
    assert "twice" in card.plain
    assert not buttons(rig, FINANCE, APPROVALS)
    await rig.pass_time(10 * MINUTE, steps=10)
    assert len(rig.cards(FINANCE)) == 1


async def test_only_people_of_the_request_restore_its_card(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.pay()
    delete(rig, rig.cards(FINANCE)[0], monkeypatch)
    await show(rig, ZOE)
    assert not rig.cards(FINANCE)
    await show(rig, MARIA)
    assert len(rig.cards(FINANCE)) == 1


async def test_reposted_card_replaces_the_old_one(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Slack's answer to the post is lost: a click on the new card tells where it stands."""
    await rig.pay()
    old = await rig.card(APPROVALS)
    belongs_to_another(rig, old, monkeypatch)
    rig.clock.advance(MINUTE)
    rig.workspace.faults.arm(Fault(FaultKind.DONE_DROPPED, "chat.postMessage"))
    await show(rig, ADA)
    new = rig.cards(APPROVALS)[-1]
    assert new.ts != old.ts
    await rig.workspace.click(ADA, APPROVALS, old.ts, "payout.approve")
    await heard(rig, ADA, "changed since")
    assert not await votes(rig)
    await rig.workspace.click(ADA, APPROVALS, new.ts, "payout.approve")
    assert [vote.person for vote in await votes(rig)] == [ADA]
    await rig.pass_time(MINUTE)
    assert len([card for card in rig.cards(APPROVALS) if card.ts != old.ts]) == 1


@pytest.fixture
def play(rig: Rig) -> Play:
    return Play(rig)


@pytest.mark.parametrize("lose", LOST)
async def test_every_board_comes_back_in_its_thread(play: Play, lose: Lose, monkeypatch: pytest.MonkeyPatch) -> None:
    """A booking, a call, a list."""
    await play.post()
    [old] = play.messages()
    play.rig.clock.advance(MINUTE)
    lose(play.rig, old, monkeypatch)
    await play.count()
    await play.count()
    await play.say("half")
    [new, line] = [one for one in play.messages() if one.ts != old.ts]
    assert (new.text, line.thread_ts) == ("Job 7 is at 2", new.ts)


@pytest.mark.parametrize(
    ("lose", "comes_back"), [(delete, True), (belongs_to_another, False), (can_never_be_edited, False)]
)
async def test_progress_restores_a_deleted_board(
    play: Play, lose: Lose, comes_back: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    await play.post()
    [old] = play.messages()
    play.rig.clock.advance(MINUTE)
    lose(play.rig, old, monkeypatch)
    await play.count(progress=True)
    assert any(one.ts != old.ts for one in play.messages()) is comes_back


async def test_thread_line_restores_its_deleted_board(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    await play.post()
    vanish(play.rig, play.messages()[0], monkeypatch)
    await play.say("half")
    await play.say("done")
    [root, *lines] = play.messages()
    assert root.text == "Job 7 is at 0"
    assert [(line.text, line.thread_ts) for line in lines] == [("7: half", root.ts), ("7: done", root.ts)]


async def test_board_without_a_thread_is_posted_once(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    await play.post()

    def refuse(_state: Any, _channel: Any, ts: str) -> str:
        if ts:
            raise ApiRefusal("thread_not_found")
        return ""

    monkeypatch.setattr(chat, "parent_ts", refuse)
    await play.say("half")
    for _ in range(20):
        await play.pass_time(61)
    assert len(play.messages()) == 2
    assert len(play.messages(ALERTS)) == 1


async def test_unwritable_channel_restores_no_card(play: Play) -> None:
    await play.post()
    play.rig.workspace.set_channel(FINANCE, bot_member=False)
    await play.count()
    play.rig.workspace.set_channel(FINANCE, bot_member=True)
    await play.pass_time(5 * MINUTE)
    assert len(play.messages()) == 1


async def test_message_posted_once_is_not_restored(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is offered once, whatever becomes of the offer."""

    class Once(Subject):
        async def lasts(self, _ctx: Context, id: str) -> bool:  # noqa: A002, ARG002 - the protocol's name
            return False

        async def board(self, _ctx: Context, id: str) -> Any:  # noqa: A002 - the protocol's name
            return await play.job.board(_ctx, id)

    play.ctx = replace(play.ctx, subjects={**play.ctx.subjects, "once": Once()})
    assert not await play.ctx.subjects["file"].lasts(play.ctx, "F1")
    await play.post("once:8")
    delete(play.rig, play.messages()[0], monkeypatch)
    await play.count("once:8")
    assert not play.messages()
