"""Modals and the App Home, through the real client and the real Bolt."""

from collections.abc import Callable
from typing import Any

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import ImpossibleAct, View, Workspace
from bot.playground.workspace.forms import TROUBLE
from tests.playground.workspace.conftest import (
    ANA,
    BOB,
    GENERAL,
    Bolt,
    actions,
    button,
    modal,
    refused,
    section,
    text_input,
)
from tests.support.clock import SecondsClock

SELECT = {
    "type": "static_select",
    "action_id": "entry",
    "options": [{"text": {"type": "plain_text", "text": name}, "value": name.lower()} for name in ("One", "Two")],
}


def choice(block_id: str, element: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "input",
        "block_id": block_id,
        "optional": True,
        "label": {"type": "plain_text", "text": block_id},
        "element": {"action_id": "entry", **element},
    }


def top(workspace: Workspace, user: str = ANA) -> View:
    view = workspace.modal(user)
    assert view is not None
    return view


async def trigger(workspace: Workspace, bolt: Bolt) -> str:
    """A fresh trigger id of Ana's."""
    await workspace.shortcut(ANA, "anything")
    return str(bolt.seen[-1]["trigger_id"])


@pytest.fixture
async def fresh(workspace: Workspace, bolt: Bolt) -> Callable[[], Any]:
    return lambda: trigger(workspace, bolt)


async def test_a_trigger_serves_once_and_three_seconds(
    client: AsyncWebClient, workspace: Workspace, clock: SecondsClock, fresh: Callable[[], Any]
) -> None:
    used, late, in_time = await fresh(), await fresh(), await fresh()
    answer = await client.views_open(trigger_id=used, view=modal(text_input("why")))
    assert answer["view"]["state"]["values"] == {"why": {"entry": {"type": "plain_text_input", "value": None}}}
    assert top(workspace).title == "Form"
    clock.advance(3.0)
    await client.views_open(trigger_id=in_time, view=modal(text_input("other")))
    clock.advance(0.001)
    for trigger_id, name in (
        (used, "exchanged_trigger_id"),
        (late, "expired_trigger_id"),
        ("1.2.3", "invalid_trigger_id"),
    ):
        assert await refused(client.views_open(trigger_id=trigger_id, view=modal())) == name
    assert [view.blocks[0]["block_id"] for view in workspace.modals(ANA)] == ["other"], "opening begins a new stack"
    assert workspace.modal(BOB) is None


async def test_a_stack_holds_three(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any]
) -> None:
    outside = await fresh()
    await client.views_open(trigger_id=await fresh(), view=modal(actions(button("more"))))
    assert await refused(client.views_push(trigger_id=outside, view=modal())) == "not_found", (
        "only a trigger from inside a modal can push"
    )
    for _ in range(2):
        await workspace.click_in_view(ANA, "more")
        await client.views_push(trigger_id=bolt.seen[-1]["trigger_id"], view=modal(actions(button("more"))))
    await workspace.click_in_view(ANA, "more")
    answered = await refused(client.views_push(trigger_id=bolt.seen[-1]["trigger_id"], view=modal()))
    assert answered == "push_limit_reached"
    first, second, third = workspace.modals(ANA)
    assert (third.root_view_id, third.previous_view_id) == (first.id, second.id)
    await workspace.close(ANA)
    assert top(workspace).id == second.id


async def test_updating_guards_by_hash_and_keeps_what_was_typed(
    client: AsyncWebClient, workspace: Workspace, fresh: Callable[[], Any]
) -> None:
    opened = await client.views_open(
        trigger_id=await fresh(), view=modal(text_input("why"), text_input("gone"), external_id="x1")
    )
    old = opened["view"]["hash"]
    workspace.fill(ANA, {"why": "because", "gone": "lost"})
    await client.views_update(external_id="x1", hash=old, view=modal(text_input("why"), text_input("new")))
    view = top(workspace)
    assert {key: value["entry"]["value"] for key, value in view.values.items()} == {"why": "because", "new": None}
    assert await refused(client.views_update(view_id=view.id, hash=old, view=modal())) == "hash_conflict"
    await workspace.close(ANA)
    assert await refused(client.views_update(view_id=view.id, view=modal())) == "not_found"


