"""Single entry point for every file that may hold a table; the content decides the kind, not the name."""

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

    It only computes, so a caller with other work should run it in a thread. ``file`` must be seekable.

    Args:
        file: the content.
        name: the file's name, used only where the content leaves the kind open.
        limits: limits of what is read.

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
    """Refuse a first row that is data."""
    named = [name for name in header if name]
    if any(_ADDRESS.fullmatch(name) for name in named) or all(_NUMBER.fullmatch(name) for name in named):
        raise TableProblem(Flaw.NO_HEADER, names=header)
    if not rows:
        raise TableProblem(Flaw.NO_ROWS)
