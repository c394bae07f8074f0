"""No secret in anything the real process writes, at level DEBUG of every library, through a flow with faults."""

import base64
import json
import secrets
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from urllib.parse import quote, quote_plus

import pytest

from bot.playground.faults import Fault, FaultKind
from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, ZOE

UNSIGNED = "unsigned-body-sentinel"
STRANGE_TOKEN = "T0ken-Of-Nobody-Sentinel-" + "x" * 18
OWN_SECRETS = (
    *("SECRET_KEY", "DELIVERY_MASTER_KEY", "LOCALIZATION_API_KEY", "EMAIL_API_KEY", "PAYMENTS_PARTNER_SECRET"),
    *("SLACK_BOT_TOKEN", "SLACK_SIGNING_SECRET", "SLACK_APP_TOKEN"),
)


@pytest.mark.parametrize("log_format", ["console", pytest.param("json", marks=pytest.mark.campaign)])
@pytest.mark.parametrize("socket_mode", [False, pytest.param(True, marks=pytest.mark.campaign)], ids=["http", "socket"])
async def test_no_secret_is_written_anywhere(open_scene: Opening, log_format: str, socket_mode: bool) -> None:
    own = {name: f"{name.casefold()}+sentinel/{secrets.token_hex(8)}" for name in OWN_SECRETS}
    own["SLACK_BOT_TOKEN"] = f"xoxb-{secrets.token_hex(12)}"
    own["SLACK_APP_TOKEN"] = f"xapp-{secrets.token_hex(12)}"
    store_key = f"store-sentinel-{secrets.token_hex(8)}"
    scene = await open_scene(
        socket_mode=socket_mode,
        workspace={one: own[f"SLACK_{one.upper()}"] for one in ("bot_token", "app_token", "signing_secret")},
        simulator={"partner_secret": own["PAYMENTS_PARTNER_SECRET"]},
        PLAY_LEVEL="DEBUG",
        LOG_FORMAT=log_format,
        DELIVERY_STORE_KEYS=json.dumps({"Centro": store_key}),
        **{name: own[name] for name in OWN_SECRETS[:4]},
    )
    try:
        response_urls = await _live_through_faults(scene)
        scene.emails.api_key = own["EMAIL_API_KEY"]
        await _process_addresses(scene)
        await _bother(scene)
        written = _everything_written(scene)
    finally:
        await scene.bot.stop()
    tokens = [url.rpartition("/")[2] for n in range(2) for url in scene.callback_addresses(n).values()]
    assert len(set(tokens)) == 6
    assert len(response_urls) > 3
    needles = {name: value for name, value in own.items() if value in scene.bot.environment.values()}
    needles |= {f"callback token {n}": token for n, token in enumerate(tokens)}
    needles |= {f"response URL {n}": url.rpartition("/")[2] for n, url in enumerate(response_urls)}
    needles |= {"store key": store_key, "unsigned body": UNSIGNED, "unknown token": STRANGE_TOKEN}
    found = [
        f"{name} in {place}"
        for name, secret in needles.items()
        for spelling in _spellings(secret)
        for place, content in written.items()
        if spelling in content
    ]
    assert not found
    for library in (b"slack_sdk", b"sqlalchemy", b"aiosqlite", b"apscheduler"):
        assert library in written["stdout.log"]  # it did log at DEBUG


async def _live_through_faults(scene: Scene) -> list[str]:
    """Run payouts through many faults; returns the response URLs that Slack issued."""
    payments, slack = scene.payments.faults, scene.workspace.faults
    for faults, kind, operation in (
        (payments, FaultKind.GARBAGE, "account_status"),
        (payments, FaultKind.DONE_500, "create_payout"),
        (payments, FaultKind.LOST, "list_operations"),
        (payments, FaultKind.GARBAGE, "commit_payout"),
        (payments, FaultKind.TOO_MANY, "get_operation"),
        (slack, FaultKind.TOO_MANY, "chat.postMessage"),
        (slack, FaultKind.GARBAGE, "chat.update"),
        (slack, FaultKind.ERROR_500, "users.info"),
        (slack, FaultKind.LOST, "response_url"),
        (slack, FaultKind.REFUSED, "views.open"),
    ):
        faults.arm(Fault(kind, operation))
    acks = [await scene.pay("send"), await scene.pay("help"), await scene.pay("send x y z"), await scene.pay()]
    acks += [await scene.press("approve", user=ZOE), await scene.press("approve"), await scene.pay("approvals")]
    await scene.completed_once()
    acks.append(await scene.pay("send ana@example.com 2000.00 Rent"))
    acks += [await scene.press("approve", user=LIN), await scene.press("approve", user=LIN)]  # the form fails once
    acks.append(await scene.workspace.submit(LIN, {"amount": "2000.00"}))
    acks.append(await scene.press("reject"))
    acks.append(await scene.workspace.submit(ADA, {"reason": "too much"}))
    await scene.workspace.until(lambda: [text for text in scene.news(FINANCE) if "*Rejected*" in text])
    await scene.settled()
    sent = [ack.request.payload for ack in acks if ack.request is not None]
    return [str(payload["response_url"]) for payload in sent if payload.get("response_url")]


