"""promtool, Prometheus's own program for checking rules: it runs rules over scrapes of the product."""

import json
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import aiohttp
import pytest

from tests.support.complete import left_out
from tests.support.scraped import Page

PROMTOOL: Final = shutil.which("promtool")
ALERTS: Final = Path(__file__).parents[2] / "docs" / "deploy" / "alerts.yaml"
BEFORE: Final = 6
"""Minutes for which the first of several scrapes is what Prometheus gets; then one a minute, the last for good."""
_SECONDS: Final = 60
_WHY: Final = left_out("tests of rules and queries", why="there is no promtool", mend="apt-get install prometheus")

needs_promtool = pytest.mark.skipif(PROMTOOL is None, reason=_WHY)


@dataclass(frozen=True)
class Scrape:
    """What Prometheus has after one scrape."""

    values: Mapping[str, float]
    """By series, ``up`` among them."""
    metrics: frozenset[str] = frozenset({"up"})
    """Names that a query may ask for, without a value as yet or with one."""

    @classmethod
    async def of(cls, url: str) -> "Scrape":
        try:
            page = await Page.of(url)
        except aiohttp.ClientError:
            return cls({_series("up"): 0.0})
        values = {_series(name, labels): value for name, labels, value in page.samples}
        return cls({_series("up"): 1.0, **values}, page.names | {"up"})


def _series(name: str, labels: Mapping[str, str] | None = None) -> str:
    """A series as Prometheus names it, with the labels that it adds."""
    told = {**(labels or {}), "job": "switchboard", "instance": "127.0.0.1:3000"}
    return name + "{" + ", ".join(f"{label}={json.dumps(value)}" for label, value in sorted(told.items())) + "}"


def history(scrapes: Sequence[Scrape], minutes: int) -> list[dict[str, str]]:
    """Series of so many minutes: the first scrape for :data:`BEFORE`, then one a minute, the last for the rest."""
    first, *later = scrapes
    taken = [first] * BEFORE + later
    taken += [taken[-1]] * (minutes - len(taken))
    names = sorted({name for scrape in scrapes for name in scrape.values})
    return [{"series": name, "values": " ".join(_values(name, taken))} for name in names]


def _values(name: str, taken: Sequence[Scrape]) -> list[str]:
    """A value a minute. A series that a scrape lacks has ended, which Prometheus notes."""
    told: list[str] = []
    for scrape in taken:
        value = scrape.values.get(name)
        if value is not None:
            told.append(f"{value:.6f}")
        else:
            told.append("_" if not told or told[-1] in ("_", "stale") else "stale")
    return told


def fires(scrapes: Sequence[Scrape], expected: Mapping[int, Sequence[str]], folder: Path) -> None:
    """Hold the rules to it: at each of these minutes exactly these alerts fire."""
    asked: list[dict[str, Any]] = [
        {
            "expr": 'group by (alertname) (ALERTS{alertstate="firing"})',
            "eval_time": f"{minute}m",
            "exp_samples": [{"labels": f'{{alertname="{name}"}}', "value": 1} for name in names],
        }
        for minute, names in expected.items()
    ]
    series = history(scrapes, max(expected) + 1) if scrapes else []
    one = {"interval": "1m", "input_series": series, "promql_expr_test": asked}
    file = folder / "test.yaml"  # JSON is YAML
    file.write_text(json.dumps({"rule_files": [str(ALERTS)], "evaluation_interval": "1m", "tests": [one]}))
    run("test", "rules", str(file))


def check_queries(queries: Mapping[str, str], folder: Path) -> None:
    """Parse queries, by making each a recording rule."""
    rules = [{"record": f"checked:{number}", "expr": query} for number, query in enumerate(queries.values())]
    file = folder / "queries.yaml"
    file.write_text(json.dumps({"groups": [{"name": "queries", "rules": rules}]}))
    run("check", "rules", str(file))


def run(*arguments: str) -> str:
    assert PROMTOOL is not None
    done = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, check=False, timeout=_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
