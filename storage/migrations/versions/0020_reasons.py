"""Reasons become values: a code and its facts instead of a sentence. What stands there stays as it is, as text.

Some sentences decided how a request goes on; their code is kept beside the text. The version before would show the
JSON of new reasons on its cards, so its processes must have ended.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

_DECIDED = {
    "held, because ": "held",
    "on hold, as the database and the audit disagree: ": "on_hold",
    "held: the database may be older than the services": "restored",
    "another bulk payment is being submitted": "another_is_sent",
    "the payments service has not answered since ": "unanswered",
    "the delivery service has not answered since ": "unanswered",
    "the payments service answered ": "service_said",
    "answer ": "answered",
}
"""How a sentence began that decided something, and its code."""
_AT_ONCE = 500


def upgrade() -> None:
    """Wrap each reason."""
    connection = op.get_bind()
    for table, column in (("instruction", "reason"), ("instruction", "refusal"), ("booking", "reason")):
        _wrap(connection, table, column)


def _wrap(connection: sa.Connection, table: str, column: str) -> None:
    rows = sa.table(table, sa.column("id", sa.Text()), sa.column(column, sa.Text()))
    last = ""
    while True:
        some = sa.select(rows.c.id, rows.c[column]).where(rows.c.id > last, rows.c[column] != "")
        found = connection.execute(some.order_by(rows.c.id).limit(_AT_ONCE)).all()
        if not found:
            return
        for key, text in found:
            connection.execute(sa.update(rows).where(rows.c.id == key).values({column: _as_stored(text)}))
        last = found[-1][0]


def _as_stored(text: str) -> str:
    was = next((code for begin, code in _DECIDED.items() if text.startswith(begin)), "")
    if was == "answered" and ", saying “" not in text:
        was = ""
    value = {"code": "as_stored", "facts": {"text": text, "was": was}}
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
