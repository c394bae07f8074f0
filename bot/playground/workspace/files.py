"""Files: announced, uploaded, completed, shared; their bytes are kept in memory."""

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath

from bot.playground.workspace.ids import new_id
from bot.playground.workspace.model import Change

FILE_BYTES = 100 * 1024 * 1024
"""The workspace takes no larger files; Slack's own limit is about ten times as high."""

_MIMETYPES = {
    "csv": "text/csv",
    "txt": "text/plain",
    "json": "application/json",
    "pdf": "application/pdf",
    "png": "image/png",
    "jpg": "image/jpeg",
    "gif": "image/gif",
    "mp3": "audio/mpeg",
    "wav": "audio/wav",
    "m4a": "audio/mp4",
    "ogg": "audio/ogg",
    "mp4": "video/mp4",
    "mov": "video/quicktime",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


@dataclass(frozen=True, kw_only=True)
class StoredFile:
    """One file. ``shares`` are (channel, message ts, thread ts or ``""``); ``complete`` once the app said so."""

    id: str
    name: str
    title: str
    size: int
    user: str
    created: int
    mimetype: str = "application/octet-stream"
    filetype: str = "binary"
    content: bytes = b""
    uploaded: bool = False
    complete: bool = False
    upload_token: str = ""
    alt_text: str = ""
    shares: tuple[tuple[str, str, str], ...] = field(default=())


class Files:
    """All files of the workspace by id."""

    def __init__(self, *, clock: Callable[[], float], tell: Callable[[Change], None]) -> None:
        self._clock = clock
        self._tell = tell
        self._files: dict[str, StoredFile] = {}

    def announce(self, name: str, size: int, user: str, *, title: str = "", mimetype: str = "") -> StoredFile:
        """A place for a file to come; the upload address is worth as much as its token."""
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

    def store(self, file: StoredFile, content: bytes) -> StoredFile:
        """Keep what was uploaded."""
        return self.keep(replace(file, content=content, size=len(content), uploaded=True))

    def share(self, file: StoredFile, channel: str, ts: str, thread_ts: str) -> StoredFile:
        """Note in which message the file stands."""
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
