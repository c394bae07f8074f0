"""Requests: map rows to records and back; each transition is one conditional update with an audit row."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime, timedelta
from typing import Any, NamedTuple, TypedDict, Unpack

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, and_, bindparam, exists, func, literal, or_, select, update

from bot.domain.audit import Entry
from bot.domain.machine import Machine
from bot.domain.payments.bulk import AGAIN, BulkPayload, BulkProgress, Payment
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    FINAL,
    MONEY_OUT,
    NOT_PAID,
    PAYLOADS,
    UNSETTLED,
    Instruction,
    Kind,
    Recipient,
    State,
    folded,
    same_code,
)
from bot.domain.payments.moves import MACHINES
from bot.domain.payments.operation import OperationStatus
from bot.domain.payments.sealed import HELD_BACK, MOVE, PAID_AFTER_ALL, REQUESTED, asked
from bot.domain.policy import Requirement
from bot.domain.reasons import Reason
from bot.domain.references import ulid, without_letter
from storage.damage import Broken, Shape
from storage.prepared import Prepared
from storage.repositories.leased import NO_LEASE, claiming, columns, free, insert_once
from storage.repositories.moving import MovingRows
from storage.rows import Hold
from storage.tables.instructions import audit, bulk_item
from storage.tables.instructions import instruction as table

_MODELS: Mapping[str, type[BaseModel]] = {"requirement": Requirement, "recipient": Recipient, "progress": BulkProgress}


def values_of(instruction: Instruction) -> dict[str, Any]:
    values, payload = _stored(columns(instruction)), instruction.payload
    chosen = None if payload.taken else folded(payload.code) or None
    return values | {"payee_email": payload.payee, "cents": payload.cents, "chosen_code": chosen}


def _stored(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the column values, with models as JSON."""
    return {k: one.model_dump(mode="json") if isinstance(one, BaseModel) else one for k, one in values.items()}


def _made(**values: Any) -> Instruction:
    models = {"payload": PAYLOADS[values["kind"]], **_MODELS}
    for name, model in models.items():
        if values[name] is not None:
            try:
                values[name] = model.model_validate(values[name])
            except ValueError as wrong:
                raise Broken(name) from wrong
    return Instruction(**values)


SHAPE = Shape(table, _made, called="reference", apart=("payee_email", "cents", "chosen_code"))

Conditions = tuple[ColumnElement[bool], ...]

_MONEY_OUT = tuple(MONEY_OUT)
CLAIMED = frozenset(State) - EFFECT_UNDER_WAY
"""States in which a row is claimed. One with a request in flight belongs to the holder of its lease."""
_IN_ONE_QUERY = 500
_OLDEST = timedelta(days=30)
"""A list requested before that can't have been sent in the last day."""
_TIME_OF_ULID = 10
_UNPAID_ROW = (OperationStatus.FAILED.value, OperationStatus.CANCELED.value)
_COLUMNS = [table.c[field.name] for field in fields(Instruction)]
_ALL = select(*_COLUMNS)
_REPLACE = Prepared(
    update(table).where(
        table.c.id == bindparam("same_id"),
        table.c.state == bindparam("same_state"),
        table.c.version == bindparam("same_version"),
    )
)
_BY_ID = Prepared(_ALL.where(table.c.id == bindparam("wanted")))
_NEXT = {"version": table.c.version + 1}
_CLAIM = claiming(
    table,
    table.c.kind.in_(bindparam("of_kinds", expanding=True)),
    # Excluded states, not wanted ones: for a list of wanted states SQLite would scan every row in one of them.
    table.c.state.not_in(bindparam("but_states", expanding=True)),
    changed=_NEXT,
    read=_COLUMNS,
)


class Changes(TypedDict, total=False):
    """Fields that a transition may set; all others are frozen or set by the transition itself."""

    round: int
    requirement: Requirement
    recipient: Recipient | None
    progress: BulkProgress | None
    remote_id: str | None
    remote_status: str
    svc_hash: str
    reason: Reason | None
    decided_by: str
    refusal: Reason | None
    suspect: str | None
    posted_at: datetime | None
    expires_at: datetime | None
    exec_deadline: datetime | None
    sent_at: datetime | None
    held_at: datetime | None
    unknown_since: datetime | None
    reads: int
    last_read_at: datetime | None
    creates: int
    commits: int
    puts_off: int
    due_at: datetime | None
    lease_owner: str
    lease_until: datetime | None
    stopped: str
    closed_at: datetime | None
    moves: int


_CHANGEABLE = frozenset(Changes.__annotations__)


