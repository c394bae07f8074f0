"""Tables that we return: a spreadsheet runs nothing in them, and reading them back gives the same cells.

A cell that a spreadsheet would take for a formula gets an apostrophe in front. So does a cell that is already such a
formula behind apostrophes, so that ``plain(neutral(cell)) == cell`` for every text.

Plain numbers stay as they are, also ``-25.00`` and ``+593991234567``: a sign before digits is no formula, and programs
that read the file find the original number.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence

_TRIGGERS = "=+\\-@\t\r\n＝＋－＠﹢﹣﹦﹫−"
"""Characters that start a formula or are skipped before one, with the wide and small forms treated alike."""

_NUMBER = re.compile(r"[+-]?[0-9]+(?:[.,][0-9]+)?%?")
_FORMULA = re.compile(rf"'*[\s\u200b\ufeff]*[{_TRIGGERS}]")
_PLAIN = re.compile(r"[\t\r\n -~]*")
_WRITTEN = re.compile(rf"'+[\s\u200b\ufeff]*[{_TRIGGERS}]")


def neutral(cell: str) -> str:
    """A cell made safe for a file that a spreadsheet opens."""
    if _FORMULA.match(cell) is None or _NUMBER.fullmatch(cell) is not None:
        return cell
    return f"'{cell}"


def plain(cell: str) -> str:
    """The inverse of ``neutral``."""
    return cell[1:] if cell.startswith("'") and _WRITTEN.match(cell) is not None else cell


def rewritten(content: bytes) -> bytes:
    """Foreign delimited text with its formulas neutralised, row by row, even where it is no valid table."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter)
    try:
        for row in csv.reader(io.StringIO(text.replace("\x00", "\ufffd"), newline=""), delimiter=delimiter):
            writer.writerow([neutral(cell) for cell in row])
    except csv.Error:  # a cell exceeds the limit: lines are treated as cells
        return "\r\n".join(neutral(line) for line in text.splitlines()).encode(_encoding(text), "replace")
    written = out.getvalue()
    return written.encode(_encoding(written), "replace")


def write_csv(header: Sequence[str], rows: Iterable[Sequence[str]], *, for_people: bool = True) -> bytes:
    """A CSV file: UTF-8, commas, CRLF.

    Args:
        header: the names of the columns.
        rows: the cells of each row, as many as the header has names.
        for_people: with formulas neutralised. Unless it is plain ASCII, also with the byte order mark by which a
            spreadsheet recognises UTF-8. Services get every cell unchanged, and no mark.
    """
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    if for_people:
        writer.writerow([neutral(name) for name in header])
        writer.writerows([neutral(cell) for cell in row] for row in rows)
    else:
        writer.writerow(header)
        writer.writerows(rows)
    written = text.getvalue()
    return written.encode(_encoding(written) if for_people else "utf-8", "replace")


def _encoding(text: str) -> str:
    """With a mark only where a spreadsheet would misread the text without one: other programs stumble over it."""
    return "utf-8" if _PLAIN.fullmatch(text) is not None else "utf-8-sig"