async def test_an_external_id_is_taken_once(client: AsyncWebClient, fresh: Callable[[], Any]) -> None:
    first, second = await fresh(), await fresh()
    await client.views_open(trigger_id=first, view=modal(external_id="x1"))
    assert await refused(client.views_open(trigger_id=second, view=modal(external_id="x1"))) == "duplicate_external_id"


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
async def test_a_submission_does_to_the_stack_what_the_app_says(
    client: AsyncWebClient,
    workspace: Workspace,
    bolt: Bolt,
    fresh: Callable[[], Any],
    answer: dict[str, Any],
    left: list[str],
) -> None:
    @bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        await ack(**answer)

    await client.views_open(trigger_id=await fresh(), view=modal(section("first"), actions(button("more"))))
    await workspace.click_in_view(ANA, "more")
    await client.views_push(trigger_id=bolt.seen[-1]["trigger_id"], view=modal(section("second"), text_input("why")))
    assert (await workspace.submit(ANA, {"why": "because"})).ok
    expected = left if left or answer else ["first"]
    assert [view.blocks[0]["text"]["text"] for view in workspace.modals(ANA)] == expected
    if "errors" in answer:
        assert top(workspace).errors == {"why": "no"}
        assert top(workspace).values["why"]["entry"]["value"] == "because"


async def test_a_submission_carries_the_whole_form(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any]
) -> None:
    @bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        await ack()

    view = modal(
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
    await client.views_open(trigger_id=await fresh(), view=view)
    opened = top(workspace)
    await workspace.submit(ANA, {"why": "because", "menu": "two", "people": [BOB], "checks": ["one"]})
    body = bolt.seen[-1]
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
async def test_the_client_refuses_what_slacks_client_refuses(
    client: AsyncWebClient,
    workspace: Workspace,
    bolt: Bolt,
    fresh: Callable[[], Any],
    values: dict[str, str],
    complaint: str,
) -> None:
    view = modal(
        text_input("why", min_length=4, max_length=10),
        choice("menu", SELECT),
        choice("count", {"type": "number_input", "is_decimal_allowed": False}),
        choice("mail", {"type": "email_text_input"}),
    )
    await client.views_open(trigger_id=await fresh(), view=view)
    sent = len(bolt.seen)
    with pytest.raises(ImpossibleAct, match=complaint):
        await workspace.submit(ANA, values)
    assert len(bolt.seen) == sent


async def test_force_submits_what_no_client_would(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any]
) -> None:
    @bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        await ack()

    await client.views_open(trigger_id=await fresh(), view=modal(text_input("why"), choice("menu", SELECT)))
    await workspace.submit(ANA, {"menu": "three"}, force=True)
    assert bolt.seen[-1]["view"]["state"]["values"]["menu"]["entry"]["selected_option"]["value"] == "three"
    with pytest.raises(ImpossibleAct, match="no modal open"):
        await workspace.submit(ANA)


@pytest.mark.parametrize("failure", ["silence", "exception", "wrong errors", "wrong view"])
async def test_an_answer_slack_cannot_use_leaves_the_form_open(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any], failure: str
) -> None:
    @bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        if failure == "exception":
            raise RuntimeError("meant")
        if failure == "wrong errors":
            await ack(response_action="errors", errors={"elsewhere": "no"})
        if failure == "wrong view":
            await ack(response_action="update", view={"type": "modal", "blocks": []})

    await client.views_open(trigger_id=await fresh(), view=modal(text_input("why")))
    await workspace.submit(ANA, {"why": "because"})
    assert top(workspace).errors[""].startswith(TROUBLE)
    assert top(workspace).values["why"]["entry"]["value"] == "because"


