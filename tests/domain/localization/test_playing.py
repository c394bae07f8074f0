"""How long real files play, by their first bytes alone."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.localization.results import seconds_of
from tests.support import media

HEAD = 64 * 1024


@pytest.mark.parametrize("extension", ["wav", "mp3"])
@pytest.mark.parametrize("seconds", [0.5, 3.0])
@pytest.mark.parametrize("channels", [1, 2])
def test_encoder_files_have_their_duration(tmp_path: Path, extension: str, seconds: float, channels: int) -> None:
    content = media.make(tmp_path, extension, seconds=seconds, channels=channels).read_bytes()
    assert seconds_of(content[:HEAD], len(content)) == pytest.approx(seconds, abs=0.12)


@given(st.binary(max_size=200), st.integers(min_value=0, max_value=10**9))
def test_other_content_has_a_duration_or_none(head: bytes, size: int) -> None:
    for start in (b"", b"RIFF\0\0\0\0WAVE", b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0", b"ID3", b"\xff\xfb"):
        found = seconds_of(start + head, size)
        assert found is None or isinstance(found, float)


def frame(version: int, *, bitrate: int = 9, rate: int = 0, mode: int = 0) -> bytes:
    """Head of a frame of layer III: ISO/IEC 11172-3, 2.4.1.3, and 13818-3."""
    return bytes([0xFF, 0xE3 | version << 3, bitrate << 4 | rate << 2, mode << 6])


@pytest.mark.parametrize(("version", "rate", "hertz"), [
    (3, 0, 44_100), (3, 1, 48_000), (3, 2, 32_000), (2, 0, 22_050), (2, 1, 24_000), (2, 2, 16_000), (0, 0, 11_025),
    (0, 1, 12_000), (0, 2, 8_000),
])  # fmt: skip
@pytest.mark.parametrize("mode", [0, 3])
@pytest.mark.parametrize("tag", [b"Xing", b"Info"])
def test_duration_is_computed_from_frame_counts(version: int, rate: int, hertz: int, mode: int, tag: bytes) -> None:
    """The count stands behind the side information, whose length depends on version and channels."""
    side = {(3, 0): 32, (3, 3): 17, (2, 0): 17, (2, 3): 9, (0, 0): 17, (0, 3): 9}[version, mode]
    head = frame(version, rate=rate, mode=mode) + bytes(side) + tag + b"\0\0\0\1" + (1_000).to_bytes(4)
    assert seconds_of(head, 10**6) == 1_000 * (1_152 if version == 3 else 576) / hertz
