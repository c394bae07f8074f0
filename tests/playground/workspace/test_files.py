"""Files in both directions."""

import io
import json
from typing import Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.playground.workspace import Workspace
from tests.playground.workspace.conftest import ANA, BOB, EVE, GENERAL, MONEY, PUBLIC, Bolt, refused

CSV = b"email,amount,note\nana@example.com,1.00,x\n"
TOKEN = {"Authorization": "Bearer xoxb-playground"}


async def test_the_sdk_uploads_into_a_thread(client: AsyncWebClient, workspace: Workspace) -> None:
    parent = (await client.chat_postMessage(channel=GENERAL, text="parent"))["ts"]
    answer = await client.files_upload_v2(
        channel=GENERAL,
        thread_ts=parent,
        filename="rows.csv",
        title="Rows",
        content=CSV.decode(),
        initial_comment="here",
    )
    reply = workspace.messages(GENERAL, thread_ts=parent)[1]
    assert (reply.text, reply.files) == ("here", (answer["file"]["id"],))
    file = workspace.file(answer["file"]["id"])
    assert file is not None
    assert (file.content, file.title, file.mimetype) == (CSV, "Rows", "text/csv")
    info = (await client.files_info(file=file.id))["file"]
    assert info["shares"]["public"][GENERAL][0]["thread_ts"] == parent
    assert info["size"] == len(CSV)


async def upload(client: AsyncWebClient, session: aiohttp.ClientSession, **request: Any) -> tuple[str, int, str]:
    step = await client.files_getUploadURLExternal(filename="a.bin", length=10)
    async with session.post(step["upload_url"], **request) as answer:
        return str(step["file_id"]), answer.status, await answer.text()


async def test_bytes_raw_or_multipart(
    client: AsyncWebClient, session: aiohttp.ClientSession, workspace: Workspace
) -> None:
    form = aiohttp.FormData()
    form.add_field("file", b"0123456789", filename="a.bin")
    for body in (b"0123456789", form):
        file_id, status, text = await upload(client, session, data=body)
        assert (status, text) == (200, "OK - 10")
        file = workspace.file(file_id)
        assert file is not None
        assert file.content == b"0123456789"


async def test_an_upload_must_be_what_was_announced(
    client: AsyncWebClient, session: aiohttp.ClientSession, workspace: Workspace
) -> None:
    file_id, status, _ = await upload(client, session, data=b"short")
    assert status == 400
    answered = await refused(client.files_completeUploadExternal(files=[{"id": file_id}], channel_id=GENERAL))
    assert answered == "file_not_found"
    async with session.post(f"{workspace.url}/upload/v1/guessed", data=b"x") as answer:
        assert answer.status == 404


async def test_completing_serves_once_and_needs_membership(
    client: AsyncWebClient, session: aiohttp.ClientSession
) -> None:
    file_id, _, _ = await upload(client, session, data=b"0123456789")
    answered = await refused(client.files_completeUploadExternal(files=[{"id": file_id}], channel_id=PUBLIC))
    assert answered == "not_in_channel"
    data = {"files": json.dumps([{"id": file_id, "title": "T"}]), "channels": f"{GENERAL},{MONEY},{ANA}"}
    done = await client.api_call("files.completeUploadExternal", data=data)
    assert set(done["files"][0]["shares"]) == {"public", "private"}
    assert len(done["files"][0]["ims"]) == 1
    assert await refused(client.api_call("files.completeUploadExternal", data=data)) == "file_not_found"


async def test_a_dropped_file_is_told_and_downloaded(
    client: AsyncWebClient, session: aiohttp.ClientSession, workspace: Workspace, bolt: Bolt
) -> None:
    message = await workspace.drop(ANA, GENERAL, "rows.csv", CSV, text="please pay")
    first, second = (body["event"] for body in bolt.seen)
    assert (first["type"], first["subtype"], first["text"]) == ("message", "file_share", "please pay")
    assert (second["type"], second["file_id"]) == ("file_shared", message.files[0])
    assert first["files"][0]["user"] == ANA
    url = first["files"][0]["url_private_download"]
    async with session.get(url, headers=TOKEN) as answer:
        assert (await answer.read(), answer.content_type) == (CSV, "text/csv")
    for headers in ({}, {"Authorization": "Bearer xoxb-wrong"}):
        async with session.get(url, headers=headers) as answer:
            assert (answer.status, answer.content_type) == (200, "text/html"), "a sign-in page, as Slack answers"
    assert (await client.files_info(file=message.files[0]))["file"]["user"] == ANA


async def test_the_bot_does_not_hear_where_it_is_not(workspace: Workspace, bolt: Bolt) -> None:
    await workspace.drop(EVE, PUBLIC, "rows.csv", CSV)
    assert bolt.seen == []
    assert len(workspace.messages(PUBLIC, viewer=BOB)) == 1


async def test_a_large_file_streams(client: AsyncWebClient, session: aiohttp.ClientSession) -> None:
    data = bytes(range(256)) * 20_000
    step = await client.files_getUploadURLExternal(filename="big.wav", length=len(data))
    async with session.post(step["upload_url"], data=io.BytesIO(data)) as answer:
        assert answer.status == 200
    done = await client.files_completeUploadExternal(files=[{"id": step["file_id"]}], channel_id=GENERAL)
    async with session.get(done["files"][0]["url_private"], headers=TOKEN) as answer:
        assert await answer.read() == data