async def test_closing_tells_the_app_only_where_it_asked(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any]
) -> None:
    closed: list[tuple[str, bool]] = []

    @bolt.app.view_closed("form")
    async def on_closed(ack: Any, body: dict[str, Any]) -> None:
        closed.append((body["view"]["id"], body["is_cleared"]))
        await ack()

    await client.views_open(trigger_id=await fresh(), view=modal())
    assert (await workspace.close(ANA)).request is None
    first = await client.views_open(trigger_id=await fresh(), view=modal(actions(button("m")), notify_on_close=True))
    await workspace.click_in_view(ANA, "m")
    second = await client.views_push(trigger_id=bolt.seen[-1]["trigger_id"], view=modal(notify_on_close=True))
    await workspace.close(ANA, clear=True)
    assert closed == [(second["view"]["id"], True), (first["view"]["id"], True)]
    assert workspace.modal(ANA) is None


async def test_the_home_is_published_per_person_and_its_buttons_work(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt
) -> None:
    @bolt.app.event("app_home_opened")
    async def opened(event: dict[str, Any], client: AsyncWebClient) -> None:
        view = {"type": "home", "blocks": [section(f"for {event['user']}"), actions(button("refresh"))]}
        await client.views_publish(user_id=event["user"], view=view, hash=event.get("view", {}).get("hash", ""))

    @bolt.app.action("refresh")
    async def refresh(ack: Any, body: dict[str, Any], client: AsyncWebClient) -> None:
        await ack()
        await client.views_open(trigger_id=body["trigger_id"], view=modal())

    await workspace.open_home(ANA)
    home = await workspace.until(lambda: workspace.home(ANA))
    assert home.plain.startswith(f"for {ANA}")
    assert workspace.home(BOB) is None
    await workspace.open_home(ANA)
    assert bolt.seen[-1]["event"]["view"]["id"] == home.id
    await workspace.click_in_view(ANA, "refresh")
    assert bolt.seen[-1]["container"] == {"type": "view", "view_id": home.id}
    assert "channel" not in bolt.seen[-1]
    await workspace.until(lambda: workspace.modal(ANA))
    answered = await refused(client.views_publish(user_id=ANA, view={"type": "home", "blocks": []}, hash="old"))
    assert answered == "hash_conflict"


async def test_a_chosen_conversation_brings_its_response_url(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any], session: Any
) -> None:
    @bolt.app.view("form")
    async def submitted(ack: Any) -> None:
        await ack()

    block = choice("where", {"type": "conversations_select", "response_url_enabled": True})
    await client.views_open(trigger_id=await fresh(), view=modal(block))
    await workspace.submit(ANA, {"where": GENERAL})
    (url,) = bolt.seen[-1]["response_urls"]
    assert (url["block_id"], url["channel_id"]) == ("where", GENERAL)
    async with session.post(url["response_url"], json={"text": "here", "response_type": "in_channel"}) as answer:
        assert answer.status == 200
    assert [m.text for m in workspace.messages(GENERAL)] == ["here"]


async def test_an_external_select_asks_the_app(
    client: AsyncWebClient, workspace: Workspace, bolt: Bolt, fresh: Callable[[], Any]
) -> None:
    @bolt.app.options("entry")
    async def options(ack: Any, payload: dict[str, Any]) -> None:
        text = {"type": "plain_text", "text": payload["value"].upper()}
        await ack(options=[{"text": text, "value": payload["value"]}])

    await client.views_open(trigger_id=await fresh(), view=modal(choice("who", {"type": "external_select"})))
    (offered,) = await workspace.suggest(ANA, "entry", "an")
    assert offered["text"]["text"] == "AN"
    workspace.fill(ANA, {"who": offered})
    assert top(workspace).values["who"]["entry"]["selected_option"] == offered
