"""Contents of a table's columns, and which of them probably holds e-mail addresses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bot.domain.text import bare

_ADDRESS = re.compile(r"(?:\"[^\"\r\n]+\"|[^@\s\"<>(),;:\\]+)@[^@\s\"<>(),;:\\]+\.[^@\s\"<>(),;:\\.]+")
_ADDRESS_LIMIT = 320
_LEAST_SHARE = 0.5
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,  ]*%?")
_APART = re.compile(r"[,;\s]")
_NAMES_APART = re.compile(r'[,;\t](?=(?:[^"]*"[^"]*")*[^"]*$)')
_NAMED = re.compile(r"(?:[^<>@]*<)?\s*(?:mailto:)?([^<>]+?)>?", re.IGNORECASE)
AHEAD = 12
"""First rows that are searched for the column names."""


def looks_like_address(cell: str) -> bool:
    """Whether a cell has the form of an e-mail address; only the service can tell whether it is valid."""
    return bool(address_in(cell))


def address_in(cell: str) -> str:
    """Return the address in ``ana@example.com;``, ``mailto:ana@example.com`` or ``Ana <ana@example.com>``, or ""."""
    if "@" not in (text := bare(cell)):
        return ""
    found = _NAMED.fullmatch(text.rstrip(",; "))
    address = found[1] if found is not None else ""
    return address if len(address) <= _ADDRESS_LIMIT and _ADDRESS.fullmatch(address) is not None else ""


def addresses_in(line: str) -> list[str]:
    """Return the addresses in a line separated by commas or semicolons; empty if it contains anything else."""
    parts = address_parts(line)
    return parts if all(map(address_in, parts)) else []


def address_parts(line: str) -> list[str]:
    """Split a line at unquoted commas and semicolons, and also at blanks if it has no names."""
    return [part for part in (_NAMES_APART if "<" in line else _APART).split(line) if bare(part)]


def is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(bare(cell)) is not None


def names_at(rows: Sequence[Sequence[str]]) -> int:
    """Return the index of the header row: it fills more cells than titles above it and has values below it."""
    filled = [[cell for cell in row if bare(cell)] for row in rows[:AHEAD]]
    values = [any(is_number(cell) or looks_like_address(cell) for cell in cells) for cells in filled]
    found = most = 0
    for at, cells in enumerate(filled[:-1]):
        if len(cells) > most and not values[at] and values[at + 1]:
            found = at
        most = max(most, len(cells))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """Contents of one column: non-empty cells, and how many of them are e-mail addresses."""

    name: str
    filled: int
    addresses: int
    samples: tuple[str, ...]

    @property
    def share(self) -> float:
        return self.addresses / self.filled if self.filled else 0.0

    @property
    def is_usable(self) -> bool:
        return self.share >= _LEAST_SHARE


def summarize(header: Sequence[str], rows: Iterable[Sequence[str]]) -> tuple[ColumnSummary, ...]:
    filled, addresses = [0] * len(header), [0] * len(header)
    samples: list[list[str]] = [[] for _ in header]
    for row in rows:
        for at, cell in enumerate(row):
            if not cell.strip():
                continue
            filled[at] += 1
            addresses[at] += looks_like_address(cell)
            if len(samples[at]) < 3:  # noqa: PLR2004 - three sample values
                samples[at].append(cell.strip())
    return tuple(
        ColumnSummary(name=name, filled=filled[at], addresses=addresses[at], samples=tuple(samples[at]))
        for at, name in enumerate(header)
    )


def likely_column(looks: Sequence[ColumnSummary]) -> int | None:
    """Return the only column of addresses, or None if there are several or none."""
    usable = [at for at, look in enumerate(looks) if look.is_usable]
    return usable[0] if len(usable) == 1 else None
