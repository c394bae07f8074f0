"""Choosing the columns of a table in a form: each with its name and the first cells in it."""

from collections.abc import Sequence
from typing import Final

from bot.domain.content import Block
from bot.domain.emails.lists import ColumnLook
from bot.presentation.blocks.text import clean, plain, shorten
from bot.presentation.views import field

MOST: Final = 100
"""Options that one list may have (Slack)."""

_OPTION_LIMIT: Final = 75
_NAME_LIMIT: Final = 40
_SAMPLE_LIMIT: Final = 24


def column_name(at: int, look: ColumnLook) -> str:
    """What the column is called, or which one it is where it has no name."""
    return shorten(clean(look.name), _NAME_LIMIT) or f"column {at + 1}"


def column_option(at: int, look: ColumnLook, *, value: str, note: str = "") -> Block:
    """One column. ``note``: what is known of it, behind its name."""
    samples = ", ".join(shorten(clean(sample), _SAMPLE_LIMIT) for sample in look.samples) or "empty"
    return option(value, f"{column_name(at, look)}{note}", samples)


def option(value: str, text: str, description: str) -> Block:
    """One choice and a line about it."""
    return {
        "value": value,
        "text": plain(shorten(text, _OPTION_LIMIT)),
        "description": plain(shorten(description, _OPTION_LIMIT)),
    }


def select(block_id: str, label: str, options: Sequence[Block], *, initial: int | None, of: str = "") -> Block:
    """A list of which one is chosen.

    Args:
        block_id: its id in the form.
        label: what is chosen.
        options: from what.
        initial: the place of the one that is chosen already.
        of: what the options belong to. Slack keeps what was chosen when a form turns into another one with the same
            element; options of something else are another element.
    """
    element: Block = {"type": "static_select", "action_id": f"{block_id}{of}", "options": list(options)}
    if initial is not None:
        element["initial_option"] = options[initial]
    return field(block_id, label, element)
