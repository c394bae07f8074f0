"""The tables. ``migrations/`` makes them; a test holds that both say the same."""

from enum import StrEnum

from sqlalchemy import (
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)

from bot.domain import deliveries
from bot.domain.instruction import AttemptKind, AttemptOutcome, CallbackKind, Choice, Kind, State
from bot.domain.sniffing import FileKind
from storage.rows import DropState, InboxState, OutboxState, StoreState
from storage.types import Json, Moment, Named, Words

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _one_of(column: str, kind: type[StrEnum]) -> CheckConstraint:
    # Only for vocabularies that are closed. Kinds, states and choices grow with later requests,
    # and on SQLite a changed CHECK copies the table; there the type refuses unknown values on reading.
    values = ", ".join(f"'{member.value}'" for member in kind)
    return CheckConstraint(f"{column} IN ({values})", name=column)


def _instruction_id(*, nullable: bool = False, primary_key: bool = False) -> Column[str]:
    return Column("instruction_id", Text, ForeignKey("instruction.id"), nullable=nullable, primary_key=primary_key)


def _due(table: str) -> Index:
    # Partial, so that a tick costs what is due and not what is kept.
    condition = text("due_at IS NOT NULL")
    return Index(f"ix_{table}_due_at", "due_at", sqlite_where=condition, postgresql_where=condition)