class SamePayment(NamedTuple):
    """A payment of another request. ``row`` is its number in a list, or 0 for a single payment."""

    reference: str
    row: int
    payment: Payment


def _stored_before(instruction_id: str) -> tuple[ColumnElement[bool], ...]:
    """Return the condition "stored before this request"; empty for a request that is being stored."""
    if not instruction_id:
        return ()
    # Compare audit numbers, which have no gaps and follow the order of storing. Ids created in the same millisecond are
    # unordered, and ids of different processes depend on different clocks.
    requested = select(audit.c.seq).where(audit.c.action == REQUESTED)
    mine = requested.where(audit.c.instruction_id == instruction_id).correlate(None).scalar_subquery()
    theirs = requested.where(audit.c.instruction_id == table.c.id).correlate(table).scalar_subquery()
    return (table.c.id != instruction_id, func.coalesce(theirs < mine, True))


def _may_be_paid(since: datetime, again_since: datetime, before: str) -> Conditions:
    """Return the conditions of :meth:`Instructions.same_payments`."""
    recent = or_(
        table.c.created_at >= since,
        table.c.sent_at >= since,
        table.c.state.in_(UNSETTLED),
        and_(table.c.created_at >= again_since, table.c.source_key.like(f"{AGAIN}%")),
    )
    # A request that ended as not paid never changes state again: only the audit shows that it was paid after all.
    paid_after_all = exists().where(audit.c.instruction_id == table.c.id, audit.c.action == PAID_AFTER_ALL)
    return (recent, or_(table.c.state.not_in(NOT_PAID), paid_after_all), *_stored_before(before))


