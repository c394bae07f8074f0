"""Rows that belong to a request: votes, attempts, reservations, items of bulk payments, polled resources."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Any, Unpack

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, or_, select, update

from bot.domain.addresses import GMAIL, mailbox
from bot.domain.emails.lists import Answer
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkItem, Tally, tally
from bot.domain.payments.bulk_records import BulkRow, RowChange
from bot.domain.payments.instruction import Attempt, AttemptOutcome, Kind, Recipient, State, Vote
from bot.domain.payments.lookups import CHECK, Lookup
from bot.domain.payments.sealed import Reserved
from storage.damage import Damage, Shape, read_one
from storage.prepared import Prepared
from storage.repositories.leased import FREED, Leased, Repository, claiming, columns, insert_once
from storage.rows import Hold, Tracked
from storage.seals import Seals
from storage.tables.instructions import attempt, bulk_item, instruction, lookup, reservation, tracked, vote
from storage.tables.instructions import bulk_flight as flight
from storage.tables.queues import job

VOTE = Shape(vote, Vote)
_OF_ROUND = Prepared(
    select(vote)
    .where(vote.c.instruction_id == bindparam("wanted"), vote.c.round == bindparam("wanted_round"))
    .order_by(vote.c.at, vote.c.person)
)

ATTEMPT = Shape(attempt, Attempt)
_BATCH = 500
_SHOWN = [one for one in bulk_item.c if one.name != "payee"]
_REPORTED = ("status", "hash", "error", "operation")
"""Columns that the service reports for an item."""
_CHANGE = (
    update(bulk_item)
    .where(bulk_item.c.instruction_id == bindparam("of"), bulk_item.c.number == bindparam("at"))
    .values({name: bindparam(f"to_{name}") for name in _REPORTED})
)


_ITEM: Shape[BulkRow] = Shape(
    bulk_item,
    lambda number, cents, **rest: BulkRow(row=number, cents=Cents(cents), **rest),
    apart=("instruction_id",),
)
_SENT = (instruction.c.kind == Kind.BULK, instruction.c.commits > 0)
"""Bulk payments that may be at the service."""
_MOST_SENT = 50_000


class Sealed(Repository):
    """Access to rows with a seal."""

    def __init__(self, connection: Connection, damage: Damage, seals: Seals) -> None:
        super().__init__(connection, damage)
        self._seals = seals


class Votes(Sealed):
    def cast(self, new: Vote) -> bool:
        """Store a vote; False if this person has already voted in this round."""
        values = columns(self._seals.sealed(vote, new))
        return insert_once(self._connection, vote, values, unless=("instruction_id", "round", "person"))

    def unsealed(self, votes: Iterable[Vote]) -> list[Vote]:
        return [one for one in votes if not self._seals.hold(vote, one)]

    def of(self, instruction_id: str, round: int) -> list[Vote]:  # noqa: A002 - the domain's word
        """Return the votes of one round, in the order of voting. Raises RowUnreadable."""
        return self._whole(VOTE, _OF_ROUND, wanted=instruction_id, wanted_round=round)

    def given_by(self, person: str, states: Collection[State]) -> set[tuple[str, int]]:
        """Return id and round of the requests in these states on which this person has voted."""
        query = select(vote.c.instruction_id, vote.c.round).join(instruction)
        found = self._connection.execute(query.where(instruction.c.state.in_(states), vote.c.person == person))
        return {(str(row.instruction_id), int(row.round)) for row in found}


class Attempts(Sealed):
    """Claims that are stored before a call with an effect is sent."""

    def open(self, new: Attempt) -> None:
        """Store an attempt before it is made. Raises Conflict if its number is taken or another attempt is open."""
        self._connection.execute(insert(attempt).values(columns(self._seals.sealed(attempt, new))))

    def unsealed(self, attempts: Iterable[Attempt]) -> list[Attempt]:
        return [one for one in attempts if not self._seals.hold(attempt, one)]

    def close(self, instruction_id: str, n: int, outcome: AttemptOutcome, detail: str, now: datetime) -> bool:
        """Store the outcome of an open attempt; False if it was already closed or never opened."""
        mine = (attempt.c.instruction_id == instruction_id, attempt.c.n == n, attempt.c.outcome == AttemptOutcome.OPEN)
        before = self._one(ATTEMPT, select(attempt).where(*mine))
        if before is None:
            return False
        after = replace(before, outcome=outcome, detail=detail, finished_at=now)
        return self._change(attempt, *mine, **columns(self._seals.kept(attempt, before, after))) == 1

    def of(self, instruction_id: str) -> list[Attempt]:
        """Return every attempt of an instruction, in order. Raises RowUnreadable."""
        query = select(attempt).where(attempt.c.instruction_id == instruction_id).order_by(attempt.c.n)
        return self._whole(ATTEMPT, query)


class Reservations(Repository):
    """Amounts reserved by attempts against the daily limit. A day is a UTC date in ISO form, e.g. ``2026-11-20``."""

    def reserve(self, instruction_id: str, n: int, day: str, cents: int, limit_cents: int) -> bool:
        """Reserve ``cents`` for attempt ``n``; False if that would exceed the day's limit."""
        # Exact because writers run one after the other. An attempt with a reservation keeps it; a released one is
        # reserved again.
        mine = (reservation.c.instruction_id == instruction_id, reservation.c.n == n)
        held = self._connection.execute(select(reservation.c.released).where(*mine)).first()
        if held is not None and not held.released:
            return True
        if self.sum(day) + cents > limit_cents:
            return False
        values = {"day": day, "cents": cents, "released": False}
        if held is None:
            self._connection.execute(insert(reservation).values(instruction_id=instruction_id, n=n, **values))
        else:
            self._change(reservation, *mine, **values)
        return True

    def release(self, instruction_id: str, n: int) -> bool:
        """Release the reservation of an attempt that moved no money; False if it had none."""
        held = (reservation.c.instruction_id == instruction_id, reservation.c.n == n, reservation.c.released.is_(False))
        return self._change(reservation, *held, released=True) == 1

    def of(self, instruction_id: str) -> dict[int, Reserved]:
        query = select(reservation.c.n, reservation.c.day, reservation.c.cents, reservation.c.released)
        rows = self._connection.execute(query.where(reservation.c.instruction_id == instruction_id))
        return {row.n: Reserved(row.day, row.cents, row.released) for row in rows}

    def sum(self, day: str) -> int:
        query = select(func.sum(reservation.c.cents))
        query = query.where(reservation.c.day == day, reservation.c.released.is_(False))
        return int(self._connection.execute(query).scalar_one() or 0)


