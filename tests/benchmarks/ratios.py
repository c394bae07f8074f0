"""Figures against their goals, as the benchmarks print them."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Ratio:
    """One figure against its goal."""

    what: str
    value: float
    goal: float
    at_least: bool = True

    @property
    def met(self) -> bool:
        return self.value >= self.goal if self.at_least else self.value <= self.goal


def told(figures: Sequence[Ratio]) -> str:
    """A line each, with what was missed."""
    lines = [f"{'figure':<64}{'value':>8}{'goal':>8}"]
    for figure in figures:
        goal = f"{'≥' if figure.at_least else '≤'} {figure.goal:g}"
        lines.append(f"{figure.what:<64}{figure.value:>8.2f}{goal:>8}{'' if figure.met else '   MISSED'}")
    return "\n".join(lines)


def share(values: Sequence[float], part: float) -> float:
    """The value that this part of them does not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]
