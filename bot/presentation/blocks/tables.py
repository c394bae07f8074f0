"""Tables. Cells are raw text: nothing in them is formatted, linked or called, and nothing is escaped."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from bot.domain.content import Block, Content
from bot.domain.visible import clean
from bot.presentation.blocks.text import mrkdwn, paragraphs, section, shorten, spoken

NOTHING = "–"
"""Text of an empty cell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column: its title and how long a cell of it may get. Slack takes 10,000 characters a table.

    ``wraps``: a cell may take several lines; where all do, a narrow screen breaks amounts and dates.
    """

    title: str
    most: int
    align: Literal["left", "right"] = "left"
    wraps: bool = False


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> Block:
    """A table with its head; at most 99 rows and 20 columns. One a message."""
    return {
        "type": "table",
        "rows": [
            [_cell(column.title, column.most) for column in columns],
            *([_cell(text, column.most) for text, column in zip(row, columns, strict=True)] for row in rows),
        ],
        "column_settings": [{"align": column.align, "is_wrapped": column.wraps} for column in columns],
    }


def listing(lead: str, drawn: Block, lines: Sequence[str], *after: Block, notes: Sequence[str] = ()) -> Content:
    """A table under its headline, with the same as lines of mrkdwn where tables are refused or read aloud.

    Args:
        lead: the headline, in mrkdwn.
        drawn: the table.
        lines: its rows.
        after: what stands below.
        notes: what is read aloud of that.
    """
    head = section(mrkdwn(lead))
    return Content(
        text=spoken([lead, *lines, *notes]), blocks=[head, drawn, *after], plainer=[head, *paragraphs(lines), *after]
    )


def _cell(text: str, most: int) -> Block:
    return {"type": "raw_text", "text": shorten(clean(text), most) or NOTHING}
