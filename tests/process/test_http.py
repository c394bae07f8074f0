"""Both HTTP doors of the real process: who is answered how, and the effect of a locked database."""

import json
import random
import secrets
import time
from collections.abc import AsyncIterator
from io import BytesIO
from urllib.parse import urlencode

import pytest
import pytest_asyncio

from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.databases import locked
from tests.support.posting import signed
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA

OURS = "203.0.113.7"
"""A source that the shared scene allows, as its proxy (this machine) reports it."""
COMMAND = urlencode(
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
at_the_door = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guarded(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Scene]:
    """A bot that takes callbacks from one network, through a proxy; with one payout that waits for approval."""
    scene = await Scene.open(
        tmp_path_factory.mktemp("guarded"), CALLBACK_ALLOWED_SOURCES="203.0.113.0/24", TRUSTED_PROXIES="127.0.0.1"
    )
    await scene.pay()
    await scene.workspace.until(lambda: scene.cards(APPROVALS))
    yield scene
    await scene.close()


async def _request(
    scene: Scene, token: str, forwarded: str | None = OURS, *, method: str = "POST"
) -> tuple[int, dict[str, str], bytes]:
    url = f"{scene.bot.url}/callbacks/payments/{token}"
    sent = {"Content-Type": "application/json"} | ({"X-Forwarded-For": forwarded} if forwarded else {})
    async with scene.session.request(method, url, data=BytesIO(b"{}"), headers=sent) as answer:
        seen = {name: value for name, value in answer.headers.items() if name != "Date"}
        return answer.status, seen, await answer.read()


def _known(scene: Scene) -> str:
    return scene.callback_addresses()["confirmation_uri"].rpartition("/")[2]


@at_the_door
async def test_unauthorized_callbacks_get_identical_404_answers(guarded: Scene) -> None:
    known = _known(guarded)
    unknown = (secrets.token_urlsafe(32), known[:-1] + ("A" if known[-1] != "A" else "B"), "short", "x" * 2_000)
    sources = (None, "198.51.100.1", f"{OURS}, 198.51.100.1", "nonsense")
    answers = [
        *[await _request(guarded, token) for token in (*unknown, "%C3%A9" * 43)],
        *[await _request(guarded, known, method=method) for method in ("GET", "PUT", "DELETE", "PATCH")],
        *[await _request(guarded, known, source) for source in sources],
    ]
    assert {answer[0] for answer in answers} == {404}
    assert all(answer == answers[0] for answer in answers)


@at_the_door
@pytest.mark.parametrize("path", ["/slack/events", "/callbacks/payments/{token}"])
async def test_unreadable_body_is_400_and_disconnect_is_no_error(guarded: Scene, path: str) -> None:
    start = f"POST {path.format(token=_known(guarded))} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {OURS}\r\n"
    for sent in (
        "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nno gzip..",
        "Content-Encoding: deflate\r\nContent-Length: 9\r\n\r\nno flate.",
        "Transfer-Encoding: chunked\r\n\r\nnot a length\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nabcdefg\r\n",
        "Content-Length: -5\r\n\r\nabc",
    ):
        answer = await guarded.send_raw(f"{start}Connection: close\r\n{sent}".encode())
        assert answer.split(b" ")[1] == b"400", sent
    await guarded.send_raw(f"{start}Content-Length: 99\r\n\r\nabc".encode(), end=True)
    async with guarded.session.get(f"{guarded.bot.url}/healthz") as alive:
        assert alive.status == 200  # that it wrote no traceback is seen at the end


@at_the_door
async def test_slack_request_must_be_signed_within_five_minutes(guarded: Scene) -> None:
    def ago(seconds: int) -> str:
        return str(int(time.time()) - seconds)

    for sent in ({}, *(signed(COMMAND, stamp=ago(one)) for one in (302, -302)), signed(COMMAND, secret="another")):
        assert await guarded.post(COMMAND, sent) == (401, '{"error": "invalid request"}')
    for seconds in (0, 295, -295):
        status, text = await guarded.post(COMMAND, signed(COMMAND, stamp=ago(seconds)))
        assert (status, "text" in json.loads(text)) == (200, True)
    for method in ("GET", "PUT", "DELETE"):
        async with guarded.session.request(method, guarded.slack_url) as answer:
            assert answer.status == 405


@at_the_door
async def test_replayed_slack_request_has_no_effect(guarded: Scene) -> None:
    typed = await guarded.workspace.slash(MARIA, FINANCE, "/pay", "help")
    assert typed.body
    again = await guarded.workspace.resend(typed)
    assert (again.status, again.body) == (200, "")


@at_the_door
async def test_no_pair_of_signature_headers_makes_the_server_fail(guarded: Scene) -> None:
    chance = random.Random(20261120)  # noqa: S311 - repeatable on purpose
    good = signed(COMMAND)
    stamps = [good["X-Slack-Request-Timestamp"].encode(), b"", b"0", b"-", b"+1", b"0x10", b"1_000", b"\xc2\xb2"]
    signatures = [good["X-Slack-Signature"].encode(), b"", b"v0=", b"v0=" + b"g" * 64, b"=", b"v0=" + b"\xff" * 32]
    body = COMMAND + b"&x=1"
    for _ in range(300):
        stamp, signature = (_mutated(chance.choice(known), chance) for known in (stamps, signatures))
        answer = await guarded.send_raw(  # bytes that no client library would send
            b"POST /slack/events HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
            b"Content-Type: application/x-www-form-urlencoded\r\n"
            b"X-Slack-Request-Timestamp: " + stamp + b"\r\nX-Slack-Signature: " + signature + b"\r\n"
            b"Content-Length: " + str(len(body)).encode() + b"\r\n\r\n" + body
        )
        assert answer.split(b" ", 2)[1] in (b"400", b"401"), (stamp, signature)


def _mutated(value: bytes, chance: random.Random) -> bytes:
    letters = bytearray(value)
    for _ in range(chance.randrange(4)):
        at = chance.randrange(len(letters) + 1)
        letters[at : at + chance.randrange(2)] = bytes([chance.choice([9, 32, 48, 57, 61, 127, 128, 178, 233, 255])])
    return bytes(letters)


async def test_callback_is_503_while_the_database_is_locked(open_scene: Opening) -> None:
    scene = await open_scene(simulator={"step_seconds": None})
    await scene.pay_and_approve()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Sent: "))
    with locked(scene.database):
        status, headers, _ = await _request(scene, _known(scene))
        assert (status, headers["Retry-After"]) == (503, "5")
        async with scene.session.get(f"{scene.bot.url}/healthz") as answer:
            assert answer.status == 200
    assert (await _request(scene, _known(scene)))[0] == 200
    await scene.payments.advance()
    await scene.completed_once()


async def test_vote_that_cannot_be_stored_is_not_called_recorded(open_scene: Opening) -> None:
    scene = await open_scene(workspace={"ack_seconds": 60.0})  # while it is locked for as long as the test wants
    await scene.pay()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].button("payout.approve"))
    await scene.settled()
    with locked(scene.database):
        assert (await scene.press("approve")).ok
        told = await scene.workspace.until(lambda: scene.ephemerals(ADA))
    assert "Approved" not in told[-1]
    assert any(said in told[-1] for said in ("Nothing was done.", "can't tell whether", "may still go through"))
    await scene.press("approve")
    await scene.completed_once()
