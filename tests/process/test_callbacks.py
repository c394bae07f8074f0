"""``/callbacks/payments/{token}`` of the real process: who is answered how, and the effect of a locked database."""

import secrets
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
import pytest_asyncio

from tests.process.conftest import Opening
from tests.process.scene import Scene
from tests.support.databases import locked
from tests.support.rig import ADA, APPROVALS

OURS = "203.0.113.7"
"""A source that the shared scene allows, as its proxy (this machine) reports it."""


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
    scene: Scene, token: str, forwarded: str | None = OURS, *, method: str = "POST", body: bytes = b"{}"
) -> tuple[int, dict[str, str], bytes]:
    url = f"{scene.bot.url}/callbacks/payments/{token}"
    sent = {"Content-Type": "application/json"} | ({"X-Forwarded-For": forwarded} if forwarded else {})
    async with scene.session.request(method, url, data=BytesIO(body), headers=sent) as answer:
        seen = {name: value for name, value in answer.headers.items() if name != "Date"}
        return answer.status, seen, await answer.read()


def _known(scene: Scene) -> str:
    return scene.callback_addresses()["confirmation_uri"].rpartition("/")[2]


@pytest.mark.asyncio(loop_scope="module")
async def test_whoever_has_no_right_to_know_gets_the_same_404_byte_for_byte(guarded: Scene) -> None:
    known = _known(guarded)
    unknown = secrets.token_urlsafe(32)
    answers = [
        await _request(guarded, unknown),
        await _request(guarded, known[:-1] + ("A" if known[-1] != "A" else "B")),
        await _request(guarded, "short"),
        await _request(guarded, "x" * 2_000),
        await _request(guarded, "%C3%A9" * 43),
        *[await _request(guarded, known, method=method) for method in ("GET", "PUT", "DELETE", "PATCH")],
        await _request(guarded, known, None),
        await _request(guarded, known, "198.51.100.1"),
        await _request(guarded, known, f"{OURS}, 198.51.100.1"),
        await _request(guarded, known, "nonsense"),
    ]
    assert {answer[0] for answer in answers} == {404}
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("path", ["/slack/events", "/callbacks/payments/{token}"])
@pytest.mark.parametrize(
    "sent",
    [
        "Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nno gzip..",
        "Content-Encoding: deflate\r\nContent-Length: 9\r\n\r\nno flate.",
        "Transfer-Encoding: chunked\r\n\r\nnot a length\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nabcdefg\r\n",
        "Content-Length: -5\r\n\r\nabc",
    ],
    ids=["gzip", "deflate", "no chunk", "wrong chunk", "negative"],
)
async def test_a_body_that_cannot_be_unpacked_is_the_senders_fault(guarded: Scene, path: str, sent: str) -> None:
    start = f"POST {path.format(token=_known(guarded))} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    answer = await guarded.send_raw(f"{start}X-Forwarded-For: {OURS}\r\n{sent}".encode())
    assert answer.split(b" ")[1] == b"400"


@pytest.mark.asyncio(loop_scope="module")
async def test_a_sender_who_leaves_in_the_middle_is_no_failure(guarded: Scene) -> None:
    for path in ("/slack/events", f"/callbacks/payments/{_known(guarded)}"):
        start = f"POST {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {OURS}\r\nContent-Length: 99\r\n\r\nabc"
        await guarded.send_raw(start.encode(), end=True)
    async with guarded.session.get(f"{guarded.bot.url}/healthz") as answer:
        assert answer.status == 200  # that it wrote no traceback is seen at the end


async def test_while_the_database_is_locked_nothing_is_promised(open_scene: Opening) -> None:
    scene = await open_scene(simulator={"step_seconds": None})
    await scene.pay()
    await scene.press("approve")
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Sent: "))
    with locked(scene.database):
        status, headers, _ = await _request(scene, _known(scene))
        assert (status, headers["Retry-After"]) == (503, "5")
        async with scene.session.get(f"{scene.bot.url}/healthz") as answer:
            assert answer.status == 200
    assert (await _request(scene, _known(scene)))[0] == 200
    await scene.payments.advance()
    await scene.completed_once()


async def test_a_vote_that_cannot_be_stored_is_not_called_recorded(open_scene: Opening) -> None:
    scene = await open_scene(workspace={"ack_seconds": 60.0})  # while it is locked for as long as the test wants
    await scene.pay()
    await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].button("payout.approve"))
    await scene.settled()
    with locked(scene.database):
        click = await scene.press("approve")
        assert click.ok
        told = await scene.workspace.until(lambda: scene.ephemerals(ADA))
    assert "Approved" not in told[-1]
    assert any(said in told[-1] for said in ("Nothing was done.", "can't tell whether", "may still go through"))
    await scene.press("approve")
    await scene.completed_once()


@pytest.mark.campaign  # recovery waits for a lease of a minute
async def test_an_answer_that_cannot_be_stored_is_read_again(open_scene: Opening) -> None:
    scene = await open_scene()
    held = scene.payments_gate.hold("commit_payout", after_effect=True)
    await scene.pay()
    await scene.press("approve")
    await held.arrival()
    with locked(scene.database):
        held.release()
        await held.done.wait()
        assert (await _request(scene, _known(scene)))[0] == 503  # by now the answer could not be stored either
    await scene.told("paid", patience=100)
    assert list(scene.executions().values()) == [1]
