"""Modals and the App Home, through the real client and the real Bolt."""

from dataclasses import dataclass
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import ImpossibleAct, View, Workspace
from bot.playground.workspace.forms import TROUBLE
from tests.playground.blocks import actions, button, entry, modal, option, section, text_input
from tests.playground.workspace.conftest import ANA, BOB, GENERAL, Bolt, acks, refused
from tests.support.clock import SecondsClock

SELECT = {"type": "static_select", "options": [option(name, name.lower()) for name in ("One", "Two")]}


def choice(block_id: str, element: dict[str, Any]) -> dict[str, Any]:
    return entry(block_id, element, optional=True)


@dataclass(frozen=True)
class Forms:
    client: AsyncWebClient
    workspace: Workspace
    bolt: Bolt

    @property
    def top(self) -> View:
        view = self.workspace.modal(ANA)
        assert view is not None
        return view

    async def trigger(self) -> str:
        await self.workspace.shortcut(ANA, "anything")
        return str(self.bolt.seen[-1]["trigger_id"])

    async def open(self, *blocks: dict[str, Any], **more: Any) -> Any:
        return await self.client.views_open(trigger_id=await self.trigger(), view=modal(*blocks, **more))

    async def push(self, *blocks: dict[str, Any], **more: Any) -> Any:
        """By the trigger of what was done last."""
        return await self.client.views_push(trigger_id=self.bolt.seen[-1]["trigger_id"], view=modal(*blocks, **more))


@pytest.fixture
async def forms(client: AsyncWebClient, workspace: Workspace, bolt: Bolt) -> Forms:
    return Forms(client, workspace, bolt)


async def test_trigger_is_valid_once_for_three_seconds(forms: Forms, clock: SecondsClock) -> None:
    used, late, in_time = await forms.trigger(), await forms.trigger(), await forms.trigger()
    answer = await forms.client.views_open(trigger_id=used, view=modal(text_input("why")))
    assert answer["view"]["state"]["values"] == {"why": {"entry": {"type": "plain_text_input", "value": None}}}
    assert forms.top.title == "Form"
    clock.advance(3.0)
    await forms.client.views_open(trigger_id=in_time, view=modal(text_input("other")))
    clock.advance(0.001)
    for trigger_id, name in (
        (used, "exchanged_trigger_id"),
        (late, "expired_trigger_id"),
        ("1.2.3", "invalid_trigger_id"),
    ):
        assert await refused(forms.client.views_open(trigger_id=trigger_id, view=modal())) == name
    assert [view.blocks[0]["block_id"] for view in forms.workspace.modals(ANA)] == ["other"], (
        "opening begins a new stack"
    )
    assert forms.workspace.modal(BOB) is None


async def test_view_stack_holds_three(forms: Forms) -> None:
    outside = await forms.trigger()
    await forms.open(actions(button("more")))
    assert await refused(forms.client.views_push(trigger_id=outside, view=modal())) == "not_found", (
        "only a trigger from inside a modal can push"
    )
    for _ in range(2):
        await forms.workspace.click_in_view(ANA, "more")
        await forms.push(actions(button("more")))
    await forms.workspace.click_in_view(ANA, "more")
    answered = await refused(forms.push())
    assert answered == "push_limit_reached"
    first, second, third = forms.workspace.modals(ANA)
    assert (third.root_view_id, third.previous_view_id) == (first.id, second.id)
    await forms.workspace.close(ANA)
    assert forms.top.id == second.id


async def test_view_update_checks_hash_and_keeps_input(forms: Forms) -> None:
    opened = await forms.open(text_input("why"), text_input("gone"), external_id="x1")
    old = opened["view"]["hash"]
    forms.workspace.fill(ANA, {"why": "because", "gone": "lost"})
    await forms.client.views_update(external_id="x1", hash=old, view=modal(text_input("why"), text_input("new")))
    view = forms.top
    assert {key: value["entry"]["value"] for key, value in view.values.items()} == {"why": "because", "new": None}
    assert await refused(forms.client.views_update(view_id=view.id, hash=old, view=modal())) == "hash_conflict"
    await forms.workspace.close(ANA)
    assert await refused(forms.client.views_update(view_id=view.id, view=modal())) == "not_found"


