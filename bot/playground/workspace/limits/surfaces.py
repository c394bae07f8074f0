"""Limits of whole messages and views. Each function returns the version to store, or refuses."""

import json
from collections.abc import Sequence
from typing import Any

from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.limits.blocks import (
    MARKDOWN_CHARACTERS,
    TABLE_CHARACTERS,
    check_blocks,
    sum_of_texts,
    with_ids,
)
from bot.playground.workspace.limits.objects import plain
from bot.playground.workspace.limits.schema import Report, anything, choice, flag, record, string

TEXT_CUT = 40_000
"""Characters of a new message's text; the rest is cut off."""

UPDATE_CHARACTERS = 4_000
MARKDOWN_TEXT = 12_000
METADATA_BYTES = 16_000
"""Slack publishes no number; generous enough for any normal use."""

MOST_ATTACHMENTS = 100
VIEW_BYTES = 250_000

_VIEW = {
    "type": choice("modal", "home"),
    "blocks": anything,
    "private_metadata": string(3000),
    "callback_id": string(255),
    "external_id": string(255),
}
_MODAL = record(
    {
        **_VIEW,
        "title": plain(24),
        "submit": plain(24),
        "close": plain(24),
        "clear_on_close": flag,
        "notify_on_close": flag,
        "submit_disabled": flag,
    },
    required=("type", "title", "blocks"),
)
_HOME = record({**_VIEW, "title": plain(24)}, required=("type", "blocks"))


def checked_blocks(blocks: Any) -> list[dict[str, Any]]:
    """The blocks of a message, as Slack stores them.

    Raises:
        ApiRefusal: ``invalid_blocks_format``, ``invalid_blocks``, ``only_one_table_allowed``, ``msg_blocks_too_long``.
    """
    if blocks is None:
        return []
    if not isinstance(blocks, list) or not all(isinstance(block, dict) for block in blocks):
        raise ApiRefusal("invalid_blocks_format")
    if sum(block.get("type") == "table" for block in blocks) > 1:
        raise ApiRefusal("only_one_table_allowed")
    if messages := check_blocks(blocks, "message"):
        raise ApiRefusal.explained("invalid_blocks", messages)
    if sum_of_texts(blocks, "markdown") > MARKDOWN_CHARACTERS or sum_of_texts(blocks, "table") > TABLE_CHARACTERS:
        raise ApiRefusal("msg_blocks_too_long")
    return with_ids(blocks)


def checked_attachments(attachments: Any) -> list[dict[str, Any]]:
    """The attachments of a message."""
    if attachments is None:
        return []
    if not isinstance(attachments, list) or not all(isinstance(one, dict) for one in attachments):
        raise ApiRefusal("invalid_attachments")
    if len(attachments) > MOST_ATTACHMENTS:
        raise ApiRefusal("too_many_attachments")
    return [
        {**one, "blocks": checked_blocks(one["blocks"]), "id": number} if one.get("blocks") else one
        for number, one in enumerate(attachments, start=1)
    ]


def checked_metadata(metadata: Any) -> dict[str, Any] | None:
    """Message metadata: an event type and a flat payload; an empty object means none."""
    if metadata in (None, {}):
        return None
    if not isinstance(metadata, dict) or not isinstance(metadata.get("event_type"), str):
        raise ApiRefusal("invalid_metadata_format")
    if not isinstance(metadata.get("event_payload"), dict):
        raise ApiRefusal("invalid_metadata_format")
    if len(json.dumps(metadata)) > METADATA_BYTES:
        raise ApiRefusal("metadata_too_large")
    return metadata


def checked_view(view: Any, kind: str, before: Sequence[dict[str, Any]] = ()) -> dict[str, Any]:
    """Return a view as Slack stores it.

    Args:
        view: The view sent by the app.
        kind: ``modal`` or ``home``, as required by the method.
        before: Blocks that it replaces.

    Raises:
        ApiRefusal: ``view_too_large``, or ``invalid_arguments`` with the locations of the errors.
    """
    if not isinstance(view, dict):
        raise ApiRefusal.explained("invalid_arguments", ["must provide an object [json-pointer:/view]"])
    if len(json.dumps(view, ensure_ascii=False).encode()) > VIEW_BYTES:
        raise ApiRefusal("view_too_large")
    report = Report()
    (_HOME if kind == "home" else _MODAL)(report, view, "/view")
    if view.get("type") != kind:
        report.add("/view/type", f"must be {kind}")
    if isinstance(view.get("blocks"), list):
        report.messages += check_blocks(view["blocks"], "home" if kind == "home" else "modal", at="/view/blocks")
        _check_submit(report, view, kind)
    elif view.get("blocks") is not None:
        report.add("/view/blocks", "must be an array")
    if report.messages:
        raise ApiRefusal.explained("invalid_arguments", report.messages)
    return {**view, "blocks": with_ids(view["blocks"], before)}


def _check_submit(report: Report, view: dict[str, Any], kind: str) -> None:
    inputs = any(isinstance(block, dict) and block.get("type") == "input" for block in view["blocks"])
    if kind == "modal" and inputs and not view.get("submit"):
        report.add("/view", "missing required field: submit, as the view holds an input block")
