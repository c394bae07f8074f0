"""Files from people: as Slack describes them, read again for each use, and their type by content."""

from dataclasses import dataclass
from enum import StrEnum

from bot.domain.errors import PersonError
from bot.domain.files.sniffing import FileKind

_MEGA = 1024 * 1024
LARGEST = 1 << 30
"""Largest file in bytes: the workspace's limit."""


class FileTrouble(StrEnum):
    DELETED = "deleted"
    UNKNOWN = "unknown"
    """Slack reports that the file doesn't exist or isn't visible to us."""
    EXTERNAL = "external"
    """Stored outside of Slack, e.g. on a shared drive."""
    PAGE = "page"
    HIDDEN = "hidden"
    DENIED = "denied"
    PROCESSING = "processing"
    """Slack is still processing it; the only temporary trouble."""
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    TOO_LONG = "too_long"
    NO_TEXT = "no_text"
    NO_MESSAGE = "no_message"
    NO_TIMES = "no_times"
    NO_UNICODE = "no_unicode"
    BINARY = "binary"
    DAMAGED = "damaged"
    TOO_COMPLEX = "too_complex"
    CHANGED = "changed"


_RULES = {
    FileTrouble.DELETED: "this file was deleted",
    FileTrouble.UNKNOWN: "I can't see this file; invite me to a channel it's in",
    FileTrouble.EXTERNAL: "this file is stored outside Slack; upload it to Slack itself",
    FileTrouble.PAGE: "this is a Slack page, not a file; save it as a file and upload that",
    FileTrouble.HIDDEN: "Slack hides this file because of the workspace's plan; upload it again",
    FileTrouble.DENIED: "I'm not allowed to read this file; upload it again in a channel I'm in",
    FileTrouble.PROCESSING: "Slack is still processing this file; try again in a moment",
    FileTrouble.EMPTY: "this file is empty",
    FileTrouble.TOO_LONG: "this text is too long; split it, at most 200,000 characters or 2,000 subtitles each",
    FileTrouble.NO_TEXT: "there's no text in it",
    FileTrouble.NO_MESSAGE: "this message was deleted, or I can't see it",
    FileTrouble.NO_TIMES: "these aren't subtitles: no line has times, for example 00:00:01,000 --> 00:00:03,500",
    FileTrouble.NO_UNICODE: "this text isn't UTF-8; save it as UTF-8 and upload it again",
    FileTrouble.BINARY: "this file doesn't look like text",
    FileTrouble.DAMAGED: "this document is damaged; save it again as .docx and upload that",
    FileTrouble.TOO_COMPLEX: "this document is too complex to read; copy its text into a new document and upload that",
    FileTrouble.CHANGED: "this file didn't arrive whole; try again",
}


class UnusableFile(PersonError):
    """A file that cannot be used, with a message for the person. ``limit`` and ``size`` are in bytes."""

    def __init__(self, trouble: FileTrouble, *, name: str = "", limit: int = 0, size: int = 0) -> None:
        rule = _RULES.get(trouble) or (
            f"this file has {megabytes(size, up=True)} MB; the limit is {megabytes(limit)} MB"
        )
        super().__init__(argument="file", rule=rule, example="", given=name)
        self.trouble = trouble
        self.limit = limit
        self.size = size


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    channel: str
    ts: str
    thread_ts: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileInfo:
    """A file as described by Slack. Its content at ``url`` requires our token."""

    id: str
    name: str
    size: int
    mimetype: str
    user: str
    url: str
    by_app: bool = False
    """Uploaded by an app, maybe on behalf of a person."""
    is_clip: bool = False
    """A Slack recording, whose MP4 may show only at its end that it has no video."""
    duration_ms: int | None = None
    channels: frozenset[str] = frozenset()
    shares: tuple[Share, ...] = ()

    @property
    def claim(self) -> str:
        """The name that resolves formats that the first bytes leave open."""
        return f"{self.name}.m4a" if self.is_clip else self.name

    def share_in(self, channel: str) -> Share | None:
        here = sorted((share for share in self.shares if share.channel == channel), key=lambda share: float(share.ts))
        return here[0] if here else None


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedFile:
    """A file uploaded by a person, with the type detected from its content; ``format`` is e.g. ``wav``."""

    id: str
    name: str
    size: int
    mimetype: str
    kind: FileKind
    format: str
    channel: str
    """Empty for a file given in a form."""
    message_ts: str
    thread_ts: str
    user: str
    duration_ms: int | None = None
    header: tuple[str, ...] | None = None
    """Column names in a table's first row."""
    rows: int | None = None
    """Number of rows of a small table; for payments, without the rows left out."""
    cents: int | None = None
    """Sum of a small table of payments."""


def megabytes(size: int, *, up: bool = False) -> str:
    """Format a size in MB, with one decimal unless it is 0; ``up`` rounds up, so that a size over a limit stays so."""
    tenths = -(-size * 10 // _MEGA) if up else size * 10 // _MEGA
    return f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
