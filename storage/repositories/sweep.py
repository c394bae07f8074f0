"""Sweep: reads every row that is not over, page by page, so that those that cannot be read are noted."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from sqlalchemy import literal, or_, select, tuple_

from bot.domain.bookings.booking import CLOSED
from bot.domain.payments.instruction import FINAL
from storage.damage import Shape
from storage.repositories import (
    boards,
    bookings,
    dropped,
    inbox,
    instruction_rows,
    job_rows,
    outbox,
    store_events,
    stores,
    tracked,
)
from storage.repositories.common import Condition, Repository, as_text
from storage.rows import InboxState, OutboxState
from storage.tables.instructions import instruction
from storage.tables.instructions import tracked as followed
from storage.tables.queues import board, dropped_file, job
from storage.tables.queues import inbox as callbacks
from storage.tables.queues import outbox as outbox_table
from storage.tables.services import booking, store_event

_PAGE: Final = 1_000
_SETTLED: Final = tuple(state for state in InboxState if state is not InboxState.RECEIVED)
_OPEN: Final[Mapping[str, tuple[Shape[Any], Sequence[Condition]]]] = {
    "instruction": (instruction_rows.SHAPE, (instruction.c.state.not_in(FINAL),)),
    "booking": (bookings.SHAPE, (booking.c.stage.not_in(CLOSED),)),
    "job": (job_rows.SHAPE, (or_(job.c.closed_at.is_(None), job.c.due_at.is_not(None)),)),
    "outbox": (outbox.SHAPE, (outbox_table.c.state.not_in((OutboxState.SENT, OutboxState.DEAD)),)),
    "inbox": (inbox.SHAPE, (callbacks.c.state.not_in(_SETTLED),)),
    "store_event": (store_events.SHAPE, (store_event.c.state.not_in(_SETTLED),)),
    "tracked": (tracked.SHAPE, (followed.c.stopped_at.is_(None),)),
    "dropped_file": (dropped.SHAPE, (dropped_file.c.due_at.is_not(None),)),
    "board": (boards.SHAPE, (board.c.due_at.is_not(None),)),
    "store": (stores.SHAPE, ()),
}
SWEPT: Final = tuple(_OPEN)
"""Tables whose open rows are swept."""

Key = tuple[Any, ...]


class Sweep(Repository):
    """Every table with due rows."""

    def page(self, name: str, after: Key | None = None) -> tuple[list[Any], Key | None]:
        """Read a page of the open rows of a table, in the order of their keys.

        Args:
            name: of the table.
            after: the key that the last page ended with; None: from the beginning.

        Returns:
            Its records, and the key that it ended with; None: there are no more.
        """
        shape, which = _OPEN[name]
        key = [column for column in shape.table.columns if column.primary_key]
        query = select(shape.table).where(*which).order_by(*key).limit(_PAGE)
        if after is not None:
            pairs = zip(key, after, strict=True)
            last = [literal(value, column.type) if type(value) is int else as_text(value) for column, value in pairs]
            query = query.where(tuple_(*key) > tuple_(*last))
        rows = self._connection.execute(query).all()
        found = self._records(shape, rows)
        return found, tuple(getattr(rows[-1], column.name) for column in key) if len(rows) == _PAGE else None
