"""Requests with their votes, attempts, reservations and items, and the audit."""

from sqlalchemy import BigInteger, Boolean, CheckConstraint, Column, Float, Index, Integer, Table, Text, false, text

from bot.domain.payments.instruction import LEAVES_CODE, AttemptKind, AttemptOutcome, CallbackKind, Choice, Kind, State
from storage.tables.columns import due, instruction_id, leased, metadata, one_of, partial, required
from storage.types import Json, Moment, Named, Reasoned, Words

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
    Column("state", Named(State), nullable=False),
    Column("round", Integer, nullable=False),
    Column("version", BigInteger, nullable=False),
    Column("requester", Words, nullable=False, index=True),
    Column("origin_channel", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("source_key", Words, nullable=False, unique=True),
    Column("recipient", Json),
    Column("progress", Json),
    Column("remote_id", Words, index=True),
    *required(Words, "remote_status", "svc_hash"),
    Column("reason", Reasoned, nullable=False),
    Column("decided_by", Words, nullable=False),
    Column("refusal", Reasoned(nullable=True)),
    Column("suspect", Words),
    Column("posted_at", Moment),
    Column("expires_at", Moment),
    Column("exec_deadline", Moment),
    Column("sent_at", Moment),
    Column("held_at", Moment),
    Column("unknown_since", Moment),
    Column("reads", Integer, nullable=False),
    Column("last_read_at", Moment),
    *required(Integer, "creates", "commits", "puts_off"),
    Column("due_at", Moment),
    *leased("instruction"),
    Column("closed_at", Moment),
    # Number of audit rows about a change of it, including its creation; the newest of them has this number.
    Column("moves", Integer, nullable=False),
    # Over the columns that decide: see storage/seals.py.
    Column("seal", Text, nullable=False),
    # Copied from the payload for queries; never read back.
    Column("payee_email", Words, nullable=False),
    Column("cents", BigInteger, nullable=False),
    # The code that a person chose, in one spelling.
    Column("chosen_code", Words, index=True),
    CheckConstraint("cents > 0", name="cents"),
    CheckConstraint("version > 0", name="version"),
    CheckConstraint("round > 0", name="round"),
    due("instruction"),
    Index("ix_instruction_state_kind", "state", "kind"),
    Index("ix_instruction_payee_email_cents_created_at", "payee_email", "cents", "created_at"),
    # A request keeps its chosen code, unless it ended before anything was sent.
    partial(
        "uq_instruction_chosen_code_held",
        "chosen_code",
        where=f"chosen_code IS NOT NULL AND NOT (state IN {tuple(sorted(one.value for one in LEAVES_CODE))} "
        "AND creates = 0 AND commits = 0 AND remote_id IS NULL)",
        unique=True,
    ),
)

vote = Table(
    "vote",
    metadata,
    instruction_id(primary_key=True),
    Column("round", Integer, primary_key=True),
    Column("person", Text, primary_key=True),
    Column("choice", Named(Choice), nullable=False),
    Column("at", Moment, nullable=False),
    Column("typed", Boolean, nullable=False, server_default=false()),
    Column("seal", Text, nullable=False, server_default=text("''")),
)

attempt = Table(
    "attempt",
    metadata,
    instruction_id(primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("kind", Named(AttemptKind), nullable=False),
    Column("request_hash", Text, nullable=False),
    Column("claimed_at", Moment, nullable=False),
    Column("boot_at", Float, nullable=False),
    Column("outcome", Named(AttemptOutcome), nullable=False),
    Column("detail", Words, nullable=False),
    Column("finished_at", Moment),
    Column("seal", Text, nullable=False),
    one_of("outcome", AttemptOutcome),
    partial("uq_attempt_open", "instruction_id", where="outcome = 'open'", unique=True),
)

audit = Table(
    "audit",
    metadata,
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("at", Moment, nullable=False),
    # No foreign key: some rows are about no instruction, and the chain outlives instructions.
    Column("instruction_id", Text, nullable=False, index=True),
    *required(Text, "actor", "action", "before", "after"),
    Column("detail", Json, nullable=False),
    *required(Text, "previous", "hash"),
)

audit_head = Table(
    "audit_head",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("seq", BigInteger, nullable=False),
    Column("hash", Text, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

audit_key = Table(
    "audit_key",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    # Identifies the key in force without revealing it: see bot/domain/audit.py.
    Column("key_id", Text, nullable=False),
    CheckConstraint("id = 1", name="one_row"),
)

callback_token = Table(
    "callback_token",
    metadata,
    Column("token_hash", Text, primary_key=True),
    instruction_id(),
    Column("kind", Named(CallbackKind), nullable=False),
    Column("expires_at", Moment),
    Index("ix_callback_token_instruction_id", "instruction_id"),
)

reservation = Table(
    "reservation",
    metadata,
    instruction_id(primary_key=True),
    Column("n", Integer, primary_key=True),
    Column("day", Text, nullable=False, index=True),
    Column("cents", BigInteger, nullable=False),
    Column("released", Boolean, nullable=False),
    CheckConstraint("cents > 0", name="cents"),
)

tracked = Table(
    "tracked",
    metadata,
    Column("kind", Text, primary_key=True),
    Column("remote_id", Text, primary_key=True),
    instruction_id(nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("due_at", Moment),
    Column("polls", Integer, nullable=False),
    *leased("tracked"),
    Column("last_status", Words, nullable=False),
    Column("stopped_at", Moment),
    partial("ix_tracked_kind_due_at", "kind", "due_at", where="due_at IS NOT NULL"),
)

bulk_item = Table(
    "bulk_item",
    metadata,
    instruction_id(primary_key=True),
    # The row number in the file; in a cancellation, a running number.
    Column("number", Integer, primary_key=True),
    *required(Words, "email", "payee"),
    Column("cents", BigInteger, nullable=False),
    *required(Words, "note", "status", "hash", "error"),
    # The attempt of a cancellation that includes it; 0 if none does yet.
    Column("attempt", Integer, nullable=False),
    Column("name", Words, nullable=False, server_default=text("''")),
    # Its id in the service's list of items, besides the hash.
    Column("operation", Words, nullable=False, server_default=text("''")),
    CheckConstraint("cents > 0", name="cents"),
    Index("ix_bulk_item_payee_status", "payee", "status"),
)

lookup = Table(
    "lookup",
    metadata,
    # The request or the job for which it was looked up.
    Column("about", Text, primary_key=True),
    Column("payee", Words, primary_key=True),
    Column("email", Words, nullable=False),
    Column("recipient", Json, nullable=False),
    # Of the e-mail service.
    Column("answer", Json),
    Column("at", Moment, nullable=False),
    Index("ix_lookup_at", "at"),
)

bulk_flight = Table(
    "bulk_flight",
    metadata,
    instruction_id(primary_key=True),
    # At most one row is 1, the others NULL: two submissions in flight could not be told apart in the history.
    Column("flying", Integer, unique=True),
    Column("known", Json, nullable=False),
    Column("taken_at", Moment, nullable=False),
    CheckConstraint("flying = 1", name="flying"),
)
