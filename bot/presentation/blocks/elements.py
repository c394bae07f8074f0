"""Blocks with a purpose: buttons, facts, QR codes, tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from typing import Literal

import segno

from bot.domain.content import Block, Content
from bot.domain.text import clean
from bot.presentation.blocks import text as md

_SPOKEN_LIMIT = 75  # characters of a button's label for screen readers (Slack's limit)
Fact = tuple[str, str | datetime | None]  # label, and a foreign text or an instant; left out if empty
_VALUE_LIMIT = 250
_TITLE_LIMIT = 300
_ABOUT_LIMIT = 600
LONGEST = 2_000  # characters that fit in a QR code with its error correction
_PIXELS = 8
_QUIET_ZONE = 4  # white modules around it, which cameras need to find it (ISO/IEC 18004)
_TABLE_LIMIT = 9_500  # characters of all cells (Slack's limit: 10,000)
NOTHING = "–"  # text of an empty cell


def button(
    label: str,
    action_id: str,
    value: str = "",
    *,
    url: str = "",
    style: str = "",
    spoken: str = "",
    confirm: Block | None = None,
) -> Block:
    """Build a button in ``style`` "", primary or danger, with a label for screen readers and a confirmation dialog."""
    given = {
        "value": value,
        "url": url,
        "style": style,
        "accessibility_label": spoken[:_SPOKEN_LIMIT],
        "confirm": confirm,
    }
    given = {name: found for name, found in given.items() if found}
    return {"type": "button", "text": md.plain(label), "action_id": action_id, **given}


def menu(action_id: str, options: Sequence[tuple[str, str]]) -> Block:
    """Build the ``…`` menu of a message from at most five options, each a label and the value it sends."""
    offered = [{"text": md.plain(label), "value": value} for label, value in options]
    return {"type": "overflow", "action_id": action_id, "options": offered}


def question(title: str, text: str, *, yes: str, no: str) -> Block:
    """Build Slack's confirmation dialog; ``text`` is plain."""
    return {"title": md.plain(title), "text": md.plain(text), "confirm": md.plain(yes), "deny": md.plain(no)}


def actions(elements: list[Block], block_id: str = "") -> list[Block]:
    row: Block = {"type": "actions", "elements": elements}
    return [{**row, "block_id": block_id} if block_id else row] if elements else []


def turns(what: str, page: int, pages: int, *more: Block, back: str, on: str) -> list[Block]:
    """Build *Previous* and *Next* for a page, with the list and page in their values, and ``more`` buttons.

    ``back`` and ``on`` are the ids of these two.
    """
    before = min(page - 1, pages)
    found = [button("Previous", back, f"{what}:{before}")] if before >= 1 else []
    return actions([*found, *([button("Next", on, f"{what}:{page + 1}")] if page < pages else []), *more])


def facts(title: str, found: Sequence[Fact], *, about: str = "", notes: Sequence[str] = ()) -> Content:
    """Show a headline, a longer plain text ``about`` it, facts in two columns, and ``notes`` in our own mrkdwn."""
    said = ((label, _said(value)) for label, value in found)
    told = [(md.escape(label), value) for label, value in said if value]
    blocks: list[Block] = [md.header(clean(title))]
    if about:
        blocks.append(md.section(md.plain(md.shorten(clean(about), _ABOUT_LIMIT))))
    blocks += md.fields(*told)
    blocks += [md.context(note) for note in notes]
    lines = [f"*{md.quote(title, _TITLE_LIMIT)}*", *([md.quote(about, _ABOUT_LIMIT)] if about else [])]
    lines += [f"{label}: {value}" for label, value in told]
    return Content(text=md.fallback_text([*lines, *notes]), blocks=blocks)


def _said(value: str | datetime | None) -> str:
    return md.moment(value) if isinstance(value, datetime) else md.quote(value or "", _VALUE_LIMIT)


def lines_under(lead: str, lines: Sequence[str], *, notes: Sequence[str] = (), after: Sequence[Block] = ()) -> Content:
    """Show lines of mrkdwn under an optional headline, with small print (``notes``, our own) below."""
    head = [md.paragraph(lead)] if lead else []
    blocks = [*head, *md.paragraphs(lines), *map(md.context, notes), *after]
    return Content(text=md.fallback_text([*([lead] if lead else []), *lines, *notes]), blocks=blocks)


def png(link: str) -> bytes:
    """Return a QR code as PNG, in a few milliseconds. Raises ValueError if the link is too long for one."""
    picture = BytesIO()
    segno.make(link, error="m", micro=False).save(picture, kind="png", scale=_PIXELS, border=_QUIET_ZONE)
    return picture.getvalue()


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column with its title and the maximum length of a cell. Slack allows 10,000 characters per table.

    Cells that ``wraps`` may take several lines; if all columns wrap, a narrow screen breaks amounts and dates.
    """

    title: str
    most: int
    align: Literal["left", "right"] = "left"
    wraps: bool = False


Cell = str | datetime | None
"""A text, or an instant, which is shown in the reader's time zone."""


def table(columns: Sequence[Column], rows: Sequence[Sequence[Cell]]) -> Block:
    """Build a table with header from at most 99 rows and 20 columns. A message can have one."""
    cells = [
        [_cell(value, column.most) for value, column in zip(row, columns, strict=True)]
        for row in [[column.title for column in columns], *rows]
    ]
    return {
        "type": "table",
        "rows": cells,
        "column_settings": [{"align": column.align, "is_wrapped": column.wraps} for column in columns],
    }


def _cell(value: Cell, most: int) -> Block:
    if not isinstance(value, datetime):
        return {"type": "raw_text", "text": md.shorten(clean(value or ""), most) or NOTHING}
    instant = {"type": "date", "timestamp": int(value.timestamp()), "format": md.INSTANT, "fallback": md.in_utc(value)}
    return {"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [instant]}]}


def listing(lead: str, drawn: Block, lines: Sequence[str], *after: Block, notes: Sequence[str] = ()) -> Content:
    """Show a table under its headline, or as lines if tables are refused or read aloud, when ``notes`` are read too.

    A table with more characters than Slack allows is only shown as lines.
    """
    head = md.paragraph(lead)
    plainer = [head, *md.paragraphs(lines), *after]
    fits = sum(len(cell.get("text", "")) for row in drawn["rows"] for cell in row) <= _TABLE_LIMIT
    return Content(
        text=md.fallback_text([lead, *lines, *notes]),
        blocks=[head, drawn, *after] if fits else plainer,
        plainer=plainer,
    )
