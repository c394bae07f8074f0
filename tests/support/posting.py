"""Signed requests as Slack posts them, with any content."""

import aiohttp

from bot.playground.workspace.delivery import sign
from tests.support.rig import Rig


async def post(rig: Rig, body: bytes, content_type: str = "application/x-www-form-urlencoded", **headers: str) -> int:
    """Post a request with Slack's signature and any content."""
    stamp = str(int(rig.clock.seconds()))
    signed = {
        "Content-Type": content_type,
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": sign(b"playground-signing-secret", stamp, body),
        **headers,
    }
    url = f"{rig.switchboard.url}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=signed) as answer:
        return answer.status
