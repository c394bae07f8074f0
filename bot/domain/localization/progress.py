"""Progress of a call as stored with its job, separately from the request, which never changes."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

from bot.domain.localization.declaration import CallOperation
from bot.domain.localization.pieces import needs_cutting
from bot.domain.localization.request import Request
from bot.domain.localization.results import Emotion, Gender, Phrases, Result, Track, Tracks, Written
from bot.domain.machine import Machine
from bot.domain.reasons import Reason, stored

MEDIA_LANE = "localization.media"
TEXT_LANE = "localization.text"
DOCUMENT_LANE = "localization.document"
PIECE_LANE = "localization.piece"
BATCH_LANE = "localization.batch"
LANES: Mapping[str, int] = {MEDIA_LANE: 3, TEXT_LANE: 5, DOCUMENT_LANE: 2, PIECE_LANE: 4, BATCH_LANE: 2}
"""Maximum number of running jobs per kind. Texts have a separate lane, so they never wait behind media.

A document is a text that is cut into pieces: each piece is a job, and the document has the status card. A batch is one
operation on several files: each file is a call in the lane of its kind, and the batch has the status card.
"""
MOST_OPEN = 20
"""Queued or running calls per lane and person; further ones are refused."""


def piece_key(document: str, number: int | None = None) -> str:
    """Return the ``source_key`` of a piece; without a number, the prefix of all pieces."""
    return f"piece:{document}:" if number is None else f"piece:{document}:{number:05}"


def document_of(source_key: str) -> str:
    """Return the document's id from a piece's key, or an empty string."""
    kind, _, rest = source_key.partition(":")
    return rest.partition(":")[0] if kind == "piece" else ""


def batch_key(batch: str = "", number: int | None = None) -> str:
    """Return the ``source_key`` of a call in a batch; without a number, the prefix of all its calls or all batches."""
    return "batch:" if not batch else f"batch:{batch}:" if number is None else f"batch:{batch}:{number:05}"


def batch_of(source_key: str) -> str:
    """Return the batch's id from a call's key; empty for a single call."""
    kind, _, rest = source_key.partition(":")
    return rest.partition(":")[0] if kind == "batch" else ""


class CallState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    HANDING_OVER = "handing_over"
    """The service has finished, and its files are being posted in the thread."""
    DONE = "done"
    UNREAD = "unread"
    """Done and billed, but the answer, or a part of it, has unknown field names. The answer is kept."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Sent with an unknown outcome; never resent automatically."""
    CANCELED = "canceled"
    INTERRUPTED = "interrupted"


MOVES: Final = Machine(
    {
        CallState.WAITING: (CallState.RUNNING, CallState.FAILED, CallState.CANCELED),
        CallState.RUNNING: (
            CallState.HANDING_OVER,
            CallState.DONE,
            CallState.UNREAD,
            CallState.FAILED,
            CallState.UNKNOWN,
            CallState.CANCELED,
            CallState.INTERRUPTED,
            CallState.WAITING,  # only for a document's piece that was certainly not executed
        ),
        CallState.HANDING_OVER: (CallState.DONE, CallState.UNREAD, CallState.FAILED, CallState.INTERRUPTED),
        # The kept answer is parsed again, without another request.
        CallState.UNREAD: (CallState.HANDING_OVER, CallState.DONE),
    },
    final=(CallState.DONE, CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED),
)
STOPPABLE = frozenset({CallState.WAITING, CallState.RUNNING})
REPEATABLE = frozenset({CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED})


def lane_of(request: Request, limit: int) -> str:
    """Return the lane for a request; ``limit`` is the number of characters that the service accepts at once."""
    declared = request.capability
    if declared.media is None and (request.file or needs_cutting(request.operation, request.text, limit=limit)):
        return DOCUMENT_LANE
    return TEXT_LANE if declared.media is None and not declared.streams else MEDIA_LANE


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    request: Request
    file_name: str = ""
    again_of: str = ""
    guessed: bool = False
    """Whether we detected the language of the text."""
    before: str = ""
    """Of a piece: the document's text before its result, and after it."""
    after: str = ""
    private: bool = False
    """Whether the answer to a text from a command is only for the requester."""
    reply: str = field(default="", repr=False)
    """Sealed address for that answer, which Slack accepts for half an hour; empty if there is none."""

    def payload(self) -> dict[str, object]:
        asked = {one.name: getattr(self.request, one.name) for one in fields(Request)}
        own = {name: getattr(self, name) for name in ("file_name", "again_of", *_LATER)}
        return {**asked, "options": dict(self.request.options), **own}

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> "Order":
        asked = {one.name: payload[one.name] for one in fields(Request)}
        request = Request(**{**asked, "operation": CallOperation(payload["operation"])})
        later = {name: payload[name] for name in _LATER if name in payload}  # missing in older rows
        return cls(request=request, file_name=payload["file_name"], again_of=payload["again_of"], **later)


_LATER = ("guessed", "before", "after", "private", "reply")


