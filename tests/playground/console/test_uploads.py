"""The page's own routes for files: bytes in, bytes out, what is shown of them; and Slack's own command to invite."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.playground.console.files import table_of
from tests.playground.console.scene import FINANCE, GENERAL, NORA, TOMAS, Scene
from tests.playground.sounds import wav

CSV = b'email,amount,note\nana@example.com,1.00,"a, b"\n'


async def upload(
    scene: Scene, content: bytes, name: str = "a.csv", *, user: str = NORA, status: int = 200, **query: str
) -> dict[str, Any]:
    headers = {"Content-Type": "application/octet-stream"}
    params = {"as": user, "name": name, **query}
    async with scene.http.post(f"{scene.url}/console/upload", params=params, data=content, headers=headers) as answer:
        told: dict[str, Any] = await answer.json()
        assert answer.status == status, told
    return told


async def shown(scene: Scene, name: str, content: bytes) -> dict[str, Any]:
    await scene.workspace.drop(NORA, GENERAL, name, content)
    file: dict[str, Any] = (await scene.state())["messages"][-1]["files"][0]
    return file


async def test_upload_is_shared_with_a_comment_in_a_thread(scene: Scene) -> None:
    root = await scene.workspace.say(NORA, GENERAL, "root")
    one, two = await upload(scene, CSV), await upload(scene, wav(), "b.wav", ms="1500")
    assert (one["name"], one["size"]) == ("a.csv", f"{len(CSV)} B")
    await scene.do(
        "share", {"as": NORA, "channel": GENERAL, "files": [one["id"], two["id"]], "text": "look", "thread_ts": root.ts}
    )
    message = scene.workspace.messages(GENERAL, thread_ts=root.ts)[1]
    assert (message.text, message.files) == ("look", (one["id"], two["id"]))
    told = [body["event"] for body in scene.bot.heard]
    assert [event["type"] for event in told] == ["message", "message", "file_shared", "file_shared"]
    assert told[1]["files"][1]["duration_ms"] == 1_500


async def test_invalid_upload_is_refused(scene: Scene) -> None:
    told = [await upload(scene, CSV, "", status=400), await upload(scene, CSV, user="U0NONE", status=409)]
    assert [one["error"].partition(";")[0] for one in told] == snapshot(
        [
            "name: the name of the file is missing, or its bytes are.",
            "That isn't possible here: there is no user 'U0NONE'",
        ]
    )
    for kind, status in (({"Content-Type": "text/plain"}, 403), ({"Content-Type": "application/json"}, 400)):
        url = f"{scene.url}/console/upload?as={NORA}&name=a"
        async with scene.http.post(url, data=b"x", headers=kind) as answer:
            assert answer.status == status
    async with scene.http.post(url, data=b"x", skip_auto_headers=["Content-Type"]) as answer:
        assert answer.status == 403
    headers = {"Content-Type": "application/octet-stream", "Origin": "http://evil.example"}
    async with scene.http.post(f"{scene.url}/console/upload?as={NORA}&name=a", data=b"x", headers=headers) as answer:
        assert answer.status == 403
    await scene.do("share", {"as": NORA, "channel": GENERAL, "files": []}, status=400)
    await scene.do("share", {"as": NORA, "channel": GENERAL, "files": ["F0NONE"]}, status=409)
    await scene.do("say", {"as": NORA, "channel": GENERAL, "text": "still here"})


@pytest.mark.parametrize(
    ("asked", "status", "start", "end"),
    [
        ("", 200, 0, 26),
        ("bytes=0-", 200, 0, 26),
        ("bytes=2-4", 206, 2, 5),
        ("bytes=20-", 206, 20, 26),
        ("bytes=-3", 206, 23, 26),
        ("bytes=20-99", 206, 20, 26),
        ("bytes=99-", 200, 0, 26),
        ("bytes=5-2", 200, 0, 26),
        ("lines=1-2", 200, 0, 26),
    ],
)
async def test_players_ask_for_parts(scene: Scene, asked: str, status: int, start: int, end: int) -> None:
    letters = bytes(range(97, 123))
    file = await shown(scene, "a.bin", letters)
    async with scene.http.get(f"{scene.url}{file['url']}", headers={"Range": asked} if asked else {}) as answer:
        assert (answer.status, await answer.read()) == (status, letters[start:end])
        if status == 206:
            assert answer.headers["Content-Range"] == f"bytes {start}-{end - 1}/26"


@pytest.mark.parametrize(
    ("name", "content", "preview", "kind"),
    [
        ("a.bin", wav(), "audio", "audio/wav"),
        ("a.mp3", b"ID3\x04 more", "audio", "audio/mpeg"),
        ("a.mp3", b"\xff\xfb\x90\x00", "audio", "audio/mpeg"),
        ("a.flac", b"fLaC more", "audio", "audio/flac"),
        ("a.ogg", b"OggS more", "audio", "audio/ogg"),
        ("a.m4a", b"\0\0\0\x20ftypM4A more", "audio", "audio/mp4"),
        ("a.avif", b"\0\0\0\x20ftypavifmore", "picture", "image/avif"),
        ("a.heic", b"\0\0\0\x20ftypheicmore", "", "application/octet-stream"),
        ("a.mp4", b"\0\0\0\x20ftypisom more", "video", "video/mp4"),
        ("a.webm", b"\x1aE\xdf\xa3 more", "video", "video/webm"),
        ("a.png", b"\x89PNG\r\n\x1a\n", "picture", "image/png"),
        ("code.bin", b"\xff\xd8\xff\xe0", "picture", "image/jpeg"),  # whatever its name
        ("code.bin", b"GIF89a", "picture", "image/gif"),
        ("a.png", b"<svg><script>alert(1)</script></svg>", "", "application/octet-stream"),
        ("a.csv", CSV, "table", "application/octet-stream"),
        ("a.html", b"<script>", "", "application/octet-stream"),
        ("a.wav", b"<script>", "", "application/octet-stream"),
        ("a.svg", b"<svg onload=alert(1)>", "", "application/octet-stream"),
    ],
)
async def test_preview_shows_image_or_sound(scene: Scene, name: str, content: bytes, preview: str, kind: str) -> None:
    file = await shown(scene, name, content)
    assert (file["preview"], bool(file["picture"])) == (preview, preview == "picture")
    async with scene.http.get(f"{scene.url}{file['url']}") as answer:
        assert (answer.content_type, await answer.read()) == (kind, content)
        assert answer.headers["Content-Disposition"].startswith("attachment")
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


async def test_table_preview_shows_first_rows(scene: Scene) -> None:
    file = await shown(scene, "a.csv", CSV + b"x;y,z\n" * 20)
    assert file["rows"][:3] == [["email", "amount", "note"], ["ana@example.com", "1.00", "a, b"], ["x;y", "z"]]
    assert len(file["rows"]) == 6
    wide = scene.workspace.upload(NORA, "b.csv", b";".join([b"a" * 90] * 9))
    stored = scene.workspace.file(wide)
    assert stored is not None
    assert table_of(stored) == [["a" * 39 + "…"] * 6]
    for broken in (b"\0\1\2,", b""):
        stored = scene.workspace.file(scene.workspace.upload(NORA, "c.csv", broken))
        assert stored is not None
        assert table_of(stored) == []


async def test_a_deleted_file_is_a_word(scene: Scene) -> None:
    message = await scene.workspace.drop(NORA, GENERAL, "a.csv", CSV)
    await scene.do("delete-file", {"as": TOMAS, "file": message.files[0]}, status=409)
    await scene.do("delete-file", {"as": NORA, "file": message.files[0]})
    file = (await scene.state())["messages"][-1]["files"][0]
    assert file["gone"]
    async with scene.http.get(f"{scene.url}/console/files/{message.files[0]}") as answer:
        assert answer.status == 404


async def test_files_of_a_form_are_known_by_their_ids(scene: Scene) -> None:
    message = await scene.workspace.drop(NORA, GENERAL, "a.csv", CSV)
    await scene.do("shortcut", {"as": NORA, "channel": GENERAL, "ts": message.ts, "callback_id": "use_file"})
    given = await upload(scene, CSV)
    lie = {"type": "file_input", "files": [{"id": given["id"], "name": "lie.exe", "size": 1}]}
    await scene.do("submit", {"as": NORA, "values": {"table": lie}})
    state = scene.bot.heard[-1]["view"]["state"]["values"]
    assert [file["name"] for file in state["table"]["f"]["files"]] == ["a.csv"]
    assert state["people"]["p"]["selected_users"] == [TOMAS]
    assert [one["value"] for one in state["parts"]["m"]["selected_options"]] == ["2"]


async def test_bot_can_be_invited(scene: Scene) -> None:
    scene.workspace.kick(FINANCE, "U0BOT")
    await scene.do("slash", {"as": NORA, "channel": FINANCE, "command": "/invite", "text": "@Nobody"}, status=400)
    await scene.do("slash", {"as": NORA, "channel": FINANCE, "command": "/invite", "text": "@Switchboard"})
    assert scene.workspace.channel(FINANCE).bot_member
    assert scene.workspace.messages(FINANCE)[-1].text == "invited <@U0BOT>"
