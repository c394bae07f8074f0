"""The first tables: instructions with their votes, attempts, copies and money; queues; the audit chain."""

import sqlalchemy as sa
from alembic import op

from storage.migrations import index, of_instruction

revision = "0001"
down_revision = None

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
    op.create_table(
        "instruction",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("requirement", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("requester", sa.Text(), nullable=False),
        sa.Column("origin_channel", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("source_key", sa.Text(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=True),
        sa.Column("remote_id", sa.Text(), nullable=True),
        sa.Column("remote_status", sa.Text(), nullable=False),
        sa.Column("svc_hash", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("decided_by", sa.Text(), nullable=False),
        sa.Column("posted_at", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("exec_deadline", sa.BigInteger(), nullable=True),
        sa.Column("sent_at", sa.BigInteger(), nullable=True),
        sa.Column("unknown_since", sa.BigInteger(), nullable=True),
        sa.Column("reads", sa.Integer(), nullable=False),
        sa.Column("last_read_at", sa.BigInteger(), nullable=True),
        sa.Column("creates", sa.Integer(), nullable=False),
        sa.Column("commits", sa.Integer(), nullable=False),
        sa.Column("puts_off", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.Column("payee_email", sa.Text(), nullable=False),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("cents > 0", name=op.f("ck_instruction_cents")),
        sa.CheckConstraint("round > 0", name=op.f("ck_instruction_round")),
        sa.CheckConstraint("version > 0", name=op.f("ck_instruction_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_instruction")),
        sa.UniqueConstraint("code", name=op.f("uq_instruction_code")),
        sa.UniqueConstraint("reference", name=op.f("uq_instruction_reference")),
        sa.UniqueConstraint("source_key", name=op.f("uq_instruction_source_key")),
    )
    index("ix_instruction_due_at", "instruction", ["due_at"], where="due_at IS NOT NULL")
    op.create_index(
        "ix_instruction_payee_email_cents_created_at", "instruction", ["payee_email", "cents", "created_at"]
    )
    op.create_index(op.f("ix_instruction_remote_id"), "instruction", ["remote_id"])
    op.create_index(op.f("ix_instruction_requester"), "instruction", ["requester"])
    op.create_index(op.f("ix_instruction_state"), "instruction", ["state"])
    op.create_table(
        "vote",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("round", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("person", sa.Text(), nullable=False),
        sa.Column("choice", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        of_instruction("vote"),
        sa.PrimaryKeyConstraint("instruction_id", "round", "person", name=op.f("pk_vote")),
    )
    op.create_table(
        "attempt",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.Text(), nullable=False),
        sa.Column("claimed_at", sa.BigInteger(), nullable=False),
        sa.Column("boot_at", sa.Float(), nullable=False),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint(
            "outcome IN ('open', 'done', 'not_executed', 'unknown', 'abandoned')", name=op.f("ck_attempt_outcome")
        ),
        of_instruction("attempt"),
        sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_attempt")),
    )
    index("uq_attempt_open", "attempt", ["instruction_id"], where="outcome = 'open'", unique=True)
    op.create_table(
        "reservation",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("n", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("cents", sa.BigInteger(), nullable=False),
        sa.Column("released", sa.Boolean(), nullable=False),
        sa.CheckConstraint("cents > 0", name=op.f("ck_reservation_cents")),
        of_instruction("reservation"),
        sa.PrimaryKeyConstraint("instruction_id", "n", name=op.f("pk_reservation")),
    )
    op.create_index(op.f("ix_reservation_day"), "reservation", ["day"])
    op.create_table(
        "outbox",
        sa.Column("seq", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), autoincrement=True, nullable=False),
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=True),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("sent_channel", sa.Text(), nullable=False),
        sa.Column("sent_ts", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=False),
        sa.CheckConstraint("state IN ('new', 'sending', 'sent', 'unknown', 'dead')", name=op.f("ck_outbox_state")),
        of_instruction("outbox"),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_outbox")),
        sa.UniqueConstraint("id", name=op.f("uq_outbox_id")),
        sa.UniqueConstraint("key", name=op.f("uq_outbox_key")),
    )
    op.create_index("ix_outbox_instruction_id_place_seq", "outbox", ["instruction_id", "place", "seq"])
    index("ix_outbox_open_due_at", "outbox", ["due_at"], where="state IN ('new', 'sending', 'unknown')")
    op.create_table(
        "callback_token",
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind IN ('confirmation', 'cancel', 'failure')", name=op.f("ck_callback_token_kind")),
        of_instruction("callback_token"),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_callback_token")),
    )
    op.create_index("ix_callback_token_instruction_id", "callback_token", ["instruction_id"])
    op.create_table(
        "inbox",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("body_hash", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("state IN ('received', 'applied', 'stale', 'unconfirmed')", name=op.f("ck_inbox_state")),
        of_instruction("inbox"),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inbox")),
        sa.UniqueConstraint("token_hash", "body_hash", name=op.f("uq_inbox_token_hash_body_hash")),
    )
    index("ix_inbox_received_due_at", "inbox", ["due_at"], where="state = 'received'")
    op.create_table(
        "card_copy",
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("place", sa.Text(), nullable=False),
        sa.Column("channel", sa.Text(), nullable=False),
        sa.Column("ts", sa.Text(), nullable=False),
        sa.Column("shown_version", sa.BigInteger(), nullable=False),
        sa.Column("wanted_version", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        of_instruction("card_copy"),
        sa.PrimaryKeyConstraint("instruction_id", "place", name=op.f("pk_card_copy")),
        sa.UniqueConstraint("channel", "ts", name=op.f("uq_card_copy_channel_ts")),
    )
    index("ix_card_copy_due_at", "card_copy", ["due_at"], where="due_at IS NOT NULL")
    op.create_table(
        "tracked",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("remote_id", sa.Text(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("polls", sa.Integer(), nullable=False),
        sa.Column("lease_owner", sa.Text(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("last_status", sa.Text(), nullable=False),
        sa.Column("stopped_at", sa.BigInteger(), nullable=True),
        of_instruction("tracked"),
        sa.PrimaryKeyConstraint("kind", "remote_id", name=op.f("pk_tracked")),
    )
    index("ix_tracked_kind_due_at", "tracked", ["kind", "due_at"], where="due_at IS NOT NULL")
    op.create_table(
        "flag",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key", name=op.f("pk_flag")),
    )
    op.create_table(
        "audit",
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("instruction_id", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=False),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("previous", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("seq", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_instruction_id"), "audit", ["instruction_id"])
    op.create_table(
        "audit_head",
        sa.Column("id", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.CheckConstraint("id = 1", name=op.f("ck_audit_head_one_row")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_head")),
    )
    for statement in _ON_POSTGRES if op.get_bind().dialect.name == "postgresql" else _ON_SQLITE:
        op.execute(statement)
