"""Reasons become values: a code and its facts instead of a sentence. What stands there stays as it is, as text.

Some sentences decided how a request goes on, or what else is said; their code is kept beside the text. So it is of
those in news and alerts that wait for Slack; what else is queued stays text. The version before would show the JSON of
new reasons on its cards, so its processes must have ended.
"""

import json

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"

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
_UNREAD = ("its answer could not be read", "with an unexpected body", "with a body that is no JSON")
"""Of a success that nobody could read: an alert with it says how to see its fields."""
_WAIT = ("new", "sending", "unknown")
_AT_ONCE = 500


def upgrade() -> None:
    connection = op.get_bind()
    for table, column in (("instruction", "reason"), ("instruction", "refusal"), ("booking", "reason")):
        rows = sa.table(table, sa.column("id", sa.Text()), sa.column(column, sa.Text()))
        some = sa.select(rows.c.id, rows.c[column]).where(rows.c[column] != "").order_by(rows.c.id).limit(_AT_ONCE)
        last = ""
        while found := connection.execute(some.where(rows.c.id > last)).all():
            for key, text in found:
                connection.execute(sa.update(rows).where(rows.c.id == key).values({column: _json(_value(text))}))
            last = found[-1][0]
    names = ("id", "state", "instruction_id", "payload")
    rows = sa.table("outbox", *(sa.column(name, sa.Text()) for name in names))
    queued = sa.select(rows.c.id, rows.c.payload).where(rows.c.state.in_(_WAIT), rows.c.instruction_id.is_not(None))
    for key, payload in connection.execute(queued).all():
        try:
            facts = json.loads(payload)
        except ValueError:
            continue  # a damaged row is told of when it is read
        said = {name: facts.get(name) for name in ("reason", "refusal")} if isinstance(facts, dict) else {}
        changed = {name: _value(text) for name, text in said.items() if isinstance(text, str) and _was(text)}
        if changed:
            connection.execute(sa.update(rows).where(rows.c.id == key).values(payload=_json({**facts, **changed})))


def _value(text: str) -> dict[str, object]:
    return {"code": "as_stored", "facts": {"text": text, "was": _was(text)}}


def _was(text: str) -> str:
    was = next((code for begin, code in _DECIDED.items() if text.startswith(begin)), "")
    if was == "answered" and ", saying “" not in text:
        was = ""
    return was or ("unexpected" if any(words in text for words in _UNREAD) else "")


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
