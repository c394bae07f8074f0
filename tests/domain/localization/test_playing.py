"""How long real files play, by their first bytes alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.localization.playing import seconds_of
from bot.playground.simulators.localization import media as work
from tests.support import media

HEAD = 64 * 1024


@pytest.mark.parametrize("extension", ["wav", "mp3"])
@pytest.mark.parametrize("seconds", [0.5, 3.0])
@pytest.mark.parametrize("channels", [1, 2])
def test_files_of_an_encoder(tmp_path: Path, extension: str, seconds: float, channels: int) -> None:
    content = media.make(tmp_path, extension, seconds=seconds, channels=channels).read_bytes()
    assert seconds_of(content[:HEAD], len(content)) == pytest.approx(seconds, abs=0.12)


@pytest.mark.parametrize("width", [16, 32])
def test_what_the_service_makes(tmp_path: Path, width: int) -> None:
    source, target = media.make(tmp_path, "mp4"), tmp_path / "out.wav"
    work.convert(source, target, work.Sound(extension="wav", rate=22_050, width=width, channels=2))
    content = target.read_bytes()
    assert seconds_of(content[:HEAD], len(content)) == pytest.approx(1.0, abs=0.1)


def test_frames_without_a_head() -> None:
    second = (b"\xff\xfb\x90\x64" + bytes(413)) * 38
    assert seconds_of(second, len(second)) == pytest.approx(1.0, abs=0.02)
    tagged = b"ID3\x04\x00\x00\x00\x00\x00\x0a" + bytes(10) + second
    assert seconds_of(tagged, len(tagged)) == pytest.approx(1.0, abs=0.02)


@given(st.binary(max_size=200), st.integers(min_value=0, max_value=10**9))
def test_anything_else_has_no_length_or_some(head: bytes, size: int) -> None:
    for start in (b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0", b"ID3", b"\xff\xfb"):
        found = seconds_of(start + head, size)
        assert found is None or isinstance(found, float)
