"""Progress of a call, as its job stores it: the request never changes, the progress does."""

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
"""Kind of job -> how many run at a time. Texts have a lane of their own, so that they never wait behind media.

A document is a text that is cut into pieces: each of them is a job, and its board is the document's. A batch is the
same operation on several files: each of them is a call in the lane of its kind, and its board is the batch's.
"""
MOST_OPEN = 20
"""Calls of a lane that one person may have under way or waiting: more are told to wait."""


def piece_key(document: str, number: int | None = None) -> str:
    """The ``source_key`` of a piece; without a number the beginning of those of all pieces."""
    return f"piece:{document}:" if number is None else f"piece:{document}:{number:05}"


def document_of(source_key: str) -> str:
    """The id of the document of a piece; empty when it is none."""
    kind, _, rest = source_key.partition(":")
    return rest.partition(":")[0] if kind == "piece" else ""


def batch_key(batch: str = "", number: int | None = None) -> str:
    """The ``source_key`` of a call of a batch; without a number the beginning of those of all, or of all batches."""
    return "batch:" if not batch else f"batch:{batch}:" if number is None else f"batch:{batch}:{number:05}"


def batch_of(source_key: str) -> str:
    """The id of the batch that a call belongs to; empty when it stands by itself."""
    kind, _, rest = source_key.partition(":")
    return rest.partition(":")[0] if kind == "batch" else ""


class CallState(StrEnum):
    WAITING = "waiting"
    RUNNING = "running"
    HANDING_OVER = "handing_over"
    """The service has finished; its files are being posted in the thread."""
    DONE = "done"
    UNREAD = "unread"
    """Done and billed; the answer, or a part of it, is under names that are not known here. It is kept."""
    FAILED = "failed"
    UNKNOWN = "unknown"
    """Sent, with an unknown outcome. Never sent again unasked."""
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
            CallState.WAITING,  # of a document's piece, which was certainly not done
        ),
        CallState.HANDING_OVER: (CallState.DONE, CallState.UNREAD, CallState.FAILED, CallState.INTERRUPTED),
        # Read again from the kept answer: the service is not asked.
        CallState.UNREAD: (CallState.HANDING_OVER, CallState.DONE),
    },
    final=(CallState.DONE, CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED),
)
STOPPABLE = frozenset({CallState.WAITING, CallState.RUNNING})
REPEATABLE = frozenset({CallState.FAILED, CallState.UNKNOWN, CallState.CANCELED, CallState.INTERRUPTED})


def lane_of(request: Request, limit: int) -> str:
    """``limit``: characters of a text that the service gets at once."""
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
    """The language of the text was recognized by us, not said."""
    before: str = ""
    """Of a piece: what stands before its result in the document, and behind it."""
    after: str = ""
    private: bool = False
    """A text given to a command: its answer is for the requester alone."""
    reply: str = field(default="", repr=False)
    """Sealed: the address at which Slack takes that answer for half an hour; empty where there is none."""

    def payload(self) -> dict[str, object]:
        asked = {one.name: getattr(self.request, one.name) for one in fields(Request)}
        own = {name: getattr(self, name) for name in ("file_name", "again_of", *_LATER)}
        return {**asked, "options": dict(self.request.options), **own}

    @classmethod
    def read(cls, payload: Mapping[str, Any]) -> "Order":
        asked = {one.name: payload[one.name] for one in fields(Request)}
        request = Request(**{**asked, "operation": CallOperation(payload["operation"])})
        later = {name: payload[name] for name in _LATER if name in payload}  # older rows have none
        return cls(request=request, file_name=payload["file_name"], again_of=payload["again_of"], **later)


_LATER = ("guessed", "before", "after", "private", "reply")


class Handed(StrEnum):
    NEW = "new"
    MAYBE = "maybe"
    """It may be in the thread: looked for before it is sent again."""
    THERE = "there"
    LOST = "lost"


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultFile:
    """One file of the result on its way. ``name`` is its own in its thread; by it, it is found again."""

    track: Track
    name: str
    state: Handed = Handed.NEW


_MOMENTS = ("started_at", "ended_at", "sent_at")
_AS_THEY_ARE = ("words", "by", "again", "tries")


@dataclass(frozen=True, slots=True, kw_only=True)
class Undone:
    """Pieces of a document that have no result, by number. ``unknown``: they may have been done, and billed."""

    certain: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    unread: tuple[int, ...] = ()
    """Done, but answered under other names; the answers are kept."""
    unclear: tuple[int, ...] = ()
    """Lines of a file with subtitles at which something begins that wasn't understood, and so wasn't sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallProgress:
    """Progress so far. ``words``: the service's own, foreign text; ``again``: id of the job that repeats this one."""

    started_at: datetime | None = None
    ended_at: datetime | None = None
    result: Result | None = None
    deliveries: tuple[ResultFile, ...] = ()
    reason: Reason | None = None
    words: str = ""
    by: str = ""
    again: str = ""
    tries: int = 0
    """Of handing the files over."""
    sent_at: datetime | None = None
    """When a file was last sent that may be in the thread."""
    answer: str = field(default="", repr=False)
    """JSON of an answer that could not be read whole, as large as the transport takes."""
    parts: int = 0
    """Of a document: how many pieces it has; 0 until it was read. Of a batch: how many files."""
    undone: Undone = Undone()
    """Of a document that is over."""

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
    """What became of one file of a batch that has no result, or not all of it. ``words``: the service's own."""

    file: str
    state: CallState
    reason: Reason | None
    words: str = ""
    undone: Undone = Undone()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallView:
    """What people see of one call; ``position`` in the queue counts from 1, ``percent`` is of the file handed over."""

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
    """Of a document: its pieces that are over."""
    percent: int | None = None
    silent_since: datetime | None = None
    command: str = "/switchboard"
    """As admins type it here."""
    is_batch: bool = False
    problems: tuple[FileOutcome, ...] = ()
    """Of a batch: its files that ended without a whole result."""

    @property
    def is_quiet(self) -> bool:
        """Whether it has no message but its private answer."""
        return self.lane == TEXT_LANE and self.order.private
