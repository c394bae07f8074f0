"""Buttons below a message, and the question before one that cannot be undone."""

from bot.domain.content import Block
from bot.presentation.blocks.text import plain

_SPOKEN_LIMIT = 75
"""Characters of what a screen reader says for a button (Slack)."""


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
    """A button.

    Args:
        label: the text on it.
        action_id: what a click is called.
        value: what a click carries.
        url: the address that a click opens.
        style: empty, primary or danger.
        spoken: what a screen reader says for it, where the label is not enough.
        confirm: the question before the click is sent on.
    """
    given = {
        "value": value,
        "url": url,
        "style": style,
        "accessibility_label": spoken[:_SPOKEN_LIMIT],
        "confirm": confirm,
    }
    given = {name: found for name, found in given.items() if found}
    return {"type": "button", "text": plain(label), "action_id": action_id, **given}


def question(title: str, text: str, *, yes: str, no: str) -> Block:
    """What Slack asks before it sends the click on; ``text`` is plain."""
    return {"title": plain(title), "text": plain(text), "confirm": plain(yes), "deny": plain(no)}


def actions(elements: list[Block], block_id: str = "") -> list[Block]:
    """A row of buttons or menus; no block where there is none."""
    row: Block = {"type": "actions", "elements": elements}
    return [{**row, "block_id": block_id} if block_id else row] if elements else []


def turns(what: str, page: int, pages: int, *, back: str, on: str) -> list[Block]:
    """*Previous* and *Next* below a page, each with the list and the page in its value.

    Args:
        what: which list.
        page: the one that is shown; a page after the last one leads back to the last one.
        pages: how many there are.
        back: action id of *Previous*.
        on: action id of *Next*.
    """
    before = min(page - 1, pages)
    found = [button("Previous", back, f"{what}:{before}")] if before >= 1 else []
    return actions([*found, *([button("Next", on, f"{what}:{page + 1}")] if page < pages else [])])
