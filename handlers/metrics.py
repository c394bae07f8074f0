"""``/metrics``: the state of ``/readyz`` for Prometheus. Counts and ages, no personal data."""

import hmac
from collections.abc import Callable, Sequence
from datetime import datetime

from aiohttp import web
from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from bot.workflows.holding import silent_services
from bot.workflows.reading_only import reading_only
from storage.errors import StorageError
from storage.store import Store
from storage.transaction import Tx


class Metrics:
    """Reads the database on each request, so that a restart loses nothing.

    Args:
        store: the database.
        joined: whether the bot's identity is known.
        now: the current instant.
        token: expected as ``Authorization: Bearer …``; None: anybody may read.
        skew: seconds that this machine's clock is ahead of the database server's.
        services: names of the monitored services.
    """

    def __init__(
        self,
        *,
        store: Store,
        joined: Callable[[], bool],
        now: Callable[[], datetime],
        token: str | None = None,
        skew: Callable[[], float] = lambda: 0.0,
        services: Sequence[str] = (),
    ) -> None:
        self._store = store
        self._joined = joined
        self._now = now
        self._skew = skew
        self._services = services
        self._expected = None if token is None else f"Bearer {token}".encode()

    async def handle(self, request: web.Request) -> web.Response:
        """All metrics in the text format; 401 without the token, where one is set."""
        shown = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if self._expected is not None and not hmac.compare_digest(shown, self._expected):
            return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"})
        registry = CollectorRegistry()
        Gauge("switchboard_joined", "1 while Slack has said who we are", registry=registry).set(self._joined())
        try:
            found = await self._store.read(lambda tx: _Counted(tx, self._now()))
        except StorageError:
            return web.Response(status=503, text="# the database cannot be read\n")
        requests = Gauge("switchboard_requests", "Requests by kind and state", ["kind", "state"], registry=registry)
        for (kind, state), count in found.requests.items():
            requests.labels(kind=kind, state=state).set(count)
        bookings = Gauge("switchboard_bookings", "Bookings by how far they are here", ["stage"], registry=registry)
        for stage, count in found.bookings.items():
            bookings.labels(stage=stage).set(count)
        ages = Gauge("switchboard_oldest_seconds", "Age of the oldest unprocessed item", ["queue"], registry=registry)
        for queue, at in found.oldest.items():
            ages.labels(queue=queue).set(0 if at is None else (self._now() - at).total_seconds())
        stopped = Gauge("switchboard_stopped", "Rows left alone after an internal error", ["table"], registry=registry)
        for table, count in found.stopped.items():
            stopped.labels(table=table).set(count)
        said = "Seconds that this machine's clock is ahead of the database server's"
        Gauge("switchboard_clock_skew_seconds", said, registry=registry).set(self._skew())
        Gauge("switchboard_audit_rows", "Rows of the audit chain", registry=registry).set(found.audit_rows)
        Gauge(
            "switchboard_reading_only", "1 while nothing is sent until an operator has looked", registry=registry
        ).set(found.reading_only)
        silent = Gauge(
            "switchboard_service_silent",
            "1 while a service answers nothing and nothing is sent to it",
            ["service"],
            registry=registry,
        )
        for service in self._services:
            silent.labels(service=service).set(service in found.silent)
        headers = {"Content-Type": CONTENT_TYPE_PLAIN_0_0_4}
        return web.Response(body=generate_latest(registry), headers=headers)


class _Counted:
    def __init__(self, tx: Tx, now: datetime) -> None:
        self.silent = silent_services(tx, now)
        self.requests = tx.instructions.counts()
        self.bookings = tx.bookings.counts()
        self.oldest = {
            "callbacks": tx.inbox.oldest(),
            "webhooks": tx.store_events.oldest(),
            "messages": tx.outbox.oldest_unsent(),
        }
        self.reading_only = reading_only(tx) is not None
        self.stopped = tx.steps.counts()
        self.audit_rows = tx.audit.head().seq
