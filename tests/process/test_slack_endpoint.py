"""``POST /slack/events`` of the real process: signed and unsigned requests."""

import json
import random
import time
from collections.abc import Callable
from io import BytesIO
from urllib.parse import urlencode

import pytest

from bot.playground.workspace.delivery import sign
from tests.process.scene import SIGNING_SECRET, Scene
from tests.support.rig import ADA, FINANCE, MARIA

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


def headers(
    *, stamp: str | None = None, body: bytes = BODY, secret: str = SIGNING_SECRET, signature: str | None = None
) -> dict[str, str]:
    """Headers that Slack sends with this body, with the given changes."""
    stamp = str(int(time.time())) if stamp is None else stamp
    return {
        "Content-Type": "application/x-www-form-urlencoded",
        "X-Slack-Request-Timestamp": stamp,
        "X-Slack-Signature": sign(secret.encode(), stamp, body) if signature is None else signature,
    }


def ago(seconds: int) -> str:
    return str(int(time.time()) - seconds)


def without(*names: str) -> dict[str, str]:
    return {name: value for name, value in headers().items() if name not in names}


_REFUSED: dict[str, Callable[[], dict[str, str]]] = {
    "302 s old": lambda: headers(stamp=ago(302)),
    "302 s ahead": lambda: headers(stamp=ago(-302)),
    "a year old": lambda: headers(stamp=ago(31_536_000)),
    "another secret": lambda: headers(secret="another"),
    "signature of another body": lambda: headers(body=BODY + b"x"),
    "wrong signature": lambda: headers(signature="v0=" + "0" * 64),
    "signature in capitals": lambda: headers(signature=headers()["X-Slack-Signature"].upper()),
    "signature without version": lambda: headers(signature=headers()["X-Slack-Signature"].removeprefix("v0=")),
    "another version": lambda: headers(signature=headers()["X-Slack-Signature"].replace("v0", "v1")),
    "empty signature": lambda: headers(signature=""),
    "signature that is not ASCII": lambda: headers(signature="v0=" + "é" * 64),
    "signature in full-width digits": lambda: headers(signature="v0=" + "１" * 64),
    "no signature": lambda: without("X-Slack-Signature"),
    "no time": lambda: without("X-Slack-Request-Timestamp"),
    "neither": lambda: without("X-Slack-Signature", "X-Slack-Request-Timestamp"),
    "time that is a word": lambda: headers(stamp="yesterday"),
    "time with a fraction": lambda: headers(stamp=f"{time.time():.3f}"),
    "time with an exponent": lambda: headers(stamp="1e9"),
    "time in Arabic digits": lambda: headers(stamp="١٧٩٥٢٢٢٧٩٩"),
    "negative time": lambda: headers(stamp="-1"),
    "time beyond all bounds": lambda: headers(stamp="9" * 400),
    "time that is no number": lambda: headers(stamp="nan"),
    "empty time": lambda: headers(stamp=""),
}


@pytest.mark.parametrize("case", _REFUSED)
async def test_what_slack_did_not_sign_is_refused(shared: Scene, case: str) -> None:
    status, text = await shared.post(BODY, _REFUSED[case]())
    assert (status, text) == (401, '{"error": "invalid request"}')


@pytest.mark.parametrize("seconds", [0, 295, -295])
async def test_what_slack_signed_within_five_minutes_is_handled(shared: Scene, seconds: int) -> None:
    status, text = await shared.post(BODY, headers(stamp=ago(seconds)))
    assert status == 200
    assert json.loads(text)["text"] == ":tada: Nothing waits for approval."


async def test_no_pair_of_headers_makes_the_server_fail(shared: Scene) -> None:
    chance = random.Random(20261120)  # noqa: S311 - repeatable on purpose
    good = headers()
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


async def test_a_body_above_one_mebibyte_is_too_large(shared: Scene) -> None:
    body = b"text=" + b"a" * (1 << 20)
    status, _ = await shared.post(BytesIO(body), headers(body=body))
    assert status == 413


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE"])
async def test_only_post_is_understood(shared: Scene, method: str) -> None:
    async with shared.session.request(method, shared.slack_url) as answer:
        assert answer.status == 405


_FORM = {"id": "V1", "type": "modal", "callback_id": "payout.request"}
_ELSEWHERE = {"team_id": "T0OTHER", "team": {"id": "T0OTHER", "domain": "x"}, "enterprise_id": "E0OTHER"}


async def test_a_signed_request_of_another_workspace_has_no_effect(shared: Scene) -> None:
    before = len(shared.workspace.calls)
    command = {"command": "/pay", "text": "send ana@example.com 3.00 x", "user_id": MARIA, "channel_id": FINANCE}
    click = {"type": "block_actions", "user": {"id": ADA}, "actions": [{"action_id": "payout.approve", "value": "a:1"}]}
    form = {"type": "view_submission", "user": {"id": MARIA}, "view": _FORM}
    event = {"type": "event_callback", "event": {"type": "app_home_opened", "user": MARIA}}
    for body, kind in (
        (urlencode({**command, "trigger_id": "9.9", "team_id": "T0OTHER"}), "application/x-www-form-urlencoded"),
        (urlencode({"payload": json.dumps(click | _ELSEWHERE)}), "application/x-www-form-urlencoded"),
        (urlencode({"payload": json.dumps(form | _ELSEWHERE)}), "application/x-www-form-urlencoded"),
        (json.dumps(event | _ELSEWHERE), "application/json"),
    ):
        status, text = await shared.post_signed(body.encode(), **{"Content-Type": kind})
        assert (status, text) == (200, "")
    assert len(shared.workspace.calls) == before
    assert not [card for card in shared.cards(FINANCE) if "3.00" in card.text]
