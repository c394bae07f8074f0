"""Whole lists as CSV files: the button below the first page, and the message about the file."""

from bot.domain.content import Block, Content
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button

CSV = "csv"
"""Prefix of the button's id, followed by the name of the list: ``csv.operations``."""
PREPARING = md.message(":hourglass_flowing_sand: Writing the list to a file…")


def csv_button(name: str, value: str = "all") -> Block:
    """Build the button for a list; ``value`` is the part to send, as expected by its reader."""
    return button("Send as CSV", f"{CSV}.{name}", value, spoken="Send as CSV: the whole list, to you alone")


def sent(title: str, rows: int) -> Content:
    """Confirm that the file was sent to the requester. ``title`` is foreign text."""
    return md.message(f":page_facing_up: {md.quote(title, 120)}: {md.counted(rows, 'row')}, in your direct messages.")