class BulkItems(Repository):
    def add(self, instruction_id: str, rows: Iterable[BulkRow | BulkItem]) -> None:
        """Store the items, together with the request. Addresses and amounts never change afterwards."""
        values = (
            {
                "instruction_id": instruction_id,
                "number": row.row,
                "email": row.email,
                "payee": row.email.casefold(),
                "cents": row.cents,
                "note": row.note,
                "name": row.name,
                **{name: getattr(row, name, "") for name in _REPORTED},
                "attempt": 0,
            }
            for row in rows
        )
        while batch := list(islice(values, _BATCH)):
            self._connection.execute(insert(bulk_item), batch)

    def rows(
        self, instruction_id: str, *, statuses: Collection[str] = (), offset: int = 0, limit: int | None = None
    ) -> list[BulkRow]:
        """Return items in the order of the file, limited to these ``statuses`` if any are given."""
        which = [bulk_item.c.status.in_(statuses)] if statuses else []
        return self._of(instruction_id, *which, offset=offset, limit=limit)

    def not_sent(self, instruction_id: str, *, status: str, limit: int) -> list[BulkRow]:
        """Return items of a cancellation with this status that aren't in an attempt yet."""
        return self._of(instruction_id, bulk_item.c.attempt == 0, bulk_item.c.status == status, limit=limit)

    def named_by(self, instruction_id: str, attempt: int) -> list[BulkRow]:
        return self._of(instruction_id, bulk_item.c.attempt == attempt)

    def name(self, instruction_id: str, numbers: Sequence[int], attempt: int) -> None:
        """Assign these items to an attempt; 0 removes them from it."""
        mine = (bulk_item.c.instruction_id == instruction_id, bulk_item.c.number.in_(numbers))
        self._change(bulk_item, *mine, attempt=attempt)

    def change(self, instruction_id: str, changes: Sequence[RowChange]) -> None:
        values = [
            {"of": instruction_id, "at": one.row, **{f"to_{name}": getattr(one, name) for name in _REPORTED}}
            for one in changes
        ]
        for start in range(0, len(values), _BATCH):
            self._connection.execute(_CHANGE, values[start : start + _BATCH])

    def names(self, instruction_id: str) -> dict[str, frozenset[str]]:
        """Return the names of each recipient in the file, by address in lower case; an empty set if there are none."""
        query = select(bulk_item.c.payee, bulk_item.c.name).where(bulk_item.c.instruction_id == instruction_id)
        found: dict[str, set[str]] = {}
        for payee, name in self._connection.execute(query.distinct()):
            found.setdefault(payee, set()).update([name] if name else [])
        return {payee: frozenset(names) for payee, names in found.items()}

    def payees(self, instruction_id: str, among: Collection[str]) -> frozenset[str]:
        """Return the mailboxes in ``among`` to which an item is paid."""
        domains = {*GMAIL, *(one.rpartition("@")[2] for one in among)}
        at = or_(*(bulk_item.c.payee.endswith(f"@{domain}", autoescape=True) for domain in sorted(domains)))
        query = select(bulk_item.c.payee).where(bulk_item.c.instruction_id == instruction_id, at)
        return frozenset(map(mailbox, self._connection.execute(query).scalars())).intersection(among)

    def not_looked_up(self, instruction_id: str, *, limit: int) -> dict[str, frozenset[str]]:
        """Return addresses without a look-up and their names in the file, each once, largest amounts first."""
        known = select(lookup.c.payee).where(lookup.c.about == instruction_id)
        mine = (bulk_item.c.instruction_id == instruction_id, bulk_item.c.payee.not_in(known))
        query = select(bulk_item.c.payee, func.max(bulk_item.c.email)).where(*mine).group_by(bulk_item.c.payee)
        largest = query.order_by(func.max(bulk_item.c.cents).desc(), bulk_item.c.payee).limit(limit)
        emails: dict[str, str] = {row[0]: row[1] for row in self._connection.execute(largest)}
        its_own = (bulk_item.c.instruction_id == instruction_id, bulk_item.c.payee.in_(emails))
        rows = self._connection.execute(select(bulk_item.c.payee, bulk_item.c.name).where(*its_own).distinct()).all()
        return {email: frozenset(name for its, name in rows if its == payee) - {""} for payee, email in emails.items()}

    def tally(self, instruction_id: str) -> Tally:
        """Return counts and sums by status. Raises RowUnreadable."""
        query = select(bulk_item.c.status, func.count(), func.sum(bulk_item.c.cents)).group_by(bulk_item.c.status)
        rows = self._connection.execute(query.where(bulk_item.c.instruction_id == instruction_id)).all()
        if not all(isinstance(row.status, str) for row in rows):
            self._of(instruction_id)
        return tally((status, count, int(cents)) for status, count, cents in rows)

    def sent_to(self, payee: str) -> list[tuple[str, BulkRow]]:
        """Return rows for this address that may be at the service, with their requests' ids, latest first.

        Raises RowUnreadable.
        """
        return self._sent(bulk_item.c.payee == payee.casefold())

    def sent_as(self, reference: str, number: int) -> list[tuple[str, BulkRow]]:
        """Like :meth:`sent_to`, for the row with this reference and number, as written in its note."""
        return self._sent(instruction.c.reference == reference, bulk_item.c.number == number)

    def sent_with(self, svc_hash: str) -> list[tuple[str, BulkRow]]:
        """Like :meth:`sent_to`, for rows with this hash, which has no index: don't call it for each row of a list."""
        return self._sent(bulk_item.c.hash == svc_hash)

    def payments_sent(self) -> frozenset[tuple[str, int]]:
        """Return lower-case address and amount of rows that may be at the service, of the latest bulk payments."""
        query = select(bulk_item.c.payee, bulk_item.c.cents).join(instruction).where(*_SENT)
        found = self._connection.execute(query.order_by(bulk_item.c.instruction_id.desc()).limit(_MOST_SENT))
        return frozenset((payee, cents) for payee, cents in found)

    def _sent(self, *which: ColumnElement[bool]) -> list[tuple[str, BulkRow]]:
        query = select(*_SHOWN).join(instruction).where(*_SENT, *which)
        query = query.order_by(bulk_item.c.instruction_id.desc(), bulk_item.c.number)
        rows = [row._asdict() for row in self._connection.execute(query).all()]
        return [(str(row["instruction_id"]), read_one(self._damage, _ITEM, row)) for row in rows]

    def _of(
        self, instruction_id: str, *which: ColumnElement[bool], offset: int = 0, limit: int | None = None
    ) -> list[BulkRow]:
        query = select(*_SHOWN).where(bulk_item.c.instruction_id == instruction_id, *which)
        return self._whole(_ITEM, query.order_by(bulk_item.c.number).offset(offset).limit(limit))


