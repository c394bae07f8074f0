"""Blocks with their limits, and limits for all blocks of a message or view together."""

import copy
import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from bot.playground.workspace.ids import new_block_id
from bot.playground.workspace.limits.objects import ACCESSORY, ACTION, BUTTON, CONTEXT, ID, INPUT, plain, text
from bot.playground.workspace.limits.schema import (
    Check,
    Report,
    anything,
    choice,
    flag,
    listing,
    number,
    record,
    string,
    variant,
)

Surface = Literal["message", "modal", "home"]

MOST_BLOCKS = {"message": 50, "modal": 100, "home": 100}
MARKDOWN_CHARACTERS = 12_000
TABLE_CHARACTERS = 10_000

_ANY: dict[str, Check] = {"type": anything, "block_id": string(255)}
_CELL = variant(
    {
        "raw_text": record({"type": anything, "text": string(10_000)}, required=("text",)),
        "rich_text": record({"type": anything, "elements": anything, "block_id": anything}, required=("elements",)),
    }
)
_CARD: dict[str, Check] = {
    **_ANY,
    "title": text(150),
    "subtitle": text(150),
    "body": text(200),
    "subtext": text(200),
    "hero_image": anything,
    "icon": anything,
    "slack_icon": anything,
    "actions": listing(BUTTON, most=3),
}
_card = record(_CARD, one_of=("hero_image", "title", "actions", "body"))

BLOCKS: dict[str, Check] = {
    "section": record(
        {
            **_ANY,
            "text": text(3000),
            "fields": listing(text(2000), most=10),
            "accessory": ACCESSORY,
            "expand": flag,
        },
        one_of=("text", "fields"),
    ),
    "header": record({**_ANY, "text": plain(150), "level": number}, required=("text",)),
    "divider": record(_ANY),
    "context": record({**_ANY, "elements": listing(CONTEXT, most=10)}, required=("elements",)),
    "actions": record({**_ANY, "elements": listing(ACTION, most=25)}, required=("elements",)),
    "input": record(
        {
            **_ANY,
            "label": plain(2000),
            "hint": plain(2000),
            "optional": flag,
            "dispatch_action": flag,
            "element": INPUT,
        },
        required=("label", "element"),
    ),
    "image": record(
        {
            **_ANY,
            "image_url": string(3000),
            "slack_file": anything,
            "alt_text": string(2000, least=1),
            "title": plain(2000),
        },
        required=("alt_text",),
        one_of=("image_url", "slack_file"),
    ),
    "rich_text": record({**_ANY, "elements": listing(anything, most=1000)}, required=("elements",)),
    "markdown": record({**_ANY, "text": string(12_000, least=1)}, required=("text",)),
    "table": record(
        {
            **_ANY,
            "rows": listing(listing(_CELL, most=20), most=100),
            "column_settings": listing(anything, most=20, least=0),
        },
        required=("rows",),
    ),
    "data_table": record(
        {
            **_ANY,
            "caption": string(2000, least=1),
            "rows": listing(listing(anything, most=20), most=201, least=2),
            "page_size": number,
            "column_settings": anything,
        },
        required=("caption", "rows"),
    ),
    "data_visualization": record({**_ANY, "title": string(50), "chart": anything}, required=("chart",)),
    "video": record(
        {
            **_ANY,
            "alt_text": string(2000),
            "title": plain(200),
            "thumbnail_url": string(3000),
            "video_url": string(3000),
            "author_name": string(50),
            "description": plain(200),
            "title_url": string(3000),
            "provider_name": string(255),
            "provider_icon_url": string(3000),
        },
        required=("alt_text", "title", "thumbnail_url", "video_url"),
    ),
    "card": _card,
    "carousel": record({**_ANY, "elements": listing(_card, most=10)}, required=("elements",)),
    "alert": record(
        {**_ANY, "text": text(200), "level": choice("default", "info", "warning", "error", "success")},
        required=("text",),
    ),
    "context_actions": record({**_ANY, "elements": listing(anything, most=5)}, required=("elements",)),
    "file": record({**_ANY, "external_id": ID, "source": choice("remote")}, required=("external_id", "source")),
}
"""Newest block types are checked only as far as their limits are published."""

