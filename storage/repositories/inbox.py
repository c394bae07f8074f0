"""Inbox: callbacks, stored before they are answered. Each address has one row, however many arrive."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from functools import cache
from typing import Any, Unpack

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Text,
    and_,
    bindparam,
    case,
    func,
    literal,
    not_,
    or_,
    select,
    type_coerce,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite

from storage.damage import Shape
from storage.prepared import Prepared
from storage.repositories.arrivals import Arrivals
from storage.repositories.common import claim, claiming
from storage.repositories.tokens import STANDING, at
from storage.rows import Hold, InboxRow, InboxState
from storage.tables.instructions import callback_token as token
from storage.tables.queues import inbox as table
from storage.types import Moment

SHAPE = Shape(table, InboxRow)
_CLAIM = claiming(
    table,
    table.c.state == InboxState.RECEIVED,
    key=table.c.id,
    order=[table.c.due_at, table.c.id],
    changed={"attempts": table.c.attempts + 1, "read_at": bindparam("now", type_=Moment)},
)
_SETTLED = or_(table.c.state == InboxState.APPLIED, table.c.state == InboxState.STALE)
_WAITS = table.c.state == InboxState.RECEIVED
_NOW = bindparam("now", type_=Moment)


def _due(instruction_id: ColumnElement[str]) -> ColumnElement[Any]:
    """Now; or ``pause`` microseconds after the last reading for a callback of the same instruction, if later."""
    others = table.alias("others")
    next_one = func.max(type_coerce(others.c.read_at, BigInteger)) + bindparam("pause", type_=BigInteger)
    due = case((next_one > _NOW, next_one), else_=_NOW)
    return select(due).where(others.c.instruction_id == instruction_id).correlate_except(others).scalar_subquery()


def _same_or_newest() -> ColumnElement[str]:
    """The row of the address; of several, left by earlier versions, the one with this body or else the newest."""
    own = table.alias("own")
    order = ((own.c.body_hash == bindparam("digest")).desc(), own.c.received_at.desc(), own.c.id.desc())
    query = select(own.c.id).where(own.c.token_hash == bindparam("address"))
    return query.order_by(*order).limit(1).scalar_subquery()


_MORE = Prepared(
    update(table)
    .where(
        table.c.id == _same_or_newest(),
        not_(and_(table.c.body_hash == bindparam("digest"), _SETTLED)),
        STANDING.exists(),
    )
    .values(
        body_hash=bindparam("digest"),
        hints=table.c.hints + 1,  # shows the worker that holds the row that more arrived meanwhile
        state=InboxState.RECEIVED,
        received_at=case((_WAITS, table.c.received_at), else_=_NOW),
        attempts=case((_WAITS, table.c.attempts), else_=0),
        due_at=case(
            (and_(_WAITS, table.c.due_at < _due(table.c.instruction_id)), table.c.due_at),
            else_=_due(table.c.instruction_id),
        ),
    )
)
_FIRST: Mapping[str, ColumnElement[Any]] = {
    "id": bindparam("new", type_=Text),
    "token_hash": token.c.token_hash,
    "body_hash": bindparam("digest", type_=Text),
    "instruction_id": token.c.instruction_id,
    "kind": token.c.kind,
    "body": literal("", Text),
    "received_at": _NOW,
    "state": literal(InboxState.RECEIVED, table.c.state.type),
    "attempts": literal(0),
    "due_at": _due(token.c.instruction_id),
    "lease_owner": literal("", Text),
    "hints": literal(1),
}


class Inbox(Arrivals):
    """The table ``inbox``."""

    table = table

    def receive(
        self, *, new_id: Callable[[], str], token_hash: str, body_hash: str, now: datetime, pause: timedelta
    ) -> bool:
        """Store a callback; False when its address is not valid, or when the callback is not new.

        A callback is not new when it has the body of the last one, which was processed to the end.

        Args:
            new_id: makes a new ULID, for the first callback of an address.
            token_hash: hash of the address's token.
            body_hash: hash of the callback's body.
            now: the current instant.
            pause: between two readings of an instruction.
        """
        values = {**at(now, token_hash), "digest": body_hash, "pause": pause // timedelta(microseconds=1)}
        if _MORE.count(self._connection, values):
            return True
        statement = _first(self._connection.dialect.name)
        return statement.first(self._connection, values | {"new": new_id()}) is not None

    def claim_due(self, **hold: Unpack[Hold]) -> list[InboxRow]:
        """Claim received rows that are due, longest due first; the attempt is counted already."""
        rows = claim(self._connection, _CLAIM, hold)
        return sorted(self._records(SHAPE, rows), key=lambda row: (row.due_at, row.id))

    def of(self, instruction_id: str) -> list[InboxRow]:
        """Every callback of an instruction, in the order of arrival."""
        query = select(table).where(table.c.instruction_id == instruction_id).order_by(table.c.received_at, table.c.id)
        return self._all(SHAPE, query)

    def finish(self, inbox_id: str, state: InboxState, *, hints: int) -> bool:
        """Store the outcome; False when it was stored before, or when more than ``hints`` callbacks arrived."""
        return self._settle(inbox_id, table.c.hints == hints, state=state)

    def hints(self, inbox_id: str) -> int:
        """How many callbacks arrived."""
        return self._connection.execute(select(table.c.hints).where(table.c.id == inbox_id)).scalar_one_or_none() or 0

    def hasten(self, instruction_id: str, now: datetime) -> None:
        """Make the waiting callbacks of this instruction due now."""
        self._change(table, table.c.instruction_id == instruction_id, _WAITS, table.c.due_at > now, due_at=now)


@cache
def _first(dialect: str) -> Prepared:
    """The statement that inserts the first callback of an address."""
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    found = STANDING.with_only_columns(*_FIRST.values())
    statement = insert(table).from_select(list(_FIRST), found, include_defaults=False)
    return Prepared(statement.on_conflict_do_nothing(index_elements=("token_hash", "body_hash")).returning(table.c.id))
