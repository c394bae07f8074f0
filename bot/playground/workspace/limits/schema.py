"""A small schema language for JSON; every error carries its place as a JSON pointer."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

Check = Callable[["Report", Any, str], None]


@dataclass
class Report:
    """The complaints collected so far, in Slack's words: ``must be … [json-pointer:/blocks/0/text]``."""

    messages: list[str] = field(default_factory=list)

    def add(self, at: str, message: str) -> None:
        """Add an error at one place."""
        self.messages.append(f"{message} [json-pointer:{at}]")


def string(most: int, *, least: int = 0) -> Check:
    """A string of ``least`` to ``most`` characters."""

    def check(report: Report, value: Any, at: str) -> None:
        if not isinstance(value, str):
            report.add(at, "must be a string")
        elif len(value) > most:
            report.add(at, f"must be less than {most + 1} characters")
        elif len(value) < least:
            report.add(at, f"must be more than {least - 1} characters")

    return check


def flag(report: Report, value: Any, at: str) -> None:
    """A boolean."""
    if not isinstance(value, bool):
        report.add(at, "must be a boolean")


def number(report: Report, value: Any, at: str) -> None:
    """An integer; booleans are not accepted."""
    if not isinstance(value, int) or isinstance(value, bool):
        report.add(at, "must be an integer")


def anything(report: Report, value: Any, at: str) -> None:
    """Any value: documented elsewhere by Slack and not checked here."""


def choice(*allowed: str) -> Check:
    """One of these words."""

    def check(report: Report, value: Any, at: str) -> None:
        if value not in allowed:
            report.add(at, f"must be one of {', '.join(allowed)}")

    return check


def listing(item: Check, *, most: int, least: int = 1) -> Check:
    """A list of ``least`` to ``most`` items, each as ``item`` says."""

    def check(report: Report, value: Any, at: str) -> None:
        if not isinstance(value, list):
            report.add(at, "must be an array")
            return
        if len(value) > most:
            report.add(at, f"no more than {most} items allowed")
        if len(value) < least:
            report.add(at, f"no fewer than {least} items allowed")
        for index, one in enumerate(value):
            item(report, one, f"{at}/{index}")

    return check


def record(fields: Mapping[str, Check], *, required: Collection[str] = (), one_of: Collection[str] = ()) -> Check:
    """Return a check for an object with only these fields, all ``required`` and at least one in ``one_of``."""

    def check(report: Report, value: Any, at: str) -> None:
        if not isinstance(value, dict):
            report.add(at, "must be an object")
            return
        for name in required:
            if value.get(name) is None:
                report.add(at, f"missing required field: {name}")
        if one_of and not any(value.get(name) for name in one_of):
            report.add(at, "must define either " + " or ".join(f"`{name}`" for name in one_of))
        for name, one in value.items():
            if name not in fields:
                report.add(at, f"invalid additional property: {name}")
            elif one is not None:
                fields[name](report, one, f"{at}/{name}")

    return check


def variant(kinds: Mapping[str, Check], *, allowed: Collection[str] | None = None) -> Check:
    """Return a check for an object that applies the check for its ``type``."""

    def check(report: Report, value: Any, at: str) -> None:
        kind = value.get("type") if isinstance(value, dict) else None
        if not isinstance(kind, str):
            report.add(at, "missing required field: type")
        elif kind not in kinds or (allowed is not None and kind not in allowed):
            report.add(f"{at}/type", f"unsupported type: {kind}")
        else:
            kinds[kind](report, value, at)

    return check
