"""The argument of a unit of work: the repositories, all in one transaction."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, text

from storage.damage import Damage
from storage.repositories.audit import AuditTrail
from storage.repositories.bookings import Bookings, StoreEvents, Stores
from storage.repositories.callbacks import Inbox, Tokens
from storage.repositories.flags import Flags, Processes
from storage.repositories.jobs import EmailRuns, Jobs, Results
from storage.repositories.leased import Steps
from storage.repositories.payments import (
    Attempts,
    BulkFlights,
    BulkItems,
    Lookups,
    Reservations,
    TrackedResources,
    Votes,
)
from storage.repositories.queues import Horizon, Queues, Sweep, Times
from storage.repositories.requests import Instructions
from storage.repositories.slack import Boards, DroppedFiles, Outbox, SeenRequests
from storage.repositories.unread import UnreadAnswers
from storage.seals import Seals
from storage.walked import Walked


class Tx:
    """Valid only while the unit of work runs. ``damage`` records unreadable rows."""

    def __init__(
        self, connection: Connection, *, audit_key: bytes, damage: Damage | None = None, walked: Walked | None = None
    ) -> None:
        damage = damage if damage is not None else Damage()
        self.audit = AuditTrail(connection, key=audit_key, walked=walked)
        self.boards = Boards(connection, damage)
        seals = Seals(audit_key)
        beside: Any = {"seals": seals, "audit": self.audit, "boards": self.boards}
        self.instructions = Instructions(connection, damage, **beside)
        self.votes = Votes(connection, damage, seals)
        self.attempts = Attempts(connection, damage, seals)
        self.outbox = Outbox(connection, damage)
        self.inbox = Inbox(connection, damage)
        self.tokens = Tokens(connection, damage)
        self.reservations = Reservations(connection)
        self.tracked = TrackedResources(connection, damage)
        self.bulk_items = BulkItems(connection, damage)
        self.lookups = Lookups(connection, damage)
        self.bulk_flights = BulkFlights(connection)
        self.flags = Flags(connection, damage)
        self.jobs = Jobs(connection, damage, **beside)
        self.dropped = DroppedFiles(connection, damage)
        self.stores = Stores(connection, damage, **beside)
        self.bookings = Bookings(connection, damage, **beside)
        self.store_events = StoreEvents(connection, damage)
        self.emails = EmailRuns(connection, damage)
        self.results = Results(connection, damage)
        self.steps = Steps(connection)
        self.times = Times(connection)
        self.sweep = Sweep(connection, damage)
        self.seen = SeenRequests(connection)
        self.unread = UnreadAnswers(connection, damage)
        self.horizon = Horizon(connection)
        self.queues = Queues(connection)
        self.processes = Processes(connection)
        self._connection = connection

    def server_now(self) -> datetime | None:
        """Return the time of the database server; None for SQLite."""
        if self._connection.dialect.name != "postgresql":
            return None
        now: datetime = self._connection.execute(text("SELECT clock_timestamp()")).scalar_one()
        return now.astimezone(UTC)
