"""Rows that belong to no domain record: boards, queues in and out, followed resources."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from bot.domain.files.sniffing import FileKind
from bot.domain.payments.instruction import CallbackKind

STORE_KEY = "store.sealed_key"
"""What the sealed key of a store is bound to besides its row: see ``storage.sealing``."""


class OutboxState(StrEnum):
    """How far a post is. ``UNKNOWN``: it may have arrived; look for it before sending again."""

    NEW = "new"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    DEAD = "dead"


class Action(StrEnum):
    """What an outbox row posts about its subject."""

    BOARD = "board"
    """The message that is edited as things go on."""
    LINE = "line"
    """A message in the board's thread, or by itself in another conversation."""
    FILE = "file"


class InboxState(StrEnum):
    """What became of a callback."""

    RECEIVED = "received"
    APPLIED = "applied"
    STALE = "stale"
    UNCONFIRMED = "unconfirmed"


class DropState(StrEnum):
    """What became of a file that somebody dropped."""

    NOTICED = "noticed"
    """It has not been looked at yet."""
    OFFERED = "offered"
    QUIET = "quiet"
    """Nothing was said: nobody can use it, or it is not ours to offer."""
    GONE = "gone"
    """It was offered and is there no more."""


class Lease(TypedDict):
    """Who works on a row and until when others keep off; unpacked into ``move`` and ``touch``."""

    lease_owner: str
    lease_until: datetime | None


class Head(NamedTuple):
    """Where the audit chain ends: the last row's number (0: none yet) and hash."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedKey:
    """A key of the audit that another one took over from: it speaks for the rows up to ``until``."""

    until: int
    chain: bytes = field(repr=False)
    anchors: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow:
    """One post to Slack: stored before it is made, made at most once as far as Slack lets us know."""

    id: str
    """ULID; also the marker in the message's metadata."""
    instruction_id: str | None
    """The request that it is about, or None."""
    subject: str
    """What it is about: the kind (a key of ``Context.subjects``), a colon and the id."""
    key: str
    """What it is about, unique: adding the same key again adds nothing."""
    action: str
    place: str
    channel: str
    payload: Mapping[str, object]
    state: OutboxState
    attempts: int
    """Times it was taken, the present one included."""
    due_at: datetime
    lease_owner: str
    lease_until: datetime | None
    sent_channel: str
    sent_ts: str
    created_at: datetime
    last_error: str
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""

    @property
    def before(self) -> OutboxState:
        """What it was when it was taken: ``UNKNOWN`` asks to look first whether it arrived."""
        return OutboxState.NEW if self.state is OutboxState.SENDING else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow:
    """What came to one callback address: hints that its instruction is worth reading again."""

    id: str
    token_hash: str
    body_hash: str
    instruction_id: str
    kind: CallbackKind
    body: str
    """Empty."""
    received_at: datetime
    """When the first of those came that nothing has come of yet."""
    state: InboxState
    attempts: int
    due_at: datetime
    lease_owner: str
    lease_until: datetime | None
    hints: int
    """How many came so far."""
    read_at: datetime | None
    """When somebody last set out to look."""
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackToken:
    """What a callback address stands for. The token itself is not stored."""

    token_hash: str
    instruction_id: str
    kind: CallbackKind
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked:
    """Something at a service that is read again and again until it is final."""

    kind: str
    remote_id: str
    instruction_id: str | None
    created_at: datetime
    """When it began to be followed."""
    due_at: datetime | None
    """When it is read next; None: it is followed no more."""
    polls: int
    lease_owner: str
    lease_until: datetime | None
    last_status: str
    stopped_at: datetime | None
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The one message that shows its subject in one place, edited as it goes on; details stand in its thread."""

    subject: str
    """What it shows: the kind, a colon and the id, e.g. ``job:01J…``, ``request:01J…:approvals``."""
    instruction_id: str | None
    """The request that it shows, or None."""
    channel: str
    """Empty until it was posted, where it goes to the requester directly."""
    thread_ts: str | None
    """The thread it stands in; None: it stands by itself, and its own thread holds the details."""
    requester: str
    """Who hears of it where the bot cannot post in the channel; empty: nobody in particular."""
    ts: str
    """Empty until it was posted."""
    shown_version: int
    wanted_version: int
    """Counts the changes that are to be seen; it shows the latest when ``shown_version`` is as high."""
    progress: bool
    """Whether nothing but progress waits to be shown, which can wait longer."""
    edited_at: datetime | None
    due_at: datetime | None
    attempts: int

    @property
    def thread(self) -> str | None:
        """The thread that the details belong to."""
        return self.thread_ts or self.ts or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """Work that takes a while and needs nobody's approval."""

    id: str
    kind: str
    state: str
    """A word of its kind."""
    payload: Mapping[str, Any]
    """What was asked for; never changes."""
    detail: Mapping[str, Any]
    """How far it is, and what came of it."""
    requester: str
    channel: str
    thread_ts: str | None
    source_key: str
    """What it was made from, unique: the same click or event makes no second one."""
    version: int = 1
    created_at: datetime
    due_at: datetime | None
    """When there is something to do for it; None: somebody or something else moves it."""
    lease_owner: str = ""
    lease_until: datetime | None = None
    closed_at: datetime | None = None
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRow:
    """A file that somebody dropped where we are, known by Slack's id of it, and what was found out about it."""

    id: str
    channel: str
    message_ts: str
    """Empty as long as no event has told it."""
    thread_ts: str
    """The thread that talk of it belongs to; empty like ``message_ts``."""
    user: str
    name: str = ""
    size: int = 0
    mimetype: str = ""
    kind: FileKind = FileKind.OTHER
    format: str = ""
    duration_ms: int | None = None
    header: Sequence[str] | None = None
    """The names in the first row of a table, where they are known."""
    state: DropState = DropState.NOTICED
    attempts: int = 0
    """Times somebody began to look at it."""
    created_at: datetime
    due_at: datetime | None
    lease_owner: str = ""
    lease_until: datetime | None = None
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""


