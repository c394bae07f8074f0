"""Rows that change by declared transitions: the row, its audit row and its card, in one transaction."""

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
    """A table whose rows change their state by declared transitions alone."""

    state: ClassVar[str] = "state"
    """Name of the column of the state."""
    entered: ClassVar[Mapping[str, Any]] = {}
    """Columns that are set when another state is entered."""
    machine: Machine[Any]
    now: datetime | None = None
    """The moment of the unit of work, for calls that name no other."""

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
        """Take a transition: conditional update, audit row, boards marked. None: another change came first.

        The lease ends unless ``keep_lease`` is True or ``lease_until`` is given. A final state sets ``closed_at`` and
        clears ``due_at`` unless they are given. Without an ``action`` there is no audit row. Not ``show``: the boards
        look the same in both states; ``patient``: they show merely how far it is, so the edit may wait a little.
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
        """Write the row if it is still as it was read; the row as it is now, else None."""
        raise NotImplementedError

    def _counted(self, before: R) -> Mapping[str, Any]:  # noqa: ARG002 - only requests count them
        """Changes that come with an audit row."""
        return {}

    def _facts(self, row: R, facts: Mapping[str, object]) -> Mapping[str, object]:  # noqa: ARG002 - a booking adds some
        """Facts of its audit row, from those of the transition."""
        return facts

    def _mark(self, row: R, *, now: datetime, patient: bool) -> None:
        self._boards.mark(row.subject, now=now, progress=patient, urgent=row.closed_at is not None)


class MovingRows(Moving[R], Asked[R]):
    """Such a table with leases and a version. ``state``: name of the column of the state."""

    entered: ClassVar[Mapping[str, Any]] = {"stopped": ""}  # the next step may succeed

    def _put(self, before: R, to: str, changes: dict[str, Any]) -> R | None:
        rows = self.shape.table
        values = {self.state: to, "version": before.version + 1, **self._freed(changes), **changes}
        same = (rows.c.id == before.id, rows.c.version == before.version)
        return self._one(self.shape, update(rows).where(*same).values(values).returning(rows))

    def held(self, row_id: str, *states: str, owner: str) -> R | None:
        """The row, if this owner works on it and it is in one of the states."""
        rows = self.shape.table
        return self._find(rows.c.id == row_id, rows.c[self.state].in_(states), rows.c.lease_owner == owner)

    def put_off(self, before: R, *, reason: Reason | None, due_at: datetime, **changes: Any) -> R | None:
        """In the same state, due again later; the boards are marked when the reason is another one."""
        row: Any = before
        return self.touch(before, show=reason != row.reason, reason=reason, due_at=due_at, **changes)

    def _freed(self, changes: dict[str, Any]) -> Mapping[str, Any]:
        """End of the lease. A step that keeps or renews it is not over, so its tries are not reset."""
        return {} if changes.pop("keep_lease", False) or changes.get("lease_until") is not None else FREED
