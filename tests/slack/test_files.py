"""Sharing a file: three steps, of which only the last is seen, and bytes that go nowhere but to Slack."""

from collections.abc import AsyncIterator

import pytest
from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.content import Content
from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.domain.reasons import Exchange, Reason
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Workspace
from bot.slack.files import Uploads
from bot.slack.messenger import Messenger, Posted, Stretch
from tests.slack.conftest import Api, client_of
from tests.support.rig import FINANCE, MARIA
from tests.support.troubles import says

PNG = b"\x89PNG not really"


@pytest.fixture
def client(workspace: Workspace, session: ClientSession) -> AsyncWebClient:
    return client_of(workspace.api_url, session)


@pytest.fixture
def files(workspace: Workspace, client: AsyncWebClient, session: ClientSession) -> Uploads:
    return Uploads(client=client, session=session, api_url=workspace.api_url)


async def share(files: Uploads, *, comment: str = "look", thread_ts: str | None = None) -> Posted:
    return await files.share(
        name="C-4F7K2M.png",
        content=PNG,
        title="Checkout",
        alt="a" * 2_000,
        comment=comment,
        channel=FINANCE,
        thread_ts=thread_ts,
    )


async def test_a_file_is_shared_with_its_words(workspace: Workspace, files: Uploads, client: AsyncWebClient) -> None:
    root = await Messenger(client=client).post(
        channel=FINANCE, content=Content(text="root"), marker="01KAGT00000000000000000000"
    )
    comment = "é <@U0MARIA> " * 300
    posted = await share(files, comment=comment.strip(), thread_ts=root.ts)
    message = workspace.message(FINANCE, posted.ts)
    assert (message.text, message.thread_ts) == (comment.strip(), root.ts)
    file = workspace.file(message.files[0])
    assert file is not None
    assert (file.content, file.name, file.title, file.mimetype) == (PNG, "C-4F7K2M.png", "Checkout", "image/png")
    assert file.alt_text == "a" * 1_000


async def test_uploaded_file_is_found_by_exact_name_or_title(files: Uploads, client: AsyncWebClient) -> None:
    posted = await share(files)
    messenger = Messenger(client=client)
    for names, found in (({"C-4F7K2M.png"}, posted), ({"x", "Checkout"}, posted), ({"C-4F7K2M"}, None)):
        assert await messenger.find(Stretch(channel=FINANCE, thread_ts=None, oldest=0), names=names) == found


@pytest.mark.parametrize("step", ["files.getUploadURLExternal", "upload"])
@pytest.mark.parametrize(
    "kind", [FaultKind.LOST, FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.DONE_DROPPED, FaultKind.DONE_500]
)
async def test_failed_upload_shares_nothing_and_can_be_repeated(
    workspace: Workspace, files: Uploads, step: str, kind: FaultKind
) -> None:
    workspace.faults.arm(Fault(kind, step))
    with pytest.raises(ServiceNow):
        await share(files)
    assert not workspace.messages(FINANCE)
    await share(files)
    assert len(workspace.messages(FINANCE)) == 1


@pytest.mark.parametrize("kind", [FaultKind.LOST, FaultKind.ERROR_500, FaultKind.DONE_DROPPED, FaultKind.DONE_500])
async def test_upload_with_lost_completion_is_unknown(workspace: Workspace, files: Uploads, kind: FaultKind) -> None:
    workspace.faults.arm(Fault(kind, "files.completeUploadExternal"))
    with pytest.raises(OutcomeUnknown):
        await share(files)


async def test_a_refusal_is_one(workspace: Workspace, files: Uploads) -> None:
    workspace.add_channel("C0QUIET", "quiet", members=[MARIA], bot_member=False)
    with pytest.raises(ServiceNever) as refused:
        await files.share(name="a.png", content=PNG, title="a", alt="a", comment="a", channel="C0QUIET", thread_ts=None)
    assert refused.value.error == "not_in_channel"


@pytest.mark.parametrize(("address", "status"), [
    ("http://127.0.0.1:1/upload/v1/x", None), ("https://evilslack.com/upload", None), ("", None),
    ("{own}/api/a-secret", 404), ("{own}/api/moved", 307),
])  # fmt: skip
async def test_upload_goes_only_to_slack_without_redirects(
    api: Api, web_client: AsyncWebClient, session: ClientSession, address: str, status: int | None
) -> None:
    url = address.format(own=api.url.removesuffix("/api/"))
    api.say("files.getUploadURLExternal", {"ok": True, "upload_url": url, "file_id": "F1"})
    api.say("a-secret", "no", status=404)
    api.say("moved", "", status=307, Location="/api/elsewhere")
    with pytest.raises(ServiceNever) as refused:
        await share(Uploads(client=web_client, session=session, api_url=api.url))
    assert refused.value.status == status
    assert "a-secret" not in str(refused.value)
    assert not {"files.completeUploadExternal", "elsewhere"} & {name for name, _ in api.calls}


async def pieces(*parts: bytes, then: Exception | None = None) -> AsyncIterator[bytes]:
    for part in parts:
        yield part
    if then is not None:
        raise then


async def stream(files: Uploads, chunks: AsyncIterator[bytes], length: int | None) -> Posted:
    return await files.share(
        name="a.wav", content=chunks, length=length, title="a", alt="a", comment="here", channel=FINANCE, thread_ts=None
    )


@pytest.mark.parametrize("length", [300_000, None])
async def test_bytes_that_arrive_are_shared(workspace: Workspace, files: Uploads, length: int | None) -> None:
    posted = await stream(files, pieces(b"a" * 100_000, b"b" * 100_000, b"c" * 100_000), length)
    message = workspace.message(FINANCE, posted.ts)
    file = workspace.file(message.files[0])
    assert file is not None
    assert file.content == b"a" * 100_000 + b"b" * 100_000 + b"c" * 100_000


@pytest.mark.parametrize("length", [9, 11])
async def test_another_length_than_promised_is_not_shared(workspace: Workspace, files: Uploads, length: int) -> None:
    with pytest.raises(ServiceNow, check=says("promised")):
        await stream(files, pieces(b"12345", b"67890"), length)
    assert not workspace.messages(FINANCE)


@pytest.mark.parametrize("length", [300_000, None])
async def test_upload_fails_with_the_error_of_its_source(
    workspace: Workspace, files: Uploads, length: int | None
) -> None:
    over = ServiceNever("localization", Reason(Exchange.RESULT_OVER_LIMIT, bytes=1))
    with pytest.raises(ServiceNever, check=says("too large")):
        await stream(files, pieces(b"a" * 100_000, then=over), length)
    assert not workspace.messages(FINANCE)


async def test_nothing_is_not_shared(workspace: Workspace, files: Uploads) -> None:
    with pytest.raises(ServiceNever):
        await stream(files, pieces(), None)
    assert not workspace.messages(FINANCE)