class Handed(StrEnum):
    NEW = "new"
    MAYBE = "maybe"
    """May be in the thread: check before sending it again."""
    THERE = "there"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """A result file to be posted. Its ``name`` is unique in the thread, so that it can be found again."""

    track: Track
    name: str
    state: Handed = Handed.NEW


_MOMENTS = ("started_at", "ended_at", "sent_at")
_AS_THEY_ARE = ("words", "by", "again", "tries")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Numbers of the pieces of a document without a result; ``unknown`` ones may have been executed and billed."""

    certain: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    """Executed, but answered with unknown field names; the answers are kept."""
    unclear: tuple[int, ...] = ()
    """Lines of a subtitle file that weren't understood, and so not sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """Progress so far; ``words`` are foreign text from the service, ``again`` is the id of the job that repeats it."""

    started_at: datetime | None = None
    ended_at: datetime | None = None
    result: Result | None = None
    deliveries: tuple[ResultFile, ...] = ()
    reason: Reason | None = None
    words: str = ""
    by: str = ""
    again: str = ""
    tries: int = 0
    """Attempts to post the files."""
    sent_at: datetime | None = None
    """When a file that may be in the thread was last sent."""
    answer: str = field(default="", repr=False)
    """JSON of an answer that couldn't be fully parsed, up to the transport's size limit."""
    parts: int = 0
    """Number of a document's pieces (0 until it was read) or of a batch's files."""
    undone: Undone = Undone()
    """Set for a finished document."""

    def but(self, **changes: Any) -> "CallProgress":
        return replace(self, **changes)

    def detail(self) -> dict[str, object]:
        moments: dict[str, datetime | None] = {name: getattr(self, name) for name in _MOMENTS}
        result = {"kind": type(self.result).__name__.lower(), **asdict(self.result)} if self.result else None
        if isinstance(self.result, Gender | Emotion):
            percent = None if self.result.percent is None else str(self.result.percent)
            result = {**(result or {}), "percent": percent}
        if isinstance(self.result, Emotion):
            others = [[label, None if share is None else str(share)] for label, share in self.result.others]
            result = {**(result or {}), "others": others}
        return {
            **({"answer": self.answer} if self.answer else {}),
            **{name: at.isoformat() if at else None for name, at in moments.items()},
            **{name: getattr(self, name) for name in _AS_THEY_ARE},
            "result": result,
            "deliveries": [asdict(one) for one in self.deliveries],
            "reason": stored(self.reason),
            "parts": self.parts,
            "undone": asdict(self.undone),
        }

    @classmethod
    def read(cls, detail: Mapping[str, Any]) -> "CallProgress":
        if not detail:
            return cls()
        texts = {name: detail[name] for name in _MOMENTS}
        moments: dict[str, Any] = {name: datetime.fromisoformat(at) if at else None for name, at in texts.items()}
        return cls(
            **moments,
            result=_read_result(detail["result"]) if detail["result"] is not None else None,
            deliveries=tuple(
                ResultFile(track=Track(**one["track"]), name=one["name"], state=Handed(one["state"]))
                for one in detail["deliveries"]
            ),
            reason=Reason.read(detail["reason"]),
            answer=str(detail.get("answer", "")),
            parts=int(detail.get("parts", 0)),
            undone=Undone(**{name: tuple(numbers) for name, numbers in detail.get("undone", {}).items()}),
            **{name: detail[name] for name in _AS_THEY_ARE},
        )


def _read_result(stored: Mapping[str, Any]) -> Result:
    match stored["kind"]:
        case "gender":
            return Gender(gender=stored["gender"], percent=_share(stored["percent"]), sure=stored.get("sure", ""))
        case "phrases":
            return Phrases(sentences=tuple(stored["sentences"]))
        case "written":
            return Written(text=stored["text"])
        case "emotion":
            others = tuple((str(label), _share(share)) for label, share in stored.get("others", ()))
            return Emotion(label=stored["label"], percent=_share(stored.get("percent")), others=others)
        case _:
            tracks = tuple(Track(**one) for one in stored["tracks"])
            return Tracks(tracks=tracks, missing=tuple(stored.get("missing", ())))


def _share(stored: str | None) -> Decimal | None:
    return None if stored is None else Decimal(stored)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOutcome:
    """A file of a batch without a result, or without a complete one; ``words`` are foreign text from the service."""

    file: str
    state: CallState
    reason: Reason | None
    words: str = ""
    undone: Undone = Undone()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """One call for display. ``position`` in the queue counts from 1; ``percent`` is the uploaded part of the file."""

    id: str
    order: Order
    state: CallState
    progress: CallProgress
    requester: str
    channel: str = ""
    lane: str = ""
    position: int = 0
    elapsed: float | None = None
    through: int = 0
    """Number of a document's finished pieces."""
    percent: int | None = None
    silent_since: datetime | None = None
    command: str = "/switchboard"
    """The command's name in this workspace."""
    is_batch: bool = False
    problems: tuple[FileOutcome, ...] = ()
    """Files of a batch that ended without a complete result."""

    @property
    def is_quiet(self) -> bool:
        """Whether its only message is the private answer."""
        return self.lane == TEXT_LANE and self.order.private
