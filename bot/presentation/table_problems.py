"""Why a file cannot be used as a table: what was wrong, what is allowed, one right example."""

from collections.abc import Callable, Mapping

from bot.domain.files.sniffing import KIND_OF, FileKind
from bot.domain.files.tables import MEBIBYTE, Flaw, TableProblem
from bot.domain.text import clean
from bot.presentation.blocks.text import shorten

EXAMPLE = "email,amount,note"
"""A right first row, where the caller has no better one."""

_NAME_LIMIT = 60
_SHOWN = 5
_TEXT = "Save the sheet as CSV (UTF-8) or as an Excel workbook (.xlsx) and drop it again."

_Words = Callable[[TableProblem, str], str]


def table_problem(problem: TableProblem, *, example: str = EXAMPLE) -> str:
    """The one sentence or two about it, as plain text: a caller escapes it where formatting is on.

    Args:
        problem: what reading found.
        example: a first row that would be right here.
    """
    return _WORDS[problem.flaw](problem, example)


def _short(text: str) -> str:
    """At most as long as a column's name is shown: what a workbook calls a cell is as foreign as its names."""
    return shorten(clean(text), _NAME_LIMIT)


_FORMATS = {
    "pdf": "a PDF",
    "rtf": "an RTF document",
    "html": "a web page",
    "mhtml": "a web page",
    "xml": "an XML file",
    "json": "a JSON file",
    "gz": "a gzip archive",
    "7z": "a 7z archive",
    "rar": "a RAR archive",
    "zip": "a ZIP archive",
    "sqlite": "a database",
    "parquet": "a Parquet file",
    "xls": "an old workbook (.xls)",
    "xlsb": "an XLSB workbook",
    "ods": "an OpenDocument spreadsheet (.ods)",
    "numbers": "a Numbers document",
    "docx": "a Word document",
    "pptx": "a presentation",
    "binary": "no text",
}
_OTHERS = {FileKind.AUDIO: "an audio file", FileKind.VIDEO: "a video", FileKind.DOCUMENT: "a picture"}


def _format(name: str) -> str:
    return _FORMATS.get(name) or _OTHERS.get(KIND_OF.get(name, FileKind.OTHER), "of another kind")


def _name(text: str) -> str:
    return f"“{_short(text)}”"


def _places(problem: TableProblem) -> str:
    told = [f"row {row} has {problem.counts[row]}" for row in problem.rows[:_SHOWN]]
    more = len(problem.rows) - len(told) + problem.more
    listed = ", ".join(told)
    return f"{listed}, and {more} more {'row differs' if more == 1 else 'rows differ'}" if more else listed


def _row(problem: TableProblem) -> str:
    return f"row {problem.rows[0]}"


def _ragged(problem: TableProblem, _: str) -> str:
    return (
        f"Every row needs as many cells as the first row, which has {problem.allowed}: {_places(problem)}. "
        'A cell that holds the separator itself stands in quotation marks, for example "Ana, Quito".'
    )


def _encoding(problem: TableProblem, _: str) -> str:
    where = f" in {_row(problem)}" if problem.rows else ""
    return (
        f"The file is {_short(problem.names[0])} except for letters{where} that are not. "
        "Save it as CSV (UTF-8) from the spreadsheet and drop it again."
    )


def _ambiguous(problem: TableProblem, _: str) -> str:
    name, *columns = problem.names
    listed = " and ".join(_name(column) for column in columns)
    meaning = _short(name)
    return f"Two columns could be {meaning}: {listed}. Rename one of them, so that only one means {meaning}."


