"""Tables in dropped files, and tables that we return: CSV and XLSX, read as a whole before they are used."""

from bot.domain.files.tables import Flaw, Limits, Row, Table, TableProblem
from bot.tables.columns import clear_columns, find_columns, same_names
from bot.tables.reading import read_table
from bot.tables.writing import neutral, plain, rewritten, write_csv

__all__ = [
    "Flaw",
    "Limits",
    "Row",
    "Table",
    "TableProblem",
    "clear_columns",
    "find_columns",
    "neutral",
    "plain",
    "read_table",
    "rewritten",
    "same_names",
    "write_csv",
]
