"""What people are told of a table's hidden places: on its preview, and on the card that approvers decide on."""

from collections.abc import Iterable, Sequence
from typing import Final

from bot.domain.files.hidden import Hidden, Spans
from bot.domain.values import Value

_KEPT: Final = 20
"""Runs of rows and names of columns that are kept with a request; of more rows, only their number."""


class Some(Value):
    """Rows: the first runs of them, and how many rows they are in all."""

    spans: Spans = ()
    count: int = 0


class Marks(Value):
    """What is hidden, computed or disguised in a table. Names of columns are foreign text."""

    hidden_rows: Some = Some()
    hidden_columns: tuple[str, ...] = ()
    formulas: Some = Some()
    disguised: Some = Some()


NO_MARKS: Final = Marks()


def marks_of(hidden: Hidden, header: Sequence[str], used: Iterable[int] | None = None) -> Marks:
    """Hidden rows and columns always; formulas and disguises in the columns that are used (None: in all)."""
    columns = frozenset(range(len(header)) if used is None else used)
    return Marks(
        hidden_rows=_some([hidden.rows]),
        hidden_columns=tuple(header[at] or f"column {at + 1}" for at in hidden.columns)[:_KEPT],
        formulas=_some(spans for at, spans in hidden.formulas.items() if at in columns),
        disguised=_some(spans for at, spans in hidden.disguised.items() if at in columns),
    )


def _some(columns: Iterable[Spans]) -> Some:
    """The rows of several columns together."""
    together: list[tuple[int, int]] = []
    for first, last in sorted(span for spans in columns for span in spans):
        if together and first <= together[-1][1] + 1:
            together[-1] = (together[-1][0], max(last, together[-1][1]))
        else:
            together.append((first, last))
    return Some(spans=tuple(together[:_KEPT]), count=sum(last - first + 1 for first, last in together))
