"""The tables of version 0.1.0, and the triggers that keep requests and the audit from being changed."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from storage.migrations import index, of_instruction
from storage.tables.columns import required

revision = "0001"
down_revision = None

_REQUESTS_A_SECOND = 10
"""Rows of ``send_slot``: the times of the last requests to the payments service, shared by all processes."""
_HOLDS_ITS_CODE = (
    "chosen_code IS NOT NULL AND NOT (state IN ('expired', 'mismatch', 'rejected', 'withdrawn') "
    "AND creates = 0 AND commits = 0 AND remote_id IS NULL)"
)
_FROZEN = "id, reference, kind, payload, code, digest, requester, created_at, source_key"
_NEVER, _ASKED = "audit rows are never changed", "what was asked never changes"
_ON_SQLITE = (
    f"CREATE TRIGGER audit_no_update BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, '{_NEVER}'); END",
    f"CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT RAISE(ABORT, '{_NEVER}'); END",
    f"CREATE TRIGGER audit_head_no_delete BEFORE DELETE ON audit_head BEGIN SELECT RAISE(ABORT, '{_NEVER}'); END",
    "CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head WHEN NEW.seq <> OLD.seq + 1 "
    f"BEGIN SELECT RAISE(ABORT, '{_NEVER}'); END",
    f"CREATE TRIGGER instruction_frozen BEFORE UPDATE OF {_FROZEN} ON instruction "
    f"BEGIN SELECT RAISE(ABORT, '{_ASKED}'); END",
)
_ON_POSTGRES = (
    *(
        f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN RAISE EXCEPTION '{message}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
        for name, message in (("refuse_audit_change", _NEVER), ("refuse_frozen_change", _ASKED))
    ),
    "CREATE TRIGGER audit_no_change BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()",
    "CREATE TRIGGER audit_head_no_delete BEFORE DELETE OR TRUNCATE ON audit_head "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()",
    "CREATE TRIGGER audit_head_forward BEFORE UPDATE ON audit_head FOR EACH ROW "
    "WHEN (NEW.seq <> OLD.seq + 1) EXECUTE FUNCTION refuse_audit_change()",
    f"CREATE TRIGGER instruction_frozen BEFORE UPDATE OF {_FROZEN} ON instruction "
    "FOR EACH STATEMENT EXECUTE FUNCTION refuse_frozen_change()",
)


def upgrade() -> None:
    _requests()
    _queues()
    _services()
    for statement in _ON_POSTGRES if op.get_bind().dialect.name == "postgresql" else _ON_SQLITE:
        op.execute(statement)


def _requests() -> None:
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        *required(sa.BigInteger, "at"),
        *required(sa.Text, "instruction_id", "actor", "action", "before", "after", "detail", "previous", "hash"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit")),
    )
    op.create_index("ix_audit_instruction_id", "audit", ["instruction_id"])
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.BigInteger, "seq"),
        *required(sa.Text, "hash"),
        sa.CheckConstraint("id = 1", name=op.f("ck_audit_head_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_head")),
    )
    op.create_table(
        "audit_key",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "key_id"),
        sa.CheckConstraint("id = 1", name=op.f("ck_audit_key_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_key")),
    )
    op.create_table(
        "instruction",
        *required(sa.Text, "id", "reference", "kind", "payload", "code", "digest", "requirement", "state"),
        *required(sa.Integer, "round"),
        *required(sa.BigInteger, "version"),
        *required(sa.Text, "requester", "origin_channel"),
        *required(sa.BigInteger, "created_at"),
        *required(sa.Text, "source_key"),
        sa.Column("recipient", sa.Text()),
        sa.Column("progress", sa.Text()),
        sa.Column("remote_id", sa.Text()),
        *required(sa.Text, "remote_status", "svc_hash", "reason", "decided_by"),
        sa.Column("refusal", sa.Text()),
        sa.Column("suspect", sa.Text()),
        sa.Column("posted_at", sa.BigInteger()),
        sa.Column("expires_at", sa.BigInteger()),
        sa.Column("exec_deadline", sa.BigInteger()),
        sa.Column("sent_at", sa.BigInteger()),
        sa.Column("held_at", sa.BigInteger()),
        sa.Column("unknown_since", sa.BigInteger()),
        *required(sa.Integer, "reads"),
        sa.Column("last_read_at", sa.BigInteger()),
        *required(sa.Integer, "creates", "commits", "puts_off"),
        sa.Column("due_at", sa.BigInteger()),
        *_leased(),
        sa.Column("closed_at", sa.BigInteger()),
        *required(sa.Integer, "moves"),
        *required(sa.Text, "seal"),
        *required(sa.Text, "payee_email"),
        *required(sa.BigInteger, "cents"),
        sa.Column("chosen_code", sa.Text()),
        sa.CheckConstraint("cents > 0", name=op.f("ck_instruction_cents")),
        sa.CheckConstraint("round > 0", name=op.f("ck_instruction_round")),
        sa.CheckConstraint("version > 0", name=op.f("ck_instruction_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instruction")),
        sa.UniqueConstraint("reference", name=op.f("uq_instruction_reference")),
        sa.UniqueConstraint("source_key", name=op.f("uq_instruction_source_key")),
        sa.UniqueConstraint("code", name=op.f("uq_instruction_code")),
    )
    op.create_index("ix_instruction_chosen_code", "instruction", ["chosen_code"])
    index("ix_instruction_due_at", "instruction", ["due_at"], where="due_at IS NOT NULL")
    op.create_index(
        "ix_instruction_payee_email_cents_created_at", "instruction", ["payee_email", "cents", "created_at"]
    )
    op.create_index("ix_instruction_remote_id", "instruction", ["remote_id"])
    op.create_index("ix_instruction_requester", "instruction", ["requester"])
    op.create_index("ix_instruction_state_kind", "instruction", ["state", "kind"])
    index("ix_instruction_stopped", "instruction", ["stopped"], where="stopped <> ''")
    index("uq_instruction_chosen_code_held", "instruction", ["chosen_code"], where=_HOLDS_ITS_CODE, unique=True)
    op.create_table(
        "lookup",
        *required(sa.Text, "about", "payee", "email", "recipient"),
        sa.Column("answer", sa.Text()),
        *required(sa.BigInteger, "at"),
        sa.PrimaryKeyConstraint("about", "payee", name=op.f("pk_lookup")),
    )
    op.create_index("ix_lookup_at", "lookup", ["at"])
    op.create_table(
        "attempt",
        *required(sa.Text, "instruction_id"),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "kind", "request_hash"),
        *required(sa.BigInteger, "claimed_at"),
        *required(sa.Float, "boot_at"),
        *required(sa.Text, "outcome", "detail"),
        sa.Column("finished_at", sa.BigInteger()),
        *required(sa.Text, "seal"),
        sa.CheckConstraint(
            "outcome IN ('open', 'done', 'not_executed', 'unknown', 'abandoned')", name=op.f("ck_attempt_outcome")
        ),
        of_instruction("attempt"),
        sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_attempt")),
    )
    index("uq_attempt_open", "attempt", ["instruction_id"], where="outcome = 'open'", unique=True)
    op.create_table(
        "bulk_flight",
        *required(sa.Text, "instruction_id"),
        sa.Column("flying", sa.Integer()),
        *required(sa.Text, "known"),
        *required(sa.BigInteger, "taken_at"),
        sa.CheckConstraint("flying = 1", name=op.f("ck_bulk_flight_flying")),
        of_instruction("bulk_flight"),
        sa.PrimaryKeyConstraint("instruction_id", name=op.f("pk_bulk_flight")),
        sa.UniqueConstraint("flying", name=op.f("uq_bulk_flight_flying")),
    )
    op.create_table(
        "bulk_item",
        *required(sa.Text, "instruction_id"),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "email", "payee"),
        *required(sa.BigInteger, "cents"),
        *required(sa.Text, "note", "status", "hash", "error"),
        *required(sa.Integer, "attempt"),
        sa.Column("name", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.Column("operation", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.CheckConstraint("cents > 0", name=op.f("ck_bulk_item_cents")),
        of_instruction("bulk_item"),
        sa.PrimaryKeyConstraint("instruction_id", "number", name=op.f("pk_bulk_item")),
    )
    op.create_index("ix_bulk_item_payee_status", "bulk_item", ["payee", "status"])
    op.create_table(
        "callback_token",
        *required(sa.Text, "token_hash", "instruction_id", "kind"),
        sa.Column("expires_at", sa.BigInteger()),
        of_instruction("callback_token"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_callback_token")),
    )
    op.create_index("ix_callback_token_instruction_id", "callback_token", ["instruction_id"])
    op.create_table(
        "reservation",
        *required(sa.Text, "instruction_id"),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "day"),
        *required(sa.BigInteger, "cents"),
        *required(sa.Boolean, "released"),
        sa.CheckConstraint("cents > 0", name=op.f("ck_reservation_cents")),
        of_instruction("reservation"),
        sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_reservation")),
    )
    op.create_index("ix_reservation_day", "reservation", ["day"])
    op.create_table(
        "tracked",
        *required(sa.Text, "kind", "remote_id"),
        sa.Column("instruction_id", sa.Text()),
        *required(sa.BigInteger, "created_at"),
        sa.Column("due_at", sa.BigInteger()),
        *required(sa.Integer, "polls"),
        *_leased(),
        *required(sa.Text, "last_status"),
        sa.Column("stopped_at", sa.BigInteger()),
        of_instruction("tracked"),
        sa.PrimaryKeyConstraint("kind", "remote_id", name=op.f("pk_tracked")),
    )
    index("ix_tracked_kind_due_at", "tracked", ["kind", "due_at"], where="due_at IS NOT NULL")
    index("ix_tracked_stopped", "tracked", ["stopped"], where="stopped <> ''")
    op.create_table(
        "vote",
        *required(sa.Text, "instruction_id"),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "person", "choice"),
        *required(sa.BigInteger, "at"),
        sa.Column("typed", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("seal", sa.Text(), nullable=False, server_default=sa.text("''")),
        of_instruction("vote"),
        sa.PrimaryKeyConstraint("instruction_id", "round", "person", name=op.f("pk_vote")),
    )


def _queues() -> None:
    op.create_table(
        "board",
        *required(sa.Text, "subject", "channel"),
        sa.Column("thread_ts", sa.Text()),
        *required(sa.Text, "requester", "ts"),
        *required(sa.BigInteger, "shown_version", "wanted_version"),
        *required(sa.Boolean, "progress"),
        sa.Column("edited_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        *required(sa.Integer, "attempts"),
        sa.Column("instruction_id", sa.Text()),
        sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.Column("shown_in", sa.Text()),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_board")),
    )
    op.create_index("ix_board_channel_ts", "board", ["channel", "ts"])
    index("ix_board_due_at", "board", ["due_at"], where="due_at IS NOT NULL")
    index("ix_board_instruction_id", "board", ["instruction_id"], where="instruction_id IS NOT NULL")
    index("ix_board_shown_in", "board", ["shown_in"], where="shown_in IS NOT NULL")
    op.create_table(
        "dropped_file",
        *required(sa.Text, "id", "channel", "message_ts", "thread_ts", "user", "name"),
        *required(sa.BigInteger, "size"),
        *required(sa.Text, "mimetype", "kind", "format"),
        sa.Column("duration_ms", sa.BigInteger()),
        sa.Column("header", sa.Text()),
        *required(sa.Text, "state"),
        *required(sa.Integer, "attempts"),
        *required(sa.BigInteger, "created_at"),
        sa.Column("due_at", sa.BigInteger()),
        *_leased(),
        sa.Column("rows", sa.Integer()),
        sa.Column("cents", sa.BigInteger()),
        sa.Column("batch", sa.Text(), nullable=False, server_default=sa.text("''")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_dropped_file")),
    )
    index("ix_dropped_file_batch", "dropped_file", ["batch"], where="batch <> ''")
    op.create_index("ix_dropped_file_channel_created_at", "dropped_file", ["channel", "created_at"])
    index("ix_dropped_file_due_at", "dropped_file", ["due_at"], where="due_at IS NOT NULL")
    index("ix_dropped_file_stopped", "dropped_file", ["stopped"], where="stopped <> ''")
    op.create_table(
        "flag",
        *required(sa.Text, "key", "value"),
        *required(sa.BigInteger, "updated_at"),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_flag")),
    )
    op.create_table(
        "job",
        *required(sa.Text, "id", "kind", "state", "payload", "detail", "requester", "channel"),
        sa.Column("thread_ts", sa.Text()),
        *required(sa.Text, "source_key"),
        *required(sa.BigInteger, "version", "created_at"),
        sa.Column("due_at", sa.BigInteger()),
        *_leased(),
        sa.Column("closed_at", sa.BigInteger()),
        sa.CheckConstraint("version > 0", name=op.f("ck_job_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("source_key", name=op.f("uq_job_source_key")),
    )
    index("ix_job_kind_due_at", "job", ["kind", "due_at"], where="due_at IS NOT NULL")
    index("ix_job_open_created_at", "job", ["created_at"], where="closed_at IS NULL")
    op.create_index("ix_job_requester_created_at", "job", ["requester", "created_at"])
    index("ix_job_stopped", "job", ["stopped"], where="stopped <> ''")
    op.create_table(
        "seen_request",
        *required(sa.Text, "signature_hash"),
        *required(sa.BigInteger, "seen_at"),
        sa.PrimaryKeyConstraint("signature_hash", name=op.f("pk_seen_request")),
    )
    op.create_index("ix_seen_request_seen_at", "seen_request", ["seen_at"])
    slots = op.create_table(
        "send_slot",
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.BigInteger, "sent_at"),
        sa.PrimaryKeyConstraint("n", name=op.f("pk_send_slot")),
    )
    op.bulk_insert(slots, [{"n": n, "sent_at": 0} for n in range(_REQUESTS_A_SECOND)])
    op.create_table(
        "inbox",
        *required(sa.Text, "id", "token_hash", "body_hash", "instruction_id", "kind", "body"),
        *required(sa.BigInteger, "received_at"),
        *required(sa.Text, "state"),
        *required(sa.Integer, "attempts"),
        *required(sa.BigInteger, "due_at"),
        *_leased(),
        sa.Column("hints", sa.Integer(), nullable=False, server_default=sa.text("1")),
        sa.Column("read_at", sa.BigInteger()),
        sa.CheckConstraint("state IN ('received', 'applied', 'stale', 'unconfirmed')", name=op.f("ck_inbox_state")),
        of_instruction("inbox"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("token_hash", "body_hash", name=op.f("uq_inbox_token_hash_body_hash")),
    )
    op.create_index("ix_inbox_instruction_id_read_at", "inbox", ["instruction_id", "read_at"])
    op.create_index("ix_inbox_received_at", "inbox", ["received_at"])
    index("ix_inbox_received_due_at", "inbox", ["due_at"], where="state = 'received'")
    index("ix_inbox_stopped", "inbox", ["stopped"], where="stopped <> ''")
    op.create_table(
        "outbox",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        *required(sa.Text, "id"),
        sa.Column("instruction_id", sa.Text()),
        sa.Column("subject", sa.Text()),
        *required(sa.Text, "key", "action", "place", "channel", "payload", "state"),
        *required(sa.Integer, "attempts"),
        *required(sa.BigInteger, "due_at"),
        *_leased(),
        *required(sa.Text, "sent_channel", "sent_ts"),
        *required(sa.BigInteger, "created_at"),
        *required(sa.Text, "last_error"),
        sa.Column("urgent", sa.Boolean(), nullable=False, server_default=sa.false()),
        sa.CheckConstraint("state IN ('new', 'sending', 'sent', 'unknown', 'dead')", name=op.f("ck_outbox_state")),
        of_instruction("outbox"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_outbox")),
        sa.UniqueConstraint("id", name=op.f("uq_outbox_id")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
    )
    index("ix_outbox_open_due_at", "outbox", ["due_at"], where="state IN ('new', 'sending', 'unknown')")
    index("ix_outbox_stopped", "outbox", ["stopped"], where="stopped <> ''")
    index("ix_outbox_subject_seq", "outbox", ["subject", "seq"], where="subject IS NOT NULL")


def _services() -> None:
    op.create_table(
        "booking",
        *required(sa.Text, "id", "reference", "kind", "store"),
        sa.Column("request", sa.Text()),
        *required(sa.Text, "stage"),
        *required(sa.BigInteger, "version"),
        *required(sa.Text, "requester", "channel"),
        *required(sa.BigInteger, "created_at"),
        *required(sa.Text, "source_key", "external_id"),
        sa.Column("remote_id", sa.Text()),
        *required(sa.Text, "numeric_id"),
        sa.Column("prebooking_id", sa.Text()),
        *required(sa.Text, "status", "detail", "reason"),
        sa.Column("sent_at", sa.BigInteger()),
        sa.Column("search_at", sa.BigInteger()),
        *required(sa.Integer, "reads", "polls"),
        sa.Column("due_at", sa.BigInteger()),
        *_leased(),
        sa.Column("closed_at", sa.BigInteger()),
        sa.CheckConstraint("version > 0", name=op.f("ck_booking_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_booking")),
        sa.UniqueConstraint("store", "remote_id", name=op.f("uq_booking_store_remote_id")),
        sa.UniqueConstraint("reference", name=op.f("uq_booking_reference")),
        sa.UniqueConstraint("external_id", name=op.f("uq_booking_external_id")),
        sa.UniqueConstraint("source_key", name=op.f("uq_booking_source_key")),
    )
    index("ix_booking_due_at", "booking", ["due_at"], where="due_at IS NOT NULL")
    op.create_index("ix_booking_numeric_id", "booking", ["numeric_id"])
    op.create_index("ix_booking_requester_created_at", "booking", ["requester", "created_at"])
    op.create_index("ix_booking_stage", "booking", ["stage"])
    index("ix_booking_stopped", "booking", ["stopped"], where="stopped <> ''")
    op.create_table(
        "result_block",
        *required(sa.Text, "job_id", "part"),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.LargeBinary, "content"),
        sa.PrimaryKeyConstraint("job_id", "part", "n", name=op.f("pk_result_block")),
    )
    op.create_table(
        "store",
        *required(sa.Text, "id", "name", "folded", "state", "sealed_key", "remote_id", "record"),
        *required(sa.BigInteger, "created_at"),
        *required(sa.Text, "created_by"),
        sa.Column("seen_at", sa.BigInteger()),
        sa.Column("due_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store")),
        sa.UniqueConstraint("folded", name=op.f("uq_store_folded")),
    )
    op.create_table(
        "store_event",
        *required(sa.Text, "id", "token_hash", "body_hash", "store", "kind", "body"),
        *required(sa.BigInteger, "received_at"),
        *required(sa.Text, "state"),
        *required(sa.Integer, "attempts"),
        *required(sa.BigInteger, "due_at"),
        *_leased(),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_store_event")),
    )
    op.create_index("ix_store_event_received_at", "store_event", ["received_at"])
    index("ix_store_event_received_due_at", "store_event", ["due_at"], where="state = 'received'")
    index("ix_store_event_stopped", "store_event", ["stopped"], where="stopped <> ''")
    op.create_index("ix_store_event_store_received_at", "store_event", ["store", "received_at"])
    op.create_index("ix_store_event_token_hash", "store_event", ["token_hash"])
    index("uq_store_event_open", "store_event", ["token_hash", "body_hash"], where="state = 'received'", unique=True)
    op.create_table(
        "store_hook",
        *required(sa.Text, "token_hash", "id", "store", "kind"),
        *required(sa.BigInteger, "created_at"),
        sa.Column("ended_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_store_hook")),
    )
    op.create_index("ix_store_hook_store_kind", "store_hook", ["store", "kind"])
    op.create_table(
        "unread_answer",
        *required(sa.Text, "operation", "fingerprint", "detail"),
        *required(sa.BigInteger, "first_seen", "last_seen", "count"),
        sa.Column("mended_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("operation", "fingerprint", name=op.f("pk_unread_answer")),
    )
    op.create_table(
        "email_address",
        *required(sa.Text, "job_id"),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.Text, "address"),
        sa.Column("answer", sa.Text()),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_email_address_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "n", name=op.f("pk_email_address")),
    )
    op.create_table(
        "email_block",
        *required(sa.Text, "job_id", "part"),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        *required(sa.LargeBinary, "content"),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_email_block_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", "part", "n", name=op.f("pk_email_block")),
    )
    op.create_table(
        "email_run",
        *required(sa.Text, "job_id", "header"),
        *required(sa.Integer, "rows", "skipped", "total", "taken", "parked", "repeated"),
        *required(sa.Text, "outcomes"),
        sa.CheckConstraint("taken >= 0 AND taken <= total", name=op.f("ck_email_run_taken")),
        sa.ForeignKeyConstraint(["job_id"], ["job.id"], name=op.f("fk_email_run_job_id_job")),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_email_run")),
    )


def _leased() -> tuple[sa.Column[Any], ...]:
    """Return the columns with which one worker at a time claims a row."""
    return (
        *required(sa.Text, "lease_owner"),
        sa.Column("lease_until", sa.BigInteger()),
        sa.Column("tries", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("errors", sa.Integer(), nullable=False, server_default="0"),
        sa.Column("stopped", sa.Text(), nullable=False, server_default=sa.text("''")),
    )
