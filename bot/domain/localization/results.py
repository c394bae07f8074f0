"""Results of localization calls, independent of the service's field names; duration of audio files."""

import struct
from dataclasses import dataclass, field
from decimal import Decimal

from bot.domain.files.sniffing import MP3_BITRATES, MP3_RATES
from bot.domain.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Gender:
    """Gender of the speaker, with the confidence from 0 to 100, if any; ``sure`` is the confidence as reported."""

    gender: str
    percent: Decimal | None = None
    sure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Phrases:
    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Emotion:
    """``label`` is one of the seven, else the service's own word; ``others`` are the scores of further emotions."""

    label: str
    percent: Decimal | None = None
    others: tuple[tuple[str, Decimal | None], ...] = ()


EMOTIONS = ("Anger", "Joy", "Sadness", "Love", "Fear", "Surprise", "Neutral")


@dataclass(frozen=True, slots=True, kw_only=True)
class Track:
    """A file that the service stores temporarily; ``url`` is empty if the answer itself was the file."""

    name: str
    url: str
    extension: str
    """Actual type, which may differ from the requested one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracks:
    """Media, with the names of tracks that are unexpectedly ``missing``."""

    tracks: tuple[Track, ...]
    missing: tuple[str, ...] = ()


SOUNDS = ("mp3", "wav", "ogg", "opus", "flac", "aiff", "aac", "m4a", "webm")
Result = Gender | Phrases | Written | Emotion | Tracks


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """A success with unknown field names: ``answer`` is its JSON, ``read`` the tracks found in it."""

    reason: Reason
    answer: str = field(repr=False)
    read: Tracks | None = None


_RIFF_HEAD = 12
_CHUNK_HEAD = 8
_UNKNOWN_SIZE = 0xFFFFFFFF
_MPEG_1 = 3
_LAYER_III = 1


def seconds_of(head: bytes, size: int) -> float | None:
    """Return the duration in seconds of a WAV or MP3 file of ``size`` bytes from its start; None if unknown."""
    try:
        return _wav(head, size) if head[:4] == b"RIFF" and head[8:12] == b"WAVE" else _mp3(head, size)
    except (struct.error, IndexError, ZeroDivisionError):
        return None


def _wav(head: bytes, size: int) -> float | None:
    at, bytes_a_second = _RIFF_HEAD, 0
    while at + _CHUNK_HEAD <= len(head):
        name, length = head[at : at + 4], struct.unpack_from("<I", head, at + 4)[0]
        if name == b"fmt ":
            bytes_a_second = struct.unpack_from("<I", head, at + 16)[0]
        if name == b"data":
            # The header of a streamed file doesn't contain its size.
            there = size - at - _CHUNK_HEAD
            held = there if length in (0, _UNKNOWN_SIZE) else min(length, there)
            return float(held / bytes_a_second)
        at += _CHUNK_HEAD + length + (length & 1)
    return None


def _mp3(head: bytes, size: int) -> float | None:
    at = 0
    if head[:3] == b"ID3":
        at = 10 + sum((head[6 + n] & 0x7F) << (7 * (3 - n)) for n in range(4))
    while at + 4 <= len(head) and not (head[at] == 0xFF and head[at + 1] & 0xE0 == 0xE0):  # noqa: PLR2004 - sync
        at += 1
    version, layer = head[at + 1] >> 3 & 3, head[at + 1] >> 1 & 3
    rate = MP3_RATES[version][head[at + 2] >> 2 & 3] if layer == _LAYER_III and version in MP3_RATES else 0
    if not rate:
        return None
    bitrate = MP3_BITRATES[version == _MPEG_1][head[at + 2] >> 4] * 1000
    samples = 1152 if version == _MPEG_1 else 576
    mono = head[at + 3] >> 6 == 3  # noqa: PLR2004 - the channel mode
    side = (17 if mono else 32) if version == _MPEG_1 else (9 if mono else 17)
    tag = at + 4 + side
    if head[tag : tag + 4] in (b"Xing", b"Info") and head[tag + 7] & 1:
        return float(struct.unpack_from(">I", head, tag + 8)[0] * samples / rate)
    return float((size - at) * 8 / bitrate)
