"""Findings about the earlier requests that a request repeats, checked before it is sent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from bot.domain.audit import Entry
from bot.domain.payments.sealed import HELD_BACK, RELEASED


@dataclass(frozen=True, slots=True)
class Finding:
    """Why an earlier request isn't certainly unpaid. ``rows`` are the rows of a list that are paid again, else empty.

    ``moved`` is True if the service reports another status than unpaid, False if its record gives no certain answer.
    ``status`` is the service's word, if any.
    """

    reference: str
    moved: bool
    status: str = ""
    rows: tuple[int, ...] = ()

    @property
    def stored(self) -> tuple[str, bool, str, tuple[int, ...]]:
        return self.reference, self.moved, self.status, self.rows

    @classmethod
    def read(cls, stored: Any) -> Self:
        reference, moved, status, rows = stored
        return cls(str(reference), bool(moved), str(status), tuple(map(int, rows)))

    @property
    def keys(self) -> set[tuple[str, bool, int]]:
        return {(self.reference, self.moved, row) for row in self.rows or (0,)}


def noted(entries: Iterable[Entry], action: str) -> list[Finding]:
    """Return the findings in a request's sealed audit rows with this action."""
    return [Finding.read(one) for entry in entries if entry.action == action for one in _listed(entry)]


def _listed(entry: Entry) -> Sequence[Any]:
    found = entry.detail.get("found")
    return found if isinstance(found, list) else ()


def not_released(found: Iterable[Finding], entries: Sequence[Entry]) -> tuple[Finding, ...]:
    """Return findings not released by an admin. Once moved, a finding stays, whatever the service reports later."""
    held = [one for one in noted(entries, HELD_BACK) if one.moved]
    released = {key for one in noted(entries, RELEASED) for key in one.keys}
    left: dict[tuple[str, bool], tuple[str, set[int]]] = {}
    for one in (*held, *found):
        for name, moved, row in one.keys:
            # Releasing a finding that moved also releases the weaker finding that the record could not be read.
            if released.isdisjoint({(name, moved, row), (name, True, row)}):
                left.setdefault((name, moved), (one.status, set()))[1].add(row)
    return tuple(
        Finding(name, moved, status, tuple(sorted(rows - {0})))
        for (name, moved), (status, rows) in sorted(left.items())
    )


def are_new(found: Iterable[Finding], entries: Sequence[Entry]) -> bool:
    """Whether any of these findings is missing from the request's audit rows."""
    before = {key for one in noted(entries, HELD_BACK) for key in one.keys}
    return any(one.keys - before for one in found)
