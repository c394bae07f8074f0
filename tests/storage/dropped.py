"""Dropped files as the database holds them."""

from typing import Any

from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind
from storage.rows import DropRow
from tests.storage.factories import NOW


def row(file_id: str = "F1", **more: Any) -> DropRow:
    values: dict[str, Any] = {
        "id": file_id,
        "channel": "C1",
        "message_ts": "1.1",
        "thread_ts": "1.0",
        "user": "U1",
        "created_at": NOW,
        "due_at": NOW,
    }
    return DropRow(**(values | more))


def found(file_id: str = "F1", **more: Any) -> DroppedFile:
    values: dict[str, Any] = {
        "id": file_id,
        "name": "a\x00\ud800.wav",
        "size": 5_000_000_000,
        "mimetype": "audio/wav",
        "kind": FileKind.AUDIO,
        "format": "wav",
        "channel": "C1",
        "message_ts": "1.1",
        "thread_ts": "1.0",
        "user": "U1",
        "duration_ms": 1_500,
    }
    return DroppedFile(**(values | more))
