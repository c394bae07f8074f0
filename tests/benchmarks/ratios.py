"""What a benchmark is asked, and its figures against their goals as it prints them."""

from argparse import ArgumentParser, RawDescriptionHelpFormatter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


def options(doc: str | None, **defaults: Any) -> Any:
    """What the command line says: ``--at-once 5``; one value or several of the kind of its default."""
    parser = ArgumentParser(description=doc, formatter_class=RawDescriptionHelpFormatter)
    for name, default in defaults.items():
        several = isinstance(default, list)
        kind = type(default[0] if several else default)
        parser.add_argument(f"--{name.replace('_', '-')}", type=kind, default=default, nargs="+" if several else None)
    return parser.parse_args()


@dataclass(frozen=True, slots=True)
class Ratio:
    what: str
    value: float
    goal: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def verdict(figures: Sequence[Ratio]) -> int:
    """Print a line each, with what was missed; 1 when something was."""
    lines = [f"{'figure':<64}{'value':>8}{'goal':>8}"]
    for figure in figures:
        goal = f"{'≥' if figure.at_least else '≤'} {figure.goal:g}"
        lines.append(f"{figure.what:<64}{figure.value:>8.2f}{goal:>8}{'' if figure.met else '   MISSED'}")
    print("", *lines, sep="\n")  # noqa: T201 - this is what it is for
    return 0 if all(figure.met for figure in figures) else 1


def share(values: Sequence[float], part: float) -> float:
    """The value that this part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
