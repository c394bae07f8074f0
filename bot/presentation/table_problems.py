"""Why a file cannot be used as a table: the error, the limit, and a valid example."""

from collections.abc import Mapping
from typing import Final

from bot.domain.files.sniffing import KIND_OF, FileKind
from bot.domain.files.tables import MEBIBYTE, Flaw, TableProblem
from bot.domain.text import clean
from bot.presentation.blocks.text import counted, shorten

EXAMPLE = "email,amount,note"  # a valid first row, unless the caller has a better one
_NAME_LIMIT = 60
_SHOWN = 5
_AGAIN = "Save the sheet as CSV (UTF-8) or as an Excel workbook (.xlsx) and upload it again."


def table_problem(problem: TableProblem, *, example: str = EXAMPLE) -> str:
    """Return a sentence or two in plain text, to be escaped by the caller; ``example`` is a valid first row."""
    rows = [f"row {row}" for row in problem.rows]
    names = [shorten(clean(name), _NAME_LIMIT) for name in problem.names]  # names in a workbook are foreign
    told = [f"row {row} has {problem.counts[row]}" for row in problem.rows[:_SHOWN] if row in problem.counts]
    more = len(rows) - len(told) + problem.more
    found = problem.names[0] if problem.names else ""
    return _WORDS[problem.flaw].format(
        problem=problem,
        example=example,
        again=_AGAIN,
        megabytes=problem.allowed // MEBIBYTE,
        name=names[0] if names else "",
        columns=" and ".join(f"“{name}”" for name in names[1:]),
        lacking=" and no column ".join(problem.names),
        format=_FORMATS.get(found) or _OTHERS.get(KIND_OF.get(found, FileKind.OTHER), "of another kind"),
        row=rows[0] if rows else "",
        where=f" in {rows[0]}" if rows else "",
        places=", ".join(told) + (f", and {counted(more, 'more row differs', 'more rows differ')}" if more else ""),
    )


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
_WORDS: Final[Mapping[Flaw, str]] = {
    Flaw.EMPTY: (
        "The file is empty. It needs a first row with column names and at least one row below. Example: {example}"
    ),
    Flaw.TOO_LARGE: "The file is larger than {megabytes} MB. Split it into smaller files.",
    Flaw.TOO_MANY_ROWS: (
        "The file has more than {problem.allowed:,} rows. Split it into files of at most {problem.allowed:,} rows each."
    ),
    Flaw.TOO_MANY_COLUMNS: ("The first row has more than {problem.allowed} columns. Remove the ones you don't need."),
    Flaw.NO_HEADER: "The first row already holds data. Add a row with column names above it. Example: {example}",
    Flaw.NO_ROWS: "The file has column names but no rows. Add at least one row below {example}.",
    Flaw.RAGGED: (
        "No row may have more cells than the row with the names, which has {problem.allowed}: {places}. "
        'Put a cell that contains the separator in quotation marks, for example "Ana, Quito".'
    ),
    Flaw.NUL: "The file is damaged at {row}, or isn't a CSV file. {again}",
    Flaw.QUOTE_OPEN: (
        "A quotation mark in {row} is never closed. Close it, or write it twice inside a quoted "
        'cell, for example "the ""big"" one".'
    ),
    Flaw.QUOTE_INSIDE: (
        'There\'s a quotation mark inside a quoted cell in {row}. Write it twice there, for example "the ""big"" one".'
    ),
    Flaw.CELL_TOO_LONG: (
        "A cell in {row} is longer than {problem.allowed:,} characters. Shorten it; if it should be short, "
        'look for an open quotation mark, for example "Ana.'
    ),
    Flaw.ENCODING: (
        "Some letters{where} can't be read. Save the file as CSV (UTF-8) from the spreadsheet and upload it again."
    ),
    Flaw.OTHER_KIND: "This is {format}, not a table. {again}",
    Flaw.LOCKED: (
        "The workbook is locked with a password. Remove it (File, Info, Protect Workbook) or save the sheet as "
        "CSV (UTF-8), then upload it again."
    ),
    Flaw.DAMAGED: (
        "The workbook is damaged and can't be opened. Open it in the spreadsheet, save it as .xlsx or CSV (UTF-8), "
        "then upload it again."
    ),
    Flaw.BOMB: (
        "The workbook unpacks to more than {megabytes} MB. Copy the rows into a new workbook, or save the sheet as "
        "CSV (UTF-8), then upload it again."
    ),
    Flaw.TOO_COMPLEX: (
        "The file is too complicated to read. Copy the rows, as values only, into a new workbook, or save the sheet "
        "as CSV (UTF-8), then upload it again."
    ),
    Flaw.NO_SHEET: (
        "The workbook has no visible sheet with cells. Put the table on the first sheet and upload the file again."
    ),
    Flaw.NO_RESULT: (
        "Cell {name} has a formula without a result. Open the workbook in the spreadsheet and save it, or replace "
        "the formula with its value, for example 25.00."
    ),
    Flaw.MERGED: (
        "Cells {name} are merged, so it isn't clear which row they belong to. Unmerge them and give each row its "
        "own value, for example 25.00."
    ),
    Flaw.TWICE: (
        "{name} is in the workbook twice or out of order, so it isn't clear what counts. Open it in the "
        "spreadsheet, check the values, save it and upload it again."
    ),
    Flaw.DISGUISED_NAME: (
        "Cell {name} shows something else than it holds. Give it the number format General and upload the file again."
    ),
    Flaw.MISSING_COLUMNS: "The first row has no column {lacking}. Example: {example}",
    Flaw.AMBIGUOUS_COLUMN: ("Two columns could be {name}: {columns}. Rename one of them."),
}
