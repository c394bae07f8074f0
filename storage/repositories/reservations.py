"""Reservations: the part of the daily limit that attempts have taken."""

from sqlalchemy import func, insert, select

from bot.domain.payments.sealed import Reserved
from storage.repositories.common import Repository
from storage.tables.instructions import reservation as table


class Reservations(Repository):
    """The table ``reservation``. A day is a UTC date in ISO form, e.g. ``2026-11-20``."""

    def reserve(self, instruction_id: str, n: int, day: str, cents: int, limit_cents: int) -> bool:
        """Take ``cents`` for attempt ``n`` if the day's sum stays within the limit; whether it did.

        Exact because writers come one after the other. An attempt that holds money already keeps it; one that
        gave it back takes it anew.
        """
        mine = (table.c.instruction_id == instruction_id, table.c.n == n)
        held = self._connection.execute(select(table.c.released).where(*mine)).first()
        if held is not None and not held.released:
            return True
        if self.sum(day) + cents > limit_cents:
            return False
        values = {"day": day, "cents": cents, "released": False}
        if held is None:
            self._connection.execute(insert(table).values(instruction_id=instruction_id, n=n, **values))
        else:
            self._change(table, *mine, **values)
        return True

    def release(self, instruction_id: str, n: int) -> bool:
        """Give back the reservation of an attempt that moved no money; False when there was none."""
        held = (table.c.instruction_id == instruction_id, table.c.n == n, table.c.released.is_(False))
        return self._change(table, *held, released=True) == 1

    def of(self, instruction_id: str) -> dict[int, Reserved]:
        """What the attempts of an instruction hold, by their number."""
        query = select(table.c.n, table.c.day, table.c.cents, table.c.released)
        rows = self._connection.execute(query.where(table.c.instruction_id == instruction_id))
        return {row.n: Reserved(row.day, row.cents, row.released) for row in rows}

    def sum(self, day: str) -> int:
        """Cents taken on a day."""
        query = select(func.coalesce(func.sum(table.c.cents), 0))
        return int(self._connection.execute(query.where(table.c.day == day, table.c.released.is_(False))).scalar_one())
