"""Files of people: by their id, streamed, bounded, with the token for Slack's own host alone."""

import json
from collections.abc import AsyncIterator, Awaitable, Mapping
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession, web

from bot.domain.errors import OperatorError, ServiceNow
from bot.domain.files.dropped import FileInfo, FileTrouble, Share, UnusableFile
from bot.playground.workspace import Workspace
from bot.slack.files import Downloads, read_info
from tests.slack.conftest import Api, client_of, serving
from tests.support.rig import FINANCE, MARIA

SAMPLES = Path(__file__).parent / "samples"
DATA = bytes(range(256)) * 2_000


@pytest.fixture
def downloads(workspace: Workspace, session: ClientSession) -> Downloads:
    return made(workspace.api_url, session)


def made(url: str, session: ClientSession, token: str = "xoxb-playground") -> Downloads:
    return Downloads(client=client_of(url, session, token), session=session, token=token, api_url=url)


async def trouble_of(asked: Awaitable[object]) -> FileTrouble:
    with pytest.raises(UnusableFile) as refused:
        await asked
    return refused.value.trouble


async def read(downloads: Downloads, info: FileInfo, *, limit: int = 10_000_000) -> bytes:
    async with downloads.open(info, limit=limit) as body:
        return b"".join([chunk async for chunk in body])


async def test_a_file_is_read_by_its_id(workspace: Workspace, downloads: Downloads) -> None:
    root = await workspace.say(MARIA, FINANCE, "root")
    message = await workspace.drop(MARIA, FINANCE, "Ä b.bin", DATA, thread_ts=root.ts, duration_ms=1_500)
    info = await downloads.info(message.files[0])
    assert (info.id, info.name, info.size, info.user) == (message.files[0], "Ä b.bin", len(DATA), MARIA)
    assert (info.duration_ms, info.channels) == (1_500, frozenset({FINANCE}))
    assert info.share_in(FINANCE) == Share(channel=FINANCE, ts=message.ts, thread_ts=root.ts)
    assert await read(downloads, info) == DATA
    assert await downloads.head(info, most=100) == DATA[:100]


@pytest.mark.parametrize(("start", "most"), [(0, 10), (300, 700), (len(DATA) - 5, 100), (len(DATA), 1), (5, 0)])
async def test_part_of_a_file_is_read_by_range(
    workspace: Workspace, downloads: Downloads, start: int, most: int
) -> None:
    info = await downloads.info(workspace.upload(MARIA, "a.bin", DATA))
    assert await downloads.part(info, start=start, most=most) == DATA[start : start + most]


@pytest.mark.parametrize(("start", "read"), [(100, b"abc"), (4 * 1024 * 1024, b"abc"), (4 * 1024 * 1024 + 1, b"")])
async def test_without_ranges_a_few_megabytes_are_read(session: ClientSession, start: int, read: bytes) -> None:
    whole, asked = bytes(start) + b"abc" + bytes(5_000_000), []

    async def give(request: web.Request) -> web.Response:
        asked.append(request.headers["Range"])
        return web.Response(body=whole, content_type="video/mp4")

    async with serving(give) as url:
        info = FileInfo(id="F1", name="a.mp4", size=len(whole), mimetype="video/mp4", user=MARIA, url=f"{url}/a.mp4")
        assert await made(url, session).part(info, start=start, most=3) == read
    assert asked == [f"bytes={start}-{start + 2}"]


@pytest.mark.parametrize(("error", "trouble"), [
    ("file_deleted", FileTrouble.DELETED), ("file_not_found", FileTrouble.UNKNOWN),
    ("not_visible", FileTrouble.UNKNOWN), ("access_denied", FileTrouble.DENIED),
])  # fmt: skip
async def test_slack_refusal_carries_its_reason(
    api: Api, session: ClientSession, error: str, trouble: FileTrouble
) -> None:
    api.say("files.info", {"ok": False, "error": error})
    assert await trouble_of(made(api.url, session).info("F0ONE")) is trouble


async def test_too_large_file_is_refused_before_downloading(workspace: Workspace, downloads: Downloads) -> None:
    info = await downloads.info(workspace.upload(MARIA, "a.bin", DATA))
    workspace.set_file(info.id, odd="deleted")  # a request would be answered with 404
    with pytest.raises(UnusableFile) as refused:
        await read(downloads, info, limit=len(DATA) - 1)
    assert (refused.value.trouble, refused.value.limit) == (FileTrouble.TOO_LARGE, len(DATA) - 1)


@pytest.mark.parametrize(("data", "trouble"), [(b"", FileTrouble.EMPTY), (DATA, FileTrouble.DELETED)])
async def test_gone_meanwhile(workspace: Workspace, downloads: Downloads, data: bytes, trouble: FileTrouble) -> None:
    info = await downloads.info(workspace.upload(MARIA, "a.bin", data))
    await workspace.delete_file(MARIA, info.id)
    assert await trouble_of(read(downloads, info)) is trouble


@pytest.mark.parametrize("size", [len(DATA) - 1, len(DATA) + 1])
async def test_download_of_unexpected_length_is_refused(workspace: Workspace, downloads: Downloads, size: int) -> None:
    file_id = workspace.upload(MARIA, "a.bin", DATA)
    workspace.set_file(file_id, size=size)
    info = await downloads.info(file_id)
    async with downloads.open(info, limit=10_000_000) as body:
        with pytest.raises(UnusableFile) as refused:
            async for _ in body:
                pass
        assert body.failure is refused.value
    assert refused.value.trouble is FileTrouble.CHANGED


