"""The path of a large file (workspace, bot, service, bot, workspace), and the bot's memory for it."""

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from aiohttp import web

from bot.playground.workspace import Message
from tests.process.scene import Scene
from tests.support.rig import FINANCE, MARIA

MEGA = 1024 * 1024
KEY = "a-localization-key"
_CHUNK = 256 * 1024
_PATIENCE = 900.0
_WAV = b"RIFF\xff\xff\xff\x7fWAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0data\xff\xff\xff\x7f"
"""The beginning of a WAV file of any length."""


@dataclass(frozen=True, kw_only=True)
class Passed:
    """Result for one file. Sizes are bytes."""

    size: int
    growth: int
    """Peak growth of the bot's memory."""
    before: int
    seconds: float


class Service:
    """Accepts any upload and answers with two tracks, the first as large as the upload."""

    def __init__(self) -> None:
        self.took = 0
        self.keys: set[str] = set()
        self.result_keys: set[str] = set()
        self.size = 0
        self.url = ""

    async def separate(self, request: web.Request) -> web.Response:
        self.keys.add(request.headers.get("Authorization", ""))
        async for chunk in request.content.iter_chunked(_CHUNK):
            self.took += len(chunk)
        return web.json_response({"vocals": f"{self.url}/vocals.mp3", "music": f"{self.url}/music.mp3"})

    async def track(self, request: web.Request) -> web.StreamResponse:
        self.result_keys.add(request.headers.get("Authorization", ""))
        size = self.size if request.path == "/vocals.mp3" else MEGA
        answer = web.StreamResponse(headers={"Content-Length": str(size), "Content-Type": "audio/mpeg"})
        await answer.prepare(request)
        piece = b"ID3\x04" + bytes(_CHUNK - 4)
        for at in range(0, size, _CHUNK):
            await answer.write(piece[: min(_CHUNK, size - at)])
        return answer


@asynccontextmanager
async def service() -> AsyncIterator[Service]:
    made = Service()
    app = web.Application(client_max_size=1 << 40)
    app.router.add_get("/{track}.mp3", made.track)
    app.router.add_post("/{path:.*}", made.separate)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    made.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield made
    await runner.cleanup()


@asynccontextmanager
async def bot_between(folder: Path) -> AsyncIterator[tuple[Scene, Service]]:
    """The bot in a process of its own, with that service; warmed up with a small file."""
    async with service() as made:
        scene = await Scene.open(folder, LOCALIZATION_BASE_URL=made.url, LOCALIZATION_API_KEY=KEY)
        try:
            await let_pass(scene, made, folder, MEGA)
            yield scene, made
        finally:
            await scene.close()


async def let_pass(scene: Scene, made: Service, folder: Path, size: int) -> Passed:
    """Drop a file of this size, have it separated, and wait until both tracks stand in its thread."""
    source = folder / f"{size}.wav"
    with source.open("wb") as file:
        file.write(_WAV)
        file.truncate(size)
    made.size, made.took = size, 0
    pid = scene.bot.pid
    before = _status(pid, "VmRSS")
    Path(f"/proc/{pid}/clear_refs").write_text("5")  # noqa: ASYNC240 - begins a new high-water mark
    started = time.monotonic()
    dropped = await scene.workspace.drop(MARIA, FINANCE, "long.wav", source)
    offer = await scene.workspace.until(lambda: _offer(scene, dropped), timeout=60)
    await scene.workspace.click(MARIA, FINANCE, offer.ts, "use.separate")
    await scene.workspace.until(lambda: len(_results(scene, dropped)) == 2, timeout=_PATIENCE)
    seconds = time.monotonic() - started
    files = [scene.workspace.file(message.files[0]) for message in _results(scene, dropped)]
    sizes = sorted(file.size for file in files if file)
    assert sizes == sorted((size, MEGA)), sizes
    assert size < made.took < size + 10_000, made.took
    source.unlink()
    return Passed(size=size, growth=_status(pid, "VmHWM") - before, before=before, seconds=seconds)


def _offer(scene: Scene, dropped: Message) -> Message:
    thread = scene.workspace.messages(FINANCE, thread_ts=dropped.ts)
    return [message for message in thread if any(b.action_id == "use.separate" for b in message.buttons)][-1]


def _results(scene: Scene, dropped: Message) -> list[Message]:
    thread = scene.workspace.messages(FINANCE, thread_ts=dropped.ts)
    return [message for message in thread if message.files and message.bot_id]


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))
