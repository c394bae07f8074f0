"""Records of rows that have no domain type."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple, TypedDict

from bot.domain.bookings.record import StoreState
from bot.domain.files.sniffing import FileKind
from bot.domain.payments.instruction import CallbackKind

STORE_KEY = "store.sealed_key"
"""Column to which a store's sealed key is bound, besides its row: see ``storage.sealing``."""


class OutboxState(StrEnum):
    """State of a post. An ``UNKNOWN`` one may have arrived: search for it before sending it again."""

    NEW = "new"
    SENDING = "sending"
    SENT = "sent"
    UNKNOWN = "unknown"
    DEAD = "dead"


class Action(StrEnum):
    """Kind of message that an outbox row posts about its subject."""

    BOARD = "board"
    """The message that is edited as its subject changes."""
    LINE = "line"
    """A message in the board's thread, or a separate one in another conversation."""
    FILE = "file"


class InboxState(StrEnum):
    RECEIVED = "received"
    APPLIED = "applied"
    STALE = "stale"
    UNCONFIRMED = "unconfirmed"


class DropState(StrEnum):
    NOTICED = "noticed"
    """Not examined yet."""
    OFFERED = "offered"
    QUIET = "quiet"
    """Nothing was posted: no action fits the file, or the bot shouldn't offer one."""
    GONE = "gone"
    """Deleted after it was offered."""


class Waiting(NamedTuple):
    """Number of rows that wait in a queue, and the time of the oldest; None if no row has one."""

    rows: int
    oldest: datetime | None


class Hold(TypedDict):
    """Arguments for claiming rows that are due by ``now``."""

    now: datetime
    owner: str
    lease_seconds: float
    limit: int


class Head(NamedTuple):
    """End of the audit chain: number (0 for an empty chain) and hash of the last row."""

    seq: int
    hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedKey:
    """A former key of the audit, which seals the rows up to ``until``."""

    until: int
    chain: bytes = field(repr=False)
    anchors: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeasedRow:
    lease_owner: str = ""
    lease_until: datetime | None = None
    tries: int = 0
    """Steps begun since one last stored its result, including the current one."""
    errors: int = 0
    """Number of these steps that raised an exception."""
    stopped: str = ""
    """Number under which it was stopped; empty if it isn't stopped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OutboxRow(LeasedRow):
    """A post to Slack, stored before it is sent, and sent at most once as far as Slack's answers allow."""

    id: str
    """ULID; also the marker in the message's metadata."""
    instruction_id: str | None = None
    subject: str
    """Its subject: the kind (a key of ``Context.subjects``), a colon and the id."""
    key: str
    """Unique key: adding a row with the same key again does nothing."""
    action: str
    place: str
    channel: str
    payload: Mapping[str, object]
    state: OutboxState = OutboxState.NEW
    attempts: int = 0
    """Times it was claimed, including the current one."""
    due_at: datetime
    sent_channel: str = ""
    sent_ts: str = ""
    created_at: datetime
    last_error: str = ""
    urgent: bool = False
    """It reports an outcome, or news that a person needs at once: it is sent before other posts."""

    @property
    def before(self) -> OutboxState:
        """State before it was claimed; if ``UNKNOWN``, check first whether it arrived."""
        return OutboxState.NEW if self.state is OutboxState.SENDING else self.state


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxRow(LeasedRow):
    """The callbacks of one address, which are hints to read its instruction again."""

    id: str
    token_hash: str
    body_hash: str
    instruction_id: str
    kind: CallbackKind
    body: str
    """Always empty."""
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
    """When it is read next; None if it is no longer polled."""
    polls: int = 0
    last_status: str = ""
    stopped_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """The only message about a subject in a place. It is edited on every change; details go to its thread."""

    subject: str
    """Its subject: the kind, a colon and the id, e.g. ``job:01J…``, ``request:01J…:approvals``."""
    instruction_id: str | None
    channel: str
    """Empty for a direct message to the requester that isn't posted yet."""
    thread_ts: str | None
    """The thread in which it is posted; None if it is a top-level message, whose thread has the details."""
    requester: str
    """Recipient of a direct message if the bot can't post in the channel; empty if there is none."""
    ts: str = ""
    """Empty until it is posted."""
    shown_version: int = 0
    wanted_version: int = 1
    """Counts the changes to show; the board is up to date when ``shown_version`` is as high."""
    progress: bool = False
    """The changes to show are only progress, which is less urgent."""
    urgent: bool = False
    """The change to show is the last state, which is shown before other boards."""
    edited_at: datetime | None = None
    due_at: datetime | None = None
    attempts: int = 0
    shown_in: str | None = None
    """The subject whose message also shows this one, which then has no separate message."""

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
    """Unique key of the click or event that created it, so that a repeat doesn't create a second job."""
    version: int = 1
    created_at: datetime
    due_at: datetime | None
    """When it is due; None if it waits for another change."""
    closed_at: datetime | None = None

    @property
    def subject(self) -> str:
        return f"{self.kind.partition('.')[0]}:{self.id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DropRow(LeasedRow):
    """A file dropped in a conversation with the bot."""

    id: str
    channel: str
    message_ts: str
    """Empty until an event contains it."""
    thread_ts: str
    """The thread to answer in; empty as long as ``message_ts`` is."""
    user: str
    name: str = ""
    size: int = 0
    mimetype: str = ""
    kind: FileKind = FileKind.OTHER
    format: str = ""
    duration_ms: int | None = None
    header: Sequence[str] | None = None
    """Column names from the first row of a table, if known."""
    rows: int | None = None
    cents: int | None = None
    state: DropState = DropState.NOTICED
    attempts: int = 0
    created_at: datetime
    due_at: datetime | None
    batch: str = ""
    """Id of the file whose offer also covers this one; empty if it has a separate offer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreRow:
    """A store of the delivery service. ``sealed_key`` can be opened only with the row's id: see ``storage.sealing``."""

    id: str
    name: str
    folded: str
    state: StoreState
    sealed_key: str
    remote_id: str
    record: Mapping[str, Any]
    """The service's record of the store, without the key."""
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
    """A webhook message as received: a hint to read a booking."""

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
    """Progress of a row-by-row run; addresses are numbered from 0 in file order."""

    job_id: str
    header: Sequence[str]
    rows: int
    skipped: int
    """Rows without an address."""
    total: int
    """Distinct addresses."""
    taken: int
    """Number of addresses, from the first, that were checked or are about to be."""
    parked: int = 0
    """Number of taken addresses without an answer that aren't in flight, because the worker stopped."""
    repeated: int
    """Number of addresses checked again because an earlier process died before storing their answers."""
    outcomes: Mapping[str, int]
