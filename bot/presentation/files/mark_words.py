"""What people do not see in their spreadsheet although it counts: one sentence each, with the rows."""

from collections.abc import Sequence
from typing import Final

from bot.domain.files.marks import Marks, Some
from bot.presentation.blocks.text import quote

_RUNS: Final = 5
_NAMES: Final = 5
_NAME: Final = 40


def mark_lines(marks: Marks) -> list[str]:
    """Lines of mrkdwn; none where there is nothing to say."""
    found = []
    if marks.hidden_rows.count:
        one = marks.hidden_rows.count == 1
        verbs = "is hidden in the file and counts" if one else "are hidden in the file and count"
        found.append(f"{_rows(marks.hidden_rows)} {verbs} like the others.")
    if marks.hidden_columns:
        found.append(f"{_columns(marks.hidden_columns)} hidden in the file.")
    if marks.formulas.count:
        one = marks.formulas.count == 1
        holds = "holds the result of a formula, as it was" if one else "hold results of formulas, as they were"
        found.append(f"{_rows(marks.formulas)} {holds} last saved.")
    if marks.disguised.count:
        verb = "holds" if marks.disguised.count == 1 else "hold"
        found.append(f"{_rows(marks.disguised)} {verb} something else than the spreadsheet shows.")
    return [f":warning: {one}" for one in found]


def _rows(some: Some) -> str:
    shown = some.spans[:_RUNS]
    named = [one for first, last in shown for one in _run(first, last)]
    more = some.count - sum(last - first + 1 for first, last in shown)
    return f"{'Row' if some.count == 1 else 'Rows'} {_listed(named, more)}"


def _run(first: int, last: int) -> list[str]:
    return [f"{first} to {last}"] if last - first > 1 else [str(row) for row in range(first, last + 1)]


def _columns(names: Sequence[str]) -> str:
    shown = [f"“{quote(name, _NAME)}”" for name in names[:_NAMES]]
    listed = _listed(shown, len(names) - len(shown))
    return f"Column {listed} is" if len(names) == 1 else f"Columns {listed} are"


def _listed(named: Sequence[str], more: int) -> str:
    *before, end = [*named, f"{more} more"] if more else named
    return f"{', '.join(before)} and {end}" if before else end
