from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.playground.workspace import Message
from tests.playground.blocks import option
from tests.playground.console.scene import APPROVALS, EVE, FINANCE, GUS, NORA, PATIENCE, TOMAS, Scene


async def card(scene: Scene, channel: str = FINANCE) -> Message:
    await scene.do("slash", {"as": TOMAS, "channel": FINANCE, "command": "/pay", "text": "send it"})
    return await scene.workspace.until(
        lambda: next(m for m in scene.workspace.messages(channel) if m.blocks), timeout=PATIENCE
    )


async def clicked(scene: Scene) -> dict[str, Any]:
    """What the bot heard of the only click: it may hear of it after the act was answered."""
    body = await scene.workspace.until(
        lambda: next(body for body in scene.bot.heard if body.get("actions")), timeout=PATIENCE
    )
    assert [heard for heard in scene.bot.heard if heard.get("actions")] == [body]
    return body


def action(kind: str, name: str, **state: Any) -> dict[str, Any]:
    return {"type": kind, "action_id": name, "block_id": "decide", **state}


LATE = {"type": "radio_buttons", "selected_option": option("Late", "late")}


async def open_form(scene: Scene, message: Message) -> None:
    await scene.do("act", {"as": NORA, "channel": FINANCE, "ts": message.ts, "action": action("button", "reject")})
    await scene.workspace.until(lambda: scene.workspace.modal(NORA), timeout=PATIENCE)


async def test_saying_something_posts_it_as_that_person(scene: Scene) -> None:
    await scene.do("say", {"as": NORA, "channel": FINANCE, "text": "hello <b>"})
    [said] = scene.workspace.messages(FINANCE)
    assert (said.user, said.text) == (NORA, "hello &lt;b&gt;")
    await scene.do("say", {"as": TOMAS, "channel": FINANCE, "text": "yes?", "thread_ts": said.ts})
    assert scene.workspace.messages(FINANCE)[-1].thread_ts == said.ts


async def test_people_act_only_in_their_channels(scene: Scene) -> None:
    for body in (
        {"as": GUS, "channel": FINANCE, "text": "hi"},
        {"as": "U0NOBODY", "channel": FINANCE, "text": "hi"},
        {"as": NORA, "channel": "C0NOWHERE", "text": "hi"},
    ):
        told = await scene.do("say", body, status=409)
        assert told["error"].startswith("That isn't possible here")
    told = await scene.do("slash", {"as": EVE, "channel": FINANCE, "command": "/pay", "text": "x"}, status=409)
    assert told["error"] == "That isn't possible here: U0EVE is of another workspace, where /pay does not exist."
    assert scene.workspace.messages(FINANCE) == []


async def test_button_sends_its_value(scene: Scene) -> None:
    message = await card(scene, APPROVALS)
    forged = action("button", "approve", value="forged")
    await scene.do("act", {"as": TOMAS, "channel": APPROVALS, "ts": message.ts, "action": forged})
    click = await clicked(scene)
    assert (click["actions"][0]["value"], click["user"]["id"]) == ("r1", TOMAS)


async def test_pushed_forms_close_one_by_one_or_all(scene: Scene) -> None:
    message = await card(scene)
    values = {"why": {"type": "plain_text_input", "value": "push"}, "kind": LATE}
    for clear, left in ((False, 1), (True, 0)):
        await open_form(scene, message)
        await scene.do("submit", {"as": NORA, "values": values})
        top = (await scene.state())["view"]["id"]
        for _ in range(2):  # a second tap closes nothing more
            await scene.do("close", {"as": NORA, "view": top, "clear": clear})
            assert (await scene.state())["depth"] == left


async def test_incomplete_form_is_not_sent(scene: Scene) -> None:
    await open_form(scene, await card(scene))
    heard = len(scene.bot.heard)
    told = await scene.do("submit", {"as": NORA, "values": {}}, status=409)
    assert told["error"] == snapshot(
        "That isn't possible here: the modal 'Reject it' would not be sent: why: please fill out this field; "
        "kind: please fill out this field."
    )
    assert len(scene.bot.heard) == heard


@pytest.mark.parametrize(
    ("action", "body"),
    [
        ("say", {"as": NORA, "channel": FINANCE}),
        ("say", {"as": NORA, "channel": 7, "text": "x"}),
        ("say", {"channel": FINANCE, "text": "x"}),
        ("say", []),
        ("act", {"as": NORA, "channel": FINANCE, "ts": "1"}),
        ("act", {"as": NORA, "channel": FINANCE, "ts": "1", "action": {"action_id": 3}}),
        ("submit", {"as": NORA, "values": "all"}),
        ("faults", {"service": "none", "operation": "*", "kind": "lost"}),
        ("faults", {"service": "payments", "operation": "commit_payout", "kind": "explode"}),
        ("faults", {"service": "payments", "operation": "nothing", "kind": "lost"}),
        ("faults", {"service": "payments", "operation": "commit_payout", "kind": "lost", "times": 0}),
        ("faults", {"service": "payments", "operation": "callback", "kind": "explode"}),
        ("behave", {}),
    ],
)
async def test_malformed_action_is_refused(scene: Scene, action: str, body: Any) -> None:
    told = await scene.do(action, body, status=400)
    assert told["error"]


async def test_body_must_be_json(scene: Scene) -> None:
    headers = {"Content-Type": "application/json"}
    async with scene.http.post(f"{scene.url}/console/say", data=b"\xff{", headers=headers) as answer:
        assert answer.status == 400


async def test_unanswered_request_is_shown_as_in_slack(scene: Scene) -> None:
    scene.workspace.deliver_to("http://127.0.0.1:9/slack/events")
    await scene.do("slash", {"as": NORA, "channel": FINANCE, "command": "/pay", "text": "send"})
    [private] = scene.workspace.ephemerals(NORA)
    assert private.text == '/pay failed with the error "dispatch_failed"'