async def test_sign_in_page_is_not_a_file(workspace: Workspace, downloads: Downloads, session: ClientSession) -> None:
    info = await downloads.info(workspace.upload(MARIA, "a.csv", DATA))
    stranger = Downloads(client=downloads._client, session=session, token="xoxb-wrong", api_url=workspace.api_url)
    with pytest.raises(OperatorError, match="download"):
        await read(stranger, info)


async def test_missing_scope_is_reported(api: Api, session: ClientSession) -> None:
    api.say("files.info", {"ok": False, "error": "missing_scope", "needed": "files:read"})
    with pytest.raises(OperatorError) as refused:
        await made(api.url, session).info("F1")
    assert "files:read" in refused.value.mend


class Elsewhere:
    """A host that is not Slack's, and what it was sent."""

    def __init__(self) -> None:
        self.seen: list[Mapping[str, str]] = []
        self.answer: web.StreamResponse | None = None
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        self.seen.append(dict(request.headers))
        assert self.answer is not None
        return self.answer


@pytest.fixture
async def elsewhere() -> AsyncIterator[Elsewhere]:
    made = Elsewhere()
    async with serving(made.handle) as made.url:
        yield made


def info_at(url: str, size: int = 4) -> FileInfo:
    return FileInfo(id="F1", name="a", size=size, mimetype="", user=MARIA, url=url)


async def test_no_redirect_is_followed(session: ClientSession, elsewhere: Elsewhere) -> None:
    """Slack's own host sends us to another one: the token stays."""
    front = Elsewhere()
    front.answer = web.Response(status=302, headers={"Location": f"{elsewhere.url}/file"})
    async with serving(front.handle) as own:
        with pytest.raises(OperatorError):
            await read(made(f"{own}/api/", session, "xoxb-secret"), info_at(f"{own}/files-pri/x"))
    assert front.seen[0]["Authorization"] == "Bearer xoxb-secret"
    assert elsewhere.seen == []


async def test_token_is_sent_to_slack_only(downloads: Downloads, elsewhere: Elsewhere) -> None:
    elsewhere.answer = web.Response(body=b"data")
    assert await trouble_of(read(downloads, info_at(f"{elsewhere.url}/x"))) is FileTrouble.EXTERNAL
    assert elsewhere.seen == []


async def test_a_connection_that_breaks_in_the_middle(session: ClientSession) -> None:
    async def broken(request: web.Request) -> web.StreamResponse:
        answer = web.StreamResponse(headers={"Content-Length": "1000"})
        await answer.prepare(request)
        await answer.write(b"x" * 10)
        assert request.transport is not None
        request.transport.close()
        return answer

    async with serving(broken) as own:
        with pytest.raises(ServiceNow) as silent:
            await read(made(f"{own}/api/", session), info_at(f"{own}/a-secret-path", size=1_000))
    assert "a-secret-path" not in str(silent.value)


def sample(**changes: Any) -> dict[str, Any]:
    file: dict[str, Any] = json.loads((SAMPLES / "file.json").read_text())
    return {**file, **changes}


@pytest.mark.parametrize("sign", [{"bot_id": "B1"}, {"display_as_bot": True}])
def test_file_uploaded_by_an_app_for_a_person_is_recognized(sign: dict[str, Any]) -> None:
    assert (read_info(sample(**sign)).by_app, read_info(sample(display_as_bot=False)).by_app) == (True, False)


def test_a_file_object_as_slack_writes_it() -> None:
    info = read_info(sample())
    assert (info.id, info.name, info.size, info.mimetype) == ("F0KAGT0001", "board.gif", 52_211, "image/gif")
    assert info.share_in("C0KAGT0001") == Share(
        channel="C0KAGT0001", ts="1763700001.000100", thread_ts="1763700000.000100"
    )
    assert info.channels == {"C0KAGT0001", "D0KAGT0001"}


@pytest.mark.parametrize(("changes", "trouble"), [
    ({"mode": "tombstone"}, FileTrouble.DELETED), ({"mode": "hidden_by_limit"}, FileTrouble.HIDDEN),
    ({"mode": "external"}, FileTrouble.EXTERNAL), ({"is_external": True}, FileTrouble.EXTERNAL),
    ({"mode": "quip"}, FileTrouble.PAGE), ({"mode": "post"}, FileTrouble.PAGE), ({"mode": "docs"}, FileTrouble.PAGE),
    ({"file_access": "access_denied"}, FileTrouble.DENIED),
    ({"mode": "file_access", "file_access": "check_file_info"}, FileTrouble.PROCESSING),
    ({"url_private": None, "url_private_download": None}, FileTrouble.PROCESSING),
])  # fmt: skip
def test_odd_file_objects(changes: dict[str, Any], trouble: FileTrouble) -> None:
    with pytest.raises(UnusableFile) as refused:
        read_info(sample(**changes))
    assert refused.value.trouble is trouble


def test_unnamed_file_uses_its_title() -> None:
    assert read_info(sample(name=None, title="Board")).name == "Board"
    assert read_info(sample(name=None, title="")).name == "F0KAGT0001"
    assert read_info(sample(size=None, shares=None, channels=None, url_private_download="")).size == 0


def test_file_name_holds_only_storable_characters() -> None:
    file = {"id": "F1", "name": "ta\x00l\ud83dk.wav", "size": 1, "url_private": "https://files.slack.com/x"}
    assert ascii(read_info(file).name) == "'talk.wav'"
