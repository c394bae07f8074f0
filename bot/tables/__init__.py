"""Tables in dropped files, and tables that we return: CSV and XLSX, read as a whole before they are used."""

from bot.tables.delimited import neutral, plain, rewritten, write_csv
from bot.tables.reading import clear_columns, find_columns, read_table, same_names

__all__ = ["clear_columns", "find_columns", "neutral", "plain", "read_table", "rewritten", "same_names", "write_csv"]
