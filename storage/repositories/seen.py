"""Requests from Slack that one of the processes has handled."""

from datetime import datetime, timedelta

from sqlalchemy import delete, select

from storage.repositories.common import Repository, insert_once
from storage.tables.queues import seen_request as table

_PRUNED_AT_ONCE = 100


class SeenRequests(Repository):
    """The table ``seen_request``."""

    def first_time(self, signature_hash: str, *, now: datetime, kept: timedelta) -> bool:
        """Whether no process has handled this request; it counts as handled from now on. Deletes some old rows."""
        old = select(table.c.signature_hash).where(table.c.seen_at < now - kept).limit(_PRUNED_AT_ONCE)
        self._connection.execute(delete(table).where(table.c.signature_hash.in_(old.scalar_subquery())))
        values = {"signature_hash": signature_hash, "seen_at": now}
        return insert_once(self._connection, table, values, unless=("signature_hash",))
