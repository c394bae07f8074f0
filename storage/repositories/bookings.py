"""Bookings, from the form to the final state. A change applies only to the version it was decided on."""

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from typing import Any, Unpack

from sqlalchemy import ColumnElement, and_, bindparam, delete, func, or_, select, update

from bot.domain.bookings.booking import CLOSED, Booking, BookingRequest, Stage
from storage.damage import Broken, Shape
from storage.repositories.common import (
    FREED,
    Repository,
    claim,
    claiming,
    columns,
    end_leases,
    free,
    insert_once,
)
from storage.rows import Hold
from storage.tables.services import booking as table


def _read(*, request: object, detail: object, **values: Any) -> Booking:
    try:
        asked = None if request is None else BookingRequest.model_validate(request)
    except ValueError as wrong:
        raise Broken("request") from wrong
    if not isinstance(detail, dict):
        raise Broken("detail")
    return Booking(**values, request=asked, detail=detail)


SHAPE = Shape(table, _read, called="reference")
_CLAIM = claiming(
    table, table.c.stage.in_(bindparam("in_stages", expanding=True)), key=table.c.id, order=[table.c.due_at]
)


class Bookings(Repository):
    """The table ``booking``."""

    def add(self, booking: Booking) -> bool:
        """Store it; False when one was made from the same source before."""
        request = booking.request
        values = {**columns(booking), "request": None if request is None else request.model_dump(mode="json")}
        return insert_once(self._connection, table, values, unless=("source_key",))

    def get(self, booking_id: str) -> Booking | None:
        """The booking with this id."""
        return self._find(table.c.id == booking_id)

    def by_source(self, key: str) -> Booking | None:
        """The booking that this form or event made."""
        return self._find(table.c.source_key == key)

    def by_external(self, external_id: str) -> Booking | None:
        """The booking with our own id at the service."""
        return self._find(table.c.external_id == external_id)

    def by_remote(self, store: str, remote: str) -> Booking | None:
        """The store's booking with this id at the service, internal or public."""
        same = or_(table.c.remote_id == remote, table.c.numeric_id == remote)
        return self._find(and_(table.c.store == store, same)) if remote else None

    def find(self, text: str) -> Booking | None:
        """The booking by what people type: our reference, or either id at the service."""
        wanted = text.strip().lstrip("#")
        found = self._find(table.c.reference == wanted.upper())
        if found is not None or not wanted:
            return found
        same = or_(table.c.remote_id == wanted, table.c.numeric_id == wanted, table.c.prebooking_id == wanted)
        query = select(table).where(same).order_by(table.c.created_at.desc()).limit(1)
        return self._one(SHAPE, query)

    def open(self, *, limit: int) -> list[Booking]:
        """Bookings that are under way, newest first."""
        hidden = (*CLOSED, Stage.QUOTED)
        query = select(table).where(table.c.stage.not_in(hidden)).order_by(table.c.created_at.desc()).limit(limit)
        return self._all(SHAPE, query)

    def counts(self) -> dict[str, int]:
        """How many there are by stage."""
        query = select(table.c.stage, func.count()).group_by(table.c.stage)
        found: Counter[str] = Counter()
        for stage, count in self._connection.execute(query):
            found[str(stage)] += count  # several words may be unknown
        return dict(found)

    def claim_due(self, *, stages: Collection[Stage], **hold: Unpack[Hold]) -> list[Booking]:
        """Take bookings in these stages that are due, longest due first."""
        rows = claim(self._connection, _CLAIM, hold, in_stages=list(stages))
        return sorted(self._records(SHAPE, rows), key=lambda one: (one.due_at or hold["now"], one.id))

    def change(self, booking: Booking, *, keep_lease: bool = False, **values: Any) -> Booking | None:
        """Change it if its version is still that of ``booking``; end the lease unless ``keep_lease``.

        Returns:
            The booking as it is now, or None when another change came first: read it again.
        """
        freed = {} if keep_lease else FREED
        changed = update(table).where(table.c.id == booking.id, table.c.version == booking.version)
        new = {**freed, **values, "version": booking.version + 1}
        return self._one(SHAPE, changed.values(new).returning(table))

    def release(self, booking_id: str, *, owner: str, due_at: datetime | None) -> bool:
        """End the lease of this owner; the booking is due again at ``due_at``."""
        held = (table.c.id == booking_id, table.c.lease_owner == owner)
        return self._change(table, *held, **FREED, due_at=due_at) == 1

    def count_poll(self, booking_id: str, *, due_at: datetime) -> None:
        """Count a read without news; due again at ``due_at``. The version stays: nothing relevant changed."""
        self._change(table, table.c.id == booking_id, **FREED, polls=table.c.polls + 1, reads=0, due_at=due_at)

    def rename_store(self, before: str, after: str) -> None:
        """Rename the store in its bookings."""
        self._change(table, table.c.store == before, store=after)

    def hasten(self, booking_id: str, now: datetime) -> None:
        """Make it due now."""
        later = (table.c.id == booking_id, table.c.stage.not_in(CLOSED), table.c.due_at > now)
        self._change(table, *later, due_at=now)

    def abandoned(self, *, now: datetime, owner: str, exclusive: bool) -> list[Booking]:
        """Bookings whose sender died; see ``Instructions.abandoned`` for ``exclusive``."""
        dead = free(table, now)
        if exclusive:
            dead = or_(dead, table.c.lease_owner != owner)
        query = select(table).where(table.c.stage == Stage.SENDING, dead)
        return self._all(SHAPE, query)

    def recover(self, owner: str) -> int:
        """End other owners' leases, except while sending; only where no other process can be alive. How many."""
        return end_leases(self._connection, table, owner, table.c.stage != Stage.SENDING)

    def forget_quotes(self, before: datetime) -> int:
        """Delete forms that were never confirmed, because they hold customers' names and addresses."""
        old = (table.c.stage == Stage.QUOTED, table.c.created_at < before)
        return self._connection.execute(delete(table).where(*old)).rowcount

    def _find(self, condition: ColumnElement[bool]) -> Booking | None:
        return self._one(SHAPE, select(table).where(condition))