def _looked_up(*, recipient: object, answer: Any, email: str, **_: object) -> Lookup:
    return Lookup(
        email=email,
        recipient=Recipient.model_validate(recipient),
        answer=None if answer is None else Answer.read(answer),
    )


_LOOKUP: Shape[Lookup] = Shape(lookup, _looked_up)


class Lookups(Repository):
    """Accounts as read for a request, or for a job that checks a file."""

    def add(self, about: str, found: Sequence[Lookup], now: datetime) -> None:
        """Store look-ups; existing ones of the same addresses are replaced."""
        if not found:
            return
        values = [
            {
                "about": about,
                "payee": one.email.casefold(),
                "email": one.email,
                "recipient": one.recipient.model_dump(mode="json", exclude_defaults=True),
                "answer": None if one.answer is None else one.answer.stored(),
                "at": now,
            }
            for one in found
        ]
        same = lookup.c.payee.in_([one["payee"] for one in values])
        self._connection.execute(delete(lookup).where(lookup.c.about == about, same))
        self._connection.execute(insert(lookup), values)

    def of(self, about: str, *, since: datetime | None = None) -> dict[str, Lookup]:
        """Return look-ups by address in lower case, without unreadable ones and those from before ``since``."""
        late = [] if since is None else [lookup.c.at >= since]
        found = self._all(_LOOKUP, select(lookup).where(lookup.c.about == about, *late))
        return {one.email.casefold(): one for one in found}

    def count(self, about: str) -> int:
        return int(self._connection.execute(select(func.count()).where(lookup.c.about == about)).scalar_one())

    def has_old(self, *, before: datetime) -> bool:
        return (
            self._connection.execute(select(lookup.c.about).where(*_of_old_checks(before)).limit(1)).first() is not None
        )

    def forget_old(self, *, before: datetime, limit: int) -> int:
        """Delete up to ``limit`` look-ups of one check from before then; return how many. Requests keep theirs."""
        old = self._connection.execute(select(lookup.c.about).where(*_of_old_checks(before)).limit(1)).scalar()
        if old is None:
            return 0
        some = select(lookup.c.payee).where(lookup.c.about == old).limit(limit).scalar_subquery()
        return self._connection.execute(delete(lookup).where(lookup.c.about == old, lookup.c.payee.in_(some))).rowcount


