"""The state of Block Kit elements before, while and after a person fills in a form."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bot.playground.workspace.errors import ImpossibleAct
from bot.playground.workspace.files import INPUT_BYTES
from bot.playground.workspace.model import Json, elements_of

MOST_FILES = 10
"""Limit of files in a ``file_input`` without ``max_files``."""

_TEXT = ("plain_text_input", "email_text_input", "url_text_input", "number_input")
_SINGLE = {
    "users_select": "selected_user",
    "conversations_select": "selected_conversation",
    "channels_select": "selected_channel",
    "datepicker": "selected_date",
    "timepicker": "selected_time",
    "datetimepicker": "selected_date_time",
}
_MULTIPLE = {
    "multi_users_select": "selected_users",
    "multi_conversations_select": "selected_conversations",
    "multi_channels_select": "selected_channels",
}
_OPTION = ("static_select", "external_select", "radio_buttons", "overflow")
_OPTIONS = ("multi_static_select", "multi_external_select", "checkboxes")

STATEFUL = frozenset(
    {*_TEXT, *_SINGLE, *_MULTIPLE, *_OPTION, *_OPTIONS, "rich_text_input", "file_input"} - {"overflow"}
)
"""Elements that keep a state; the rest only report clicks."""


def value_key(kind: str) -> str:
    """The key of an element's state that holds its value, e.g. ``selected_option``."""
    if kind in _SINGLE:
        return _SINGLE[kind]
    if kind in _MULTIPLE:
        return _MULTIPLE[kind]
    if kind in _OPTION:
        return "selected_option"
    if kind in _OPTIONS:
        return "selected_options"
    return {"rich_text_input": "rich_text_value", "file_input": "files"}.get(kind, "value")


def initial_values(blocks: Sequence[Json]) -> dict[str, dict[str, Json]]:
    """The state of every stateful element as the app filled it, by block and action id."""
    values: dict[str, dict[str, Json]] = {}
    for block_id, element in elements_of(blocks):
        if str(element.get("type")) in STATEFUL:
            values.setdefault(block_id, {})[element["action_id"]] = _initial(element)
    return values


def _initial(element: Json) -> Json:
    kind = str(element["type"])
    key = value_key(kind)
    initial = element.get("initial_" + key.removeprefix("selected_").removeprefix("rich_text_"))
    if initial is None:
        initial = [] if kind in _OPTIONS or kind in _MULTIPLE or kind == "file_input" else None
    return {"type": kind, key: initial}


def filled(element: Json, value: Any, *, force: bool, files: Callable[[str], Json]) -> Json:
    """Return the state after a person entered ``value``: a text, an option's value, ids, or a whole state.

    Args:
        element: The element sent by the app.
        value: The entered value; a ``dict`` with ``type`` is used as the state.
        force: Accept values that no client offers.
        files: Returns the file object for an id.

    Raises:
        ImpossibleAct: The option isn't offered.
    """
    kind = str(element["type"])
    if isinstance(value, dict) and "type" in value and kind != "rich_text_input":
        return value
    return {"type": kind, value_key(kind): _entered(element, kind, value, force=force, files=files)}


def _entered(element: Json, kind: str, value: Any, *, force: bool, files: Callable[[str], Json]) -> Any:
    entered = value
    if kind in _OPTION:
        entered = None if value in (None, "") else option(element, value, force=force)
    elif kind in _OPTIONS:
        entered = [option(element, one, force=force) for one in _many(value)]
    elif kind in _MULTIPLE:
        entered = _many(value)
    elif kind == "file_input":
        entered = _chosen_files(element, [files(one) for one in _many(value)], force=force)
    elif kind in _TEXT:
        entered = None if value in (None, "") else str(value)
    return entered


def _chosen_files(element: Json, chosen: list[Json], *, force: bool) -> list[Json]:
    if force:
        return chosen
    most = int(element.get("max_files", MOST_FILES))
    if len(chosen) > most:
        raise ImpossibleAct(f"{len(chosen)} files were chosen; this field takes {most}")
    wanted = [str(one).lower() for one in element.get("filetypes") or []]
    for file in chosen:
        if file.get("size", 0) > INPUT_BYTES:
            raise ImpossibleAct(f"{file['name']} is larger than the 10 MB that a form takes")
        if wanted and file.get("filetype") not in wanted:
            raise ImpossibleAct(f"{file['name']} is none of the types this field takes: {', '.join(wanted)}")
    return chosen


def _many(value: Any) -> list[Any]:
    if value is None:
        return []
    return [value] if isinstance(value, str) else list(value)


def option(element: Json, wanted: Any, *, force: bool) -> Json:
    """The offered option with this value (or this label).

    Raises:
        ImpossibleAct: It is not offered and not forced.
    """
    if isinstance(wanted, dict):
        return wanted
    offered = list(_options(element))
    for one in offered:
        if wanted in (one.get("value"), one.get("text", {}).get("text")):
            return one
    if force or str(element.get("type", "")).endswith("external_select"):
        return {"text": {"type": "plain_text", "text": str(wanted), "emoji": True}, "value": str(wanted)}
    raise ImpossibleAct(f"{wanted!r} is not offered; there are {[one.get('value') for one in offered]}")


def _options(element: Json) -> Iterable[Json]:
    yield from element.get("options") or []
    for group in element.get("option_groups") or []:
        yield from group.get("options") or []


def complaints(block: Json, state: Json) -> list[str]:
    """Reasons why a client would not submit this input, each a short sentence."""
    element = block["element"]
    value = state.get(value_key(str(element["type"])))
    if value in (None, "", []):
        return [] if block.get("optional") else [f"{block['block_id']}: please fill out this field"]
    if not isinstance(value, str) or element["type"] not in _TEXT:
        return []
    found = []
    if len(value) < int(element.get("min_length", 0)):
        found.append(f"{block['block_id']}: at least {element['min_length']} characters")
    if len(value) > int(element.get("max_length", 3000)):
        found.append(f"{block['block_id']}: at most {element.get('max_length', 3000)} characters")
    if element["type"] == "email_text_input" and "@" not in value:
        found.append(f"{block['block_id']}: not an e-mail address")
    if element["type"] == "number_input":
        found += _number_complaints(block, value)
    return found


def _number_complaints(block: Json, value: str) -> list[str]:
    element = block["element"]
    try:
        number = float(value)
    except ValueError:
        return [f"{block['block_id']}: not a number"]
    found = []
    if not element.get("is_decimal_allowed") and not number.is_integer():
        found.append(f"{block['block_id']}: whole numbers only")
    if "min_value" in element and number < float(element["min_value"]):
        found.append(f"{block['block_id']}: at least {element['min_value']}")
    if "max_value" in element and number > float(element["max_value"]):
        found.append(f"{block['block_id']}: at most {element['max_value']}")
    return found
