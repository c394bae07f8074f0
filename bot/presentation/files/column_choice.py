"""Choosing the columns of a table in a form: each with its name and the first cells in it."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

from bot.domain.content import Block
from bot.domain.emails.lists import ColumnLook
from bot.domain.visible import clean
from bot.presentation.blocks.text import plain, shorten
from bot.presentation.views import field

MOST: Final = 100
"""Options that one list may have (Slack)."""

_OPTION_LIMIT: Final = 75
_NAME_LIMIT: Final = 40
_SAMPLE_LIMIT: Final = 24


def column_names(looks: Sequence[ColumnLook]) -> list[str]:
    """What each column is called, or which one it is where it has no name; both where another is called the same."""
    names = [shorten(clean(look.name), _NAME_LIMIT) for look in looks]
    often = Counter(name.casefold() for name in names)
    return [
        f"{name} (column {at})" if name and often[name.casefold()] > 1 else name or f"column {at}"
        for at, name in enumerate(names, 1)
    ]


def column_option(name: str, look: ColumnLook, *, value: str, note: str = "") -> Block:
    """One column, by its name in the list. ``note``: what is known of it, behind its name."""
    samples = ", ".join(shorten(clean(sample), _SAMPLE_LIMIT) for sample in look.samples) or "empty"
    return option(value, f"{name}{note}", samples)


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
