"""Callbacks: their addresses, stored by hash, and the inbox, with one row per address."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from bot.domain.payments.instruction import CallbackKind
from bot.domain.references import ADDRESSES_LIVE
from storage.damage import Shape
from storage.prepared import Prepared
from storage.repositories.leased import Queue, Repository, claiming, insert_once
from storage.rows import CallbackToken, InboxRow, InboxState
from storage.tables.instructions import callback_token as token
from storage.tables.instructions import instruction
from storage.tables.queues import inbox
from storage.types import Moment

STANDING = (
    sa.select(token)
    .join(instruction, instruction.c.id == token.c.instruction_id)
    .where(
        token.c.token_hash == sa.bindparam("address"),
        sa.or_(token.c.expires_at.is_(None), token.c.expires_at > sa.bindparam("now", type_=Moment)),
        sa.or_(instruction.c.closed_at.is_(None), instruction.c.closed_at > sa.bindparam("ended", type_=Moment)),
    )
)
"""Condition for the address, unless it expired or its instruction ended long ago."""

_FIND = Prepared(STANDING)
_TOKEN = Shape(token, CallbackToken)


def _at(now: datetime, address: str) -> dict[str, object]:
    return {"address": address, "now": now, "ended": now - ADDRESSES_LIVE}


class Tokens(Repository):
    def put(
        self, *, token_hash: str, instruction_id: str, kind: CallbackKind, expires_at: datetime | None = None
    ) -> bool:
        """Bind a token to one instruction and kind permanently; False if it is already stored."""
        values = {"token_hash": token_hash, "instruction_id": instruction_id, "kind": kind, "expires_at": expires_at}
        return insert_once(self._connection, token, values, unless=("token_hash",))

    def find(self, token_hash: str, now: datetime) -> CallbackToken | None:
        return next(iter(self._whole(_TOKEN, _FIND, **_at(now, token_hash))), None)

    def expire(self, instruction_id: str, at: datetime) -> None:
        self._change(token, token.c.instruction_id == instruction_id, expires_at=at)

    def has_old(self, *, now: datetime) -> bool:
        query = sa.select(token.c.token_hash).where(_over(now)).limit(1)
        return self._connection.execute(query).first() is not None

    def forget_old(self, *, now: datetime, limit: int) -> int:
        return self._forget(token.c.token_hash, _over(now), limit=limit)


def _over(now: datetime) -> sa.ColumnElement[bool]:
    ended = sa.select(instruction.c.id).where(instruction.c.closed_at <= now - ADDRESSES_LIVE)
    return token.c.instruction_id.in_(ended)


_SETTLED = sa.or_(inbox.c.state == InboxState.APPLIED, inbox.c.state == InboxState.STALE)
_WAITS = inbox.c.state == InboxState.RECEIVED
_NOW = sa.bindparam("now", type_=Moment)


def _due(instruction_id: sa.ColumnElement[str]) -> sa.ColumnElement[Any]:
    """Return now, or ``pause`` microseconds after the instruction was last read for a callback, if later."""
    others = inbox.alias("others")
    next_one = sa.func.max(sa.type_coerce(others.c.read_at, sa.BigInteger)) + sa.bindparam("pause", type_=sa.BigInteger)
    due = sa.case((next_one > _NOW, next_one), else_=_NOW)
    return sa.select(due).where(others.c.instruction_id == instruction_id).correlate_except(others).scalar_subquery()


_OWN = inbox.alias("own")
_SAME_OR_NEWEST = (
    sa.select(_OWN.c.id)
    .where(_OWN.c.token_hash == sa.bindparam("address"))
    .order_by((_OWN.c.body_hash == sa.bindparam("digest")).desc(), _OWN.c.received_at.desc(), _OWN.c.id.desc())
    .limit(1)
)
"""The row of the address. If simultaneous first callbacks made several, the one with this body, else the newest."""
_MORE = Prepared(
    sa.update(inbox)
    .where(
        inbox.c.id == _SAME_OR_NEWEST.scalar_subquery(),
        sa.not_(sa.and_(inbox.c.body_hash == sa.bindparam("digest"), _SETTLED)),
        STANDING.exists(),
    )
    .values(
        body_hash=sa.bindparam("digest"),
        hints=inbox.c.hints + 1,  # shows the current holder that more callbacks arrived
        state=InboxState.RECEIVED,
        received_at=sa.case((_WAITS, inbox.c.received_at), else_=_NOW),
        attempts=sa.case((_WAITS, inbox.c.attempts), else_=0),
        due_at=sa.case(
            (sa.and_(_WAITS, inbox.c.due_at < _due(inbox.c.instruction_id)), inbox.c.due_at),
            else_=_due(inbox.c.instruction_id),
        ),
    )
)
_FIRST: Mapping[str, sa.ColumnElement[Any]] = {
    "id": sa.bindparam("new", type_=sa.Text),
    "token_hash": token.c.token_hash,
    "body_hash": sa.bindparam("digest", type_=sa.Text),
    "instruction_id": token.c.instruction_id,
    "kind": token.c.kind,
    "body": sa.literal("", sa.Text),
    "received_at": _NOW,
    "state": sa.literal(InboxState.RECEIVED, inbox.c.state.type),
    "attempts": sa.literal(0),
    "due_at": _due(token.c.instruction_id),
    "lease_owner": sa.literal("", sa.Text),
    "hints": sa.literal(1),
}


class Inbox(Queue[InboxRow]):
    shape = Shape(inbox, InboxRow)
    claims = claiming(inbox, _WAITS, changed={"attempts": inbox.c.attempts + 1, "read_at": _NOW})
    unfinished = _WAITS

    def receive(
        self, *, new_id: Callable[[], str], token_hash: str, body_hash: str, now: datetime, pause: timedelta
    ) -> bool:
        """Store a callback; False if its address is invalid, or if its body is that of the last, settled one."""
        # ``new_id`` is for the first callback of an address, ``pause`` the time between two reads of an instruction.
        values = {**_at(now, token_hash), "digest": body_hash, "pause": pause // timedelta(microseconds=1)}
        if _MORE.count(self._connection, values):
            return True
        first = _first(self._connection.dialect.name)
        return first.first(self._connection, values | {"new": new_id()}) is not None

    def finish(self, inbox_id: str, state: InboxState, *, hints: int) -> bool:
        """Store the outcome; False if it was already stored, or if more than ``hints`` callbacks arrived."""
        return self._end(inbox_id, inbox.c.hints == hints, state=state)

    def hints(self, inbox_id: str) -> int:
        query = sa.select(inbox.c.hints).where(inbox.c.id == inbox_id)
        return self._connection.execute(query).scalar_one_or_none() or 0

    def hasten(self, instruction_id: str, now: datetime) -> None:
        self._change(inbox, inbox.c.instruction_id == instruction_id, _WAITS, inbox.c.due_at > now, due_at=now)

    def _old(self, before: datetime) -> Sequence[sa.ColumnElement[bool]]:
        return (inbox.c.received_at < before, inbox.c.state != InboxState.RECEIVED)


@cache
def _first(dialect: str) -> Prepared:
    insert = postgresql.insert if dialect == "postgresql" else sqlite.insert
    found = STANDING.with_only_columns(*_FIRST.values())
    statement = insert(inbox).from_select(list(_FIRST), found, include_defaults=False)
    return Prepared(statement.on_conflict_do_nothing(index_elements=("token_hash", "body_hash")).returning(inbox.c.id))
