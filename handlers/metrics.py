"""For machines, without personal data: ``/healthz``, ``/readyz``, and ``/metrics`` for Prometheus."""

import asyncio
import hmac
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import chain
from typing import Final

import prometheus_client as prometheus
from aiohttp import web
from prometheus_client import Metric, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from bot.clients.transport import Watch
from bot.domain.outcome import Ended, Reply, how_ended
from bot.domain.payments.instruction import AttemptKind, AttemptStep
from bot.slack.pace import Family
from bot.workflows.effect import silent_services
from bot.workflows.requests.authority import frozen
from bot.workflows.restored import restored
from handlers.incoming import Arrival
from storage.disk_space import DiskSpace, floor_of
from storage.errors import StorageError, StorageReadOnly
from storage.repositories.queues import AGED, Due
from storage.store import Store
from storage.transaction import Tx

_DATABASE: Final = {
    DiskSpace.ENOUGH: "ok",
    DiskSpace.LOW: "its disk is almost full",
    DiskSpace.FULL: "its disk is full",
    DiskSpace.READ_ONLY: "read-only",
    DiskSpace.AWAY: "unavailable",
}
_PATIENCE: Final = 5.0
"""Seconds after which a database that doesn't answer counts as unavailable."""


@dataclass(eq=False, kw_only=True)
class Health:
    """Liveness, and readiness: ``slack``: the bot's identity is known and, in Socket Mode, the socket is up."""

    database: Store
    slack: Callable[[], bool]
    now: Callable[[], datetime]

    async def alive(self, _: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def ready(self, _: web.Request) -> web.Response:
        """Database, Slack, ages of the oldest unprocessed items; a freeze is ready: callbacks are stored.

        A transaction that may write is begun, because reads succeed on a standby and while the disk is full.
        """

        def held(tx: Tx) -> tuple[dict[str, datetime | None], bool]:
            tx.audit.check_key()  # a key that is no longer in force cannot write
            queues, shown = tx.queues.waiting(self.now()), ("callbacks", "webhooks", "messages", "files")
            return {name: queues[name].oldest for name in shown}, frozen(tx) is not None

        joined = self.slack()
        slack = "ok" if joined else "not connected"
        try:
            async with asyncio.timeout(_PATIENCE):
                waiting, is_frozen = await self.database.read(held)
                await self.database.write(lambda _: None, name="ready")
        except (StorageError, TimeoutError) as trouble:
            word = _DATABASE[DiskSpace.READ_ONLY if isinstance(trouble, StorageReadOnly) else DiskSpace.AWAY]
            return web.json_response({"status": "not ready", "database": word, "slack": slack}, status=503)
        room = self.database.disk.space_left()
        is_ready = joined and room.takes_writes
        now = self.now()
        age = {name: None if at is None else round((now - at).total_seconds(), 1) for name, at in waiting.items()}
        return web.json_response(
            {
                "status": "ready" if is_ready else "not ready",
                "database": _DATABASE[room],
                "slack": slack,
                "mode": "frozen" if is_frozen else "sending",
                "oldest_seconds": age,
            },
            status=200 if is_ready else 503,
        )


SLACK: Final = "slack"
"""Slack's name beside those of the services."""
REQUEST_SECONDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 60.0, 300.0, 600.0)
"""Bounds for requests to services: most are given up after 30 seconds, media after minutes."""
ACK_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Bounds for acks: Slack waits three seconds."""
ANSWERS: Final = (200, 400, 404, 408, 413, 503)
"""What callbacks are answered."""


class Measures:
    """Counters and histograms of this process. Layers below get a callable each and know no more.

    Every set of labels is closed and begins at zero, so that the first event of a kind already is an increase. No label
    holds a person, an id, a path or a token. ``build``: what runs here, by ``version``, ``database`` and ``transport``.
    """

    def __init__(self, *, started: datetime, **build: str) -> None:
        self._registry = registry = prometheus.CollectorRegistry()
        prometheus.ProcessCollector(registry=registry)
        prometheus.PlatformCollector(registry=registry)
        runs = prometheus.Gauge("switchboard_build_info", "What runs here; always 1", [*build], registry=registry)
        runs.labels(**build).set(1)
        said = "When this process started, in seconds since 1970"
        prometheus.Gauge("switchboard_start_time_seconds", said, registry=registry).set(started.timestamp())
        self._requests = self._counter("service_requests", "Requests to services by their end", "service", "outcome")
        said = "Seconds from the first byte of a request to a service until its end"
        self._seconds = self._histogram("service_request_seconds", said, "service", bounds=REQUEST_SECONDS)
        self._too_many = self._counter("too_many_requests", "Answers 429, Slack's included", "service")
        calls = self._counter("slack_calls", "Calls of Slack by what they do and their end", "family", "outcome")
        self._slack_calls = {(family, word): calls.labels(family, word) for family in Family for word in Ended}
        self._slack_too_many = self._too_many.labels(SLACK)
        said = "Seconds from the arrival of Slack's request to its ack"
        acks = self._histogram("ack_seconds", said, "kind", bounds=ACK_SECONDS)
        self._acks = {arrival: acks.labels(arrival) for arrival in Arrival}
        attempts = self._counter("attempts", "Attempts to move or ask for money, by step", "kind", "step")
        self._attempts = {(kind, step): attempts.labels(kind, step) for kind in AttemptKind for step in AttemptStep}
        self._callbacks = self._counter("callbacks", "Callbacks by service and status answered", "service", "answer")
        anchors = self._counter("anchors", "Anchors of the audit chain, by whether they could be written", "outcome")
        self._anchors = {True: anchors.labels("written"), False: anchors.labels("failed")}

    def collect(self) -> Iterator[Metric]:
        """All of them, without the times at which each counter was made: those would double the page."""
        for metric in self._registry.collect():
            metric.samples = [sample for sample in metric.samples if not sample.name.endswith("_created")]
            yield metric

    def service(self, name: str) -> Watch:
        requests = {word: self._requests.labels(name, word) for word in Ended}
        observe, too_many = self._seconds.labels(name).observe, self._too_many.labels(name)

        def watch(reply: Reply, seconds: float | None) -> None:
            ended = how_ended(reply)
            requests[ended].inc()
            if seconds is not None:
                observe(seconds)
            if ended is Ended.TOO_MANY:
                too_many.inc()

        return watch

    def slack(self, family: Family, ended: Ended) -> None:
        self._slack_calls[family, ended].inc()
        if ended is Ended.TOO_MANY:
            self._slack_too_many.inc()

    def acked(self, arrival: Arrival, seconds: float) -> None:
        self._acks[arrival].observe(seconds)

    def attempted(self, kind: AttemptKind, step: AttemptStep) -> None:
        self._attempts[kind, step].inc()

    def callbacks(self, service: str) -> Callable[[int], None]:
        answers = {status: self._callbacks.labels(service, str(status)) for status in ANSWERS}
        return lambda status: answers[status].inc()

    def anchored(self, written: bool) -> None:
        self._anchors[written].inc()

    def _counter(self, name: str, said: str, *labels: str) -> prometheus.Counter:
        return prometheus.Counter(f"switchboard_{name}", said, labels, registry=self._registry)

    def _histogram(self, name: str, said: str, *labels: str, bounds: Iterable[float]) -> prometheus.Histogram:
        return prometheus.Histogram(f"switchboard_{name}", said, labels, registry=self._registry, buckets=tuple(bounds))


@dataclass(eq=False, kw_only=True)
class Metrics:
    """Reads the database on each request, in one transaction, so that a restart loses nothing of it."""

    database: Store
    measures: Measures
    joined: Callable[[], bool]
    now: Callable[[], datetime]
    skew: Callable[[], timedelta]
    """How far a calendar, the machine's or the database server's, is ahead of the time in use."""
    services: Sequence[str]
    due: Mapping[str, Sequence[Due]]
    """By queue, the rows by which it becomes due."""
    token: str | None = field(repr=False)
    """Expected as ``Authorization: Bearer …``; None: anybody may read."""

    async def handle(self, request: web.Request) -> web.Response:
        """All metrics in the text format; while the database cannot be read, those of the process alone."""
        shown = request.headers.get("Authorization", "").encode(errors="surrogateescape")
        if self.token is not None and not hmac.compare_digest(shown, f"Bearer {self.token}".encode()):
            return web.Response(status=401, headers={"WWW-Authenticate": "Bearer"})
        try:
            held = await self.database.read(lambda tx: list(self._of_database(tx)))
        except StorageError:
            held = None
        page = _Page(chain(self.measures.collect(), self._of_process(readable=held is not None), held or ()))
        return web.Response(body=generate_latest(page), headers={"Content-Type": CONTENT_TYPE_PLAIN_0_0_4})

    def _of_process(self, *, readable: bool) -> Iterator[Metric]:
        yield _gauge("joined", "1 while Slack has said who we are", self.joined())
        said = "Seconds that a calendar, the machine's or the database server's, is ahead of the time in use"
        yield _gauge("clock_skew_seconds", said, self.skew().total_seconds())
        yield _gauge("database_readable", "1 while the database answers; 0: what it holds is left out here", readable)
        disk = self.database.disk
        room = disk.space_left()
        said = "1 while nothing new that moves money is begun for want of space"
        yield _gauge("disk_low", said, room.is_short)
        yield _gauge("disk_full", "1 while nothing can be relied on to be stored", room is DiskSpace.FULL)
        said = "1 while the last write was taken; 0: read-only, full, locked or out of reach"
        yield _gauge("database_writable", said, room.takes_writes)
        if disk.is_ours:  # a database server's disk is its own
            free, whole = disk.space()
            yield _gauge("disk_free_bytes", "Bytes free on the database's disk", free)
            yield _gauge("disk_bytes", "Bytes of the database's disk", whole)
            yield _gauge("disk_floor_bytes", "Bytes free below which the disk is low", floor_of(whole))

    def _of_database(self, tx: Tx) -> Iterator[Metric]:
        now, due = self.now(), [kind for kinds in self.due.values() for kind in kinds]
        queues = tx.queues.waiting(now, followed=[kind for table, kind in due if table == "tracked"])
        earliest = tx.horizon.earliest(due)

        def seconds(since: datetime | None) -> float:
            return 0.0 if since is None else max(0.0, (now - since).total_seconds())

        yield _gauge("requests", "Requests by kind and state", tx.instructions.counts(), "kind", "state")
        yield _gauge("bookings", "Bookings by how far they are here", tx.bookings.counts(), "stage")
        said = "Rows of a queue that wait or are being worked on"
        yield _gauge("waiting", said, {name: queue.rows for name, queue in queues.items()}, "queue")
        ages = {name: seconds(queues[name].oldest) for name in AGED}
        yield _gauge("oldest_seconds", "Age of the oldest unprocessed item", ages, "queue")
        said = "Seconds since a row of the queue was due that nobody has begun; 0: none is due"
        next_due = {
            name: min((earliest[kind] for kind in kinds if kind in earliest), default=None)
            for name, kinds in self.due.items()
        }
        yield _gauge("overdue_seconds", said, {name: seconds(at) for name, at in next_due.items()}, "queue")
        yield _gauge("stopped", "Rows left alone after an internal error", tx.steps.counts(), "table")
        yield _gauge("audit_rows", "Rows of the audit chain", tx.audit.head().seq)
        said = "1 while the database is older than what was sent, until an operator resumes"
        yield _gauge("restored", said, restored(tx) is not None)
        yield _gauge("frozen", "1 while payments are frozen", frozen(tx) is not None)
        unread = len(tx.unread.open_operations())
        yield _gauge("unread_operations", "Operations whose last answers could not be read", unread)
        unanswering = silent_services(tx, now)
        silent = {service: service in unanswering for service in self.services}
        yield _gauge("service_silent", "1 while a service answers nothing and nothing is sent to it", silent, "service")


class _Page(Collector):
    def __init__(self, metrics: Iterable[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> Iterable[Metric]:
        return self._metrics


def _gauge(
    name: str, said: str, value: float | Mapping[str, float] | Mapping[tuple[str, str], float], *labels: str
) -> Metric:
    """One metric; with labels, a value for each word, or for each tuple of words."""
    metric = GaugeMetricFamily(f"switchboard_{name}", said, labels=labels)
    if isinstance(value, Mapping):
        for words, number in value.items():
            metric.add_metric([words] if isinstance(words, str) else [*words], number)
    else:
        metric.add_metric([], value)
    return metric
