"""Signed deliveries to the real Bolt over HTTP: what it accepts, what people see when it does not answer."""

import asyncio
from typing import Any
from urllib.parse import parse_qs

import pytest
from slack_sdk.signature import SignatureVerifier

from bot.playground.workspace import Workspace
from bot.playground.workspace.directory import SLACKBOT
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, PUBLIC, Bolt, acks
from tests.support.clock import SecondsClock


@pytest.mark.parametrize("answer", ["text", "dict", "in_channel"])
async def test_command_acknowledgement_is_shown(workspace: Workspace, bolt: Bolt, answer: str) -> None:
    @bolt.app.command("/pay")
    async def pay(ack: Any) -> None:
        if answer == "text":
            await ack("hello")
        else:
            await ack(text="hello", response_type="in_channel" if answer == "in_channel" else "ephemeral")

    ack = await workspace.slash(ANA, GENERAL, "/pay", "x")
    assert (ack.status, ack.ok, ack.error) == (200, True, "")
    assert ack.seconds > 0
    seen = [m.text for m in workspace.messages(GENERAL, viewer=BOB)]
    assert seen == (["/pay x", "hello"] if answer == "in_channel" else [])
    assert [m.text for m in workspace.ephemerals(ANA)] == ([] if answer == "in_channel" else ["hello"])


async def test_the_form_of_a_command(workspace: Workspace, bolt: Bolt) -> None:
    bolt.app.command("/pay")(acks())
    ack = await workspace.slash(ANA, "#general", "/pay", "help")
    assert ack.request is not None
    form = {key: value[0] for key, value in parse_qs(ack.request.body.decode(), keep_blank_values=True).items()}
    assert form.pop("trigger_id").count(".") == 2
    assert form.pop("response_url").startswith(f"{workspace.url}/commands/T0HOME/")
    assert form == {
        "token": "playground-verification-token",
        "team_id": "T0HOME",
        "team_domain": "switchboard",
        "channel_id": GENERAL,
        "channel_name": "general",
        "user_id": ANA,
        "user_name": "ana",
        "command": "/pay",
        "text": "help",
        "api_app_id": "A0SWITCH",
        "is_enterprise_install": "false",
    }
    verifier = SignatureVerifier("playground-signing-secret")
    assert verifier.is_valid_request(ack.request.body, dict(ack.request.headers))


async def test_wrong_secret_is_refused_by_the_app(bolt: Bolt, clock: SecondsClock) -> None:
    other = Workspace(scopes=(), clock=clock, signing_secret="another")
    other.add_user(ANA, "ana")
    other.add_channel(GENERAL, "general", members=[ANA])
    await other.start()
    other.deliver_to(bolt.url)
    ack = await other.slash(ANA, GENERAL, "/pay")
    await other.stop()
    assert (ack.status, ack.error) == (401, "dispatch_failed")


async def test_silence_is_an_operation_timeout(workspace: Workspace, bolt: Bolt) -> None:
    workspace._delivery.ack_seconds = 0.5
    release = asyncio.Event()

    @bolt.app.command("/pay")
    async def pay(ack: Any) -> None:
        await release.wait()
        await ack("too late")

    ack = await workspace.slash(ANA, GENERAL, "/pay")
    release.set()
    assert (ack.status, ack.error) == (0, "operation_timeout")
    assert ack.seconds >= 0.5
    (told,) = workspace.ephemerals(ANA)
    assert (told.user, told.text) == (SLACKBOT, '/pay failed with the error "operation_timeout"')


async def test_errors_and_absence_are_a_failed_dispatch(workspace: Workspace, bolt: Bolt) -> None:
    assert (await workspace.slash(ANA, GENERAL, "/unknown")).status == 404
    workspace.deliver_to("http://127.0.0.1:9/slack/events")
    assert (await workspace.slash(ANA, GENERAL, "/pay")).status == 0
    workspace.deliver_to(None)
    assert (await workspace.slash(ANA, GENERAL, "/pay")).error == "dispatch_failed"
    texts = [m.text for m in workspace.ephemerals(ANA)]
    assert texts == [f'{name} failed with the error "dispatch_failed"' for name in ("/unknown", "/pay", "/pay")]


async def test_an_answer_slack_cannot_show(workspace: Workspace, bolt: Bolt) -> None:
    bolt.app.command("/pay")(acks(text="x", blocks=[{"type": "sektion"}]))
    await workspace.slash(ANA, GENERAL, "/pay")
    assert [m.text for m in workspace.ephemerals(ANA)] == ['/pay failed with the error "invalid_blocks"']


async def test_messages_and_mentions_reach_the_app_in_its_channels(workspace: Workspace, bolt: Bolt) -> None:
    heard: list[tuple[str, str]] = []

    @bolt.app.event("message")
    async def message(event: dict[str, Any]) -> None:
        heard.append((event["type"], event["text"]))

    @bolt.app.event("app_mention")
    async def mention(event: dict[str, Any]) -> None:
        heard.append((event["type"], event["text"]))

    await workspace.say(ANA, GENERAL, "hi")
    await workspace.mention(EVE, GENERAL, "you there?")
    await workspace.say(ANA, PUBLIC, "without the bot")
    await workspace.until(lambda: len(heard) == 3)
    text = "<@U0BOT> you there?"
    assert heard == [("message", "hi"), ("message", text), ("app_mention", text)]
    wrapper = bolt.seen[0]
    assert (wrapper["type"], wrapper["team_id"], wrapper["api_app_id"]) == ("event_callback", "T0HOME", "A0SWITCH")
    assert wrapper["authorizations"][0]["user_id"] == "U0BOT"
    assert wrapper["is_ext_shared_channel"] is True
    assert len({body["event_id"] for body in bolt.seen}) == 3


async def test_repeated_event_keeps_its_id(workspace: Workspace, bolt: Bolt) -> None:
    event = {"type": "team_join", "user": {"id": ANA}}
    first = await workspace.send_event(event)
    assert first.status == 404, "nobody listens, so Slack would repeat"
    second = await workspace.redeliver(first, retry=1, reason="http_error")
    assert first.request is not None
    assert second.request is not None
    assert bolt.seen[0]["event_id"] == bolt.seen[1]["event_id"]
    assert "X-Slack-Retry-Num" not in first.request.headers
    assert second.request.headers["X-Slack-Retry-Num"] == "1"
    assert second.request.headers["X-Slack-Retry-Reason"] == "http_error"


async def test_url_verification(workspace: Workspace, bolt: Bolt) -> None:
    ack = await workspace.verify_url()
    assert ack.request is not None
    assert ack.body == {"challenge": ack.request.payload["challenge"]}
