"""Rows that belong to no domain record."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from bot.domain.bookings.record import StoreState
from bot.domain.files.sniffing import FileKind
from bot.domain.payments.instruction import CallbackKind

STORE_KEY = "store.sealed_key"
"""The column that the sealed key of a store is bound to, besides its row: see ``storage.sealing``."""


class OutboxState(StrEnum):
    """State of a post. ``UNKNOWN``: it may have arrived; search for it before sending again."""

    NEW = "new"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    DEAD = "dead"


class Action(StrEnum):
    """Kind of message that an outbox row posts about its subject."""

    BOARD = "board"
    """The message that is edited as things go on."""
    LINE = "line"
    """A message in the board's thread, or by itself in another conversation."""
    FILE = "file"


class InboxState(StrEnum):
    RECEIVED = "received"
    APPLIED = "applied"
    STALE = "stale"
    UNCONFIRMED = "unconfirmed"


class DropState(StrEnum):
    NOTICED = "noticed"
    """It has not been looked at yet."""
    OFFERED = "offered"
    QUIET = "quiet"
    """Nothing was posted: no action fits it, or it is not ours to offer."""
    GONE = "gone"
    """It was offered and has been deleted since."""


class Waiting(NamedTuple):
    """What waits in a queue: how many rows, and since when the oldest does; None: no row, or none with an age."""

    rows: int
    oldest: datetime | None


class Hold(TypedDict):
    """How rows are claimed that are due by ``now``."""

    now: datetime
    owner: str
    lease_seconds: float
    limit: int


class Head(NamedTuple):
    """Where the audit chain ends: the last row's number (0: none yet) and hash."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedKey:
    """A former key of the audit: it seals the rows up to ``until``."""

    until: int
    chain: bytes = field(repr=False)
    anchors: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedRow:
    lease_owner: str = ""
    lease_until: datetime | None = None
    tries: int = 0
    """Steps begun since one was last stored, the present one included."""
    errors: int = 0
    """How many of these steps ended in an exception."""
    stopped: str = ""
    """The number under which it was stopped; empty: it isn't stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow(LeasedRow):
    """One post to Slack: stored before it is sent, and sent at most once as far as Slack's answers allow."""

    id: str
    """ULID; also the marker in the message's metadata."""
    instruction_id: str | None = None
    subject: str
    """What it is about: the kind (a key of ``Context.subjects``), a colon and the id."""
    key: str
    """What it is about, unique: adding the same key again adds nothing."""
    action: str
    place: str
    channel: str
    payload: Mapping[str, object]
    state: OutboxState = OutboxState.NEW
    attempts: int = 0
    """Times it was taken, the present one included."""
    due_at: datetime
    sent_channel: str = ""
    sent_ts: str = ""
    created_at: datetime
    last_error: str = ""
    urgent: bool = False
    """It tells an end, or what a person has to know at once: it goes before others."""

    @property
    def before(self) -> OutboxState:
        """The state before it was claimed; ``UNKNOWN``: search first whether it arrived."""
        return OutboxState.NEW if self.state is OutboxState.SENDING else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow(LeasedRow):
    """The callbacks of one address: hints to read its instruction again."""

    id: str
    token_hash: str
    body_hash: str
    instruction_id: str
    kind: CallbackKind
    body: str
    """Empty."""
    received_at: datetime
    """When the first unprocessed callback arrived."""
    state: InboxState
    attempts: int
    due_at: datetime
    hints: int
    read_at: datetime | None
    """When it was last claimed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackToken:
    """The instruction and kind of a callback address. The token itself is not stored."""

    token_hash: str
    instruction_id: str
    kind: CallbackKind
    expires_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tracked(LeasedRow):
    kind: str
    remote_id: str
    instruction_id: str | None
    created_at: datetime
    due_at: datetime | None
    """When it is read next; None: it is no longer followed."""
    polls: int = 0
    last_status: str = ""
    stopped_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The one message that shows its subject in one place. It is edited on every change; details go to its thread."""

    subject: str
    """What it shows: the kind, a colon and the id, e.g. ``job:01J…``, ``request:01J…:approvals``."""
    instruction_id: str | None
    channel: str
    """Empty until it was posted, for a board that goes to the requester as a direct message."""
    thread_ts: str | None
    """The thread it is posted in; None: it is a message of its own, and its own thread holds the details."""
    requester: str
    """Who gets it as a direct message where the bot cannot post in the channel; empty: nobody."""
    ts: str = ""
    """Empty until it was posted."""
    shown_version: int = 0
    wanted_version: int = 1
    """Counts the changes to show; the board is up to date when ``shown_version`` is as high."""
    progress: bool = False
    """Only progress waits to be shown, which is less urgent."""
    urgent: bool = False
    """The last state waits to be shown, which goes before others."""
    edited_at: datetime | None = None
    due_at: datetime | None = None
    attempts: int = 0
    shown_in: str | None = None
    """The subject whose message shows it too; it has none of its own then."""

    @property
    def thread(self) -> str | None:
        return self.thread_ts or self.ts or None


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(LeasedRow):
    id: str
    kind: str
    state: str
    payload: Mapping[str, Any]
    """The request; never changes."""
    detail: Mapping[str, Any]
    requester: str
    channel: str
    thread_ts: str | None
    source_key: str
    """The click or event that made it, unique: a repeat makes no second job."""
    version: int = 1
    created_at: datetime
    due_at: datetime | None
    """When it is due; None: it waits for another change."""
    closed_at: datetime | None = None

    @property
    def subject(self) -> str:
        return f"{self.kind.partition('.')[0]}:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRow(LeasedRow):
    """A file dropped in a conversation of the bot."""

    id: str
    channel: str
    message_ts: str
    """Empty until an event carries it."""
    thread_ts: str
    """The thread to answer in; empty like ``message_ts``."""
    user: str
    name: str = ""
    size: int = 0
    mimetype: str = ""
    kind: FileKind = FileKind.OTHER
    format: str = ""
    duration_ms: int | None = None
    header: Sequence[str] | None = None
    """The names in the first row of a table, where they are known."""
    rows: int | None = None
    cents: int | None = None
    state: DropState = DropState.NOTICED
    attempts: int = 0
    created_at: datetime
    due_at: datetime | None
    batch: str = ""
    """The id of the file whose offer is for this one too; empty: its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """A store of the delivery service. ``sealed_key`` opens only with the row's id: see ``storage.sealing``."""

    id: str
    name: str
    folded: str
    state: StoreState
    sealed_key: str
    remote_id: str
    record: Mapping[str, Any]
    """The service's record of it, without the key."""
    created_at: datetime
    created_by: str
    seen_at: datetime | None
    """When the service last returned its record."""
    due_at: datetime | None
    """When to check whether the service created it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreHook:
    """A webhook address. The token itself is not stored."""

    token_hash: str
    id: str
    store: str
    kind: str
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreEvent(LeasedRow):
    """One message to a webhook, as received: a hint to read a booking."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EmailRun:
    """Progress of a row-by-row run; addresses are numbered from 0 in the order of the file."""

    job_id: str
    header: Sequence[str]
    rows: int
    skipped: int
    """Rows without an address."""
    total: int
    """Different addresses."""
    taken: int
    """Number of addresses, from the first, that were asked or are about to be."""
    parked: int = 0
    """Number of addresses that were taken, have no answer and are not in flight, because the worker stopped."""
    repeated: int
    """Number of addresses asked again because an earlier process died before it stored their answers."""
    outcomes: Mapping[str, int]
