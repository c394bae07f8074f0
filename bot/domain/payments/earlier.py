"""What was found out about the requests that a request was made from, once it is to be sent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from bot.domain.audit import Entry
from bot.domain.payments.sealed import HELD_BACK, RELEASED


@dataclass(frozen=True, slots=True)
class Finding:
    """Why an earlier request isn't surely unpaid now. ``rows``: of a list, those that are paid again; else empty.

    ``moved``: the service says something else than that it is unpaid. False: its record gives no certain answer.
    ``status``: the service's word, where it has one.
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
    """Findings in the sealed rows of a request that have this action."""
    return [Finding.read(one) for entry in entries if entry.action == action for one in _listed(entry)]


def _listed(entry: Entry) -> Sequence[Any]:
    found = entry.detail.get("found")
    return found if isinstance(found, list) else ()


def not_released(found: Iterable[Finding], entries: Sequence[Entry]) -> tuple[Finding, ...]:
    """Findings that no admin has released. One that moved stays one, whatever the service says later."""
    held = [one for one in noted(entries, HELD_BACK) if one.moved]
    released = {key for one in noted(entries, RELEASED) for key in one.keys}
    left: dict[tuple[str, bool], tuple[str, set[int]]] = {}
    for one in (*held, *found):
        for name, moved, row in one.keys:
            # Who released what had moved has also released what could not be read.
            if released.isdisjoint({(name, moved, row), (name, True, row)}):
                left.setdefault((name, moved), (one.status, set()))[1].add(row)
    return tuple(
        Finding(name, moved, status, tuple(sorted(rows - {0})))
        for (name, moved), (status, rows) in sorted(left.items())
    )


def are_new(found: Iterable[Finding], entries: Sequence[Entry]) -> bool:
    """Whether one of these was not found before."""
    before = {key for one in noted(entries, HELD_BACK) for key in one.keys}
    return any(one.keys - before for one in found)
