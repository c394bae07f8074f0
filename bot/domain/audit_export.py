"""The audit as a file, row by row: CSV for spreadsheets, JSON lines for programs."""

import csv
import json
from collections.abc import Iterable
from typing import IO, Any

from bot.domain.audit import Stored

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
"""Characters with which a spreadsheet formula may begin, and those a spreadsheet skips before one."""

_COLUMNS = {
    "seq": "seq",
    "at": "at",
    "instruction": "instruction_id",
    "actor": "actor",
    "action": "action",
    "before": "before",
    "after": "after",
    "detail": "detail",
    "previous": "previous",
    "hash": "hash",
}
"""Names in an export, and what they are called in a row."""


def write_csv(rows: Iterable[Stored], out: IO[str], *, head: bool = True) -> int:
    """Write rows as CSV, the names of the columns first unless ``head`` is False; how many rows."""
    writer = csv.writer(out, quoting=csv.QUOTE_ALL)
    if head:
        writer.writerow(_COLUMNS)
    count = 0
    for row in rows:
        count += 1
        writer.writerow([_cell(_moment(row) if name == "at" else getattr(row, name)) for name in _COLUMNS.values()])
    return count


def write_json_lines(rows: Iterable[Stored], out: IO[str]) -> int:
    """Write rows as one JSON object a line; how many."""
    count = 0
    for row in rows:
        count += 1
        entry = row.entry()
        values: dict[str, Any] = {name: getattr(row, field) for name, field in _COLUMNS.items()}
        values |= {"at": _moment(row), "detail": row.detail if entry is None else entry.detail}
        out.write(json.dumps(values, default=repr) + "\n")
    return count


def _cell(value: object) -> str:
    """Text that no spreadsheet runs as a formula, and that every file can hold."""
    text = str(value).encode("utf-8", "backslashreplace").decode("utf-8")
    return f"'{text}" if text.startswith(_FORMULA) else text


def _moment(row: Stored) -> str:
    """ISO 8601 in UTC, as it is sealed; a value that is no time is written unchanged."""
    entry = row.entry()
    return str(row.at) if entry is None else entry.at.isoformat()
