"""The length of a video is read from its own headers, in every documented format, in few and small pieces."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.domain.files.playing import probe
from bot.domain.files.sniffing import sniff
from tests.support import media

DOCUMENTED = ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v")


def seconds_of(content: bytes, kind: str, *, size: int | None = None) -> tuple[float | None, int, int]:
    """Seconds, and how many pieces and bytes were read for it."""
    asks, reads, read = probe(kind, len(content) if size is None else size), 0, 0
    try:
        at, length = next(asks)
        while True:
            assert at >= 0
            assert length >= 0
            piece = content[at : at + length]
            reads, read = reads + 1, read + len(piece)
            at, length = asks.send(piece)
    except StopIteration as done:
        return done.value, reads, read


@pytest.mark.parametrize("extension", DOCUMENTED)
@pytest.mark.parametrize("seconds", [1, 3])
def test_every_documented_format_is_recognized(tmp_path: Path, extension: str, seconds: int) -> None:
    content = media.make(tmp_path, extension, seconds=seconds, rate=48_000, fps=25).read_bytes()
    kind = sniff(content[: 64 * 1024], f"sample.{extension}").format
    found, reads, read = seconds_of(content, kind)
    assert found == pytest.approx(seconds, abs=0.6), (kind, found)
    assert reads <= 8
    assert read <= 400_000


def box(name: bytes, content: bytes, *, wide: bool = False) -> bytes:
    if wide:
        return struct.pack(">I4sQ", 1, name, len(content) + 16) + content
    return struct.pack(">I4s", len(content) + 8, name) + content


def movie(seconds: int, *, version: int = 0, more: bytes = b"") -> bytes:
    times = struct.pack(">QQIQ" if version else ">IIII", 0, 0, 1_000, seconds * 1_000)
    return box(b"moov", box(b"mvhd", bytes([version, 0, 0, 0]) + times + bytes(80)) + more)


FTYP = box(b"ftyp", b"isom\0\0\0\0")
MEHD = box(b"mvex", box(b"mehd", bytes(4) + struct.pack(">I", 700_000)))


@pytest.mark.parametrize(("content", "seconds"), [
    (FTYP + movie(601), 601), (FTYP + box(b"mdat", bytes(100_000)) + movie(601, version=1), 601),
    (FTYP + box(b"mdat", bytes(100_000), wide=True) + movie(30), 30), (FTYP + movie(0, more=MEHD), 700),
    (FTYP + movie(0), None), (FTYP + box(b"mdat", bytes(10)), None),
    (FTYP + struct.pack(">I4s", 0, b"mdat") + bytes(50), None),
    (FTYP + struct.pack(">I4s", 3, b"mdat") + bytes(50), None),
    (FTYP + b"".join(box(b"free", b"") for _ in range(50)) + movie(5), None), (b"", None),
])  # fmt: skip
def test_movie_header_is_found_anywhere_in_the_file(content: bytes, seconds: int | None) -> None:
    found, reads, read = seconds_of(content, "mp4")
    assert found == seconds
    assert (reads <= 24, read < 1_000) == (True, True)


@given(content=st.binary(max_size=300), kind=st.sampled_from([*DOCUMENTED, "ts", ""]), more=st.integers(0, 1 << 40))
def test_probing_a_file_ends_quickly(content: bytes, kind: str, more: int) -> None:
    found, reads, _ = seconds_of(content, kind, size=len(content) + more)
    assert found is None or 0 < found < 1e8
    assert reads <= 30
