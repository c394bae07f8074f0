"""The alerting rules as values, read from the file without a library: its lines have few shapes."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Final

from tests.deploy.promtool import ALERTS

_FIELD: Final = re.compile(r"^ +(expr|for|labels|summary|description|runbook): (.*)$")
_UNITS: Final = {"m": 1, "h": 60}
_NO_METRICS: Final = (
    re.compile(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]'),  # labels and ranges
    re.compile(r"\b(?:by|without|on|ignoring) *\([^)]*\)"),
    re.compile(r"\b\w+(?= *\()|\b(?:and|or|unless|bool|offset)\b"),
    re.compile(r"\b\d[\w.]*"),
)


@dataclass(frozen=True, kw_only=True)
class Rule:
    name: str
    expr: str
    after: int
    """Minutes for which it has to be true."""
    severity: str
    summary: str
    description: str
    runbook: str


@cache
def rules() -> tuple[Rule, ...]:
    _, *parts = re.split(r"(?m)^      - alert: (\w+)$", ALERTS.read_text(encoding="utf-8"))
    return tuple(_rule(name, body) for name, body in zip(parts[::2], parts[1::2], strict=True))


def metrics_of(expr: str) -> frozenset[str]:
    """Names of the metrics that a query asks for."""
    for other in _NO_METRICS:
        expr = other.sub(" ", expr)
    return frozenset(re.findall(r"[a-zA-Z_:][\w:]*", expr))


def _rule(name: str, body: str) -> Rule:
    held = dict(_fields(body.partition("\n\n")[0].splitlines()))
    severity = re.fullmatch(r"\{severity: (\w+)\}", held["labels"])
    assert severity, name
    return Rule(
        name=name,
        expr=held["expr"],
        after=int(held["for"][:-1]) * _UNITS[held["for"][-1]],
        severity=severity[1],
        summary=held["summary"],
        description=held["description"],
        runbook=held["runbook"],
    )


def _fields(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Names and values; a folded value goes on until the next field."""
    name, value = "", ""
    for line in lines:
        field = _FIELD.match(line)
        if field is None:
            value += f" {line.strip()}" if name else ""
            continue
        if name:
            yield name, _text(value)
        name, value = field.groups()
    yield name, _text(value)


def _text(value: str) -> str:
    if value.startswith('"'):
        return str(json.loads(value))
    return value.removeprefix(">-").removesuffix("annotations:").strip()