instruction = Table(
    "instruction",
    metadata,
    Column("id", Text, primary_key=True),
    Column("reference", Text, nullable=False, unique=True),
    Column("kind", Named(Kind), nullable=False),
    Column("payload", Json, nullable=False),
    Column("code", Text, nullable=False, unique=True),
    Column("digest", Text, nullable=False),
    Column("requirement", Json, nullable=False),
    Column("state", Named(State), nullable=False, index=True),
    Column("round", Integer, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("requester", Words, nullable=False, index=True),
    Column("origin_channel", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("source_key", Words, nullable=False, unique=True),
    Column("recipient", Json),
    Column("progress", Json),
    Column("remote_id", Words, index=True),
    Column("remote_status", Words, nullable=False),
    Column("svc_hash", Words, nullable=False),
    Column("reason", Words, nullable=False),
    Column("decided_by", Words, nullable=False),
    Column("posted_at", Moment),
    Column("expires_at", Moment),
    Column("exec_deadline", Moment),
    Column("sent_at", Moment),
    Column("unknown_since", Moment),
    Column("reads", Integer, nullable=False),
    Column("last_read_at", Moment),
    Column("creates", Integer, nullable=False),
    Column("commits", Integer, nullable=False),
    Column("puts_off", Integer, nullable=False),
    Column("due_at", Moment),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    Column("closed_at", Moment),
    # Taken out of the payload for looking up; never read back.
    Column("payee_email", Words, nullable=False),
    Column("cents", BigInteger, nullable=False),
    CheckConstraint("cents > 0", name="cents"),
    CheckConstraint("version > 0", name="version"),
    CheckConstraint("round > 0", name="round"),
    _due("instruction"),
    Index("ix_instruction_payee_email_cents_created_at", "payee_email", "cents", "created_at"),
)

vote = Table(
    "vote",
    metadata,
    _instruction_id(primary_key=True),
    Column("round", Integer, primary_key=True, autoincrement=False),
    Column("person", Text, primary_key=True),
    Column("choice", Named(Choice), nullable=False),
    Column("at", Moment, nullable=False),
)

attempt = Table(
    "attempt",
    metadata,
    _instruction_id(primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("kind", Named(AttemptKind), nullable=False),
    Column("request_hash", Text, nullable=False),
    Column("claimed_at", Moment, nullable=False),
    Column("boot_at", Float, nullable=False),
    Column("outcome", Named(AttemptOutcome), nullable=False),
    Column("detail", Words, nullable=False),
    Column("finished_at", Moment),
    _one_of("outcome", AttemptOutcome),
    Index(
        "uq_attempt_open",
        "instruction_id",
        unique=True,
        sqlite_where=text("outcome = 'open'"),
        postgresql_where=text("outcome = 'open'"),
    ),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    # No foreign key: some rows are about no instruction, and the chain outlives what it is about.
    Column("instruction_id", Text, nullable=False, index=True),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("before", Text, nullable=False),
    Column("after", Text, nullable=False),
    Column("detail", Json, nullable=False),
    Column("previous", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

audit_head = Table(
    "audit_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

card_copy = Table(
    "card_copy",
    metadata,
    _instruction_id(primary_key=True),
    Column("place", Text, primary_key=True),
    Column("channel", Text, nullable=False),
    Column("ts", Text, nullable=False),
    Column("shown_version", BigInteger, nullable=False),
    Column("wanted_version", BigInteger, nullable=False),
    Column("due_at", Moment),
    Column("attempts", Integer, nullable=False),
    UniqueConstraint("channel", "ts"),
    _due("card_copy"),
)

outbox = Table(
    "outbox",
    metadata,
    # The order of committing, which a ULID is not within one millisecond or when the clock steps back.
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    _instruction_id(nullable=True),
    # A board it belongs to ("job:…", "booking:…"), for what is about no instruction.
    Column("subject", Text),
    Column("key", Text, nullable=False, unique=True),
    Column("action", Text, nullable=False),
    Column("place", Text, nullable=False),
    Column("channel", Text, nullable=False),
    Column("payload", Json, nullable=False),
    Column("state", Named(OutboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    Column("sent_channel", Text, nullable=False),
    Column("sent_ts", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("last_error", Words, nullable=False),
    _one_of("state", OutboxState),
    Index(
        "ix_outbox_open_due_at",
        "due_at",
        sqlite_where=text("state IN ('new', 'sending', 'unknown')"),
        postgresql_where=text("state IN ('new', 'sending', 'unknown')"),
    ),
    Index("ix_outbox_instruction_id_place_seq", "instruction_id", "place", "seq"),
    Index(
        "ix_outbox_subject_seq",
        "subject",
        "seq",
        sqlite_where=text("subject IS NOT NULL"),
        postgresql_where=text("subject IS NOT NULL"),
    ),
)

board = Table(
    "board",
    metadata,
    Column("subject", Text, primary_key=True),
    Column("channel", Text, nullable=False),
    # The thread it stands in; NULL: it is a message of its own, and has a thread.
    Column("thread_ts", Text),
    Column("requester", Text, nullable=False),
    # Empty until it was posted.
    Column("ts", Text, nullable=False),
    Column("shown_version", BigInteger, nullable=False),
    Column("wanted_version", BigInteger, nullable=False),
    Column("progress", Boolean(create_constraint=False), nullable=False),
    Column("edited_at", Moment),
    Column("due_at", Moment),
    Column("attempts", Integer, nullable=False),
    Index("ix_board_channel_ts", "channel", "ts"),
    _due("board"),
)

job = Table(
    "job",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    # Each kind has its own states; the code that owns the kind reads them.
    Column("state", Text, nullable=False),
    Column("payload", Json, nullable=False),
    Column("detail", Json, nullable=False),
    Column("requester", Words, nullable=False),
    Column("channel", Words, nullable=False),
    Column("thread_ts", Text),
    Column("source_key", Words, nullable=False, unique=True),
    Column("version", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    Column("closed_at", Moment),
    CheckConstraint("version > 0", name="version"),
    Index(
        "ix_job_kind_due_at",
        "kind",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
    Index(
        "ix_job_open_created_at",
        "created_at",
        sqlite_where=text("closed_at IS NULL"),
        postgresql_where=text("closed_at IS NULL"),
    ),
    Index("ix_job_requester_created_at", "requester", "created_at"),
)

email_run = Table(
    "email_run",
    metadata,
    Column("job_id", Text, ForeignKey("job.id"), primary_key=True),
    Column("header", Json, nullable=False),
    Column("rows", Integer, nullable=False),
    Column("skipped", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("taken", Integer, nullable=False),
    Column("parked", Integer, nullable=False),
    Column("repeated", Integer, nullable=False),
    Column("outcomes", Json, nullable=False),
    CheckConstraint("taken >= 0 AND taken <= total", name="taken"),
)

email_address = Table(
    "email_address",
    metadata,
    Column("job_id", Text, ForeignKey("job.id"), primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("address", Words, nullable=False),
    Column("answer", Words),
)

email_block = Table(
    "email_block",
    metadata,
    Column("job_id", Text, ForeignKey("job.id"), primary_key=True),
    # What it is a piece of: the rows of the file, or the file that came back.
    Column("part", Text, primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

callback_token = Table(
    "callback_token",
    metadata,
    Column("token_hash", Text, primary_key=True),
    _instruction_id(),
    Column("kind", Named(CallbackKind), nullable=False),
    Column("expires_at", Moment),
    Index("ix_callback_token_instruction_id", "instruction_id"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, nullable=False),
    Column("body_hash", Text, nullable=False),
    _instruction_id(),
    Column("kind", Named(CallbackKind), nullable=False),
    Column("body", Words, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("state", Named(InboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    UniqueConstraint("token_hash", "body_hash"),
    _one_of("state", InboxState),
    Index(
        "ix_inbox_received_due_at",
        "due_at",
        sqlite_where=text("state = 'received'"),
        postgresql_where=text("state = 'received'"),
    ),
)

reservation = Table(
    "reservation",
    metadata,
    _instruction_id(primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("day", Text, nullable=False, index=True),
    Column("cents", BigInteger, nullable=False),
    Column("released", Boolean(create_constraint=False), nullable=False),
    CheckConstraint("cents > 0", name="cents"),
)

tracked = Table(
    "tracked",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("remote_id", Text, primary_key=True),
    _instruction_id(nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("polls", Integer, nullable=False),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    Column("last_status", Words, nullable=False),
    Column("stopped_at", Moment),
    Index(
        "ix_tracked_kind_due_at",
        "kind",
        "due_at",
        sqlite_where=text("due_at IS NOT NULL"),
        postgresql_where=text("due_at IS NOT NULL"),
    ),
)

bulk_item = Table(
    "bulk_item",
    metadata,
    _instruction_id(primary_key=True),
    # The row of the file; in a cancellation, a running number.
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("email", Words, nullable=False),
    Column("payee", Words, nullable=False),
    Column("cents", BigInteger, nullable=False),
    Column("note", Words, nullable=False),
    Column("status", Words, nullable=False),
    Column("hash", Words, nullable=False),
    Column("error", Words, nullable=False),
    # The attempt of a cancellation that named it; 0: none yet.
    Column("attempt", Integer, nullable=False),
    CheckConstraint("cents > 0", name="cents"),
    Index("ix_bulk_item_payee_status", "payee", "status"),
)

bulk_flight = Table(
    "bulk_flight",
    metadata,
    _instruction_id(primary_key=True),
    # One of them at a time is 1, the others NULL: two submissions in flight could not be told apart in the history.
    Column("flying", Integer, unique=True),
    Column("known", Json, nullable=False),
    Column("taken_at", Moment, nullable=False),
    CheckConstraint("flying = 1", name="flying"),
)

send_slot = Table(
    "send_slot",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=False),
    # Microseconds since 1970 by the database's own clock; only storage/slots.py reads it.
    Column("sent_at", BigInteger, nullable=False),
)

flag = Table(
    "flag",
    metadata,
    Column("key", Text, primary_key=True),
    Column("value", Json, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

dropped_file = Table(
    "dropped_file",
    metadata,
    # Slack's id of the file: the same upload is told by several events, and several times.
    Column("id", Words, primary_key=True),
    Column("channel", Words, nullable=False),
    Column("message_ts", Words, nullable=False),
    Column("thread_ts", Words, nullable=False),
    Column("user", Words, nullable=False),
    Column("name", Words, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("mimetype", Words, nullable=False),
    Column("kind", Named(FileKind), nullable=False),
    Column("format", Text, nullable=False),
    Column("duration_ms", BigInteger),
    Column("state", Named(DropState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    _due("dropped_file"),
)

store = Table(
    "store",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Words, nullable=False),
    Column("folded", Words, nullable=False, unique=True),
    Column("state", Named(StoreState), nullable=False),
    # Sealed: see storage/sealing.py. Empty until the service gave one.
    Column("sealed_key", Text, nullable=False),
    Column("remote_id", Words, nullable=False),
    Column("record", Json, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("created_by", Words, nullable=False),
    Column("seen_at", Moment),
    Column("due_at", Moment),
)

booking = Table(
    "booking",
    metadata,
    Column("id", Text, primary_key=True),
    Column("reference", Text, nullable=False, unique=True),
    Column("kind", Named(deliveries.Kind), nullable=False),
    Column("store", Words, nullable=False),
    Column("request", Json),
    Column("stage", Named(deliveries.Stage), nullable=False, index=True),
    Column("version", BigInteger, nullable=False),
    Column("requester", Words, nullable=False),
    Column("channel", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("source_key", Words, nullable=False, unique=True),
    Column("external_id", Text, nullable=False, unique=True),
    Column("remote_id", Words),
    Column("numeric_id", Words, nullable=False),
    Column("prebooking_id", Words),
    Column("status", Words, nullable=False),
    Column("detail", Json, nullable=False),
    Column("reason", Words, nullable=False),
    Column("sent_at", Moment),
    Column("search_at", Moment),
    Column("reads", Integer, nullable=False),
    Column("polls", Integer, nullable=False),
    Column("due_at", Moment),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    Column("closed_at", Moment),
    CheckConstraint("version > 0", name="version"),
    # One row a booking of the service, however it is heard of.
    UniqueConstraint("store", "remote_id"),
    Index("ix_booking_numeric_id", "numeric_id"),
    Index("ix_booking_requester_created_at", "requester", "created_at"),
    _due("booking"),
)

store_hook = Table(
    "store_hook",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("id", Text, nullable=False),
    Column("store", Words, nullable=False),
    Column("kind", Text, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("ended_at", Moment),
    Index("ix_store_hook_store_kind", "store", "kind"),
)

store_event = Table(
    "store_event",
    metadata,
    Column("id", Text, primary_key=True),
    Column("token_hash", Text, nullable=False),
    Column("body_hash", Text, nullable=False),
    Column("store", Words, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Words, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("state", Named(InboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    Column("lease_owner", Text, nullable=False),
    Column("lease_until", Moment),
    # The events carry neither an id nor a time: the same words later are news again, but twice at once they are one.
    Index(
        "uq_store_event_open",
        "token_hash",
        "body_hash",
        unique=True,
        sqlite_where=text("state = 'received'"),
        postgresql_where=text("state = 'received'"),
    ),
    Index(
        "ix_store_event_received_due_at",
        "due_at",
        sqlite_where=text("state = 'received'"),
        postgresql_where=text("state = 'received'"),
    ),
    Index("ix_store_event_store_received_at", "store", "received_at"),
)
