"""Jobs: long-running work, leased by the process that does it."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Unpack

from sqlalchemy import Row, Select, and_, bindparam, func, select, update

from storage.repositories.common import FREED, Repository, claim, claiming, columns, free, insert_once
from storage.repositories.job_rows import SHAPE
from storage.rows import Hold, Job
from storage.tables.queues import job as table

_CLAIM = claiming(table, table.c.kind == bindparam("of_kind"), key=table.c.id, order=[table.c.due_at])
_KEEP: Any = object()
"""Stands for a value that stays as it is, where None means something."""


class Jobs(Repository):
    """The table ``job``."""

    def add(self, job: Job) -> bool:
        """Store a new job; False when one was made from the same source before."""
        return insert_once(self._connection, table, columns(job), unless=("source_key",))

    def get(self, job_id: str) -> Job | None:
        """The job with this id."""
        return self._one(SHAPE, select(table).where(table.c.id == job_id))

    def by_source(self, key: str) -> Job | None:
        """The job that was made from this click or event."""
        return self._one(SHAPE, select(table).where(table.c.source_key == key))

    def open(self, kind: str | None = None, *, limit: int = 100) -> list[Job]:
        """Jobs that are not over, oldest first."""
        query = select(table).where(table.c.closed_at.is_(None)).order_by(table.c.created_at, table.c.id).limit(limit)
        if kind is not None:
            query = query.where(table.c.kind == kind)
        return self._all(SHAPE, query)

    def of(self, requester: str, *, limit: int = 20) -> list[Job]:
        """This person's jobs, newest first."""
        query = (
            select(table).where(table.c.requester == requester).order_by(table.c.created_at.desc(), table.c.id.desc())
        )
        return self._all(SHAPE, query.limit(limit))

    def lately(self, requester: str, kind: str, *, since: datetime) -> list[Job]:
        """This person's jobs of one kind created after that moment, newest first."""
        query = (
            select(table)
            .where(table.c.requester == requester, table.c.kind == kind, table.c.created_at > since)
            .order_by(table.c.created_at.desc(), table.c.id.desc())
        )
        return self._all(SHAPE, query)

    def counts(self) -> dict[tuple[str, str], int]:
        """How many jobs are not over, by kind and state."""
        query = (
            select(table.c.kind, table.c.state, func.count())
            .where(table.c.closed_at.is_(None))
            .group_by(table.c.kind, table.c.state)
        )
        return {(str(kind), str(state)): count for kind, state, count in self._connection.execute(query)}

    def in_turn(self, kind: str, *, limit: int = 1_000) -> list[Job]:
        """Open jobs of one kind, round-robin by requester, so that nobody waits for all earlier jobs of another person.

        First the first job of each requester, then the second of each, and so on; within a round, oldest first.
        """
        query = _turns(kind).subquery()
        ordered = select(table).join(query, query.c.id == table.c.id).order_by(query.c.turn, *_AGE).limit(limit)
        return self._all(SHAPE, ordered)

    def claim_due(self, *, kind: str, in_turn: bool = False, **hold: Unpack[Hold]) -> list[Job]:
        """Claim jobs of one kind that are due, longest due first; or in the order of :meth:`in_turn`."""
        rows = self._claim_in_turn(kind, hold) if in_turn else claim(self._connection, _CLAIM, hold, of_kind=kind)
        return sorted(self._records(SHAPE, rows), key=lambda one: (one.due_at or hold["now"], one.id))

    def _claim_in_turn(self, kind: str, hold: Hold) -> Sequence[Row[Any]]:
        now, until = hold["now"], hold["now"] + timedelta(seconds=hold["lease_seconds"])
        due = and_(table.c.kind == kind, table.c.due_at <= now, free(table, now), table.c.stopped == "")
        turns = _turns(kind).subquery()
        joined = select(table.c.id).join(turns, turns.c.id == table.c.id).where(due)
        chosen = joined.order_by(turns.c.turn, *_AGE).limit(hold["limit"])
        claiming_them = (
            update(table)
            .where(table.c.id.in_(chosen.scalar_subquery()), due)
            .values(lease_owner=hold["owner"], lease_until=until, tries=table.c.tries + 1)
            .returning(table)
        )
        return self._connection.execute(claiming_them).all()

    def extend(self, job_id: str, *, owner: str, until: datetime) -> bool:
        """Extend the lease; False when this owner does not hold it."""
        held = (table.c.id == job_id, table.c.lease_owner == owner)
        return self._change(table, *held, lease_until=until) == 1

    def change(
        self,
        job: Job,
        *,
        now: datetime,
        state: str | None = None,
        detail: Mapping[str, object] | None = None,
        due_at: datetime | None = _KEEP,
        close: bool = False,
        keep_lease: bool = False,
    ) -> Job | None:
        """Change it if its version is still that of ``job``; end the lease unless ``keep_lease``.

        With ``due_at`` None it is not due until it is changed again; ``close``: it is over.

        Returns:
            The job as it is now, or None when another change came first: read it again.
        """
        values: dict[str, Any] = {"version": job.version + 1}
        if state is not None:
            values["state"] = state
        if detail is not None:
            values["detail"] = dict(detail)
        if due_at is not _KEEP:
            values["due_at"] = due_at
        if close:
            values |= {"closed_at": now, "due_at": None}
        if not keep_lease:
            values |= FREED
        same = (table.c.id == job.id, table.c.version == job.version)
        return self._one(SHAPE, update(table).where(*same).values(values).returning(table))


_AGE = (table.c.created_at, table.c.id)


def _turns(kind: str) -> Select[Any]:
    """Each open job, and its position among the open jobs of its requester."""
    turn = func.row_number().over(partition_by=table.c.requester, order_by=_AGE)
    return select(table.c.id, turn.label("turn")).where(table.c.kind == kind, table.c.closed_at.is_(None))