async def test_external_id_is_unique(forms: Forms) -> None:
    first, second = await forms.trigger(), await forms.trigger()
    await forms.client.views_open(trigger_id=first, view=modal(external_id="x1"))
    assert (
        await refused(forms.client.views_open(trigger_id=second, view=modal(external_id="x1")))
        == "duplicate_external_id"
    )


@pytest.mark.parametrize(
    ("answer", "left"),
    [
        ({}, []),
        ({"response_action": "clear"}, []),
        ({"response_action": "update", "view": modal(section("new"), submit=None)}, ["first", "new"]),
        ({"response_action": "push", "view": modal(section("third"), submit=None)}, ["first", "second", "third"]),
        ({"response_action": "errors", "errors": {"why": "no"}}, ["first", "second"]),
    ],
    ids=["close", "clear", "update", "push", "errors"],
)
async def test_submission_follows_the_response_action(forms: Forms, answer: dict[str, Any], left: list[str]) -> None:
    forms.bolt.app.view("form")(acks(**answer))
    await forms.open(section("first"), actions(button("more")))
    await forms.workspace.click_in_view(ANA, "more")
    await forms.push(section("second"), text_input("why"))
    assert (await forms.workspace.submit(ANA, {"why": "because"})).ok
    expected = left if left or answer else ["first"]
    assert [view.blocks[0]["text"]["text"] for view in forms.workspace.modals(ANA)] == expected
    if "errors" in answer:
        assert forms.top.errors == {"why": "no"}
        assert forms.top.values["why"]["entry"]["value"] == "because"


async def test_submission_holds_the_whole_form(forms: Forms) -> None:
    forms.bolt.app.view("form")(acks())
    await forms.open(
        text_input("why"),
        text_input("kept", initial_value="initial"),
        text_input("empty", optional=True),
        choice("menu", SELECT),
        choice("people", {"type": "multi_users_select"}),
        choice("checks", {**SELECT, "type": "checkboxes"}),
        choice("day", {"type": "datepicker", "initial_date": "2026-11-20"}),
        private_metadata="opaque",
        notify_on_close=True,
    )
    opened = forms.top
    await forms.workspace.submit(ANA, {"why": "because", "menu": "two", "people": [BOB], "checks": ["one"]})
    body = forms.bolt.seen[-1]
    values = {key: value["entry"] for key, value in body["view"]["state"]["values"].items()}
    assert values == {
        "why": {"type": "plain_text_input", "value": "because"},
        "kept": {"type": "plain_text_input", "value": "initial"},
        "empty": {"type": "plain_text_input", "value": None},
        "menu": {"type": "static_select", "selected_option": SELECT["options"][1]},
        "people": {"type": "multi_users_select", "selected_users": [BOB]},
        "checks": {"type": "checkboxes", "selected_options": [SELECT["options"][0]]},
        "day": {"type": "datepicker", "selected_date": "2026-11-20"},
    }
    assert body["view"]["private_metadata"] == "opaque"
    assert (body["view"]["hash"], body["view"]["root_view_id"]) == (opened.hash, opened.id)
    assert body["user"] == {"id": ANA, "username": "ana", "name": "ana", "team_id": "T0HOME"}
    assert body["response_urls"] == []


@pytest.mark.parametrize(
    ("values", "complaint"),
    [
        ({}, "why: please fill out"),
        ({"why": "abc"}, "at least 4"),
        ({"why": "x" * 11}, "at most 10"),
        ({"why": "fine", "menu": "three"}, "not offered"),
        ({"nothing": "x"}, "no input 'nothing'"),
        ({"why": "fine", "count": "x"}, "not a number"),
        ({"why": "fine", "count": "1.5"}, "whole numbers"),
        ({"why": "fine", "mail": "x"}, "not an e-mail"),
    ],
)
async def test_workspace_client_refuses_what_slack_refuses(
    forms: Forms, values: dict[str, str], complaint: str
) -> None:
    await forms.open(
        text_input("why", min_length=4, max_length=10),
        choice("menu", SELECT),
        choice("count", {"type": "number_input", "is_decimal_allowed": False}),
        choice("mail", {"type": "email_text_input"}),
    )
    sent = len(forms.bolt.seen)
    with pytest.raises(ImpossibleAct, match=complaint):
        await forms.workspace.submit(ANA, values)
    assert len(forms.bolt.seen) == sent


