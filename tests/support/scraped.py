"""``/metrics`` as Prometheus reads it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Self

import aiohttp
from prometheus_client.parser import text_string_to_metric_families

_SUFFIXES: Final = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}
"""What the samples of a kind of metric are called."""


@dataclass(frozen=True)
class Page:
    """Kinds of the metrics by name (a counter's ends as its samples do), and samples: name, labels, value."""

    kinds: Mapping[str, str]
    samples: tuple[tuple[str, Mapping[str, str], float], ...]

    @classmethod
    async def of(cls, url: str) -> Self:
        """Scrape a process."""
        async with aiohttp.ClientSession(raise_for_status=True) as session, session.get(f"{url}/metrics") as answer:
            metrics = list(text_string_to_metric_families(await answer.text()))
        kinds = {metric.name + "_total" * (metric.type == "counter"): metric.type for metric in metrics}
        samples = [(one.name, one.labels, one.value) for metric in metrics for one in metric.samples]
        return cls(kinds, tuple(samples))

    @property
    def names(self) -> frozenset[str]:
        """What a query may ask for."""
        counters = {name.removesuffix("_total"): kind for name, kind in self.kinds.items()}
        return frozenset(name + suffix for name, kind in counters.items() for suffix in _SUFFIXES.get(kind, ("",)))

    def value(self, name: str, **labels: str) -> float:
        """The one sample with these labels; 0 where there is none."""
        found = [value for other, has, value in self.samples if other == name and has == labels]
        assert len(found) <= 1
        return found[0] if found else 0.0

    def counted(self, name: str, *by: str) -> dict[tuple[str, ...], float]:
        """Samples that are not 0, by the values of these labels."""
        found = [(has, value) for other, has, value in self.samples if other == name and value]
        return {tuple(has[label] for label in by): value for has, value in found}
