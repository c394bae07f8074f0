"""What must hold for everything that is shown: Slack's limits, complete texts, and no call of somebody else's."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from slack_sdk.models.blocks import Block as SdkBlock

from bot.domain.content import Content
from bot.playground.workspace.limits.blocks import check_blocks
from bot.playground.workspace.limits.surfaces import UPDATE_CHARACTERS, checked_view

_ACTIVE = re.compile(r"<([^>]*)>?")


def check_message(content: Content, *, longest: int = UPDATE_CHARACTERS) -> None:
    """A message that Slack takes, new or as an edit."""
    assert content.text.strip()
    assert len(content.text) <= longest
    assert check_blocks(list(content.blocks), "message") == []
    check_with_sdk(content.blocks)
    check_markup(content.blocks)
    check_labels(content.blocks)


def check_labels(blocks: Sequence[dict[str, Any]]) -> None:
    """The label of each fact is bold as it is sent: Slack makes no first line bold by itself."""
    for block in blocks:
        for field in block.get("fields", []):
            assert re.match(r"\*[^*\n]+\*\n", field["text"]), field["text"]


def check_view(view: dict[str, Any]) -> None:
    """A modal that Slack opens."""
    checked_view(view, "modal")
    check_with_sdk(view["blocks"])
    check_markup(view["blocks"])


def check_with_sdk(blocks: Sequence[dict[str, Any]]) -> None:
    """The library's own models know every part of it and find nothing wrong."""
    for block in blocks:
        parsed = SdkBlock.parse(block)
        assert parsed is not None
        parsed.validate_json()
        assert parsed.to_dict() == block


def check_markup(blocks: Sequence[dict[str, Any]]) -> None:
    """Text objects that format are verbatim, so that nothing in them is linked or called by itself."""
    for text in text_objects(list(blocks)):
        if text["type"] == "mrkdwn":
            assert text.get("verbatim") is True
        else:
            assert text.get("emoji") is False


def text_objects(node: object) -> Iterator[dict[str, Any]]:
    """Every text object below."""
    if isinstance(node, list):
        for item in node:
            yield from text_objects(item)
    elif isinstance(node, dict):
        if node.get("type") in ("mrkdwn", "plain_text"):
            yield node
        for value in node.values():
            yield from text_objects(value)


def calls_in(content: Content) -> set[str]:
    """Every control sequence that Slack would act on: mentions, channels, links, dates."""
    texts = [content.text, *(text["text"] for text in text_objects(list(content.blocks)) if text["type"] == "mrkdwn")]
    return {found for text in texts for found in _ACTIVE.findall(text)}


def readable(content: Content) -> str:
    """Every word in the blocks, as a person reads them."""
    return "\n".join(text["text"] for text in text_objects(list(content.blocks)))


_LABEL = re.compile(r"^(\*[^*\n]+\*)\n")
_INSTANT = re.compile(r"<!date\^[^|>]*\|([^>]*)>")


def seen(content: Content) -> str:
    """What a person sees, one block a line: facts and cells between bars, buttons in brackets, instants in UTC."""
    return _INSTANT.sub(r"\1", "\n".join(_line(block) for block in content.blocks))


def _line(block: dict[str, Any]) -> str:
    match block["type"]:
        case "actions":
            return " ".join(map(_pressed, block["elements"]))
        case "table":
            return "\n".join(" | ".join(cell_text(cell) for cell in row) for row in block["rows"])
        case "data_visualization":
            pieces = [f"{one['label']} {one['value']}" for one in block["chart"]["segments"]]
            return f"({block['title']}: {', '.join(pieces)})"
        case _:
            beside = f" {_pressed(block['accessory'])}" if "accessory" in block else ""
            shown = {name: part for name, part in block.items() if name != "accessory"}
            return " | ".join(_LABEL.sub(r"\1: ", text["text"]) for text in text_objects(shown)) + beside


def _pressed(element: dict[str, Any]) -> str:
    """A button, or the choices of a menu."""
    if element["type"] == "overflow":
        return f"[… {', '.join(option['text']['text'] for option in element['options'])}]"
    return f"[{element['text']['text']}]"


def cell_text(cell: dict[str, Any]) -> str:
    """What stands in a cell of a table; of an instant what a client shows that knows none."""
    return str(cell["text"] if "text" in cell else cell["elements"][0]["elements"][0]["fallback"])


def lines_of(found: Mapping[Any, str] | Sequence[str]) -> str:
    """Texts of a table, one a line and behind its name where it has one; ⏎ stands for the end of a line of one."""
    lines = [f"{name}: {text}" for name, text in found.items()] if isinstance(found, Mapping) else found
    return "\n".join(line.replace("\n", " ⏎ ") for line in lines)


def alike(said: Mapping[str, str]) -> dict[str, str]:
    """What the same is said of -> the sentence."""
    found: dict[str, list[str]] = {}
    for name, text in said.items():
        found.setdefault(text, []).append(name)
    return {", ".join(names): text for text, names in found.items()}


def form_of(view: dict[str, Any]) -> str:
    """A form that Slack opens: title, button, its texts, and each field with its limit, choices and initial value."""
    check_view(view)
    submit = f" [{view['submit']['text']}]" if "submit" in view else ""
    return "\n".join([f"{view['title']['text']}{submit}", *map(_field, view["blocks"])])


def _field(block: dict[str, Any]) -> str:
    if block["type"] != "input":
        return _line(block)
    element = block["element"]
    choices = [
        *element.get("options", []),
        *(one for group in element.get("option_groups", []) for one in group["options"]),
    ]
    initial = element.get("initial_value") or element.get("initial_option", {}).get("text", {}).get("text", "")
    facts = [f"up to {element['max_length']}"] if "max_length" in element else element.get("filetypes", [])[:]
    facts += [f"{len(choices)} choices"] if len(choices) > 3 else [" / ".join(one["text"]["text"] for one in choices)]
    facts += ["optional"] if block.get("optional") else []
    told = ", ".join(fact for fact in facts if fact)
    return f"{block['label']['text']}{f' ({told})' if told else ''}{f' = {initial}' if initial else ''}"
