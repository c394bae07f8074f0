"""How a table was read, in words."""

from collections import Counter
from collections.abc import Mapping

from bot.domain.files.tables import Table

_BETWEEN = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


def read_as(table: Table) -> str:
    """Encoding and what stands between the cells, or the sheet."""
    if table.sheet:
        return f"the sheet “{table.sheet}”"
    between = _BETWEEN.get(table.delimiter, table.delimiter)
    return f"{table.encoding} with {between}" if len(table.header) > 1 else table.encoding


def columns_read(table: Table, places: Mapping[str, int]) -> str:
    """Encoding or sheet, which of its columns each of ours came from, and those that are not used."""
    how = table.encoding or (f"sheet “{table.sheet}”" if table.sheet else "")
    often = Counter(name.casefold() for name in table.header)
    called = [
        f"“{name}”{f' (column {at})' if often[name.casefold()] > 1 else ''}" for at, name in enumerate(table.header, 1)
    ]
    columns = ", ".join(f"{ours} from {called[place]}" for ours, place in places.items())
    left = [called[place] for place, name in enumerate(table.header) if place not in places.values() and name]
    return "; ".join(part for part in (how, columns, f"not used: {', '.join(left)}" if left else "") if part)
