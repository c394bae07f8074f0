"""Real work on media if PyAV is installed (the extra ``media``), else a plain tone."""

import io
import math
import struct
import wave
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import av.container

HAS_PYAV = find_spec("av") is not None
_TONE_HZ = 440
_TONE_SECONDS = 2
_MP3_FRAME = b"\xff\xfb\x90\x64" + bytes(413)
"""A silent frame: MPEG 1 layer III, 128 kbit/s, 44.1 kHz."""
_MP3_FRAMES_A_SECOND = 38


class UnreadableError(Exception):
    """The file isn't media, or has no sound."""


@dataclass(frozen=True, kw_only=True)
class Sound:
    """Requested audio format: ``width`` in bits."""

    extension: str
    rate: int
    width: int = 16
    channels: int = 1


def seconds_of(path: Path) -> float | None:
    """Return the duration of a media file in seconds; None if unknown.

    Raises:
        UnreadableError: it isn't media.
    """
    if not HAS_PYAV:
        return None
    import av  # noqa: PLC0415 - an extra

    try:
        with av.open(str(path)) as container:
            if container.duration is not None:
                return container.duration / 1_000_000
            return _longest_stream(container)
    except av.FFmpegError as broken:
        raise UnreadableError from broken


def _longest_stream(container: "av.container.InputContainer") -> float | None:
    known = [
        float(stream.duration * stream.time_base)
        for stream in container.streams
        if stream.duration and stream.time_base
    ]
    return max(known, default=None)


def convert(source: Path | None, target: Path, sound: Sound, *, pan: str = "") -> None:
    """Write the sound of a file in the requested format.

    Args:
        source: audio or video; None for a tone.
        target: where to.
        sound: format, rate, width and channels.
        pan: how to mix the channels, for ffmpeg's filter of that name.

    Raises:
        UnreadableError: it has no sound.
    """
    if source is None or not HAS_PYAV:
        target.write_bytes(_plain(sound))
        return
    import av  # noqa: PLC0415 - an extra

    try:
        with av.open(str(source)) as read, av.open(str(target), "w", format=sound.extension) as written:
            if not read.streams.audio:
                raise UnreadableError
            _transcode(read, written, sound, pan)
    except (av.FFmpegError, ValueError) as broken:
        raise UnreadableError from broken


def _transcode(
    read: "av.container.InputContainer", written: "av.container.OutputContainer", sound: Sound, pan: str
) -> None:
    from av.audio.resampler import AudioResampler  # noqa: PLC0415 - an extra

    layout = "mono" if sound.channels == 1 else "stereo"
    sample_format = {("wav", 16): "s16", ("wav", 32): "s32"}.get((sound.extension, sound.width), "s16p")
    codec = {("wav", 16): "pcm_s16le", ("wav", 32): "pcm_s32le"}.get((sound.extension, sound.width), "mp3")
    out: Any = written.add_stream(codec, rate=sound.rate)
    out.layout, out.format = layout, sample_format
    resampler = AudioResampler(format=sample_format, layout=layout, rate=sound.rate)
    mixed = _mixed(read, pan)
    for frame in mixed:
        for piece in resampler.resample(frame):
            written.mux(out.encode(piece))
    for piece in resampler.resample(None):
        written.mux(out.encode(piece))
    written.mux(out.encode(None))


def _mixed(read: "av.container.InputContainer", pan: str) -> Any:
    """Iterate over the frames of the first sound, with its channels mixed as requested."""
    frames = read.decode(audio=0)
    if not pan:
        yield from frames
        return
    import av.filter  # noqa: PLC0415 - an extra

    graph: Any = None
    for frame in frames:
        if graph is None:
            graph = av.filter.Graph()
            graph.link_nodes(
                graph.add_abuffer(template=read.streams.audio[0]),
                graph.add("aformat", "channel_layouts=stereo"),
                graph.add("pan", pan),
                graph.add("abuffersink"),
            ).configure()
        graph.push(frame)
        while (piece := _pulled(graph)) is not None:
            yield piece


def _pulled(graph: Any) -> Any:
    import av  # noqa: PLC0415 - an extra

    try:
        return graph.pull()
    except (av.error.BlockingIOError, av.error.EOFError):
        return None


def _plain(sound: Sound) -> bytes:
    if sound.extension == "mp3":
        return _MP3_FRAME * (_MP3_FRAMES_A_SECOND * _TONE_SECONDS)
    packed, peak = ("<h", 8_000) if sound.width == 16 else ("<i", 8_000 << 16)  # noqa: PLR2004 - bits
    samples = bytearray()
    for number in range(sound.rate * _TONE_SECONDS):
        level = int(peak * math.sin(2 * math.pi * _TONE_HZ * number / sound.rate))
        samples += struct.pack(packed, level) * sound.channels
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(sound.channels)
        out.setsampwidth(sound.width // 8)
        out.setframerate(sound.rate)
        out.writeframes(bytes(samples))
    return file.getvalue()
