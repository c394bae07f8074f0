"""The box itself: documented rules, real work, results that expire. Spoken to without the bot's client."""

import io
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.localization import LocalizationSimulator
from bot.playground.simulators.localization.rules import RULES
from tests.support import media
from tests.support.clock import SecondsClock

KEY = "localization-key"


@pytest.fixture
async def box() -> AsyncIterator[LocalizationSimulator]:
    async with LocalizationSimulator(clock=SecondsClock(1_000.0), result_seconds=60) as running:
        yield running


async def post(
    box: LocalizationSimulator,
    path: str,
    fields: Mapping[str, str] | None = None,
    *,
    key: str = KEY,
    file: tuple[str, Path] | None = None,
) -> tuple[int, Any]:
    form = aiohttp.FormData(default_to_multipart=True)
    for name, value in (fields or {}).items():
        form.add_field(name, value)
    if file is not None:
        form.add_field(file[0], io.BytesIO(file[1].read_bytes()), filename=file[1].name)
    async with aiohttp.ClientSession() as session:
        headers = {"Authorization": f"Bearer {key}"}
        async with session.post(box.base_url + path, data=form, headers=headers) as answer:
            body = await (answer.json() if answer.content_type == "application/json" else answer.read())
            return answer.status, body


async def get(url: str) -> tuple[int, bytes]:
    async with aiohttp.ClientSession() as session, session.get(url) as answer:
        return answer.status, await answer.read()


SOURCES = [(rule.path, rule.source) for rule in RULES.values() if rule.source is not None]


@pytest.mark.parametrize(("path", "source"), SOURCES, ids=lambda value: value if isinstance(value, str) else "")
async def test_either_file_or_address(path: str, source: Any, box: LocalizationSimulator, tmp_path: Path) -> None:
    extension = source.formats[0] if source.formats else "mp3"
    sample = media.make(tmp_path, extension)
    url = f"https://files.example.com/a.{extension}"
    assert (await post(box, path))[0] == 422
    assert (await post(box, path, {source.url: url}, file=(source.file, sample)))[0] == 422
    assert (await post(box, path, {source.url: url}))[0] == 200
    assert (await post(box, path, file=(source.file, sample)))[0] == 200
    assert (await post(box, path, {source.file: "no file"}))[0] == 422


@pytest.mark.parametrize(
    ("path", "field", "name"),
    [
        ("/gender-detection", "audio_file", "flac"),
        ("/music-source-separation", "audio_file", "ogg"),
        ("/audio-conversion", "audio_file", "mp4"),
        ("/audio-extraction", "video_file", "mp3"),
    ],
)
async def test_other_formats(path: str, field: str, name: str, box: LocalizationSimulator, tmp_path: Path) -> None:
    status, body = await post(box, path, file=(field, media.make(tmp_path, name)))
    assert status == 422
    assert body["message"].startswith(f"{field}: unsupported format; supported: ")


async def test_misleading_extension_is_refused(box: LocalizationSimulator, tmp_path: Path) -> None:
    liar = media.make(tmp_path, "flac").rename(tmp_path / "liar.mp3")
    assert (await post(box, "/gender-detection", file=("audio_file", liar)))[0] == 422


@pytest.mark.parametrize(
    "fields",
    [{"sample_rate": "8000"}, {"sample_width": "24"}, {"n_channels": "6"}, {"target": "wav"}, {"sample_rate": ""}],
)
async def test_values_that_are_not_allowed(fields: dict[str, str], box: LocalizationSimulator) -> None:
    status, _ = await post(box, "/audio-extraction", {"video_url": "https://files.example.com/a.mp4", **fields})
    assert status in (400, 422)


@pytest.mark.parametrize(
    ("path", "text", "status"),
    [
        ("/paraphrase", "One. " * 50, 200),
        ("/paraphrase", "One. " * 51, 422),
        ("/paraphrase", "Это по-русски.", 422),
        ("/paraphrase", " ", 422),
        ("/summary-generation", "Too short.", 422),
        ("/summary-generation", "This one is long enough. " * 8, 200),
        ("/summary-generation", "Это по-русски. " * 20, 422),
        ("/text-emotion-recognition", "I am so happy", 200),
    ],
)
async def test_texts(path: str, text: str, status: int, box: LocalizationSimulator) -> None:
    assert (await post(box, path, {"text": text}))[0] == status


async def test_file_without_sound_is_refused(box: LocalizationSimulator, tmp_path: Path) -> None:
    broken = tmp_path / "broken.mp4"
    broken.write_bytes(b"\x00\x00\x00\x18ftypisom" + bytes(2_000))
    assert (await post(box, "/audio-extraction", file=("video_file", broken)))[0] == 422


async def test_results_expire(box: LocalizationSimulator) -> None:
    _, body = await post(box, "/tts", {"text": "Hello"})
    assert (await get(body["audio_clip"]))[0] == 200
    clock = box._clock
    assert isinstance(clock, SecondsClock)
    clock.now += 61
    assert (await get(body["audio_clip"]))[0] == 403
    assert (await get(f"{box.base_url}/results/guessed/a.mp3"))[0] == 403


async def test_only_the_key_opens_it(box: LocalizationSimulator) -> None:
    assert (await post(box, "/paraphrase", {"text": "Hello."}, key="wrong"))[0] == 401
    assert (await post(box, "/nothing", {"text": "Hello."}))[0] == 404
    assert not any(call.effect for call in box.calls)
    assert "authorization" not in box.calls[0].headers


async def test_faults_before_and_after_the_work(box: LocalizationSimulator) -> None:
    box.faults.arm(Fault(FaultKind.ERROR_500, "paraphrase"))
    box.faults.arm(Fault(FaultKind.DONE_500, "paraphrase"))
    box.faults.arm(Fault(FaultKind.DONE_DROPPED, "paraphrase"))
    assert (await post(box, "/paraphrase", {"text": "Hello."}))[0] == 500
    assert (await post(box, "/paraphrase", {"text": "Hello."}))[0] == 504
    with pytest.raises(aiohttp.ServerDisconnectedError):
        await post(box, "/paraphrase", {"text": "Hello."})
    assert [call.effect for call in box.calls] == [False, True, True]
