"""Files in both directions: dropped, shared again, given to a form, deleted, uploaded by the bot."""

import json
import struct
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from aiohttp import ClientSession
from slack_sdk.web.async_client import AsyncWebClient as Client

from bot.playground.workspace import ImpossibleAct, Workspace
from bot.playground.workspace.blobs import IN_MEMORY
from bot.playground.workspace.files import INPUT_BYTES, Odd
from bot.playground.workspace.media import duration_ms
from tests.playground.blocks import entry, modal
from tests.playground.sounds import wav
from tests.playground.workspace.conftest import ANA, BOB, GENERAL, MONEY, PUBLIC, SECRET, Bolt, refused

CSV = b"email,amount,note\nana@example.com,1.00,x\n"
TOKEN = {"Authorization": "Bearer xoxb-playground"}


def mp4(seconds: int, *, long: bool) -> bytes:
    fields = struct.pack(">IQ", 600, seconds * 600) if long else struct.pack(">II", 600, seconds * 600)
    box = b"mvhd" + bytes([int(long), 0, 0, 0]) + bytes(16 if long else 8) + fields
    return b"\0\0\0\x18ftypisom" + bytes(2_000_000) + struct.pack(">I", len(box) + 4) + box


def events(bolt: Bolt) -> list[dict[str, Any]]:
    return [body["event"] for body in bolt.seen]


async def test_message_can_hold_several_files(workspace: Workspace, bolt: Bolt) -> None:
    parent = await workspace.say(ANA, GENERAL, "here they come")
    message = await workspace.drop_many(ANA, GENERAL, [("a.csv", CSV), ("b.txt", b"hi")], thread_ts=parent.ts)
    told = events(bolt)[1:]
    assert [event["type"] for event in told] == ["message", "file_shared", "file_shared"]
    assert [file["name"] for file in told[0]["files"]] == ["a.csv", "b.txt"]
    assert [event["file_id"] for event in told[1:]] == list(message.files)
    assert told[0]["thread_ts"] == parent.ts
    assert (
        told[0]["files"][0]["shares"]["public"][GENERAL][0] | {"ts": message.ts, "thread_ts": parent.ts}
        == (told[0]["files"][0]["shares"]["public"][GENERAL][0])
    )
    with pytest.raises(ImpossibleAct):
        await workspace.drop_many(ANA, GENERAL, [("a.csv", CSV)] * 11)


async def test_file_can_be_shared_again(workspace: Workspace, bolt: Bolt, client: Client) -> None:
    first = await workspace.drop(ANA, PUBLIC, "a.csv", CSV)
    assert events(bolt) == []
    await workspace.share(ANA, GENERAL, *first.files)
    assert [event["type"] for event in events(bolt)] == ["message", "file_shared"]
    info = (await client.files_info(file=first.files[0]))["file"]
    assert set(info["shares"]["public"]) == {PUBLIC, GENERAL}


@pytest.mark.parametrize(
    ("odd", "expected"),
    [
        ("processing", {"url_private": None, "url_private_download": None, "size": 0, "mimetype": ""}),
        ("external", {"is_external": True, "mode": "external", "url_private_download": None}),
        ("elsewhere", {"mode": "hosted", "name": "a.csv"}),
        ("denied", {"file_access": "access_denied", "url_private_download": None}),
        ("hidden", {"mode": "hidden_by_limit"}),
    ],
)
async def test_odd_files(
    workspace: Workspace, client: Client, bolt: Bolt, odd: Odd, expected: dict[str, object]
) -> None:
    message = await workspace.drop(ANA, GENERAL, "a.csv", CSV, odd=odd)
    info = (await client.files_info(file=message.files[0]))["file"]
    assert info | expected == info
    listed = events(bolt)[0]["files"][0]
    if odd == "elsewhere":
        assert (listed["file_access"], "name" in listed) == ("check_file_info", False)
    workspace.set_file(message.files[0], odd="")
    assert (await client.files_info(file=message.files[0]))["file"]["url_private_download"]


async def test_a_tombstone(workspace: Workspace, client: Client, session: ClientSession, bolt: Bolt) -> None:
    message = await workspace.drop(ANA, GENERAL, "a.csv", CSV)
    url = (await client.files_info(file=message.files[0]))["file"]["url_private_download"]
    with pytest.raises(ImpossibleAct):
        await workspace.delete_file(BOB, message.files[0])
    await workspace.delete_file(ANA, message.files[0])
    assert events(bolt)[-1]["type"] == "file_deleted"
    assert await refused(client.files_info(file=message.files[0])) == "file_deleted"
    history = await client.conversations_history(channel=GENERAL)
    assert history["messages"][0]["files"][0]["mode"] == "tombstone"
    async with session.get(url, headers=TOKEN) as answer:
        assert answer.status == 404


async def test_bot_knows_only_what_it_can_see(workspace: Workspace, client: Client) -> None:
    hidden = await workspace.drop(ANA, SECRET, "a.csv", CSV)
    assert await refused(client.files_info(file=hidden.files[0])) == "file_not_found"
    seen = await workspace.drop(ANA, MONEY, "a.csv", CSV)
    assert (await client.files_info(file=seen.files[0]))["file"]["groups"] == [MONEY]


async def test_file_name_may_be_any_text(workspace: Workspace, client: Client, session: ClientSession) -> None:
    message = await workspace.drop(ANA, GENERAL, "Ärger & 100%?/../x#1.csv", CSV)
    url = (await client.files_info(file=message.files[0]))["file"]["url_private_download"]
    async with session.get(url, headers=TOKEN) as answer:
        assert await answer.read() == CSV


