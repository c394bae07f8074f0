"""Where on the screen the buttons of an App Home are: a finger comes down on a place, not on a button."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from bot.playground.workspace import View
from bot.playground.workspace.model import Button, Json, elements_of, texts_of

_LINE = 22.0
_HEIGHTS = {"header": 44.0, "divider": 17.0, "actions": 48.0}
_CHARACTERS = {True: 38, False: 90}
"""Of a line, on a phone and on a wide screen."""
_ACCESSORY = -1


@dataclass(frozen=True, slots=True)
class Spot:
    """A button's place: from ``top`` to ``bottom`` in points, and which of its row; what is shown there."""

    top: float
    bottom: float
    slot: int
    button: Button
    references: frozenset[str]
    text: str


def spots(view: View, references: Callable[[str], frozenset[str]], *, phone: bool) -> list[Spot]:
    return list(_spots(view, references, phone=phone))


def landing(drawn: list[Spot], aimed: Spot) -> Spot | None:
    """What is drawn now at the middle of the place that was aimed at."""
    middle = (aimed.top + aimed.bottom) / 2
    return next((one for one in drawn if one.top <= middle < one.bottom and one.slot == aimed.slot), None)


def _spots(view: View, references: Callable[[str], frozenset[str]], *, phone: bool) -> Iterator[Spot]:
    top, above = 0.0, ""
    for block in view.blocks:
        bottom = top + _height(block, phone=phone)
        above = "" if block["type"] in ("divider", "header") else f"{above}\n{_text(block)}"
        pressed = [one for _, one in elements_of([block]) if one["type"] == "button"]
        for slot, one in enumerate(pressed):
            text = _text(block) if "accessory" in block else above
            button = Button(
                action_id=one["action_id"],
                text=one["text"]["text"],
                value=one.get("value", ""),
                block_id=block.get("block_id", ""),
            )
            yield Spot(top, bottom, _ACCESSORY if "accessory" in block else slot, button, references(text), text)
        top = bottom


def _height(block: Json, *, phone: bool) -> float:
    if block["type"] in _HEIGHTS:
        return _HEIGHTS[block["type"]]
    wide = _CHARACTERS[phone]
    lines = [line for text in texts_of([{**block, "accessory": {}}]) for line in text.splitlines()]
    return sum(max(1, math.ceil(len(line) / wide)) for line in lines) * _LINE + 8.0


def _text(block: Json) -> str:
    """Its texts, and where its buttons lead to."""
    links = (str(one.get("url", "")) for _, one in elements_of([block]))
    return "\n".join([*texts_of([{**block, "accessory": {}}]), *links])
