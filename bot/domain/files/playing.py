"""Duration of a video from its headers, which takes a few small reads anywhere in the file."""

import struct
from collections.abc import Callable, Generator
from typing import Final

Piece = tuple[int, int]
"""Offset and length of a read."""
Probe = Generator[Piece, bytes, float | None]
"""Yields pieces to read, which may come back shorter, and returns the duration in seconds or None."""

_MOST_READS: Final = 24
_LONGEST: Final = 1e8
"""Seconds; a longer duration means a damaged file."""
_BOX: Final = 16
_INSIDE: Final = 64 * 1024
_TAIL: Final = 256 * 1024
_WIDE: Final = 1
"""Marks 64-bit values: as the length of a box, or as the version of an atom with times."""


def probe(kind: str, size: int) -> Probe:
    """Probe a file of this format, as named by :func:`bot.domain.files.sniffing.sniff`, and size in bytes."""
    asks = _PROBES.get(kind)
    try:
        found = (yield from asks(size)) if asks is not None and size > 0 else None
    except (struct.error, IndexError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return found if found is not None and 0 < found < _LONGEST else None


def movie(size: int) -> Generator[Piece, bytes, bytes]:
    """Find the box with the tracks of an MP4 or QuickTime file, maybe after the media; return its first 64 KB."""
    at = 0
    for _ in range(_MOST_READS):
        head = yield at, _BOX
        length, name, behind = struct.unpack_from(">I", head)[0], head[4:8], 8
        if length == _WIDE:
            length, behind = struct.unpack_from(">Q", head, 8)[0], 16
        length = length or size - at
        if name == b"moov":
            return (yield at, min(length, _INSIDE))
        at += length
        if length < behind or at >= size:
            break
    return b""


def _boxes(size: int) -> Probe:
    """Probe MP4, QuickTime and M4V."""
    return _movie((yield from movie(size)))


def _movie(inside: bytes) -> float | None:
    at = inside.index(b"mvhd") + 4
    wide = inside[at] == _WIDE
    scale, length = struct.unpack_from(">IQ" if wide else ">II", inside, at + (20 if wide else 12))
    if not length and (at := inside.find(b"mehd") + 4) > 4:  # noqa: PLR2004 - found; a movie in fragments
        length = struct.unpack_from(">Q" if inside[at] == _WIDE else ">I", inside, at + 4)[0]
    unknown = length in (0, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF)
    return None if unknown else float(length / scale)


_SEGMENT, _INFO, _CLUSTER, _SCALE, _DURATION = 0x18538067, 0x1549A966, 0x1F43B675, 0x2AD7B1, 0x4489
_NANOSECONDS: Final = 1_000_000


def _element(found: bytes, at: int) -> tuple[int, int, int]:
    """Return the id of an EBML element, the start of its content, and its length, or -1 if unknown."""
    width = 9 - found[at].bit_length()
    name, at = int.from_bytes(found[at : at + width], "big"), at + width
    width = 9 - found[at].bit_length()
    length = int.from_bytes(found[at : at + width], "big") & (1 << 7 * width) - 1
    return name, at + width, -1 if length == (1 << 7 * width) - 1 else length


def _matroska(size: int) -> Probe:
    """Probe Matroska and WebM through the segment's information, which live recordings lack."""
    at = 0
    for _ in range(_MOST_READS):
        head = yield at, _BOX
        name, start, length = _element(head, 0)
        if name == _INFO:
            return _information((yield at + start, min(length, _INSIDE)))
        at += start if name == _SEGMENT else start + length
        if at >= size or name == _CLUSTER or (length < 0 and name != _SEGMENT):
            return None
    return None


def _information(found: bytes) -> float | None:
    at, scale, duration = 0, _NANOSECONDS, None
    while at < len(found):
        name, at, length = _element(found, at)
        content = found[at : at + length]
        if name == _SCALE:
            scale = int.from_bytes(content, "big")
        if name == _DURATION:
            duration = struct.unpack(">f" if length == 4 else ">d", content)[0]  # noqa: PLR2004 - bytes
        at += length
    return None if duration is None else float(duration * scale / 1e9)


def _avi(_: int) -> Probe:
    """Probe AVI: the longest stream counts."""
    head = yield 0, _INSIDE
    seconds, at = 0.0, head.find(b"strh")
    while at > 0:
        scale, rate, _start, length = struct.unpack_from("<IIII", head, at + 28)
        seconds = max(seconds, length * scale / rate if rate else 0.0)
        at = head.find(b"strh", at + 4)
    main = head.index(b"avih") + 8
    each, frames = struct.unpack_from("<I", head, main)[0], struct.unpack_from("<I", head, main + 16)[0]
    return max(seconds, each * frames / 1e6) or None


def _flash(size: int) -> Probe:
    """Probe FLV: the duration in the first tag, else the time of the last tag."""
    head = yield 0, _INSIDE
    at = head.find(b"\x00\x08duration\x00")
    told = struct.unpack_from(">d", head, at + 11)[0] if at > 0 else 0.0
    if told > 0:
        return float(told)
    behind = struct.unpack(">I", (yield max(size - 4, 0), 4))[0]
    tag = yield max(size - 4 - behind, 0), 8
    return (int.from_bytes(tag[4:7], "big") | tag[7] << 24) / 1_000


_PACK: Final = b"\x00\x00\x01\xba"
_CLOCK: Final = 90_000


def _program(size: int) -> Probe:
    """Probe MPEG program streams: the difference between the clocks of the first and last pack."""
    first = yield 0, _BOX
    start = max(size - _TAIL, 0)
    last = yield start, size - start
    ends = last.rindex(_PACK)
    return (_clock(last[ends:]) - _clock(first)) % (1 << 33) / _CLOCK if first.startswith(_PACK) else None


def _clock(pack: bytes) -> int:
    a, b, c, d, e = pack[4:9]
    if a >> 6 == 1:  # MPEG-2
        return (a & 0x38) << 27 | (a & 3) << 28 | b << 20 | (c & 0xF8) << 12 | (c & 3) << 13 | d << 5 | e >> 3
    return (a >> 1 & 7) << 30 | b << 22 | (c >> 1) << 15 | d << 7 | e >> 1


_PROBES: Final[dict[str, Callable[[int], Probe]]] = {
    **dict.fromkeys(("mp4", "mov", "m4v", "3gp"), _boxes),
    **dict.fromkeys(("mkv", "webm"), _matroska),
    **dict.fromkeys(("mpeg", "mpg"), _program),
    "avi": _avi,
    "flv": _flash,
}
