"""State machines: allowed transitions and final states, from which the documents' diagrams are drawn."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, Generic, TypeVar

S = TypeVar("S", bound=StrEnum)


class Machine(Generic[S]):
    """Transitions of one kind of row; a row in a final state is closed."""

    def __init__(self, arrows: Mapping[S, Iterable[S]], *, final: Iterable[S]) -> None:
        self.arrows: Mapping[S, frozenset[S]] = {before: frozenset(targets) for before, targets in arrows.items()}
        self.final = frozenset(final)

    def allows(self, before: str, to: str) -> bool:
        """Whether the transition exists; job rows have their states as plain text."""
        known: Mapping[Any, frozenset[Any]] = self.arrows
        return to in known.get(before, frozenset())
