"""Real media files, made when a test needs them, and the properties of a decoded file."""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import av
from av.audio.frame import AudioFrame
from av.video.frame import VideoFrame

AUDIO = ("mp3", "wav", "flac", "ogg", "aiff")
"""Formats of audio conversion (document 1)."""
CLIPS = ("mp3", "wav")
"""Formats of gender detection and source separation."""
VIDEO = ("mp4", "mov", "mkv", "webm", "mpeg", "mpg", "avi", "flv", "m4v")
"""Formats of audio extraction."""

_CONTAINERS = {"mkv": "matroska", "mpg": "mpeg", "m4v": "mp4", "aiff": "aiff"}
_AUDIO_CODECS = {
    "mp3": ("libmp3lame", "s16p"),
    "wav": ("pcm_s16le", "s16"),
    "flac": ("flac", "s16"),
    "ogg": ("libopus", "flt"),
    "aiff": ("pcm_s16be", "s16"),
    "webm": ("libopus", "flt"),
    "mpeg": ("mp2", "s16"),
    "mpg": ("mp2", "s16"),
    "avi": ("libmp3lame", "s16p"),
    "flv": ("libmp3lame", "s16p"),
}
_VIDEO_CODECS = {"webm": "libvpx", "mpeg": "mpeg1video", "mpg": "mpeg1video", "flv": "flv"}


@dataclass(frozen=True)
class Heard:
    """Properties of a decoded file: ``width`` is bits per sample."""

    codec: str
    rate: int
    channels: int
    width: int
    seconds: float


def make(
    directory: Path,
    extension: str,
    *,
    seconds: float = 1.0,
    rate: int = 48_000,
    channels: int = 2,
    fps: int = 25,
    film: bool = True,
    options: dict[str, str] | None = None,
) -> Path:
    """A tone, with moving colours in video formats if it is a ``film``. ``options``: of the container."""
    path = directory / f"sample-{seconds:g}.{extension}"
    codec, sample_format = _AUDIO_CODECS.get(extension, ("aac", "fltp"))
    with av.open(str(path), "w", format=_CONTAINERS.get(extension, extension), options=options or {}) as out:
        pictures: Any = None
        if film and extension in VIDEO:
            pictures = out.add_stream(_VIDEO_CODECS.get(extension, "mpeg4"), rate=fps)
            pictures.width, pictures.height, pictures.pix_fmt = 64, 64, "yuv420p"
        sound: Any = out.add_stream(codec, rate=rate if extension != "flv" else 44_100)
        sound.layout, sound.format = "stereo" if channels == 2 else "mono", sample_format
        if pictures is not None:
            for frame in _colours(seconds, fps):
                out.mux(pictures.encode(frame))
            out.mux(pictures.encode(None))
        resampler = av.AudioResampler(format=sample_format, layout=sound.layout, rate=sound.rate, frame_size=1024)
        for tone in _tone(seconds, sound.rate, channels):
            for piece in resampler.resample(tone):
                out.mux(sound.encode(piece))
        for piece in resampler.resample(None):
            out.mux(sound.encode(piece))
        out.mux(sound.encode(None))
    return path


def _colours(seconds: float, fps: int) -> list[VideoFrame]:
    frames = []
    for number in range(int(seconds * fps) or 1):
        frame = VideoFrame(64, 64, "yuv420p")
        for index, plane in enumerate(frame.planes):
            plane.update(bytes([(number * 3 + index * 60) % 256]) * plane.buffer_size)
        frame.pts, frame.time_base = number, Fraction(1, fps)
        frames.append(frame)
    return frames


def _tone(seconds: float, rate: int, channels: int) -> list[AudioFrame]:
    frames = []
    total, step = int(seconds * rate), rate // 10
    for start in range(0, total, step):
        count = min(step, total - start)
        samples = _tenth(rate, channels)[: count * channels * 2]
        frame = AudioFrame(format="s16", layout="stereo" if channels == 2 else "mono", samples=count)
        frame.planes[0].update(samples.ljust(frame.planes[0].buffer_size, b"\x00"))
        frame.sample_rate, frame.pts, frame.time_base = rate, start, Fraction(1, rate)
        frames.append(frame)
    return frames


@cache
def _tenth(rate: int, channels: int) -> bytes:
    """A tenth of a second of 440 Hz: whole periods, so that one may follow the other."""
    return b"".join(
        struct.pack("<h", int(9_000 * math.sin(2 * math.pi * 440 * n / rate))) * channels for n in range(rate // 10)
    )


def heard(content: bytes, directory: Path) -> Heard:
    path = directory / "decoded"
    path.write_bytes(content)
    samples, frame = 0, None
    with av.open(str(path)) as read:
        stream = read.streams.audio[0]
        for frame in read.decode(audio=0):
            samples += frame.samples
        assert frame is not None
        return Heard(
            codec=stream.codec_context.name,
            rate=stream.rate,
            channels=frame.layout.nb_channels,
            width=frame.format.bytes * 8,
            seconds=samples / stream.rate,
        )