async def test_large_files_lie_on_disk_and_go_with_the_workspace(
    tmp_path: Path, client: Client, session: ClientSession, workspace: Workspace
) -> None:
    source = tmp_path / "big.bin"
    source.write_bytes(bytes(range(256)) * 30_000)
    message = await workspace.drop(ANA, GENERAL, "big.bin", source)
    file = workspace.file(message.files[0])
    assert file is not None
    assert file.blob.path is not None
    assert file.size > IN_MEMORY
    url = (await client.files_info(file=file.id))["file"]["url_private"]
    async with session.get(url, headers=TOKEN) as answer:
        assert await answer.read() == source.read_bytes()
    await workspace.stop()
    assert not file.blob.path.exists()


async def opened(workspace: Workspace, client: Client, **element: Any) -> None:
    ack = await workspace.shortcut(ANA, "any")
    assert ack.request is not None
    await client.views_open(
        trigger_id=ack.request.payload["trigger_id"],
        view=modal(entry("file", {"type": "file_input", "action_id": "file", **element})),
    )


async def test_a_form_takes_files(workspace: Workspace, client: Client, bolt: Bolt) -> None:
    await opened(workspace, client, filetypes=["csv"], max_files=1)
    file_id = workspace.upload(ANA, "a.csv", CSV)
    ack = await workspace.submit(ANA, {"file": file_id})
    assert ack.request is not None
    state = ack.request.payload["view"]["state"]["values"]["file"]["file"]
    assert state["type"] == "file_input"
    assert [(file["id"], file["name"], file["user"]) for file in state["files"]] == [(file_id, "a.csv", ANA)]
    assert (await client.files_info(file=file_id))["file"]["shares"] == {}


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([("a.csv", CSV), ("b.csv", CSV)], "takes 1"),
        ([("a.txt", CSV)], "csv"),
        ([("a.csv", bytes(INPUT_BYTES + 1))], "10 MB"),
        ([], "fill out"),
    ],
)
async def test_form_refuses_what_the_slack_client_refuses(
    workspace: Workspace, client: Client, bolt: Bolt, files: list[tuple[str, bytes]], said: str
) -> None:
    await opened(workspace, client, filetypes=["csv"], max_files=1)
    ids = [workspace.upload(ANA, name, content) for name, content in files]
    with pytest.raises(ImpossibleAct, match=said):
        await workspace.submit(ANA, {"file": ids})


def test_how_long_it_plays(workspace: Workspace) -> None:
    for content, expected in (
        (wav(2.5), 2_500),
        (mp4(601, long=False), 601_000),
        (mp4(90_000, long=True), 90_000_000),
        (b"ID3 and more", None),
        (b"RIFF\0\0\0\0WAVEfmt ", None),
        (b"\0\0\0\x18ftypisommvhd", None),
    ):
        file = workspace.file(workspace.upload(ANA, "x", content))
        assert file is not None
        assert duration_ms(file.blob) == expected
    file = workspace.file(workspace.upload(ANA, "x.mp3", b"ID3", duration_ms=7))
    assert file is not None
    assert file.duration_ms == 7


async def test_only_registered_shortcuts_are_known(workspace: Workspace, bolt: Bolt) -> None:
    message = await workspace.drop(ANA, GENERAL, "a.csv", CSV)
    workspace.add_shortcut("use_file", "Use this file")
    await workspace.shortcut(ANA, "use_file", channel=GENERAL, ts=message.ts)
    assert bolt.seen[-1]["message"]["files"][0]["name"] == "a.csv"
    with pytest.raises(ImpossibleAct):
        await workspace.shortcut(ANA, "other", channel=GENERAL, ts=message.ts)


async def test_sdk_upload_lands_in_a_thread(client: Client, workspace: Workspace) -> None:
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


async def upload(client: Client, session: ClientSession, **request: Any) -> tuple[str, int, str]:
    step = await client.files_getUploadURLExternal(filename="a.bin", length=10)
    async with session.post(step["upload_url"], **request) as answer:
        return str(step["file_id"]), answer.status, await answer.text()


async def test_bytes_raw_or_multipart(client: Client, session: ClientSession, workspace: Workspace) -> None:
    form = aiohttp.FormData()
    form.add_field("file", b"0123456789", filename="a.bin")
    for body in (b"0123456789", form):
        file_id, status, text = await upload(client, session, data=body)
        assert (status, text) == (200, "OK - 10")
        file = workspace.file(file_id)
        assert file is not None
        assert file.content == b"0123456789"


async def test_upload_matches_its_announcement(client: Client, session: ClientSession, workspace: Workspace) -> None:
    file_id, status, _ = await upload(client, session, data=b"short")
    assert status == 400
    answered = await refused(client.files_completeUploadExternal(files=[{"id": file_id}], channel_id=GENERAL))
    assert answered == "file_not_found"
    async with session.post(f"{workspace.url}/upload/v1/guessed", data=b"x") as answer:
        assert answer.status == 404


async def test_completing_serves_once_and_needs_membership(client: Client, session: ClientSession) -> None:
    file_id, _, _ = await upload(client, session, data=b"0123456789")
    answered = await refused(client.files_completeUploadExternal(files=[{"id": file_id}], channel_id=PUBLIC))
    assert answered == "not_in_channel"
    data = {"files": json.dumps([{"id": file_id, "title": "T"}]), "channels": f"{GENERAL},{MONEY},{ANA}"}
    done = await client.api_call("files.completeUploadExternal", data=data)
    assert set(done["files"][0]["shares"]) == {"public", "private"}
    assert len(done["files"][0]["ims"]) == 1
    assert await refused(client.api_call("files.completeUploadExternal", data=data)) == "file_not_found"


async def test_a_dropped_file(client: Client, session: ClientSession, workspace: Workspace, bolt: Bolt) -> None:
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