_WORDS: Mapping[Flaw, _Words] = {
    Flaw.EMPTY: lambda _, example: (
        f"The file is empty. It needs a first row with names and at least one row below, for example {example}."
    ),
    Flaw.TOO_LARGE: lambda problem, _: (
        f"The file is larger than {problem.allowed // MEBIBYTE} MB. "
        "Split it into smaller files and drop them one by one."
    ),
    Flaw.TOO_MANY_ROWS: lambda problem, _: (
        f"The file has more than {problem.allowed:,} rows. "
        f"Split it into files of at most {problem.allowed:,} rows each."
    ),
    Flaw.TOO_MANY_COLUMNS: lambda problem, _: (
        f"The first row has more than {problem.allowed} columns. "
        f"Keep the columns that are needed, at most {problem.allowed}."
    ),
    Flaw.NO_HEADER: lambda _, example: (
        f"The first row already holds data. Put a row with names above it, for example {example}."
    ),
    Flaw.NO_ROWS: lambda _, example: (
        f"The file has names in its first row but no rows below. Add at least one row below {example}."
    ),
    Flaw.RAGGED: _ragged,
    Flaw.NUL: lambda problem, _: (
        f"There is a NUL character in {_row(problem)}, which no table holds; the file is damaged or no CSV. {_TEXT}"
    ),
    Flaw.QUOTE_OPEN: lambda problem, _: (
        f"A quotation mark opens in {_row(problem)} and is never closed. Close it, or write it twice inside a quoted "
        'cell, for example "the ""big"" one".'
    ),
    Flaw.QUOTE_INSIDE: lambda problem, _: (
        f"A quotation mark stands in the middle of a quoted cell in {_row(problem)}. Write it twice there, for example "
        '"the ""big"" one".'
    ),
    Flaw.CELL_TOO_LONG: lambda problem, _: (
        f"A cell in {_row(problem)} is longer than {problem.allowed:,} characters. Shorten it; if it should be short, "
        'look for a quotation mark that is not closed, for example "Ana.'
    ),
    Flaw.ENCODING: _encoding,
    Flaw.OTHER_KIND: lambda problem, _: f"This is {_format(problem.names[0])}, not a table that can be read. {_TEXT}",
    Flaw.LOCKED: lambda _, __: (
        "The workbook is locked with a password. Remove the password (File, Info, Protect Workbook) "
        "or save the sheet as CSV (UTF-8), and drop it again."
    ),
    Flaw.DAMAGED: lambda _, __: (
        "The workbook is damaged and cannot be opened. Open it in the spreadsheet, save it as .xlsx or CSV (UTF-8), "
        "and drop it again."
    ),
    Flaw.BOMB: lambda problem, _: (
        f"The workbook unpacks to far more than it seems, above what is opened ({problem.allowed // MEBIBYTE} MB). "
        "Copy the rows into a new workbook, or save the sheet as CSV (UTF-8), and drop it again."
    ),
    Flaw.TOO_COMPLEX: lambda _, __: (
        "The file is too complicated to read. Copy the rows, as values alone, into a new workbook, or save the sheet "
        "as CSV (UTF-8), and drop it again."
    ),
    Flaw.NO_SHEET: lambda _, __: (
        "The workbook has no visible sheet with cells. "
        "Put the table on the first sheet, show it, and drop the file again."
    ),
    Flaw.NO_RESULT: lambda problem, _: (
        f"Cell {_short(problem.names[0])} holds a formula without a result. Open the workbook in the spreadsheet and "
        "save it, or replace the formula by its value, for example 25.00."
    ),
    Flaw.MERGED: lambda problem, _: (
        f"Cells {_short(problem.names[0])} are merged, so it is not clear which row they belong to. "
        "Unmerge them and give each row its own value, for example 25.00 in each."
    ),
    Flaw.TWICE: lambda problem, _: (
        f"{_short(problem.names[0])} stands in the workbook twice or out of order, so it is not clear what counts. "
        "Open it in the spreadsheet, check the values, save it and drop it again."
    ),
    Flaw.DISGUISED_NAME: lambda problem, _: (
        f"Cell {_short(problem.names[0])} shows something else than the name that it holds. "
        "Give it the number format General and drop the file again."
    ),
    Flaw.MISSING_COLUMNS: lambda problem, example: (
        f"The first row has no column {' and no column '.join(problem.names)}. "
        f"It names the columns, for example {example}."
    ),
    Flaw.AMBIGUOUS_COLUMN: _ambiguous,
}
