"""People see how their file was understood."""

from io import BytesIO

from bot.domain.files.tables import MEBIBYTE, Limits, Table
from bot.presentation.files.columns import columns_read, read_as
from bot.tables import read_table

LIMITS = Limits(size=MEBIBYTE, rows=100, columns=10, unpacked=MEBIBYTE)


def table(text: str) -> Table:
    return read_table(BytesIO(text.encode()), name="march.csv", limits=LIMITS)


def test_columns_that_are_not_used_are_named() -> None:
    read = table("E-Mail;Betrag;Kostenstelle\nana@example.com;25.00;7\n")
    said = columns_read(read, {"email": 0, "amount": 1})
    assert said == "UTF-8; email from “E-Mail”, amount from “Betrag”; not used: “Kostenstelle”"
    assert read_as(read) == "UTF-8 with semicolons"


def test_one_column_has_nothing_between() -> None:
    assert read_as(table("mail\nana@example.com\n")) == "UTF-8"
