"""Outbox: posts to Slack, stored in the transaction of the change they report; first in, first out per subject."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Unpack

from sqlalchemy import (
    Executable,
    case,
    exists,
    or_,
    select,
    text,
)

from storage.damage import Broken, Shape
from storage.repositories.common import (
    FREED,
    NO_LEASE,
    Condition,
    Repository,
    claim,
    claiming,
    columns,
    free,
    insert_once,
)
from storage.rows import Hold, OutboxRow, OutboxState
from storage.tables.queues import outbox as table

_UNFINISHED = (OutboxState.NEW, OutboxState.SENDING, OutboxState.UNKNOWN)
OPEN: Condition = text("outbox.state IN ('new', 'sending', 'unknown')")
"""The same as what the partial index covers: SQLite does not find that in parameters."""
_COLUMNS = [column for column in table.c if column.name != "seq"]


def _read(*, payload: object, subject: object, seq: int = 0, **values: Any) -> OutboxRow:  # noqa: ARG001
    if not isinstance(payload, dict):
        raise Broken("payload")
    if not isinstance(subject, str):
        raise Broken("subject")
    return OutboxRow(**values, payload=payload, subject=subject)


SHAPE = Shape(table, _read, called="key", key=("id",))


def _claiming() -> Executable:
    earlier = table.alias("earlier")
    behind = (earlier.c.seq < table.c.seq, earlier.c.state.in_(_UNFINISHED), earlier.c.stopped == "")
    blocked = exists().where(earlier.c.subject == table.c.subject, *behind)
    return claiming(
        table,
        OPEN,
        table.c.state != OutboxState.SENDING,
        key=table.c.seq,
        # As an expression: with the plain column SQLite would scan every row ever sent.
        order=[table.c.urgent.desc(), table.c.seq + 0],
        free_to_go=~blocked,
        changed={
            "state": case(
                (table.c.state == OutboxState.NEW, OutboxState.SENDING.value), else_=OutboxState.UNKNOWN.value
            ),
            "attempts": table.c.attempts + 1,
        },
    )


_CLAIM = _claiming()


class Outbox(Repository):
    """The table ``outbox``."""

    def add(
        self,
        *,
        id: str,  # noqa: A002 - the column's name
        key: str,
        action: str,
        place: str,
        channel: str,
        payload: Mapping[str, object],
        now: datetime,
        subject: str,
        instruction_id: str | None = None,
        due_at: datetime | None = None,
        urgent: bool = False,
    ) -> bool:
        """Queue a post under a new ULID; False when ``key`` was queued before, in whatever state it is.

        With an ``urgent`` one, those of its subject that wait for their turn before it become urgent.
        """
        row = OutboxRow(
            id=id,
            instruction_id=instruction_id,
            subject=subject,
            key=key,
            action=action,
            place=place,
            channel=channel,
            payload=dict(payload),
            due_at=due_at or now,
            created_at=now,
            urgent=urgent,
        )
        if urgent:
            waiting = (table.c.subject == subject, table.c.state == OutboxState.NEW, ~table.c.urgent)
            self._change(table, *waiting, urgent=True, due_at=now)
        return insert_once(self._connection, table, columns(row), unless=("key",))

    def get(self, outbox_id: str) -> OutboxRow | None:
        """The row with this id."""
        return self._one(SHAPE, select(*_COLUMNS).where(table.c.id == outbox_id))

    def by_key(self, key: str) -> OutboxRow | None:
        """The row with this key."""
        return self._one(SHAPE, select(*_COLUMNS).where(table.c.key == key))

    def post_anew(self, subject: str, *, action: str, new_id: str, now: datetime) -> bool:
        """Post the message of a finished row again, before what waits behind that row; False while it is unfinished.

        ``sent_ts`` stays that of the earlier message until there is a new one.
        """
        finished = (table.c.subject == subject, table.c.action == action, table.c.state.not_in(_UNFINISHED))
        fresh = {"state": OutboxState.NEW, "created_at": now, "due_at": now, "attempts": 0, "last_error": ""}
        return self._change(table, *finished, id=new_id, payload={}, **FREED, **fresh) == 1

    def claim_due(self, **hold: Unpack[Hold]) -> list[OutboxRow]:
        """Claim rows that are due, the urgent ones first, in their order.

        A row waits while an earlier one of the same subject is unfinished.
        Rows come back as ``SENDING`` (send it) or ``UNKNOWN`` (search first whether it arrived). The attempt is
        counted already, so a row that kills its worker is counted too.
        """
        rows = claim(self._connection, _CLAIM, hold)
        return self._records(SHAPE, sorted(rows, key=lambda row: (not row.urgent, row.seq)))

    def hold(self, row: OutboxRow, *, now: datetime, until: datetime) -> bool:
        """Extend the lease of a claimed row; False when it has run out, so that another worker may hold the row."""
        mine = (
            table.c.id == row.id,
            table.c.attempts == row.attempts,
            table.c.lease_owner == row.lease_owner,
            table.c.lease_until > now,
            table.c.state.in_(_UNFINISHED),
        )
        return self._change(table, *mine, lease_until=until) == 1

    def sent(self, outbox_id: str, channel: str, ts: str, now: datetime) -> bool:
        """Store that it arrived as this message; False when the row was finished before."""
        return self._finish(
            outbox_id, state=OutboxState.SENT, sent_channel=channel, sent_ts=ts, due_at=now, last_error=""
        )

    def again(self, outbox_id: str, due_at: datetime, error: str, *, counted: bool = True) -> bool:
        """Send it (again) at ``due_at``; it certainly did not arrive. ``counted``: False: not an attempt."""
        return self._finish(
            outbox_id, state=OutboxState.NEW, due_at=due_at, last_error=error, **_uncounted(counted=counted)
        )

    def unknown(
        self,
        outbox_id: str,
        due_at: datetime,
        error: str,
        *,
        payload: Mapping[str, object] | None = None,
        counted: bool = True,
    ) -> bool:
        """Search for it at ``due_at``, as it may have arrived; ``payload`` replaces the payload. See :meth:`again`."""
        changed: dict[str, object] = {} if payload is None else {"payload": dict(payload)}
        changed |= _uncounted(counted=counted)
        return self._finish(outbox_id, state=OutboxState.UNKNOWN, due_at=due_at, last_error=error, **changed)

    def note(self, outbox_id: str, payload: Mapping[str, object]) -> bool:
        """Replace the payload; the lease stays as it is."""
        unfinished = (table.c.id == outbox_id, table.c.state.in_(_UNFINISHED))
        return self._change(table, *unfinished, payload=dict(payload)) == 1

    def dead(self, outbox_id: str, error: str) -> bool:
        """Give it up. Later rows of its subject may be sent."""
        return self._finish(outbox_id, state=OutboxState.DEAD, last_error=error)

    def redirect(self, outbox_id: str, *, payload: Mapping[str, object], due_at: datetime) -> bool:
        """Send it elsewhere at ``due_at``, with this payload and no attempts counted; it certainly did not arrive."""
        return self._finish(outbox_id, state=OutboxState.NEW, payload=dict(payload), due_at=due_at, attempts=0)

    def _finish(self, outbox_id: str, **values: object) -> bool:
        unfinished = (table.c.id == outbox_id, table.c.state.in_(_UNFINISHED))
        return self._change(table, *unfinished, **FREED, **values) == 1

    def recover(self, owner: str, now: datetime, exclusive: bool, look_at: datetime | None = None) -> int:
        """Set rows whose sender died to unknown, to be searched for at ``look_at`` (default: now); how many.

        For ``exclusive`` see ``Instructions.abandoned``.
        """
        dead = free(table, now)
        if exclusive:
            dead = or_(dead, table.c.lease_owner != owner)
        sending = table.c.state == OutboxState.SENDING
        count = self._change(table, sending, dead, state=OutboxState.UNKNOWN, due_at=look_at or now, **NO_LEASE)
        # A process that died while it searched leaves an unknown row: only its lease has to end.
        looking = (table.c.state == OutboxState.UNKNOWN, table.c.lease_until.is_not(None))
        self._change(table, *looking, dead, **NO_LEASE)
        return count


def _uncounted(*, counted: bool) -> dict[str, object]:
    return {} if counted else {"attempts": table.c.attempts - 1}
