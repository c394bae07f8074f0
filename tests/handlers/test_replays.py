"""A captured request acts once, in whichever process it arrives; requests of another app have no effect."""

import json
import time
from urllib.parse import urlencode

import aiohttp
import pytest

from tests.support.posting import signed
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, Rig
from tests.workflows.looking import newest, requests, votes


async def send(url: str, body: bytes, *, stamp: str) -> tuple[int, str]:
    headers, url = signed(body, stamp=stamp), f"{url}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=headers) as answer:
        return answer.status, await answer.text()


def command(text: str, **more: str) -> bytes:
    fields = {"command": "/pay", "text": text, "team_id": "T0HOME", "user_id": MARIA, "channel_id": FINANCE}
    return urlencode({**fields, "trigger_id": "1.1", **more}).encode()


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", clock=None, around={"ticking": False})
async def test_a_captured_request_has_no_effect_in_another_process(rig: Rig) -> None:
    other = await rig.start_another("another", ticking=False)
    stamp, body = str(int(time.time())), command("help")
    status, told = await send(rig.switchboard.url, body, stamp=stamp)
    assert (status, "/pay send" in told) == (200, True)
    assert await send(other.url, body, stamp=stamp) == (200, "")
    assert await send(rig.switchboard.url, body, stamp=stamp) == (200, "")
    status, told = await send(other.url, command("help", trigger_id="2.2"), stamp=stamp)
    assert (status, "/pay send" in told) == (200, True)


async def test_a_request_of_another_app_has_no_effect(rig: Rig) -> None:
    await rig.pay()
    stamp, found, card = str(int(rig.clock.seconds())), await newest(rig), await rig.card()
    value = next(button.value for button in card.buttons if button.action_id == "payout.approve")
    click = {
        "type": "block_actions",
        "team": {"id": "T0HOME"},
        "user": {"id": ADA, "team_id": "T0HOME"},
        "container": {"channel_id": APPROVALS, "message_ts": card.ts},
        "channel": {"id": APPROVALS},
        "actions": [{"action_id": "payout.approve", "value": value, "type": "button"}],
        "trigger_id": "9.9",
    }
    url, ours = rig.switchboard.url, rig.workspace.identity.app_id
    asked = command("send ana@example.com 3.00 x", api_app_id="A0ELSE")
    assert await send(url, asked, stamp=stamp) == (200, "")
    pressed = urlencode({"payload": json.dumps({**click, "api_app_id": "A0ELSE"})}).encode()
    assert await send(url, pressed, stamp=stamp) == (200, "")
    await rig.settle()
    assert [one.id for one in await requests(rig)] == [found.id]
    assert not await votes(rig)
    pressed = urlencode({"payload": json.dumps({**click, "api_app_id": ours})}).encode()
    assert (await send(url, pressed, stamp=stamp))[0] == 200
    assert [vote.person for vote in await votes(rig)] == [ADA]
