"""Stores, bookings, lists of e-mail addresses, and answers that could not be read."""

from sqlalchemy import BigInteger, CheckConstraint, Column, Index, Integer, LargeBinary, Table, Text, UniqueConstraint

from bot.domain.bookings import booking as deliveries
from bot.domain.bookings.record import StoreState
from storage.rows import InboxState
from storage.tables.columns import due, job_id, leased, metadata, partial, required
from storage.types import Json, Moment, Named, Reasoned, Words

email_run = Table(
    "email_run",
    metadata,
    job_id(),
    Column("header", Json, nullable=False),
    *required(Integer, "rows", "skipped", "total", "taken", "parked", "repeated"),
    Column("outcomes", Json, nullable=False),
    CheckConstraint("taken >= 0 AND taken <= total", name="taken"),
)

email_address = Table(
    "email_address",
    metadata,
    job_id(),
    Column("n", Integer, primary_key=True),
    Column("address", Words, nullable=False),
    Column("answer", Words),
)

email_block = Table(
    "email_block",
    metadata,
    job_id(),
    # Owner of the piece: the rows of the file, or the result file.
    Column("part", Text, primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("content", LargeBinary, nullable=False),
)

result_block = Table(
    "result_block",
    metadata,
    Column("job_id", Text, primary_key=True),
    # The name of the result file.
    Column("part", Text, primary_key=True),
    Column("n", Integer, primary_key=True, autoincrement=False),
    Column("content", LargeBinary, nullable=False),
)

store = Table(
    "store",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name", Words, nullable=False),
    Column("folded", Words, nullable=False, unique=True),
    Column("state", Named(StoreState), nullable=False),
    # Sealed: see storage/sealing.py. Empty until the service issues one.
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
    Column("kind", Named(deliveries.BookingKind), nullable=False),
    Column("store", Words, nullable=False),
    Column("request", Json),
    Column("stage", Named(deliveries.Stage), nullable=False, index=True),
    Column("version", BigInteger, nullable=False),
    *required(Words, "requester", "channel"),
    Column("created_at", Moment, nullable=False),
    Column("source_key", Words, nullable=False, unique=True),
    Column("external_id", Text, nullable=False, unique=True),
    Column("remote_id", Words),
    Column("numeric_id", Words, nullable=False),
    Column("prebooking_id", Words),
    Column("status", Words, nullable=False),
    Column("detail", Json, nullable=False),
    Column("reason", Reasoned, nullable=False),
    Column("sent_at", Moment),
    Column("search_at", Moment),
    *required(Integer, "reads", "polls"),
    Column("due_at", Moment),
    *leased("booking"),
    Column("closed_at", Moment),
    CheckConstraint("version > 0", name="version"),
    # One row per booking of the service, whatever it was created from.
    UniqueConstraint("store", "remote_id"),
    Index("ix_booking_numeric_id", "numeric_id"),
    Index("ix_booking_requester_created_at", "requester", "created_at"),
    due("booking"),
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
    *required(Text, "token_hash", "body_hash"),
    Column("store", Words, nullable=False),
    Column("kind", Text, nullable=False),
    Column("body", Words, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("state", Named(InboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    *leased("store_event"),
    # Events carry neither id nor time: the same body counts as one event until it is processed, then as a new one.
    partial("uq_store_event_open", "token_hash", "body_hash", where="state = 'received'", unique=True),
    partial("ix_store_event_received_due_at", "due_at", where="state = 'received'"),
    Index("ix_store_event_store_received_at", "store", "received_at"),
    Index("ix_store_event_token_hash", "token_hash"),
    Index("ix_store_event_received_at", "received_at"),
)

unread_answer = Table(
    "unread_answer",
    metadata,
    Column("operation", Text, primary_key=True),
    Column("fingerprint", Text, primary_key=True),
    Column("detail", Json, nullable=False),
    *required(Moment, "first_seen", "last_seen"),
    Column("count", BigInteger, nullable=False),
    # When answers of this operation became readable again.
    Column("mended_at", Moment),
)