async def _process_addresses(scene: Scene) -> None:
    """Process addresses, whose key travels in URLs and forms, with every fault and with a refused key."""
    for kind in (FaultKind.LOST, FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.GARBAGE, FaultKind.REFUSED):
        scene.emails.faults.arm(Fault(kind=kind, operation="check"))
        scene.emails.faults.arm(Fault(kind=kind, operation="process_file"))
    key = scene.emails.api_key
    for number, (how, known) in enumerate((("rows", True), ("whole", True), ("rows", False), ("whole", False)), 1):
        scene.emails.api_key = key if known else "another"
        await scene.workspace.slash(MARIA, FINANCE, "/email", "check ana+x@example.com")
        await scene.workspace.slash(MARIA, FINANCE, "/email", "file")
        content = b"email\n" + b"".join(b"p%d@example.com\n" % n for n in range(30))
        await scene.workspace.submit(MARIA, {"file": [scene.workspace.upload(MARIA, f"list{number}.csv", content)]})
        await scene.workspace.until(lambda: (form := scene.workspace.modal(MARIA)) and form.callback_id == "email.list")
        await scene.workspace.submit(MARIA, {"how": how})
        ends = ("Done.", "Nothing was checked", "didn't send the file again", "Paused")
        await scene.workspace.until(partial(_ended, scene, f"list{number}.csv", ends), timeout=60)


def _ended(scene: Scene, name: str, ends: Iterable[str]) -> bool:
    boards = [one.text for one in scene.workspace.messages(FINANCE) if f"Process e-mails: {name}" in one.text]
    return any(end in text for text in boards for end in ends)


async def _bother(scene: Scene) -> None:
    """Send requests of strangers: unsigned bodies, unknown addresses, bytes that are not HTTP."""
    body = f"payload={UNSIGNED}&text={UNSIGNED}".encode()
    await scene.post(body, {"Content-Type": "application/x-www-form-urlencoded"})
    await scene.post(body, {"X-Slack-Signature": f"v0={UNSIGNED}", "X-Slack-Request-Timestamp": UNSIGNED})
    for path in (f"/callbacks/payments/{STRANGE_TOKEN}", f"/callbacks/delivery/{STRANGE_TOKEN}", f"/{STRANGE_TOKEN}"):
        for method in ("POST", "GET"):
            url = f"{scene.bot.url}{path}?q={UNSIGNED}"
            async with scene.session.request(method, url, data=UNSIGNED.encode()) as answer:
                assert answer.status == 404
    start = f"POST /callbacks/payments/{STRANGE_TOKEN} HTTP/1.1\r\nHost: x\r\n".encode()
    for rest in (
        f"X-Broken: \x7f{UNSIGNED}\r\n\r\n".encode(),
        f"Transfer-Encoding: chunked\r\n\r\n{UNSIGNED}\r\n".encode(),
        f"Transfer-Encoding: chunked\r\n\r\n5\r\n{UNSIGNED}\r\n".encode(),
        f"Content-Encoding: gzip\r\nContent-Length: 22\r\n\r\n{UNSIGNED}".encode(),
        f"Content-Length: 9999\r\n\r\n{UNSIGNED}".encode(),
    ):
        await scene.send_raw(start + rest, end=True)
    await scene.send_raw(f"{UNSIGNED} /{STRANGE_TOKEN} nonsense\r\n\r\n".encode(), end=True)


def _everything_written(scene: Scene) -> dict[str, bytes]:
    """Both streams, every file of the database, all calls to Slack, and the answers of the open addresses."""
    files = [path for path in Path(scene.folder).iterdir() if path.is_file() and path.name != "policy.toml"]
    written = {path.name: path.read_bytes() for path in files}
    assert {"stdout.log", "switchboard.db", "switchboard.db-wal"} <= set(written)
    calls = [json.dumps([call.method, call.args, call.error], default=str) for call in scene.workspace.calls]
    return written | {"Slack": "\n".join(calls).encode(), "picture": scene.workspace.picture().encode()}


def _spellings(secret: str) -> Iterable[bytes]:
    yield from {secret.encode(), quote(secret, safe="").encode(), quote_plus(secret).encode()}
    for before in range(3):
        yield base64.b64encode(bytes(before) + secret.encode())[4:-4]


async def test_secret_search_finds_a_planted_secret(open_scene: Opening) -> None:
    scene = await open_scene(SECRET_KEY="the-canary-key-0123456789")
    await scene.pay('send ana@example.com 25.00 "the-canary-key-0123456789"', user=MARIA)
    await scene.workspace.until(lambda: scene.cards(APPROVALS))
    written = _everything_written(scene)
    found = {
        place for place, content in written.items() for one in _spellings("the-canary-key-0123456789") if one in content
    }
    assert {"switchboard.db-wal", "Slack", "picture"} <= found