class StoreState(StrEnum):
    """How far a store of the delivery service is here."""

    CREATING = "creating"
    """Asked for; nobody knows yet whether the service made it."""
    READY = "ready"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """A store of the delivery service. ``sealed_key`` opens only with the row's id: see ``storage.sealing``."""

    id: str
    name: str
    folded: str
    """The name without case and doubled blanks, unique."""
    state: StoreState
    sealed_key: str
    remote_id: str
    record: Mapping[str, Any]
    """What the service says of it, without the key."""
    created_at: datetime
    created_by: str
    seen_at: datetime | None
    """When the service last told of it."""
    due_at: datetime | None
    """When to look whether it was made after all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHook:
    """What a webhook address stands for. The token itself is not stored."""

    token_hash: str
    id: str
    store: str
    kind: str
    created_at: datetime
    ended_at: datetime | None
    """Since when it is registered no more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreEvent:
    """One message to a webhook as it came: a hint that a booking is worth reading."""

    id: str
    token_hash: str
    body_hash: str
    store: str
    kind: str
    body: str
    received_at: datetime
    state: InboxState
    attempts: int
    due_at: datetime
    lease_owner: str
    lease_until: datetime | None
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    stopped: str = ""
    """The number of the internal error after which it is left alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailRun:
    """How far a row-by-row run is; addresses are numbered from 0 in the order of the file."""

    job_id: str
    header: Sequence[str]
    rows: int
    skipped: int
    """Rows without an address."""
    total: int
    """Different addresses."""
    taken: int
    """Of these, the first so many were asked or are about to be."""
    parked: int = 0
    """Of those that were taken and have no answer, so many are not under way: the worker has stopped."""
    repeated: int
    """Addresses that were asked again because an earlier process died before it had stored their answers."""
    outcomes: Mapping[str, int]
    """How many addresses have which outcome."""
