"""Times of all rows that are not over, moved along when the clock that they were written by was set."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from sqlalchemy import BigInteger, Table, case, or_, select, type_coerce, update

from bot.domain.payments.instruction import EFFECT_UNDER_WAY, FINAL
from storage.repositories.common import Repository
from storage.tables.columns import metadata
from storage.tables.instructions import audit, instruction
from storage.tables.queues import outbox
from storage.types import Moment

_EVERYWHERE: Final = ("due_at", "lease_until")
_MORE: Final[Mapping[str, Sequence[str]]] = {
    "instruction": ("posted_at", "expires_at", "exec_deadline", "sent_at", "unknown_since", "last_read_at"),
    "booking": ("sent_at", "search_at"),
    "inbox": ("received_at", "read_at"),
    "store_event": ("received_at",),
    "store": ("created_at",),
    "board": ("edited_at",),
}
"""Times that are compared with now, beside those that every table of due rows has."""
_LAST: Final = (
    select(audit.c.at).order_by(audit.c.seq.desc()).limit(1),
    select(outbox.c.created_at).order_by(outbox.c.seq.desc()).limit(1),
)
"""When the newest rows were written, by the order of writing."""


class Times(Repository):
    """Every table with due rows."""

    def written(self) -> datetime | None:
        """When something was last written, by the clock of whoever wrote it; None: nothing was."""
        found = [self._connection.execute(query).scalar() for query in _LAST]
        return max((one for one in found if isinstance(one, datetime)), default=None)

    def shift(self, by: timedelta) -> int:
        """Move every time of an open row that is compared with now; how many rows have one.

        A step that read its request before does not write back what it read: the version is another one, unless a
        request with an effect is in flight, whose outcome counts all the same.
        """
        return sum(self._shift(table, by) for table in metadata.tables.values() if "due_at" in table.c)

    def _shift(self, table: Table, by: timedelta) -> int:
        names = [name for name in (*_EVERYWHERE, *_MORE.get(table.name, ())) if name in table.c]
        micro = by // timedelta(microseconds=1)
        moved: dict[str, Any] = {
            name: type_coerce(type_coerce(table.c[name], BigInteger) + micro, Moment) for name in names
        }
        if table is instruction:
            under_way = table.c.state.in_(EFFECT_UNDER_WAY)
            moved["version"] = case((under_way, table.c.version), else_=table.c.version + 1)
        timed = or_(*(table.c[name].is_not(None) for name in names if name in _EVERYWHERE or table.c[name].nullable))
        which = table.c.state.not_in(FINAL) if table is instruction else timed
        return self._connection.execute(update(table).where(which).values(moved)).rowcount
