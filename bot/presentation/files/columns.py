"""The columns of a file in words: how they were parsed, their contents, and the choice between them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from bot.domain.content import Block
from bot.domain.files.columns import ColumnSummary
from bot.domain.files.tables import Marks, Some, Table
from bot.domain.money import Decimals, cents_of, readings, shown
from bot.domain.text import clean
from bot.presentation.blocks.text import choice, plain, quote
from bot.presentation.views import field

_FIRST: Final = 5  # rows or columns listed in a sentence
_BETWEEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}
MOST: Final = 100  # options per list (Slack's limit)
_OPTION_LIMIT: Final = 75
_NAME_LIMIT: Final = 40
_SAMPLE_LIMIT: Final = 24


def mark_lines(marks: Marks, *, used: str = "will be paid") -> list[str]:
    """Describe hidden and unusual content; ``used`` completes *hidden rows …*."""
    found = []
    if marks.hidden_rows.count:
        one = marks.hidden_rows.count == 1
        found.append(f"{_rows(marks.hidden_rows)} {'is' if one else 'are'} hidden in the spreadsheet but {used}.")
    if marks.hidden_columns:
        one = len(marks.hidden_columns) == 1
        shown = [f"“{quote(name, _NAME_LIMIT)}”" for name in marks.hidden_columns[:_FIRST]]
        listed = _listed(shown, len(marks.hidden_columns) - len(shown))
        found.append(f"Column{'' if one else 's'} {listed} {'is' if one else 'are'} hidden in the spreadsheet.")
    if marks.formulas.count:
        one = marks.formulas.count == 1
        held = "contains a formula; its last saved value is" if one else "contain formulas; their last saved values are"
        found.append(f"{_rows(marks.formulas)} {held} used.")
    if marks.disguised.count:
        verb = "contains" if marks.disguised.count == 1 else "contain"
        found.append(f"{_rows(marks.disguised)} {verb} another value than the spreadsheet shows.")
    if marks.lost.count:
        found.append(f"{_rows(marks.lost)} may have lost a letter: a question mark is in its place.")
    if marks.totals.count:
        verb = "is a total and isn't" if marks.totals.count == 1 else "are totals and aren't"
        found.append(f"{_rows(marks.totals)} {verb} paid.")
    return [f":warning: {one}" for one in found]


def _rows(some: Some) -> str:
    named: list[str] = []
    more = some.count
    for first, last in some.spans[:_FIRST]:
        named += [f"{first} to {last}"] if last - first > 1 else map(str, range(first, last + 1))
        more -= last - first + 1
    return f"{'Row' if some.count == 1 else 'Rows'} {_listed(named, more)}"


def _listed(named: Sequence[str], more: int) -> str:
    *before, end = [*named, f"{more} more"] if more else named
    return f"{', '.join(before)} and {end}" if before else end


def read_as(table: Table) -> str:
    if table.sheet:
        return f"the sheet “{table.sheet}”"
    between = _BETWEEN.get(table.delimiter, table.delimiter)
    return f"{table.encoding} with {between}" if len(table.header) > 1 else table.encoding


def unusual(table: Table) -> str:
    """Return how a table was parsed if people should check it: chosen sheet, guessed encoding, header row."""
    how = f"sheet “{table.sheet}”" if table.sheet else ""
    if table.encoding not in ("", "UTF-8"):
        how = f"read as {table.encoding}"
    return "; ".join(filter(None, (how, f"names found in row {table.names_row}" if table.names_row else "")))


def columns_read(table: Table, places: Mapping[str, int]) -> str:
    """Describe parsing and columns as in `unusual`, if column names differ from ours; empty if all is as expected."""
    how, often = unusual(table), Counter(name.casefold() for name in table.header)
    if all(table.header[place].casefold() == ours and often[ours] == 1 for ours, place in places.items()):
        return how
    called = [
        f"“{name}”{f' (column {at})' if often[name.casefold()] > 1 else ''}" for at, name in enumerate(table.header, 1)
    ]
    columns = ", ".join(f"{ours} from {called[place]}" for ours, place in places.items())
    left = [called[place] for place, name in enumerate(table.header) if place not in places.values() and name]
    return "; ".join(part for part in (how, columns, f"not used: {', '.join(left)}" if left else "") if part)


def amounts_read(asks: Sequence[str], decimals: str) -> str:
    """Return for approvers how ambiguous amounts were read; empty if there was no choice."""
    return f"amounts read as {amount_reading(asks[0], Decimals(decimals))}" if asks and decimals else ""


def amount_reading(text: str, style: Decimals) -> str:
    """Format an amount as written with its value in a style: ``1.655,60 = $1,655.60``."""
    written, value = choice(clean(text), _SAMPLE_LIMIT), readings(text).get(style)
    if value is None:
        return f"{written} can't be read"
    cents = cents_of(value)
    return f"{written} = {shown(cents)}" if cents is not None else f"{written} = {value:f}, too many decimals"


def column_names(looks: Sequence[ColumnSummary]) -> list[str]:
    """Return each column's name or number, or both if the name isn't unique."""
    names = [choice(clean(look.name), _NAME_LIMIT) for look in looks]
    often = Counter(name.casefold() for name in names)
    return [
        f"{name} (column {at})" if name and often[name.casefold()] > 1 else name or f"column {at}"
        for at, name in enumerate(names, 1)
    ]


def column_option(name: str, look: ColumnSummary, *, value: str, note: str = "") -> Block:
    samples = ", ".join(choice(clean(sample), _SAMPLE_LIMIT) for sample in look.samples) or "empty"
    return option(value, f"{name}{note}", samples)


def option(value: str, text: str, description: str) -> Block:
    return {
        "value": value,
        "text": plain(choice(text, _OPTION_LIMIT)),
        "description": plain(choice(description, _OPTION_LIMIT)),
    }


def select(block_id: str, label: str, options: Sequence[Block], *, initial: int | None, of: str = "") -> Block:
    """Build a list with the option ``initial`` selected. A new ``of`` resets the choice, which Slack keeps per id."""
    element: Block = {"type": "static_select", "action_id": f"{block_id}{of}", "options": list(options)}
    if initial is not None:
        element["initial_option"] = options[initial]
    return field(block_id, label, element)
