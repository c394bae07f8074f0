"""What stands in the columns of a table, and which of them probably holds e-mail addresses."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_ADDRESS = re.compile(r"(?:\"[^\"\r\n]+\"|[^@\s\"<>(),;:\\]+)@[^@\s\"<>(),;:\\]+\.[^@\s\"<>(),;:\\.]+")
_ADDRESS_LIMIT = 320
_LEAST_SHARE = 0.5


def looks_like_address(cell: str) -> bool:
    """Whether this has the form of an e-mail address; the service decides whether it is valid."""
    text = cell.strip()
    return len(text) <= _ADDRESS_LIMIT and _ADDRESS.fullmatch(text) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnSummary:
    """Contents of one column: cells with something in them, and how many of these are e-mail addresses."""

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
            addresses[at] += "@" in cell and looks_like_address(cell)
            if len(samples[at]) < 3:  # noqa: PLR2004 - three sample values
                samples[at].append(cell.strip())
    return tuple(
        ColumnSummary(name=name, filled=filled[at], addresses=addresses[at], samples=tuple(samples[at]))
        for at, name in enumerate(header)
    )


def likely_column(looks: Sequence[ColumnSummary]) -> int:
    return max(range(len(looks)), key=lambda at: (looks[at].share, looks[at].addresses, -at))
