"""The part of the audit chain that this process has verified, so that each row is verified once, not for each claim.

Only the chain proves that none of a request's rows was removed: from the first of them to the end of the chain, no
number is missing and every row seals the one before it.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from threading import Lock

from bot.domain.audit import Keys, Stored

MOST_ROWS = 100_000
"""Limit of remembered rows; beyond it, the memory is cleared."""

Rows = Callable[[int], Iterable[Stored]]
"""Returns the rows after a number, in order."""
Intact = Callable[[Stored], bool]
_Of = dict[str, list[tuple[int, str]]]


@dataclass(slots=True)
class _Span:
    """Consecutive rows. ``before`` is the previous hash in the first row, ``head`` the hash of the last one."""

    first: int
    last: int
    before: str = ""
    head: str = ""
    of: _Of = field(default_factory=dict)
    count: int = 0

    def add(self, row: Stored) -> None:
        if not self.count:
            self.before = self.before or row.previous
        self.of.setdefault(row.instruction_id, []).append((row.seq, row.hash))
        self.count += 1
        self.last, self.head = row.seq, row.hash

    def ends(self) -> tuple[int, int]:
        return self.first, self.last


class _Broken(Exception):
    """The chain is broken at the row with this number."""


class Walked:
    """The verified part, shared by all transactions of a process."""

    def __init__(self) -> None:
        self.keys: Keys | None = None
        self._lock = Lock()  # never held during a query: on PostgreSQL all queries share a thread
        self._span: _Span | None = None

    def gap(
        self, own: Sequence[Stored], *, rows: Rows, end: tuple[int, str], is_intact: Intact, keep: bool
    ) -> int | None:
        """Return the number of the first missing or altered row, from the first of ``own`` on, or None."""
        # ``own`` are the intact rows of one request, in order; ``end`` is number and hash of the last row as stored in
        # the database. ``keep`` remembers the verified rows, and is only for committed ones.
        name, start = own[0].instruction_id, own[0].seq
        known, span = self._known(name, start)
        first, last = span.ends()
        try:
            earlier = _Span(start, start - 1)
            if start < first:
                _walk(earlier, takewhile(lambda row: row.seq < first, rows(start - 1)), is_intact)
                _require(earlier.ends() == (start, first - 1) and earlier.head == span.before, at=earlier.last + 1)
            _require(keep or last <= end[0], at=end[0] + 1)  # another reader may have seen later rows
            later = _Span(last + 1, last, span.head, span.head)
            if last <= end[0]:
                _walk(later, rows(last), is_intact)
                _require((later.last, later.head) == end, at=min(later.last, end[0]) + 1)
        except _Broken as broken:
            return int(broken.args[0])
        found = [*earlier.of.get(name, ()), *known, *later.of.get(name, ())]
        if keep:
            self._keep(span, earlier, later)
        there = [one for one in found if start <= one[0] <= end[0]]
        held = [(row.seq, row.hash) for row in own]
        return None if there == held else min(seq for seq, _ in set(there).symmetric_difference(held))

    def _known(self, name: str, start: int) -> tuple[list[tuple[int, str]], _Span]:
        """Return copies of a request's remembered rows and of the span's ends, as other threads may extend it."""
        with self._lock:
            span = self._span
            if span is None:
                return [], _Span(start, start - 1)
            return list(span.of.get(name, ())), _Span(span.first, span.last, span.before, span.head)

    def _keep(self, before: _Span, earlier: _Span, later: _Span) -> None:
        with self._lock:
            span = self._span or _Span(*before.ends())
            if span.ends() != before.ends():
                return  # another thread has extended it
            for name, found in earlier.of.items():
                span.of[name] = [*found, *span.of.get(name, ())]
            for name, found in later.of.items():
                span.of.setdefault(name, []).extend(found)
            if earlier.count:
                span.first, span.before = earlier.first, earlier.before
            if later.count:
                span.before = span.before if span.count else later.before
                span.last, span.head = later.last, later.head
            span.count += earlier.count + later.count
            self._span = span if span.count <= MOST_ROWS else None


def _walk(span: _Span, rows: Iterable[Stored], is_intact: Intact) -> None:
    for row in rows:
        seq = span.last + 1
        follows = row.seq == seq and (not span.head or row.previous == span.head)
        _require(follows and is_intact(row), at=seq)
        span.add(row)


def _require(holds: bool, *, at: int) -> None:
    if not holds:
        raise _Broken(at)
