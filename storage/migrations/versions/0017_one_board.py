"""Cards of requests become boards like every other: one table, and every queued message names its subject.

Messages queued by the version before are rewritten: the program knows boards, lines and files only. Their keys stay.
The table of cards is dropped, so processes of the version before must have ended.
"""

import json

import sqlalchemy as sa
from alembic import op

from storage.migrations import index

revision = "0017"
down_revision = "0016"

_OPEN = "('new', 'sending', 'unknown')"
_COLUMNS = (
    "subject, instruction_id, channel, thread_ts, requester, ts, shown_version, wanted_version, progress, due_at, "
    "attempts"
)
_ASKED_BY = "CASE place WHEN 'requester' THEN i.requester ELSE '' END"

# A waiting card that shows the latest state waits only for progress.
_CARDS = f"""
INSERT INTO board ({_COLUMNS})
SELECT 'request:' || c.instruction_id || ':' || place, c.instruction_id, channel, NULL, {_ASKED_BY}, ts,
       shown_version, wanted_version, wanted_version <= shown_version AND c.due_at IS NOT NULL, c.due_at, c.attempts
FROM card_copy c JOIN instruction i ON i.id = c.instruction_id
"""  # noqa: S608 - our own words
_TO_BE_POSTED = f"""
INSERT INTO board ({_COLUMNS})
SELECT 'request:' || o.instruction_id || ':' || place, o.instruction_id,
       CASE WHEN o.payload LIKE :direct THEN '' ELSE channel END, NULL, {_ASKED_BY}, '', 0, 1, :no, NULL, 0
FROM outbox o JOIN instruction i ON i.id = o.instruction_id
WHERE action = 'card' AND o.state IN {_OPEN}
  AND NOT EXISTS (SELECT 1 FROM card_copy c WHERE c.instruction_id = o.instruction_id AND c.place = o.place)
"""  # noqa: S608
_SUBJECTS = """
UPDATE outbox SET subject = CASE WHEN instruction_id IS NULL THEN 'notice:' || key
                                 ELSE 'request:' || instruction_id || ':' || place END
WHERE subject IS NULL
"""
_NAMED = f"SELECT id, action, payload FROM outbox WHERE state IN {_OPEN} AND action NOT IN ('board', 'line', 'file')"  # noqa: S608
_OF_FILES = """
SELECT i.id, i.payload, i.origin_channel, o.payload AS card FROM instruction i
LEFT JOIN outbox o ON o.key = 'card:' || i.id || ':' || 'requester' WHERE i.kind = 'bulk'
"""


def upgrade() -> None:
    op.add_column("board", sa.Column("instruction_id", sa.Text()))
    index("ix_board_instruction_id", "board", ["instruction_id"], where="instruction_id IS NOT NULL")
    connection = op.get_bind()
    connection.execute(sa.text(_CARDS))
    connection.execute(sa.text(_TO_BE_POSTED), {"no": False, "direct": '%"direct":true%'})
    # A bulk payment is shown in the thread of its file, where it was requested, unless that thread was gone.
    put = sa.text("UPDATE board SET thread_ts = :thread WHERE subject = :subject AND channel = :channel")
    for row in connection.execute(sa.text(_OF_FILES)).all():
        thread = json.loads(row.payload).get("thread_ts")
        if thread and not json.loads(row.card or "{}").get("alone"):
            subject = f"request:{row.id}:requester"
            connection.execute(put, {"thread": thread, "subject": subject, "channel": row.origin_channel})
    connection.execute(sa.text(_SUBJECTS))
    put = sa.text("UPDATE outbox SET action = :action, payload = :payload WHERE id = :id")
    for row in connection.execute(sa.text(_NAMED)).all():
        match row.action:
            case "card":
                action, more = "board", {}
            case "link":
                action, more = "file", {"what": "link"}
            case told:
                action, more = "line", {"line": told}
        # In the form of storage.types.canonical_json.
        payload = json.dumps(json.loads(row.payload) | more, sort_keys=True, separators=(",", ":"))
        connection.execute(put, {"action": action, "payload": payload, "id": row.id})
    op.drop_index("ix_outbox_instruction_id_place_seq", "outbox")
    op.drop_table("card_copy")
