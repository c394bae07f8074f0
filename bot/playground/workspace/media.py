"""Duration of audio and video, read from the headers of WAV and the MP4 family.

Slack reads many more formats. Other files have no ``duration_ms`` here, as in Slack while it still processes them.
"""

import struct

from bot.playground.workspace.blobs import Blob

_WINDOW = 1024 * 1024
_MP4_NEW = 1


def duration_ms(blob: Blob) -> int | None:
    """Milliseconds, or None."""
    head = blob.read(0, _WINDOW)
    if head[:4] == b"RIFF" and head[8:12] == b"WAVE":
        return _wav(head)
    if head[4:8] == b"ftyp":
        return _mp4(head) or _mp4(blob.read(max(blob.size - _WINDOW, 0)))
    return None


def _wav(head: bytes) -> int | None:
    rate = 0
    at = 12
    while at + 8 <= len(head):
        name, size = head[at : at + 4], int.from_bytes(head[at + 4 : at + 8], "little")
        if name == b"fmt " and at + 20 <= len(head):
            rate = int.from_bytes(head[at + 16 : at + 20], "little")
        if name == b"data":
            return round(size * 1000 / rate) if rate else None
        at += 8 + size + size % 2
    return None


def _mp4(part: bytes) -> int | None:
    at = part.find(b"mvhd")
    try:
        if at < 0:
            return None
        if part[at + 4] == _MP4_NEW:
            scale, length = struct.unpack_from(">IQ", part, at + 4 + 4 + 16)
        else:
            scale, length = struct.unpack_from(">II", part, at + 4 + 4 + 8)
    except (struct.error, IndexError):
        return None
    return round(length * 1000 / scale) if scale else None