def _of_old_checks(before: datetime) -> tuple[ColumnElement[bool], ...]:
    return lookup.c.at < before, lookup.c.about.in_(select(job.c.id).where(job.c.kind == CHECK))


class BulkFlights(Repository):
    """The only submission in flight, and the service's history before it."""

    def flying(self) -> str | None:
        """Return the id of the request whose submission is in flight or has an unknown outcome."""
        return self._connection.execute(select(flight.c.instruction_id).where(flight.c.flying == 1)).scalar()

    def take(self, instruction_id: str, *, known: Collection[str], now: datetime) -> bool:
        """Put a submission in flight; False if another one is. Keeps the ``known`` history ids of the first call."""
        holder = self.flying()
        if holder is not None:
            return holder == instruction_id
        values = {"instruction_id": instruction_id, "flying": 1, "known": sorted(known), "taken_at": now}
        if not insert_once(self._connection, flight, values, unless=("instruction_id",)):
            self._change(flight, flight.c.instruction_id == instruction_id, flying=1, taken_at=now)
        return True

    def land(self, instruction_id: str) -> bool:
        """End the flight of a submission whose outcome is known; False if it wasn't in flight."""
        mine = (flight.c.instruction_id == instruction_id, flight.c.flying == 1)
        return self._change(flight, *mine, flying=None) == 1

    def known(self, instruction_id: str) -> frozenset[str]:
        """Return the history's ids before the first submission of this request; empty if there was none."""
        query = select(flight.c.known).where(flight.c.instruction_id == instruction_id)
        found = self._connection.execute(query).scalar()
        return frozenset(str(one) for one in found) if isinstance(found, list) else frozenset()


