"""Webhooks of stores: their addresses, and the events received."""

from datetime import datetime
from typing import Unpack

from sqlalchemy import bindparam, delete, func, insert, select

from storage.damage import Shape, read_one
from storage.errors import StorageBusy
from storage.repositories.arrivals import Arrivals
from storage.repositories.common import claim, claiming, columns
from storage.rows import Hold, InboxState, StoreEvent, StoreHook
from storage.tables.services import store_event as table
from storage.tables.services import store_hook as hooks

SHAPE = Shape(table, StoreEvent, called="store")
_HOOKS = Shape(hooks, StoreHook, called="store")
_CLAIM = claiming(
    table,
    table.c.state == InboxState.RECEIVED,
    key=table.c.id,
    order=[table.c.due_at, table.c.id],
    changed={"attempts": table.c.attempts + 1},
)
_HOOK = select(hooks).where(hooks.c.token_hash == bindparam("address"), hooks.c.ended_at.is_(None))


class StoreEvents(Arrivals):
    """The tables ``store_hook`` and ``store_event``."""

    table = table

    # addresses

    def give_out(self, hook: StoreHook) -> None:
        """Store an address, before it is registered at the service."""
        self._connection.execute(insert(hooks).values(columns(hook)))

    def find_hook(self, token_hash: str) -> StoreHook | None:
        """The store and kind of an address, unless it ended."""
        row = self._connection.execute(_HOOK, {"address": token_hash}).first()
        return None if row is None else read_one(self._damage, _HOOKS, row._asdict())

    def hooks_of(self, store: str) -> list[StoreHook]:
        """The addresses of a store that have not ended, oldest first."""
        query = select(hooks).where(hooks.c.store == store, hooks.c.ended_at.is_(None))
        return self._all(_HOOKS, query.order_by(hooks.c.created_at, hooks.c.id))

    def end_hooks(self, store: str, kind: str, now: datetime, *, but: str = "") -> int:
        """End the store's addresses of this kind, except the one with id ``but``; how many ended."""
        old = (hooks.c.store == store, hooks.c.kind == kind, hooks.c.ended_at.is_(None), hooks.c.id != but)
        return self._change(hooks, *old, ended_at=now)

    def rename_store(self, before: str, after: str) -> None:
        """Rename the store in its addresses and events."""
        for each in (hooks, table):
            self._change(each, each.c.store == before, store=after)

    # events

    def receive(self, event: StoreEvent, *, most: int) -> bool:
        """Store an event; False when the same one is still unprocessed. The oldest processed ones make room.

        Raises:
            StorageBusy: ``most`` events of this address wait already.
        """
        waiting = (
            table.c.token_hash == event.token_hash,
            table.c.body_hash == event.body_hash,
            table.c.state == InboxState.RECEIVED,
        )
        # Safe because writers run one after the other; a unique index enforces it as well.
        if self._connection.execute(select(table.c.id).where(*waiting)).first() is not None:
            return False
        self._make_room(event.token_hash, most)
        self._connection.execute(insert(table).values(columns(event)))
        return True

    def _make_room(self, token_hash: str, most: int) -> None:
        of_it = table.c.token_hash == token_hash
        if self._connection.execute(select(func.count()).where(of_it)).scalar_one() < most:
            return
        looked_at = select(table.c.id).where(of_it, table.c.state != InboxState.RECEIVED)
        oldest = looked_at.order_by(table.c.received_at, table.c.id).limit(most // 10).scalar_subquery()
        if not self._connection.execute(delete(table).where(table.c.id.in_(oldest))).rowcount:
            raise StorageBusy("Too many messages of one webhook wait to be looked at.")

    def claim_due(self, **hold: Unpack[Hold]) -> list[StoreEvent]:
        """Claim received events that are due, in the order of arrival; the attempt is counted already."""
        rows = claim(self._connection, _CLAIM, hold)
        return sorted(self._records(SHAPE, rows), key=lambda row: (row.received_at, row.id))

    def finish(self, event_id: str, state: InboxState) -> bool:
        """Store the outcome and delete the body; False when an outcome was stored before."""
        return self._settle(event_id, state=state, body="")

    def of(self, store: str, *, limit: int = 100) -> list[StoreEvent]:
        """The events of a store, newest first."""
        query = select(table).where(table.c.store == store).order_by(table.c.received_at.desc(), table.c.id.desc())
        return self._all(SHAPE, query.limit(limit))
