"""Rows that change by declared transitions; row, audit row and board change in one transaction."""

from collections.abc import Mapping
from datetime import datetime
from types import MappingProxyType
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import Connection, update

from bot.domain.audit import SYSTEM, Entry
from bot.domain.machine import Machine
from bot.domain.reasons import Reason
from storage.damage import Damage
from storage.repositories.audit import AuditTrail
from storage.repositories.leased import FREED, Asked, Repository
from storage.repositories.slack import Boards
from storage.seals import Seals

R = TypeVar("R", bound=Any)


class Moving(Repository, Generic[R]):
    """A table whose rows change state only by declared transitions."""

    state: ClassVar[str] = "state"
    """Name of the state column."""
    entered: ClassVar[Mapping[str, Any]] = {}
    """Columns that are set when the state changes."""
    machine: Machine[Any]
    now: datetime | None = None
    """Default time of transitions: that of the unit of work."""

    def __init__(
        self, connection: Connection, damage: Damage, seals: Seals, *, audit: AuditTrail, boards: Boards
    ) -> None:
        super().__init__(connection, damage)
        self._seals = seals
        self._audit = audit
        self._boards = boards

    def move(
        self,
        before: R,
        to: str,
        *,
        now: datetime | None = None,
        action: str = "",
        actor: str = SYSTEM,
        facts: Mapping[str, object] = MappingProxyType({}),
        show: bool = True,
        patient: bool = False,
        **changes: Any,
    ) -> R | None:
        """Take a transition: conditional update, audit row, boards marked. None if another change came first.

        The lease ends unless ``keep_lease`` is True or ``lease_until`` is given. A final state sets ``closed_at`` and
        clears ``due_at`` unless they are given. Without an ``action``, no audit row is added. Pass ``show=False`` if
        the boards look the same in both states, ``patient`` if they show only progress, so the edit may be delayed.
        """
        held, moment, machine = str(getattr(before, self.state)), self._moment(now), self._machine(before)
        if not machine.allows(held, to):
            kind = getattr(before, "kind", type(before).__name__)
            raise ValueError(f"there is no way for a {kind} from {held} to {to}")
        if to in machine.final:
            changes = {"closed_at": moment, "due_at": None, **changes}
        if to != held:
            changes = {**self.entered, **changes}
        return self._write(
            before, to, changes, now=moment, action=action, actor=actor, facts=facts, show=show, patient=patient
        )

    def touch(
        self,
        before: R,
        *,
        now: datetime | None = None,
        action: str = "",
        actor: str = SYSTEM,
        facts: Mapping[str, object] = MappingProxyType({}),
        show: bool = False,
        patient: bool = False,
        **changes: Any,
    ) -> R | None:
        """Like :meth:`move`, but in the same state; ``show`` marks the boards."""
        to = getattr(before, self.state)
        return self._write(
            before, to, changes, now=now, action=action, actor=actor, facts=facts, show=show, patient=patient
        )

    def _write(
        self,
        before: R,
        to: str,
        changes: dict[str, Any],
        *,
        now: datetime | None,
        action: str,
        actor: str,
        facts: Mapping[str, object],
        show: bool,
        patient: bool,
    ) -> R | None:
        after = self._put(before, to, {**changes, **self._counted(before)} if action else changes)
        if after is None:
            return None
        if action:
            self._audit.append(
                Entry(
                    at=self._moment(now),
                    instruction_id=after.id,
                    actor=actor,
                    action=action,
                    before=str(getattr(before, self.state)),
                    after=str(to),
                    detail=self._facts(after, facts),
                )
            )
        if show:
            self._mark(after, now=self._moment(now), patient=patient)
        return after

    def _moment(self, now: datetime | None) -> datetime:
        moment = self.now if now is None else now
        assert moment is not None, "outside of a unit of work a transition names its moment"
        return moment

    def _machine(self, row: R) -> Machine[Any]:  # noqa: ARG002 - most have one for all rows
        return self.machine

    def _put(self, before: R, to: str, changes: dict[str, Any]) -> R | None:
        """Update the row if it is unchanged since it was read; return the new row, else None."""
        raise NotImplementedError

    def _counted(self, before: R) -> Mapping[str, Any]:  # noqa: ARG002 - only requests count them
        """Return changes that accompany an audit row."""
        return {}

    def _facts(self, row: R, facts: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG002 - a booking adds some
        """Return the facts for the audit row from those of the transition."""
        return facts

    def _mark(self, row: R, *, now: datetime, patient: bool) -> None:
        self._boards.mark(row.subject, now=now, progress=patient, urgent=row.closed_at is not None)


class MovingRows(Moving[R], Asked[R]):
    """A table with declared transitions, leases and a version."""

    entered: ClassVar[Mapping[str, Any]] = {"stopped": ""}  # the next step may succeed

    def _put(self, before: R, to: str, changes: dict[str, Any]) -> R | None:
        rows = self.shape.table
        values = {self.state: to, "version": before.version + 1, **self._freed(changes), **changes}
        same = (rows.c.id == before.id, rows.c.version == before.version)
        return self._one(self.shape, update(rows).where(*same).values(values).returning(rows))

    def held(self, row_id: str, *states: str, owner: str) -> R | None:
        """Return the row if this owner holds its lease and it is in one of the states."""
        rows = self.shape.table
        return self._find(rows.c.id == row_id, rows.c[self.state].in_(states), rows.c.lease_owner == owner)

    def put_off(self, before: R, *, reason: Reason | None, due_at: datetime, **changes: Any) -> R | None:
        """Make the row due later, in the same state; marks the boards if the reason changed."""
        row: Any = before
        return self.touch(before, show=reason != row.reason, reason=reason, due_at=due_at, **changes)

    def _freed(self, changes: dict[str, Any]) -> Mapping[str, Any]:
        """Return the values that end the lease; none if the step keeps or renews it, as its tries still count."""
        return {} if changes.pop("keep_lease", False) or changes.get("lease_until") is not None else FREED