class TrackedResources(Leased[Tracked]):
    """Resources at the services that are polled until they are final."""

    shape = Shape(tracked, Tracked, called="remote_id")
    claims = claiming(
        tracked,
        tracked.c.kind == bindparam("of_kind"),
        key=tracked.c.remote_id,
        order=[tracked.c.due_at],
        changed={"polls": tracked.c.polls + 1},
    )
    turn = ("due_at", "remote_id")

    def follow(
        self, kind: str, remote_id: str, *, due_at: datetime, now: datetime, instruction_id: str | None = None
    ) -> bool:
        """Poll this resource from ``due_at`` on; False if it is or was already polled."""
        row = Tracked(kind=kind, remote_id=remote_id, instruction_id=instruction_id, created_at=now, due_at=due_at)
        return insert_once(self._connection, tracked, columns(row), unless=("kind", "remote_id"))

    def get(self, kind: str, remote_id: str) -> Tracked | None:
        return self._find(tracked.c.kind == kind, tracked.c.remote_id == remote_id)

    def claim_due(self, *, kind: str, **hold: Unpack[Hold]) -> list[Tracked]:
        """Claim due resources; each claim counts as a read."""
        return self._claimed(hold, of_kind=kind)

    def again(self, kind: str, remote_id: str, due_at: datetime, status: str, *, afresh: bool = False) -> bool:
        """Read it again at ``due_at``; ``afresh`` resets the read count, as a changed one may change again soon."""
        counted = {"polls": 0} if afresh else {}
        return self._set(kind, remote_id, due_at=due_at, last_status=status, **counted)

    def stop(self, kind: str, remote_id: str, now: datetime) -> bool:
        """Stop polling a final resource; False if it was already stopped or never polled."""
        return self._set(kind, remote_id, due_at=None, stopped_at=now)

    def hasten(self, kind: str, remote_id: str, now: datetime) -> bool:
        return self._set(kind, remote_id, due_at=now)

    def _set(self, kind: str, remote_id: str, **values: object) -> bool:
        followed = (tracked.c.kind == kind, tracked.c.remote_id == remote_id, tracked.c.stopped_at.is_(None))
        return self._change(tracked, *followed, **FREED, **values) == 1
