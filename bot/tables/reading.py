"""One door for every file that may hold a table: what it is decides its content, not its name."""

import re
from collections.abc import Sequence
from typing import BinaryIO

from bot.domain.files.tables import Flaw, Limits, Row, Table, TableProblem
from bot.tables.kinds import Kind, kind_of
from bot.tables.text import read_text
from bot.tables.workbook import read_workbook

_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_NUMBER = re.compile(r"[+-]?[0-9][0-9.,  ]*%?")


def read_table(file: BinaryIO, *, name: str, limits: Limits | None = None) -> Table:
    """Read a CSV or XLSX file as a whole.

    It computes and nothing else, so a caller with other work runs it in a thread. ``file`` must be able to seek.

    Args:
        file: the content.
        name: what the file is called: settles only what the content leaves open.
        limits: how much is read at all.

    Raises:
        TableProblem: the file holds no table that can be used.
    """
    limits = limits or Limits()
    size = file.seek(0, 2)
    if size > limits.size:
        raise TableProblem(Flaw.TOO_LARGE, allowed=limits.size)
    kind = kind_of(file, name=name)
    table = read_workbook(file, limits=limits) if kind is Kind.XLSX else read_text(file, limits=limits)
    _check_header(table.header, table.rows)
    return table


def _check_header(header: Sequence[str], rows: Sequence[Row]) -> None:
    """Refuse a first row that is data, and two columns with one name."""
    named = [name for name in header if name]
    if any(_ADDRESS.fullmatch(name) for name in named) or all(_NUMBER.fullmatch(name) for name in named):
        raise TableProblem(Flaw.NO_HEADER, names=header)
    seen: dict[str, str] = {}
    for name in named:
        if name.casefold() in seen:
            raise TableProblem(Flaw.DUPLICATE_HEADER, names=[seen[name.casefold()], name])
        seen[name.casefold()] = name
    if not rows:
        raise TableProblem(Flaw.NO_ROWS)
