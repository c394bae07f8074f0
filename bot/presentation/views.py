"""Modals: forms, their fields, and notices that replace them."""

import json
from collections.abc import Mapping, Sequence

from bot.domain.content import Block
from bot.presentation.blocks.text import SECTION_LIMIT, capital, paragraph, plain, section, shorten

VERB = "verb"
_ARGUMENT_LIMIT = 500
_TITLE_LIMIT = 24  # characters of a form's title and buttons (Slack's limit)
View = Block


def form(
    callback_id: str,
    title: str,
    submit: str,
    metadata: str | Mapping[str, object],
    blocks: Sequence[Block],
    *,
    close: str = "Cancel",
) -> View:
    """Build a form that can be submitted, which returns ``metadata``, as JSON if it is a mapping."""
    return {
        "type": "modal",
        "callback_id": callback_id,
        "title": plain(short_title(title)),
        "submit": plain(short_title(submit)),
        "close": plain(close),
        "private_metadata": metadata if isinstance(metadata, str) else json.dumps(metadata, separators=(",", ":")),
        "blocks": list(blocks),
    }


def result(title: str, blocks: Sequence[Block]) -> View:
    return {
        "type": "modal",
        "callback_id": "notice",
        "title": plain(title),
        "close": plain("Close"),
        "blocks": [_as_lines(block) if block["type"] == "table" else block for block in blocks],
    }


def _as_lines(table: Block) -> Block:
    """Convert a table to lines, because a modal can't contain one."""

    def text(cell: Block) -> str:
        if cell["type"] == "raw_text":
            return str(cell["text"])
        [instant] = cell["elements"][0]["elements"]
        return str(instant["fallback"])

    lines = [" · ".join(map(text, row)) for row in table["rows"]]
    return section(plain(shorten("\n".join(lines), SECTION_LIMIT)))


def notice(title: str, text: str) -> View:
    """Build the notice that replaces a form that is no longer usable; ``text`` is mrkdwn."""
    return result(title, [paragraph(text)])


def short_title(text: str) -> str:
    return text if len(text) <= _TITLE_LIMIT else text[: _TITLE_LIMIT - 1] + "…"


def field(block_id: str, label: str, element: Block, *, optional: bool = False, hint: str = "") -> Block:
    block: Block = {"type": "input", "block_id": block_id, "label": plain(label), "element": element}
    if optional:
        block["optional"] = True
    return {**block, "hint": plain(hint)} if hint else block


def text_input(
    action_id: str, *, most: int | None, example: str = "", value: str | None = "", multiline: bool = False
) -> Block:
    """Build an input of at most ``most`` characters, with ``example`` as its placeholder and ``value`` prefilled."""
    element: Block = {"type": "plain_text_input", "action_id": action_id, "max_length": most}
    if multiline:
        element["multiline"] = True
    if example:
        element["placeholder"] = plain(example)
    return with_value(element, value)


def email_input(action_id: str, value: str | None = "") -> Block:
    return with_value({"type": "email_text_input", "action_id": action_id}, value)


def with_value(element: Block, value: str | None) -> Block:
    """Prefill an input; Slack refuses an empty initial value."""
    return {**element, "initial_value": value} if value else element


def verb(title: str, summary: str, fields: Sequence[tuple[str, str, bool]], *, about: Mapping[str, str]) -> View:
    """Build a verb's form; ``fields`` are names, rules for the input, and whether they are optional."""
    blocks: list[Block] = [section(plain(f"{capital(summary)}."))]
    for name, rule, optional in fields:
        element = text_input(name, most=_ARGUMENT_LIMIT)
        label = capital(name.replace("|", " or "))
        blocks.append(field(name, label, element, optional=optional, hint=f"{capital(rule)}."))
    return form(VERB, title, "Go on", about, blocks)