async def test_force_submits_impossible_forms(forms: Forms) -> None:
    forms.bolt.app.view("form")(acks())
    await forms.open(text_input("why"), choice("menu", SELECT))
    await forms.workspace.submit(ANA, {"menu": "three"}, force=True)
    assert forms.bolt.seen[-1]["view"]["state"]["values"]["menu"]["entry"]["selected_option"]["value"] == "three"
    with pytest.raises(ImpossibleAct, match="no modal open"):
        await forms.workspace.submit(ANA)


@pytest.mark.parametrize("failure", ["silence", "exception", "wrong errors", "wrong view"])
async def test_unusable_answer_keeps_the_form_open(forms: Forms, failure: str) -> None:
    @forms.bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        if failure == "exception":
            raise RuntimeError("meant")
        if failure == "wrong errors":
            await ack(response_action="errors", errors={"elsewhere": "no"})
        if failure == "wrong view":
            await ack(response_action="update", view={"type": "modal", "blocks": []})

    await forms.open(text_input("why"))
    await forms.workspace.submit(ANA, {"why": "because"})
    assert forms.top.errors[""].startswith(TROUBLE)
    assert forms.top.values["why"]["entry"]["value"] == "because"


async def test_view_closed_is_sent_only_on_request(forms: Forms) -> None:
    closed: list[tuple[str, bool]] = []

    @forms.bolt.app.view_closed("form")
    async def on_closed(ack: Any, body: dict[str, Any]) -> None:
        closed.append((body["view"]["id"], body["is_cleared"]))
        await ack()

    await forms.open()
    assert (await forms.workspace.close(ANA)).request is None
    first = await forms.open(actions(button("m")), notify_on_close=True)
    await forms.workspace.click_in_view(ANA, "m")
    second = await forms.push(notify_on_close=True)
    await forms.workspace.close(ANA, clear=True)
    assert closed == [(second["view"]["id"], True), (first["view"]["id"], True)]
    assert forms.workspace.modal(ANA) is None


async def test_home_is_published_per_person(forms: Forms) -> None:
    view = {"type": "home", "blocks": [section("Nothing waits"), actions(button("refresh"))]}
    await forms.client.views_publish(user_id=ANA, view=view)
    home = forms.workspace.home(ANA)
    assert home is not None
    assert forms.workspace.home(BOB) is None
    await forms.client.views_publish(user_id=ANA, view=view)
    again = forms.workspace.home(ANA)
    assert again is not None
    assert again.hash != home.hash
    assert [one["block_id"] for one in again.blocks] == [one["block_id"] for one in home.blocks]
    await forms.workspace.open_home(ANA)
    assert forms.bolt.seen[-1]["event"]["view"]["id"] == home.id
    await forms.workspace.click_in_view(ANA, "refresh")
    assert forms.bolt.seen[-1]["container"] == {"type": "view", "view_id": home.id}
    assert "channel" not in forms.bolt.seen[-1]
    answered = await refused(forms.client.views_publish(user_id=ANA, view={"type": "home", "blocks": []}, hash="old"))
    assert answered == "hash_conflict"


async def test_chosen_conversation_has_a_response_url(forms: Forms, session: Any) -> None:
    forms.bolt.app.view("form")(acks())
    block = choice("where", {"type": "conversations_select", "response_url_enabled": True})
    await forms.open(block)
    await forms.workspace.submit(ANA, {"where": GENERAL})
    (url,) = forms.bolt.seen[-1]["response_urls"]
    assert (url["block_id"], url["channel_id"]) == ("where", GENERAL)
    async with session.post(url["response_url"], json={"text": "here", "response_type": "in_channel"}) as answer:
        assert answer.status == 200
    assert [m.text for m in forms.workspace.messages(GENERAL)] == ["here"]


async def test_external_select_loads_options_from_the_app(forms: Forms) -> None:
    @forms.bolt.app.options("entry")
    async def options(ack: Any, payload: dict[str, Any]) -> None:
        text = {"type": "plain_text", "text": payload["value"].upper()}
        await ack(options=[{"text": text, "value": payload["value"]}])

    await forms.open(choice("who", {"type": "external_select"}))
    (offered,) = await forms.workspace.suggest(ANA, "entry", "an")
    assert offered["text"]["text"] == "AN"
    forms.workspace.fill(ANA, {"who": offered})
    assert forms.top.values["who"]["entry"]["selected_option"] == offered
