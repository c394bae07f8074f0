"""Signed requests as Slack posts them, with any content."""

import time

import aiohttp

from bot.playground.workspace.delivery import sign
from tests.support.rig import Rig

SIGNING_SECRET = "playground-signing-secret"
FORM = "application/x-www-form-urlencoded"


def signed(
    body: bytes, *, stamp: str | None = None, secret: str = SIGNING_SECRET, content_type: str = FORM
) -> dict[str, str]:
    """Headers with which Slack sends this body; ``stamp``: its time, or now."""
    stamp = str(int(time.time())) if stamp is None else stamp
    return {
        "Content-Type": content_type,
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": sign(secret.encode(), stamp, body),
    }


async def post(rig: Rig, body: bytes, content_type: str = FORM, **headers: str) -> int:
    """Post a request with Slack's signature and any content."""
    sent = {**signed(body, stamp=str(int(rig.clock.seconds())), content_type=content_type), **headers}
    url = f"{rig.switchboard.url}/slack/events"
    async with aiohttp.ClientSession() as session, session.post(url, data=body, headers=sent) as answer:
        return answer.status
