"""Attempts: the claim that is stored before a request with an effect is sent."""

from datetime import datetime

from sqlalchemy import Connection, insert, select, update

from bot.domain.payments.instruction import Attempt, AttemptOutcome
from storage.repositories.common import columns
from storage.tables import attempt as table


class Attempts:
    """The table ``attempt``."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
        values = {"outcome": outcome, "detail": detail, "finished_at": now}
        return self._connection.execute(update(table).where(*mine).values(values)).rowcount == 1

    def of(self, instruction_id: str) -> list[Attempt]:
        """Every attempt of an instruction, in order."""
        query = select(table).where(table.c.instruction_id == instruction_id).order_by(table.c.n)
        return [Attempt(**row._mapping) for row in self._connection.execute(query)]  # noqa: SLF001
