"""Deliveries: stores, bookings, and the events of webhooks."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any, Unpack

from sqlalchemy import ColumnElement, Text, bindparam, delete, func, insert, or_, select, type_coerce, update

from bot.domain.bookings.booking import CLOSED, MOVES, Booking, BookingRequest, Stage
from bot.domain.bookings.record import STORE_MOVES, Phone, StoreState
from bot.domain.references import without_letter
from storage.damage import Broken, Shape, are_words, read_one
from storage.errors import StorageBusy
from storage.repositories.leased import FREED, Queue, claiming, columns, insert_once
from storage.repositories.moving import Moving, MovingRows
from storage.rows import Hold, InboxState, StoreEvent, StoreHook, StoreRow
from storage.tables.services import booking, store, store_event
from storage.tables.services import store_hook as hooks
from storage.types import canonical_json

_RECORD = {"record": lambda value: isinstance(value, dict) and are_words([*value.values()])}
STORE = Shape(store, StoreRow, called="name", holds=_RECORD)


def folded(name: str) -> str:
    """Return the form in which names are compared."""
    return " ".join(name.split()).casefold()


class Stores(Moving[StoreRow]):
    machine = STORE_MOVES

    def add(self, new: StoreRow) -> bool:
        """Store a new store; False if the name is taken."""
        return insert_once(self._connection, store, columns(new), unless=("folded",))

    def get(self, name: str) -> StoreRow | None:
        """Return the store with this name, compared by :func:`folded`."""
        return self._find(store.c.folded == folded(name))

    def by_id(self, store_id: str) -> StoreRow | None:
        return self._find(store.c.id == store_id)

    def by_remote(self, remote_id: str) -> StoreRow | None:
        return self._find(store.c.remote_id == remote_id) if remote_id else None

    def all(self) -> list[StoreRow]:
        return self._all(STORE, select(store).order_by(store.c.folded))

    def remove(self, store_id: str) -> None:
        self._connection.execute(delete(store).where(store.c.id == store_id))

    def due(self, now: datetime, limit: int) -> list[StoreRow]:
        """Return stores whose creation at the service is unconfirmed and due for a check."""
        query = select(store).where(store.c.state == StoreState.CREATING, store.c.due_at <= now)
        return self._all(STORE, query.order_by(store.c.due_at).limit(limit))

    def _find(self, condition: ColumnElement[bool]) -> StoreRow | None:
        return self._one(STORE, select(store).where(condition))

    def _put(self, before: StoreRow, to: str, changes: dict[str, Any]) -> StoreRow | None:
        same = update(store).where(store.c.id == before.id, store.c.state == before.state)
        return self._one(STORE, same.values({**changes, "state": to}).returning(store))

    def _mark(self, row: StoreRow, *, now: datetime, patient: bool) -> None:
        """Do nothing: stores don't have boards."""


def _booking(*, request: object, detail: object, **values: Any) -> Booking:
    try:
        asked = None if request is None else BookingRequest.model_validate(request)
    except ValueError as wrong:
        raise Broken("request") from wrong
    if not isinstance(detail, dict):
        raise Broken("detail")
    return Booking(**values, request=asked, detail=detail)


