"""``POST /slack/events`` of the real process: signed and unsigned requests."""

import json
import random
import time
from urllib.parse import urlencode

import pytest

from tests.process.scene import Scene
from tests.support.posting import signed
from tests.support.rig import FINANCE, MARIA

pytestmark = pytest.mark.asyncio(loop_scope="module")

BODY = urlencode(
    {
        "command": "/pay",
        "text": "approvals",
        "team_id": "T0HOME",
        "user_id": MARIA,
        "channel_id": FINANCE,
        "trigger_id": "1.2.3",
        "response_url": "https://hooks.slack.com/commands/T0HOME/1/abc",
    }
).encode()


def ago(seconds: int) -> str:
    return str(int(time.time()) - seconds)


async def test_what_slack_did_not_sign_within_five_minutes_is_refused(shared: Scene) -> None:
    for sent in ({}, signed(BODY, stamp=ago(302)), signed(BODY, stamp=ago(-302)), signed(BODY, secret="another")):
        assert await shared.post(BODY, sent) == (401, '{"error": "invalid request"}')
    for seconds in (0, 295, -295):
        status, text = await shared.post(BODY, signed(BODY, stamp=ago(seconds)))
        assert (status, json.loads(text)["text"]) == (200, ":tada: You're all caught up. Nothing waits for approval.")


async def test_no_pair_of_headers_makes_the_server_fail(shared: Scene) -> None:
    chance = random.Random(20261120)  # noqa: S311 - repeatable on purpose
    good = signed(BODY)
    stamps = [good["X-Slack-Request-Timestamp"].encode(), b"", b"0", b"-", b"+1", b"0x10", b"1_000", b"\xc2\xb2"]
    signatures = [good["X-Slack-Signature"].encode(), b"", b"v0=", b"v0=" + b"g" * 64, b"=", b"v0=" + b"\xff" * 32]
    for _ in range(300):
        stamp, signature = (_mutated(chance.choice(known), chance) for known in (stamps, signatures))
        status = await _post_raw(shared, BODY + b"&x=1", stamp, signature)
        assert status in {400, 401}, (stamp, signature)


def _mutated(value: bytes, chance: random.Random) -> bytes:
    letters = bytearray(value)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(letters) + 1)
        letters[at : at + chance.randrange(2)] = bytes([chance.choice([9, 32, 48, 57, 61, 127, 128, 178, 233, 255])])
    return bytes(letters)


async def _post_raw(scene: Scene, body: bytes, stamp: bytes, signature: bytes) -> int:
    """A request with header bytes that no client library would send."""
    answer = await scene.send_raw(
        b"POST /slack/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        b"Content-Type: application/x-www-form-urlencoded\r\n"
        b"X-Slack-Request-Timestamp: " + stamp + b"\r\nX-Slack-Signature: " + signature + b"\r\n"
        b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
    )
    return int(answer.split(b" ", 2)[1])


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_only_post_is_understood(shared: Scene, method: str) -> None:
    async with shared.session.request(method, shared.slack_url) as answer:
        assert answer.status == 405