class Instructions(MovingRows[Instruction]):
    shape = SHAPE
    claims = _CLAIM
    in_flight = table.c.state.in_(EFFECT_UNDER_WAY)

    # Creating

    def insert(self, instruction: Instruction, *, actor: str) -> Instruction | None:
        """Store a new request and its audit row; None if its ``source_key`` exists. Conflict if its code is taken."""
        sealed = self._seals.sealed(table, instruction)
        if not insert_once(self._connection, table, values_of(sealed), unless=("source_key",)):
            return None
        self._audit.append(
            Entry(
                at=instruction.created_at,
                instruction_id=instruction.id,
                actor=actor,
                action=REQUESTED,
                before="",
                after=instruction.state.value,
                detail=self._facts(sealed, asked(instruction)),
            )
        )
        return sealed

    # Reading

    def get(self, instruction_id: str) -> Instruction | None:
        return next(iter(self._whole(SHAPE, _BY_ID, wanted=instruction_id)), None)

    def _rows(self, *which: ColumnElement[bool]) -> Select[Any]:
        return _ALL.where(*which)

    def find(self, text: str) -> Instruction | None:
        """Return the instruction with this reference, id or code (in any case), or exactly this id at the service.

        Returns the latest if a code was chosen again or an external payout imported again. A reference without its
        letter matches if nothing else does.
        """
        word = text.strip()
        return (self._named(word) or self._without_letter(word)) if word else None

    def _without_letter(self, word: str) -> Instruction | None:
        return self._one(SHAPE, _ALL.where(table.c.reference.in_(without_letter(word))).limit(1))

    def _named(self, word: str) -> Instruction | None:
        upper, spellings = word.upper(), {word, word.upper(), word.lower()}
        ours = or_(table.c.reference == upper, table.c.id == upper, table.c.code.in_(spellings))
        either = or_(ours, table.c.chosen_code == folded(word), table.c.remote_id == word)
        found = self._whole(SHAPE, _ALL.where(either).order_by(table.c.id.desc()))
        # The service's id never shadows an identifier of ours, nor does a code that a requester chose.
        own = [upper in {one.reference, one.id} or one.code in spellings for one in found]
        chosen = [same_code(one.payload.code, word) for one in found]
        return next(
            (found[n] for one in (own, chosen) for n, is_it in enumerate(one) if is_it), next(iter(found), None)
        )

    def by_remote(self, remote_id: str) -> Instruction | None:
        """Return the latest instruction whose operation at the service has this id."""
        return self._one(SHAPE, _ALL.where(table.c.remote_id == remote_id).order_by(table.c.id.desc()).limit(1))

    def by_code(self, code: str) -> Instruction | None:
        """Return the latest instruction with this code at the service, generated or chosen."""
        same = or_(table.c.chosen_code == folded(code), table.c.code == code.strip().upper())
        return self._one(SHAPE, _ALL.where(same).order_by(table.c.id.desc()).limit(1))

    def codes_at_the_service(self, kinds: Collection[Kind], *, limit: int = 5000) -> list[str]:
        """Return codes of the latest requests of these kinds that have an id at the service."""
        code = func.coalesce(table.c.chosen_code, table.c.code)
        query = select(code).where(table.c.kind.in_(kinds), table.c.remote_id.is_not(None))
        return list(self._connection.execute(query.order_by(table.c.id.desc()).limit(limit)).scalars())

    def belongs_to_another(self, remote_id: str, code: str | None, *, than: str) -> bool:
        """Return whether the service's operation with this id or code belongs to a request other than ``than``."""
        word = "".join((code or "").split())
        spellings = {word, word.upper(), word.lower()} - {""}
        theirs = or_(table.c.remote_id == remote_id, table.c.code.in_(spellings), table.c.chosen_code == folded(code))
        query = select(func.count()).select_from(table).where(theirs, table.c.id != than)
        return bool(self._connection.execute(query).scalar_one())

    def awaiting(self, states: Collection[State], *, limit: int = 1000) -> list[Instruction]:
        """Return requests in these states, oldest first."""
        return self._all(SHAPE, _ALL.where(table.c.state.in_(states)).order_by(table.c.id).limit(limit))

    def open_for_requester(self, requester: str, *, limit: int = 100) -> list[Instruction]:
        """Return this person's requests that aren't final, newest first."""
        return self._newest(limit, table.c.requester == requester, table.c.state.not_in(FINAL))

    def ended_for_requester(self, requester: str, *, limit: int) -> list[Instruction]:
        """Return this person's final requests, newest first."""
        return self._newest(limit, table.c.requester == requester, table.c.state.in_(FINAL))

    def ended_in(self, states: Collection[State], *, since: datetime, limit: int) -> list[Instruction]:
        """Return requests that ended in these states since then, newest first."""
        return self._newest(limit, table.c.state.in_(states), table.c.closed_at >= since)

    def _newest(self, limit: int, *conditions: ColumnElement[bool]) -> list[Instruction]:
        return self._all(SHAPE, _ALL.where(*conditions).order_by(table.c.id.desc()).limit(limit))

    def last_same(
        self, *, kind: Kind, payee: str, since: datetime, ignoring: Collection[State] = (), before: str = ""
    ) -> Instruction | None:
        """Return the latest request of this kind for the same payee since then, except in the ``ignoring`` states.

        If ``before``, a request id, is given, only requests stored before it count.
        """
        same = (table.c.payee_email == payee, table.c.kind == kind, table.c.created_at >= since)
        query = _ALL.where(*same, table.c.state.not_in(ignoring), *_stored_before(before)).order_by(table.c.id.desc())
        return self._one(SHAPE, query.limit(1))

    def same_payments(
        self, payments: Collection[Payment], *, since: datetime, again_since: datetime, before: str = ""
    ) -> list[SamePayment]:
        """Return the same payments in other requests, single or in a list, newest request first.

        Requests count if they were requested or sent since then or aren't settled, unless they certainly ended unpaid.
        Lists that retry failed payments count from ``again_since`` on. ``before`` is as in :meth:`last_same`.
        """
        counts, paid_rows = _may_be_paid(since, again_since, before), bulk_item.c.status.not_in(_UNPAID_ROW)
        return self._paying(payments, since, alone=counts, lists=counts, rows=paid_rows)

    def ended_unpaid(self, payments: Collection[Payment], *, since: datetime) -> list[SamePayment]:
        """Like :meth:`same_payments`, for payments that may have left but ended as not paid, or failed in a list."""
        recent, has_ended = or_(table.c.created_at >= since, table.c.sent_at >= since), table.c.state.in_(NOT_PAID)
        left = or_(table.c.commits > 0, table.c.remote_id.is_not(None))
        in_vain = select(table.c.id).where(table.c.kind == Kind.BULK, recent, has_ended, table.c.remote_id.is_(None))
        rows = or_(bulk_item.c.status == OperationStatus.FAILED, bulk_item.c.instruction_id.in_(in_vain))
        return self._paying(payments, since, alone=(recent, left, has_ended), lists=(recent, left), rows=rows)

    def _paying(
        self,
        payments: Collection[Payment],
        since: datetime,
        *,
        alone: Conditions,
        lists: Conditions,
        rows: ColumnElement[bool],
    ) -> list[SamePayment]:
        wanted, people = set(payments), sorted({payee for payee, _ in payments})
        parts = [people[start : start + _IN_ONE_QUERY] for start in range(0, len(people), _IN_ONE_QUERY)]
        single = select(table.c.id, literal(0), table.c.payee_email, table.c.cents, table.c.reference)
        queries = [single.where(table.c.kind.in_(_MONEY_OUT), *alone, table.c.payee_email.in_(part)) for part in parts]
        # Lists first, then their rows: a search by recipient would read the lists of all years. Measured with 30 old
        # lists of 5,000 rows: 1.6 s in the writer.
        recently = or_(table.c.id >= ulid(since - _OLDEST)[:_TIME_OF_ULID], table.c.state.in_(UNSETTLED))
        named = select(table.c.id, table.c.reference).where(table.c.kind == Kind.BULK, recently, *lists)
        names = {str(key): str(name) for key, name in self._connection.execute(named)}
        listed = select(
            bulk_item.c.instruction_id, bulk_item.c.number, bulk_item.c.payee, bulk_item.c.cents, literal("")
        ).where(bulk_item.c.instruction_id.in_(names), rows)
        queries += [listed.where(bulk_item.c.payee.in_(people)) if len(parts) == 1 else listed] if names else []
        found = [
            (str(key), SamePayment(str(name) or names[str(key)], int(row), (str(payee), int(cents))))
            for query in queries
            for key, row, payee, cents, name in self._connection.execute(query)
            if (payee, cents) in wanted
        ]
        return [one for _, one in sorted(found, key=lambda one: (one[0], -one[1].row), reverse=True)]

    def held_back(self, since: datetime) -> list[str]:
        """Return ids of requests made since then that were held because of an earlier one."""
        made = audit.c.instruction_id >= ulid(since)[:_TIME_OF_ULID]
        query = select(audit.c.instruction_id).where(made, audit.c.action == HELD_BACK).distinct()
        return [str(name) for name in self._connection.execute(query).scalars()]

    def retries(self, first_id: str) -> list[Instruction]:
        """Return lists that retry failed payments of this one, oldest first."""
        query = _ALL.where(table.c.source_key.startswith(f"{AGAIN}{first_id}", autoescape=True)).order_by(table.c.id)
        return self._all(SHAPE, query)

    def may_be_paid(self, references: Collection[str]) -> dict[str, bool]:
        """Return whether payments that may be paid certainly were, by reference, and by row: ``L-4F7K2M/2``.

        Rows that failed or were canceled are left out.
        """
        wanted, found = sorted(references), dict[str, bool]()
        query = select(table.c.reference, table.c.state, bulk_item.c.number, bulk_item.c.status)
        counted = (table.c.kind.in_(_MONEY_OUT), table.c.state.not_in(NOT_PAID))
        query = query.select_from(table.outerjoin(bulk_item)).where(*counted)
        for start in range(0, len(wanted), _IN_ONE_QUERY):
            part = table.c.reference.in_(wanted[start : start + _IN_ONE_QUERY])
            for name, state, number, status in self._connection.execute(query.where(part)):
                found[str(name)] = number is None and state == State.COMPLETED
                if number is not None and status not in (OperationStatus.FAILED, OperationStatus.CANCELED):
                    found[f"{name}/{number}"] = status == OperationStatus.COMPLETED
        return found

    def names(self) -> list[tuple[str, str]]:
        """Return id and reference of every request, oldest first, even if its row is otherwise unreadable."""
        query = select(table.c.id, table.c.reference).order_by(table.c.id)
        return [(str(found.id), str(found.reference)) for found in self._connection.execute(query)]

    def missing(self) -> list[str]:
        """Return references of the requests that are in the audit but have no row."""
        gone = audit.c.instruction_id.not_in(select(table.c.id))
        query = select(audit.c.instruction_id).where(audit.c.action == REQUESTED, gone).order_by(audit.c.seq)
        asked_for = [self._audit.about(str(found))[0].entry() for found in self._connection.execute(query).scalars()]
        return [str(entry.detail.get("reference", "")) for entry in asked_for if entry is not None]

    def counts(self) -> dict[tuple[str, str], int]:
        # Grouped in the order of the index, which covers the query.
        query = select(table.c.kind, table.c.state, func.count()).group_by(table.c.state, table.c.kind)
        found: Counter[tuple[str, str]] = Counter()
        for kind, state, count in self._connection.execute(query):
            found[str(kind), str(state)] += count  # several unknown values may have the same name
        return dict(found)

    def paid_before(self, emails: Iterable[str]) -> frozenset[str]:
        """Return the addresses, in lower case, that ever got a completed payment, single or in bulk."""
        wanted = sorted({email.casefold() for email in emails})
        found: set[str] = set()
        for start in range(0, len(wanted), _IN_ONE_QUERY):
            part = wanted[start : start + _IN_ONE_QUERY]
            alone = (table.c.payee_email.in_(part), table.c.state == State.COMPLETED, table.c.kind.in_(_MONEY_OUT))
            paid = (bulk_item.c.payee.in_(part), bulk_item.c.status == OperationStatus.COMPLETED)
            together = select(bulk_item.c.payee).join(table).where(*paid, table.c.kind == Kind.BULK)
            for query in (select(table.c.payee_email).where(*alone), together):
                found.update(self._connection.execute(query.distinct()).scalars())
        return frozenset(found)

    def latest_paid(self, *, limit: int) -> frozenset[str]:
        """Return the addresses, in lower case, paid last, single or in bulk; up to ``limit`` of each."""
        done = (table.c.state == State.COMPLETED, table.c.kind.in_(_MONEY_OUT), table.c.payee_email != "")
        alone = select(table.c.payee_email).where(*done).order_by(table.c.id.desc()).limit(limit)
        paid = select(bulk_item.c.payee).where(bulk_item.c.status == OperationStatus.COMPLETED)
        together = paid.order_by(bulk_item.c.instruction_id.desc()).limit(limit)
        found = {str(one) for query in (alone, together) for one in self._connection.execute(query).scalars()}
        return frozenset(one for one in found if "@" in one)

    # Transitions

    def _machine(self, row: Instruction) -> Machine[State]:
        return MACHINES[row.kind]

    def _mark(self, row: Instruction, *, now: datetime, patient: bool) -> None:  # noqa: ARG002 - never mere progress
        self._boards.mark_request(row.id, now=now, urgent=row.closed_at is not None)
        if isinstance(row.payload, BulkPayload) and row.payload.again_of:  # the first card shows its retries
            first = select(table.c.id).where(table.c.reference == row.payload.again_of)
            for found in self._connection.execute(first).scalars():
                self._boards.mark_request(str(found), now=now)

    def _put(self, before: Instruction, to: str, changes: dict[str, Any]) -> Instruction | None:
        """Update the row if its state and version are unchanged. Raises TypeError for a field that never changes."""
        if not changes.keys() <= _CHANGEABLE:
            raise TypeError(f"never changes: {changes.keys() - _CHANGEABLE}")
        if to in EFFECT_UNDER_WAY and to != before.state and changes.get("lease_until") is None:
            raise ValueError(f"{to} is entered with a lease")  # without one, a crash would look like work
        over = self._freed(changes)
        changed = {**over, **changes, "state": State(to), "version": before.version + 1}
        same = {"same_id": before.id, "same_state": before.state, "same_version": before.version}
        after = self._seals.kept(table, before, replace(before, **changed))
        written = _REPLACE.count(self._connection, _stored({**changed, "seal": after.seal}) | same) == 1
        return after if written else None

    def _counted(self, before: Instruction) -> Mapping[str, Any]:
        return {"moves": before.moves + 1}

    def _facts(self, row: Instruction, facts: Mapping[str, object]) -> Mapping[str, object]:
        return {**facts, MOVE: row.moves}

    # Seals

    def is_sealed(self, row: Instruction) -> bool:
        return self._seals.hold(table, row)

    # Working

    def claim_due(
        self, *, kinds: Collection[Kind] = tuple(Kind), states: Collection[State] = CLAIMED, **hold: Unpack[Hold]
    ) -> list[Instruction]:
        """Claim due requests; raises their version, so that updates by the holder of an expired lease fail."""
        others = [state for state in State if state not in states]
        return self._claimed(hold, of_kinds=list(kinds), but_states=others)

    def go_on(self, *, kind: Kind, state: State, reason: Reason, now: datetime, apart: timedelta, limit: int) -> None:
        """Make requests held for this reason due, spaced ``apart``, in the order of their execution deadlines."""
        # Skip leased rows: their step reads the change in the transaction that would put them on hold.
        held = (table.c.kind == kind, table.c.state == state, table.c.reason == reason, free(table, now))
        query = select(table.c.id).where(*held).order_by(table.c.exec_deadline, table.c.id).limit(limit)
        for n, waiting in enumerate(self._connection.execute(query).scalars().all()):
            due = now + n * apart
            self._change(table, table.c.id == waiting, table.c.due_at > due, due_at=due)

    def recover(self, owner: str) -> int:
        # Like a claim, this raises the version, so that writes by the former holder fail.
        taken = (table.c.lease_until.is_not(None), table.c.lease_owner != owner, ~self.in_flight)
        return self._change(table, *taken, **NO_LEASE, **_NEXT)