_EXCEPT: dict[str, frozenset[str]] = {
    "message": frozenset({"alert"}),
    "modal": frozenset(
        {"markdown", "table", "data_table", "data_visualization", "carousel", "context_actions", "file"}
    ),
    "home": frozenset({"markdown", "data_visualization", "alert", "context_actions", "file"}),
}
_CHECKS: dict[str, Check] = {
    surface: variant({kind: check for kind, check in BLOCKS.items() if kind not in excluded})
    for surface, excluded in _EXCEPT.items()
}


def check_blocks(blocks: Any, surface: Surface, *, at: str = "/blocks") -> list[str]:
    """Slack's errors, in order; empty when valid."""
    report = Report()
    listing(_CHECKS[surface], most=MOST_BLOCKS[surface], least=0)(report, blocks, at)
    if not report.messages:
        _check_unique(report, blocks, at)
        _check_file_inputs(report, blocks, surface, at)
    return report.messages


def sum_of_texts(blocks: list[dict[str, Any]], kind: str) -> int:
    """Characters of all markdown blocks, or of all cells of all tables."""
    if kind == "markdown":
        return sum(len(block["text"]) for block in blocks if block["type"] == "markdown")
    return sum(len(cell.get("text", "")) for block in blocks if block["type"] == "table" for cell in _cells(block))


def with_ids(blocks: list[dict[str, Any]], before: Sequence[dict[str, Any]] = ()) -> list[dict[str, Any]]:
    """Return a copy in which every block has a block id and every element an action id, as Slack stores them.

    ``before`` are the blocks that they replace. An unchanged block keeps its id, so that a press on it isn't lost.
    """
    stored, ids = copy.deepcopy(blocks), defaultdict[str, list[str]](list)
    for block in before:
        ids[_content(block)].append(block["block_id"])
    for block in stored:
        known = ids[_content(block)]
        block["block_id"] = block.get("block_id") or (known.pop(0) if known else new_block_id())
        for element in _elements(block):
            element["action_id"] = element.get("action_id") or new_block_id()
    return stored


def _content(block: dict[str, Any]) -> str:
    return json.dumps({key: value for key, value in block.items() if key != "block_id"}, sort_keys=True)


def _cells(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for row in block["rows"]:
        yield from row


def _elements(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if block["type"] == "actions":
        yield from block["elements"]
    for key in ("accessory", "element"):
        if key in block and block[key] and block[key].get("type") != "image":
            yield block[key]


def _check_unique(report: Report, blocks: list[dict[str, Any]], at: str) -> None:
    """Block ids once in a message or view, action ids once in a block."""
    seen = Counter(block["block_id"] for block in blocks if block.get("block_id"))
    for index, block in enumerate(blocks):
        block_id = block.get("block_id", "")
        if block_id and seen[block_id] > 1:
            report.add(f"{at}/{index}/block_id", f"`block_id` already exists: {block_id}")
            seen[block_id] = 0
        actions = Counter(e["action_id"] for e in _elements(block) if e.get("action_id"))
        for action_id, times in actions.items():
            if times > 1:
                report.add(
                    f"{at}/{index}/elements", f'`action_id` "{action_id}" already exists for `block_id` "{block_id}"'
                )


def _check_file_inputs(report: Report, blocks: list[dict[str, Any]], surface: Surface, at: str) -> None:
    """Files are chosen in modals only."""
    for index, block in enumerate(blocks):
        if surface != "modal" and block["type"] == "input" and block["element"]["type"] == "file_input":
            report.add(f"{at}/{index}/element/type", "unsupported type: file_input")
