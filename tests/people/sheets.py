"""Files that people pay from: their rows, which of them say that they are done, and the same rows mended."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace

OWN_DONE = frozenset({"paid", "waiting for sign-up", "canceled"})
"""Words of our own list for rows that nobody should pay once more."""
DONE_COLUMNS: Sequence[tuple[str, str]] = (
    ("status", "paid"),
    ("Status", "bezahlt"),
    ("estado", "pagado"),
    ("situação", "pago"),
    ("Payment status", "Completed"),
    ("status", "cancelled"),
)
"""Names of columns and words for what is done, in the four languages."""


@dataclass(frozen=True, slots=True)
class Row:
    email: str
    amount: str
    note: str = ""
    status: str = ""


@dataclass(frozen=True, slots=True)
class Sheet:
    """``column``: name of the column of statuses, where it has one; ``done``: words of it that mean done."""

    name: str
    rows: tuple[Row, ...]
    column: str = ""
    done: frozenset[str] = frozenset()
    raw: bytes = b""
    """Its bytes, where it was not made from the rows."""

    @property
    def content(self) -> bytes:
        if self.raw:
            return self.raw
        out = io.StringIO()
        write = csv.writer(out).writerow
        write(["email", "amount", "note", *([self.column] if self.column else [])])
        for row in self.rows:
            write([row.email, row.amount, row.note, *([row.status] if self.column else [])])
        return out.getvalue().encode()

    @property
    def is_good(self) -> bool:
        return all(not row.amount.startswith("-") for row in self.rows)

    def says_done(self, number: int) -> bool:
        """Whether the row with this number, counted as a spreadsheet does, says that it is done."""
        place = number - 2
        return 0 <= place < len(self.rows) and self.rows[place].status in self.done

    def mended(self) -> "Sheet":
        rows = tuple(replace(row, amount=row.amount.removeprefix("-")) for row in self.rows)
        return replace(self, name=f"mended-{self.name}", rows=rows)

    def __str__(self) -> str:
        rows = (" ".join(filter(None, [row.email, row.amount, row.status])) for row in self.rows)
        return f"{self.name} ({'; '.join(rows)})"


def exported(name: str, content: bytes) -> Sheet:
    """The file of our own list of a bulk payment."""
    rows = csv.DictReader(io.StringIO(content.decode("utf-8-sig")))
    read = tuple(Row(row["email"], row["amount"], row["note"], row["status"]) for row in rows)
    return Sheet(name, read, column="status", done=OWN_DONE, raw=content)
