"""Files: announced, uploaded, completed, shared, deleted; and the odd kinds that Slack knows."""

import secrets
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Literal

from bot.playground.workspace.blobs import Blob, Blobs
from bot.playground.workspace.ids import new_id
from bot.playground.workspace.media import duration_ms
from bot.playground.workspace.model import Change

FILE_BYTES = 1024 * 1024 * 1024
"""Largest file in the workspace; Slack's documented limit."""
INPUT_BYTES = 10 * 1024 * 1024
"""Largest file in a ``file_input``."""

_MIMETYPES = {
    "aac": "audio/aac",
    "aif": "audio/aiff",
    "aiff": "audio/aiff",
    "avi": "video/x-msvideo",
    "bmp": "image/bmp",
    "csv": "text/csv",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "flac": "audio/flac",
    "flv": "video/x-flv",
    "gif": "image/gif",
    "html": "text/html",
    "jpeg": "image/jpeg",
    "jpg": "image/jpeg",
    "json": "application/json",
    "m4a": "audio/mp4",
    "m4v": "video/x-m4v",
    "mkv": "video/x-matroska",
    "mov": "video/quicktime",
    "mp3": "audio/mpeg",
    "mp4": "video/mp4",
    "mpeg": "video/mpeg",
    "mpg": "video/mpeg",
    "ogg": "audio/ogg",
    "pdf": "application/pdf",
    "png": "image/png",
    "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "rtf": "application/rtf",
    "svg": "image/svg+xml",
    "tif": "image/tiff",
    "tiff": "image/tiff",
    "tsv": "text/tab-separated-values",
    "txt": "text/plain",
    "wav": "audio/wav",
    "webm": "video/webm",
    "xls": "application/vnd.ms-excel",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "zip": "application/zip",
}

Odd = Literal["", "processing", "deleted", "external", "elsewhere", "hidden", "denied", "placeless"]
"""Peculiar states of a file; empty for an ordinary one.

``processing``: Slack is still processing it, so it doesn't have an address yet. ``deleted``: a tombstone.
``external``: hosted outside Slack, e.g. on a drive. ``elsewhere``: from another company through Slack Connect;
events carry only its id. ``hidden``: behind the limit of the plan. ``denied``: not accessible to the app.
``placeless``: usable, but its record doesn't list (yet) the messages and conversations that contain it.
"""


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """A file. ``shares`` are (channel, message ts, thread ts or ``""``); ``complete`` once the app said so."""

    id: str
    name: str
    title: str
    size: int
    user: str
    created: int
    mimetype: str = "application/octet-stream"
    filetype: str = "binary"
    blob: Blob = field(default_factory=Blob)
    uploaded: bool = False
    complete: bool = False
    upload_token: str = ""
    alt_text: str = ""
    duration_ms: int | None = None
    odd: Odd = ""
    external_url: str = ""
    shares: tuple[tuple[str, str, str], ...] = field(default=())

    @property
    def content(self) -> bytes:
        """All its bytes."""
        return self.blob.read()


class Files:
    """All files of the workspace by id."""

    def __init__(self, *, clock: Callable[[], float], tell: Callable[[Change], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._files: dict[str, StoredFile] = {}
        self._blobs = Blobs()

    def announce(self, name: str, size: int, user: str, *, title: str = "", mimetype: str = "") -> StoredFile:
        """Announce a file to be uploaded; its token is the only credential of the upload address."""
        suffix = PurePosixPath(name).suffix.removeprefix(".").lower()
        return self.keep(
            StoredFile(
                id=new_id("F"),
                name=name,
                title=title or name,
                size=size,
                user=user,
                created=int(self._clock()),
                mimetype=mimetype or _MIMETYPES.get(suffix, "application/octet-stream"),
                filetype=suffix or "binary",
                upload_token=secrets.token_urlsafe(24),
            )
        )

    def store(self, file: StoredFile, content: bytes | Path | Blob) -> StoredFile:
        """Store the uploaded bytes."""
        blob = content if isinstance(content, Blob) else self._blobs.keep(content)
        found = file.duration_ms if file.duration_ms is not None else duration_ms(blob)
        return self.keep(replace(file, blob=blob, size=blob.size, uploaded=True, duration_ms=found))

    async def receive(self, chunks: AsyncIterator[bytes], *, limit: int = FILE_BYTES) -> Blob | None:
        """Store a stream of bytes; None when there are more than ``limit``."""
        return await self._blobs.receive(chunks, limit=limit)

    def share(self, file: StoredFile, channel: str, ts: str, thread_ts: str) -> StoredFile:
        """Record the message that holds the file."""
        return self.keep(replace(file, complete=True, shares=(*file.shares, (channel, ts, thread_ts))))

    def keep(self, file: StoredFile) -> StoredFile:
        """Add or replace a file."""
        self._files[file.id] = file
        self._tell(Change(kind="file", file=file.id, user=file.user))
        return file

    def get(self, file_id: str) -> StoredFile | None:
        """The file with this id."""
        return self._files.get(file_id)

    def by_upload_token(self, token: str) -> StoredFile | None:
        """The announced file whose upload address holds this token."""
        return next((f for f in self._files.values() if f.upload_token == token and not f.complete), None)

    def close(self) -> None:
        """Delete the bytes on disk."""
        self._blobs.close()