class Bookings(MovingRows[Booking]):
    state = "stage"
    machine = MOVES
    shape = Shape(booking, _booking, called="reference")
    claims = claiming(booking, booking.c.stage.in_(bindparam("in_stages", expanding=True)))
    in_flight = booking.c.stage == Stage.SENDING

    def add(self, new: Booking) -> bool:
        """Store a booking; False if one was created from the same source before."""
        request = new.request
        values = {**columns(new), "request": None if request is None else request.model_dump(mode="json")}
        return insert_once(self._connection, booking, values, unless=("source_key",))

    def by_external(self, external_id: str) -> Booking | None:
        return self._find(booking.c.external_id == external_id)

    def by_remote(self, store: str, remote: str) -> Booking | None:
        """Return the store's booking with this id at the service, internal or public."""
        same = or_(booking.c.remote_id == remote, booking.c.numeric_id == remote)
        return self._find(booking.c.store == store, same) if remote else None

    def by_prebooking(self, store: str, prebooking: str) -> Booking | None:
        """Return the store's pre-booking with this id at the service."""
        return self._find(booking.c.store == store, booking.c.prebooking_id == prebooking)

    def find(self, text: str) -> Booking | None:
        """Return the booking with this reference (with or without its letter), or this id at the service."""
        wanted = text.strip().lstrip("#")
        found = self._find(booking.c.reference == wanted.upper())
        if found is not None or not wanted:
            return found
        same = or_(booking.c.remote_id == wanted, booking.c.numeric_id == wanted, booking.c.prebooking_id == wanted)
        found = self._one(self.shape, self._rows(same).order_by(booking.c.created_at.desc()).limit(1))
        meant = without_letter(wanted)
        return self._find(booking.c.reference.in_(meant)) if found is None and meant else found

    def last_store(self, *, channel: str, requester: str) -> str:
        """Return the store of this channel's last booking, else of this person's; empty if there is none."""
        asked = (booking.c.requester != "", booking.c.stage != Stage.QUOTED)
        for of in (booking.c.channel == channel, booking.c.requester == requester):
            query = select(booking.c.store).where(*asked, of).order_by(booking.c.id.desc()).limit(1)
            found = self._connection.execute(query).scalar()
            if found is not None:
                return str(found)
        return ""

    def requested(
        self, stores: Collection[str], *, channel: str, by: str, limit: int, phone: Phone | None = None
    ) -> list[Booking]:
        """Return bookings of these stores from this channel or person, newest first; ``phone`` is the customer's."""
        visible = or_(booking.c.channel == channel, booking.c.requester == by)
        asked = [booking.c.request.is_not(None), booking.c.stage != Stage.QUOTED, booking.c.store.in_(stores), visible]
        if phone is not None:  # compared with its form in the canonical JSON of a request
            text = type_coerce(booking.c.request, Text)
            wanted = {"country_code": phone.country_code, "mobile": phone.national}
            asked += [
                text.contains(canonical_json({name: value})[1:-1], autoescape=True) for name, value in wanted.items()
            ]
        return self._all(self.shape, self._rows(*asked).order_by(booking.c.id.desc()).limit(limit))

    def open(self, *, limit: int) -> list[Booking]:
        hidden = (*CLOSED, Stage.QUOTED)
        query = self._rows(booking.c.stage.not_in(hidden)).order_by(booking.c.created_at.desc())
        return self._all(self.shape, query.limit(limit))

    def states(self) -> list[tuple[str, str]]:
        """Return id and status of every booking in progress at the service."""
        query = select(booking.c.id, booking.c.status).where(booking.c.stage == Stage.OPEN)
        return [(str(id_), str(status)) for id_, status in self._connection.execute(query)]

    def counts(self) -> dict[str, int]:
        query = select(booking.c.stage, func.count()).group_by(booking.c.stage)
        found: Counter[str] = Counter()
        for stage, count in self._connection.execute(query):
            found[str(stage)] += count  # several unknown values may have the same name
        return dict(found)

    def claim_due(self, *, stages: Collection[Stage], **hold: Unpack[Hold]) -> list[Booking]:
        return self._claimed(hold, in_stages=list(stages))

    def _facts(self, row: Booking, facts: Mapping[str, object]) -> Mapping[str, object]:
        return row.audit_facts(facts)

    def count_poll(self, booking_id: str, *, due_at: datetime) -> None:
        """Count a read without changes, which keeps the version."""
        self._change(booking, booking.c.id == booking_id, **FREED, polls=booking.c.polls + 1, reads=0, due_at=due_at)

    def rename_store(self, before: str, after: str) -> None:
        self._change(booking, booking.c.store == before, store=after)

    def hasten(self, booking_id: str, now: datetime) -> None:
        later = (booking.c.id == booking_id, booking.c.stage.not_in(CLOSED), booking.c.due_at > now)
        self._change(booking, *later, due_at=now)

    def forget_quotes(self, before: datetime) -> int:
        """Delete forms that were never confirmed, because they hold customers' names and addresses."""
        old = (booking.c.stage == Stage.QUOTED, booking.c.created_at < before)
        return self._connection.execute(delete(booking).where(*old)).rowcount


_HOOKS = Shape(hooks, StoreHook, called="store")
_HOOK = select(hooks).where(hooks.c.token_hash == bindparam("address"), hooks.c.ended_at.is_(None))


class StoreEvents(Queue[StoreEvent]):
    shape = Shape(store_event, StoreEvent, called="store")
    unfinished = store_event.c.state == InboxState.RECEIVED
    claims = claiming(store_event, unfinished, changed={"attempts": store_event.c.attempts + 1})
    turn = ("received_at", "id")

    def give_out(self, hook: StoreHook) -> None:
        """Store an address, before it is registered at the service."""
        self._connection.execute(insert(hooks).values(columns(hook)))

    def find_hook(self, token_hash: str) -> StoreHook | None:
        row = self._connection.execute(_HOOK, {"address": token_hash}).first()
        return None if row is None else read_one(self._damage, _HOOKS, row._asdict())

    def hooks_of(self, store: str) -> list[StoreHook]:
        """Return the active addresses of a store, oldest first."""
        query = select(hooks).where(hooks.c.store == store, hooks.c.ended_at.is_(None))
        return self._all(_HOOKS, query.order_by(hooks.c.created_at, hooks.c.id))

    def end_hooks(self, store: str, kind: str, now: datetime, *, but: str = "") -> int:
        """End the store's addresses of this kind, except the one with id ``but``; return how many."""
        old = (hooks.c.store == store, hooks.c.kind == kind, hooks.c.ended_at.is_(None), hooks.c.id != but)
        return self._change(hooks, *old, ended_at=now)

    def rename_store(self, before: str, after: str) -> None:
        for each in (hooks, store_event):
            self._change(each, each.c.store == before, store=after)

    def receive(self, event: StoreEvent, *, most: int) -> bool:
        """Store an event; False if the same one is unprocessed. Raises StorageBusy if ``most`` of this address wait."""
        of_it = store_event.c.token_hash == event.token_hash
        same = (of_it, store_event.c.body_hash == event.body_hash, self.unfinished)
        # Safe because writers run one after the other; a unique index enforces it as well.
        if self._connection.execute(select(store_event.c.id).where(*same)).first() is not None:
            return False
        if self._connection.execute(select(func.count()).where(of_it)).scalar_one() >= most:
            looked_at = select(store_event.c.id).where(of_it, store_event.c.state != InboxState.RECEIVED)
            oldest = looked_at.order_by(store_event.c.received_at, store_event.c.id).limit(most // 10).scalar_subquery()
            if not self._connection.execute(delete(store_event).where(store_event.c.id.in_(oldest))).rowcount:
                raise StorageBusy("Too many messages of one webhook wait to be looked at.")
        self._connection.execute(insert(store_event).values(columns(event)))
        return True

    def finish(self, event_id: str, state: InboxState) -> bool:
        """Store the outcome and delete the body; False if an outcome was already stored."""
        return self._end(event_id, state=state, body="")

    def _old(self, before: datetime) -> Sequence[ColumnElement[bool]]:
        return (store_event.c.received_at < before, store_event.c.state != InboxState.RECEIVED)
