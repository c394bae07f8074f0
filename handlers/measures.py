"""Counters and histograms that this process keeps for ``/metrics``. Layers below get a callable each and know no more.

Every set of labels is closed and begins at zero, so that the first event of a kind already is an increase. No label
holds a person, an id, a path or a token.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, Metric, PlatformCollector, ProcessCollector

from bot.clients.transport import Watch
from bot.domain.outcome import Ended
from bot.domain.payments.instruction import AttemptKind, AttemptStep
from bot.slack.pace import Family
from handlers.incoming import Arrival

SLACK: Final = "slack"
"""Slack's name beside those of the services."""
REQUEST_SECONDS: Final = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 60.0, 300.0, 600.0)
"""Bounds for requests to services: most are given up after 30 seconds, media after minutes."""
ACK_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
"""Bounds for acks: Slack waits three seconds."""
ANSWERS: Final = (200, 400, 404, 408, 413, 503)
"""What callbacks are answered."""


class Measures:
    """One per process.

    Args:
        started: when it was.
        build: what runs here: its ``version``, the ``database``, and the ``transport`` by which Slack reaches it.
    """

    def __init__(self, *, started: datetime, **build: str) -> None:
        self._registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        PlatformCollector(registry=registry)
        runs = Gauge("switchboard_build_info", "What runs here; always 1", [*build], registry=registry)
        runs.labels(**build).set(1)
        said = "When this process started, in seconds since 1970"
        Gauge("switchboard_start_time_seconds", said, registry=registry).set(started.timestamp())
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

        def watch(ended: Ended, seconds: float | None) -> None:
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
        """The figures of a service's callbacks, by HTTP status."""
        answers = {status: self._callbacks.labels(service, str(status)) for status in ANSWERS}
        return lambda status: answers[status].inc()

    def anchored(self, written: bool) -> None:
        self._anchors[written].inc()

    def _counter(self, name: str, said: str, *labels: str) -> Counter:
        return Counter(f"switchboard_{name}", said, labels, registry=self._registry)

    def _histogram(self, name: str, said: str, *labels: str, bounds: Iterable[float]) -> Histogram:
        return Histogram(f"switchboard_{name}", said, labels, registry=self._registry, buckets=tuple(bounds))
