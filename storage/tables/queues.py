"""Outbox and inbox, boards, jobs, tracked resources and dropped files."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Index, Integer, Table, Text, UniqueConstraint, text

from bot.domain.files.sniffing import FileKind
from bot.domain.payments.instruction import CallbackKind
from storage.rows import DropState, InboxState, OutboxState
from storage.tables.columns import due, instruction_id, leased, metadata, one_of, partial, required, urgent
from storage.types import Json, Moment, Named, Words

outbox = Table(
    "outbox",
    metadata,
    # The order of commits; ULIDs do not give it within one millisecond or when the clock steps back.
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=True),
    Column("id", Text, nullable=False, unique=True),
    instruction_id(nullable=True),
    # The subject: "request:…:approvals", "job:…", "notice:…".
    Column("subject", Text),
    Column("key", Text, nullable=False, unique=True),
    *required(Text, "action", "place", "channel"),
    Column("payload", Json, nullable=False),
    Column("state", Named(OutboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    *leased("outbox"),
    *required(Text, "sent_channel", "sent_ts"),
    Column("created_at", Moment, nullable=False),
    Column("last_error", Words, nullable=False),
    urgent(),
    one_of("state", OutboxState),
    partial("ix_outbox_open_due_at", "due_at", where="state IN ('new', 'sending', 'unknown')"),
    partial("ix_outbox_subject_seq", "subject", "seq", where="subject IS NOT NULL"),
)

board = Table(
    "board",
    metadata,
    Column("subject", Text, primary_key=True),
    Column("channel", Text, nullable=False),
    # The thread in which it is posted; NULL for a top-level message, with its own thread.
    Column("thread_ts", Text),
    Column("requester", Text, nullable=False),
    # Empty until it is posted.
    Column("ts", Text, nullable=False),
    *required(BigInteger, "shown_version", "wanted_version"),
    Column("progress", Boolean, nullable=False),
    Column("edited_at", Moment),
    Column("due_at", Moment),
    Column("attempts", Integer, nullable=False),
    # The request that it shows, whose changes mark the board.
    Column("instruction_id", Text),
    urgent(),
    # The subject whose message also shows this one; NULL if it has a separate message.
    Column("shown_in", Text),
    Index("ix_board_channel_ts", "channel", "ts"),
    partial("ix_board_shown_in", "shown_in", where="shown_in IS NOT NULL"),
    partial("ix_board_instruction_id", "instruction_id", where="instruction_id IS NOT NULL"),
    due("board"),
)

job = Table(
    "job",
    metadata,
    Column("id", Text, primary_key=True),
    Column("kind", Text, nullable=False),
    # Each kind has its own states; the code that owns the kind reads them.
    Column("state", Text, nullable=False),
    *required(Json, "payload", "detail"),
    *required(Words, "requester", "channel"),
    Column("thread_ts", Text),
    Column("source_key", Words, nullable=False, unique=True),
    Column("version", BigInteger, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    *leased("job"),
    Column("closed_at", Moment),
    CheckConstraint("version > 0", name="version"),
    partial("ix_job_kind_due_at", "kind", "due_at", where="due_at IS NOT NULL"),
    partial("ix_job_open_created_at", "created_at", where="closed_at IS NULL"),
    Index("ix_job_requester_created_at", "requester", "created_at"),
)

inbox = Table(
    "inbox",
    metadata,
    Column("id", Text, primary_key=True),
    *required(Text, "token_hash", "body_hash"),
    instruction_id(),
    Column("kind", Named(CallbackKind), nullable=False),
    # Always empty: the content of a callback is never used.
    Column("body", Words, nullable=False),
    Column("received_at", Moment, nullable=False),
    Column("state", Named(InboxState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("due_at", Moment, nullable=False),
    *leased("inbox"),
    Column("hints", Integer, nullable=False, server_default=text("1")),
    Column("read_at", Moment),
    UniqueConstraint("token_hash", "body_hash"),
    Index("ix_inbox_instruction_id_read_at", "instruction_id", "read_at"),
    Index("ix_inbox_received_at", "received_at"),
    one_of("state", InboxState),
    partial("ix_inbox_received_due_at", "due_at", where="state = 'received'"),
)

seen_request = Table(
    "seen_request",
    metadata,
    Column("signature_hash", Text, primary_key=True),
    Column("seen_at", Moment, nullable=False),
    Index("ix_seen_request_seen_at", "seen_at"),
)

send_slot = Table(
    "send_slot",
    metadata,
    Column("n", Integer, primary_key=True, autoincrement=False),
    # Microseconds since 1970 by the database's own clock; only storage/send_slots.py reads it.
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
    # Slack's id of the file: Slack sends several events about one upload, some of them repeatedly.
    Column("id", Words, primary_key=True),
    *required(Words, "channel", "message_ts", "thread_ts", "user", "name"),
    Column("size", BigInteger, nullable=False),
    Column("mimetype", Words, nullable=False),
    Column("kind", Named(FileKind), nullable=False),
    Column("format", Text, nullable=False),
    Column("duration_ms", BigInteger),
    # Column names of a table; NULL if they weren't read.
    Column("header", Json),
    Column("state", Named(DropState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    *leased("dropped_file"),
    # Number of rows and sum of the amounts of a small table; NULL if they weren't read.
    Column("rows", Integer),
    Column("cents", BigInteger),
    # The file whose offer also covers this one; empty if it has a separate offer.
    Column("batch", Words, nullable=False, server_default=text("''")),
    due("dropped_file"),
    Index("ix_dropped_file_channel_created_at", "channel", "created_at"),
    partial("ix_dropped_file_batch", "batch", where="batch <> ''"),
)
