"""Attempts: the claim that is stored before a request with an effect is sent."""

from datetime import datetime

from sqlalchemy import insert, select

from bot.domain.payments.instruction import Attempt, AttemptOutcome
from storage.damage import Shape
from storage.repositories.common import Repository, columns
from storage.tables.instructions import attempt as table

_SHAPE = Shape(table, Attempt)


class Attempts(Repository):
    """The table ``attempt``."""

    def open(self, attempt: Attempt) -> None:
        """Store an attempt before it is made.

        Raises:
            Conflict: the number is taken, or an attempt of this instruction is still open. The whole unit is
                rolled back and must not continue.
        """
        self._connection.execute(insert(table).values(columns(attempt)))

    def close(self, instruction_id: str, n: int, outcome: AttemptOutcome, detail: str, now: datetime) -> bool:
        """Store the outcome of an open attempt; False when it was closed already or never opened."""
        mine = (table.c.instruction_id == instruction_id, table.c.n == n, table.c.outcome == AttemptOutcome.OPEN)
        return self._change(table, *mine, outcome=outcome, detail=detail, finished_at=now) == 1

    def of(self, instruction_id: str) -> list[Attempt]:
        """Every attempt of an instruction, in order.

        Raises:
            RowUnreadable: one of them cannot be read.
        """
        query = select(table).where(table.c.instruction_id == instruction_id).order_by(table.c.n)
        return self._whole(_SHAPE, query)
