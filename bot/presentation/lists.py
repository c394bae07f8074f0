"""A whole list as a CSV file: the button below its first page, and what is said of the file."""

from bot.domain.content import Block, Content
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button

CSV = "csv"
"""The button's id begins with it, the name of the list follows: ``csv.operations``."""
PREPARING = md.message(":hourglass_flowing_sand: Writing the list to a file…")


def csv_button(name: str, value: str = "all") -> Block:
    """The button for one list; ``value``: which part of it, as its reader takes it."""
    return button("Send as CSV", f"{CSV}.{name}", value, spoken="Send as CSV: the whole list, to you alone")


def sent(title: str, rows: int) -> Content:
    """The file was sent to the person who asked. ``title``: foreign."""
    return md.message(f":page_facing_up: {md.quote(title, 120)}: {md.counted(rows, 'row')}, in your direct messages.")
