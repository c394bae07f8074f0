"""What comes back through response URLs."""

from typing import Any

import pytest
from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Workspace
from tests.playground.blocks import actions, button, section
from tests.playground.workspace.conftest import ANA, BOB, GENERAL, SECRET, Bolt, acks
from tests.support.clock import SecondsClock


@pytest.fixture
async def command_url(workspace: Workspace, bolt: Bolt) -> str:

    bolt.app.command("/pay")(acks())
    await workspace.slash(ANA, GENERAL, "/pay", "help")
    return str(bolt.seen[-1]["response_url"])


async def clicked(workspace: Workspace, bolt: Bolt, ts: str, user: str = ANA) -> str:
    await workspace.click(user, GENERAL, ts, "go")
    return str(bolt.seen[-1]["response_url"])


async def respond(session: ClientSession, url: str, **payload: Any) -> tuple[int, str]:
    async with session.post(url, json=payload) as answer:
        return answer.status, await answer.text()


async def test_answer_is_sent_to_the_asker(workspace: Workspace, session: ClientSession, command_url: str) -> None:
    assert await respond(session, command_url, text="only you") == (200, "ok")
    assert [m.text for m in workspace.messages(GENERAL, viewer=ANA)] == ["only you"]
    assert workspace.messages(GENERAL, viewer=BOB) == []
    await respond(session, command_url, text="all of you", response_type="in_channel")
    await respond(session, command_url, text="again", response_type="in_channel")
    seen = [(m.user, m.text) for m in workspace.messages(GENERAL, viewer=BOB)]
    assert seen == [(ANA, "/pay help"), ("U0BOT", "all of you"), ("U0BOT", "again")], "the command is echoed once"


async def test_five_uses(workspace: Workspace, session: ClientSession, command_url: str) -> None:
    for number in range(5):
        assert (await respond(session, command_url, text=str(number)))[0] == 200
    status, body = await respond(session, command_url, text="6")
    assert (status, "used_url" in body) == (404, True)
    assert len(workspace.ephemerals(ANA)) == 5


async def test_thirty_minutes(session: ClientSession, command_url: str, clock: SecondsClock) -> None:
    clock.advance(30 * 60)
    assert (await respond(session, command_url, text="in time"))[0] == 200
    clock.advance(0.001)
    status, body = await respond(session, command_url, text="late")
    assert (status, "expired_url" in body) == (404, True)


async def test_refused_answer_keeps_response_url(
    workspace: Workspace, session: ClientSession, command_url: str
) -> None:
    for payload in ({"text": ""}, {"blocks": [{"type": "sektion"}]}, {"text": "x", "blocks": "nonsense"}):
        status, body = await respond(session, command_url, **payload)
        assert (status, '"ok": false' in body) == (400, True)
    async with session.post(command_url, data=b"[]") as answer:
        assert answer.status == 400
    assert workspace.ephemerals(ANA) == []


async def test_clicked_message_can_be_replaced_and_deleted(
    workspace: Workspace, bolt: Bolt, client: Client, session: ClientSession
) -> None:
    blocks = [section("card"), actions(button("go"))]
    metadata = {"event_type": "card", "event_payload": {}}
    ts = str((await client.chat_postMessage(channel=GENERAL, text="c", blocks=blocks, metadata=metadata))["ts"])
    url = await clicked(workspace, bolt, ts)
    await respond(session, url, text="beside")
    assert workspace.message(GENERAL, ts).text == "c", "without replace_original the source stays"
    await respond(session, url, text="done", replace_original=True)
    replaced = workspace.message(GENERAL, ts)
    assert (replaced.plain, replaced.buttons, replaced.metadata) == ("done", [], metadata)
    await respond(session, url, delete_original=True)
    assert workspace.message(GENERAL, ts).deleted


async def test_ephemerals_change_so(workspace: Workspace, bolt: Bolt, client: Client, session: ClientSession) -> None:
    bolt.app.action("go")(acks())
    await client.chat_postEphemeral(channel=GENERAL, user=ANA, text="psst", blocks=[actions(button("go"))])
    (whispered,) = workspace.ephemerals(ANA)
    url = await clicked(workspace, bolt, whispered.ts)
    assert bolt.seen[-1]["container"]["is_ephemeral"] is True
    assert "message" not in bolt.seen[-1]
    await respond(session, url, text="answered", replace_original=True)
    assert [m.text for m in workspace.ephemerals(ANA)] == ["answered"]
    await respond(session, url, delete_original=True)
    assert workspace.ephemerals(ANA) == []


async def test_response_url_works_elsewhere(workspace: Workspace, bolt: Bolt, session: ClientSession) -> None:
    bolt.app.command("/pay")(acks())
    await workspace.slash(ANA, SECRET, "/pay")
    assert bolt.seen[-1]["channel_name"] == "privategroup"
    await respond(session, bolt.seen[-1]["response_url"], text="hello", response_type="in_channel")
    assert [m.text for m in workspace.messages(SECRET)] == ["/pay", "hello"]


async def test_in_a_thread(workspace: Workspace, bolt: Bolt, client: Client, session: ClientSession) -> None:
    ts = str((await client.chat_postMessage(channel=GENERAL, text="c", blocks=[actions(button("go"))]))["ts"])
    url = await clicked(workspace, bolt, ts)
    await respond(session, url, text="reply", response_type="in_channel", thread_ts=ts, replace_original=False)
    assert [m.text for m in workspace.messages(GENERAL, thread_ts=ts)] == ["c", "reply"]


async def test_faults(workspace: Workspace, session: ClientSession, command_url: str) -> None:
    workspace.faults.arm(Fault(FaultKind.ERROR_500, "response_url"))
    assert (await respond(session, command_url, text="x"))[0] == 500
    assert workspace.ephemerals(ANA) == []
    workspace.faults.arm(Fault(FaultKind.DONE_500, "response_url"))
    assert (await respond(session, command_url, text="x"))[0] == 500
    assert len(workspace.ephemerals(ANA)) == 1


async def test_guessed_response_url_is_refused(workspace: Workspace, session: ClientSession) -> None:
    assert (await respond(session, f"{workspace.url}/commands/T0HOME/X/Y", text="x"))[0] == 404
