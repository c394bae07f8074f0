"""Blocks and views of Slack, and some that just fit into what it takes."""

from typing import Any

Json = dict[str, Any]


def plain(text: str) -> Json:
    return {"type": "plain_text", "text": text}


def option(text: str, value: str) -> Json:
    return {"text": plain(text), "value": value}


def select(count: int, **fields: Any) -> Json:
    options = [option(str(number), str(number)) for number in range(count)]
    return {"type": "static_select", "action_id": "menu", "options": options, **fields}


def section(text: str) -> Json:
    return {"type": "section", "text": {"type": "mrkdwn", "text": text}}


def button(action_id: str, value: str = "1", text: str = "Go", **more: Any) -> Json:
    return {"type": "button", "action_id": action_id, "value": value, "text": plain(text), **more}


def actions(*elements: Json, block_id: str = "choices") -> Json:
    return {"type": "actions", "block_id": block_id, "elements": list(elements)}


def entry(block_id: str, element: Json, *, label: str = "", optional: bool = False, **more: Any) -> Json:
    """An input block. Its label is its id where none is given."""
    said = {"type": "input", "block_id": block_id, "optional": optional, "label": plain(label or block_id), **more}
    return {**said, "element": {"action_id": "entry", **element}}


def text_input(block_id: str, *, optional: bool = False, **element: Any) -> Json:
    return entry(block_id, {"type": "plain_text_input", **element}, optional=optional)


def modal(*blocks: Json, **fields: Any) -> Json:
    named = {"type": "modal", "callback_id": "form", "title": plain("Form"), "submit": plain("Send")}
    return {**named, "blocks": list(blocks), **fields}


CONFIRM = {"title": plain("x" * 100), "text": plain("x" * 300), "confirm": plain("x" * 30), "deny": plain("x" * 30)}
FITTING: list[list[Json]] = [
    [section("x" * 3000)] * 50,
    [{"type": "header", "text": plain("x" * 150)}],
    [{"type": "section", "fields": [plain("x" * 2000)] * 10}],
    [{"type": "context", "elements": [plain("x")] * 10}],
    [actions(*(button(f"b{i}", "v" * 2000, "x" * 75) for i in range(25)))],
    [actions(select(100))],
    [{"type": "divider"}, {"type": "image", "image_url": "https://x.y/z.png", "alt_text": "a"}],
    [{"type": "markdown", "text": "x" * 12_000}],
    [{"type": "table", "rows": [[{"type": "raw_text", "text": "x"}] * 20] * 100}],
    [{**section("x"), "accessory": button("b", confirm=CONFIRM)}],
    [{"type": "rich_text", "elements": [{"type": "rich_text_section", "elements": [{"type": "text", "text": "x"}]}]}],
    [text_input("a")],
    [{"type": "card", "title": plain("x"), "actions": [button("a")]}],
    [{"type": "carousel", "elements": [{"type": "card", "title": plain("x"), "actions": [button("a")]}]}],
    [{"type": "context_actions", "elements": [{"type": "icon_button", "action_id": "a", "icon": "trash"}]}],
    [{"type": "data_table", "caption": "c", "rows": [[{"type": "raw_text", "text": "x"}]] * 2}],
    [{"type": "input", "label": plain("l"), "element": {"type": "checkboxes", "options": select(2)["options"]}}],
]
