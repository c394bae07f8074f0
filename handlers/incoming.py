"""Slack's payloads as typed values, the arguments of handlers."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

_CHOSEN = (
    "selected_date",
    "selected_time",
    "selected_date_time",
    "selected_user",
    "selected_conversation",
    "selected_channel",
)
_MENTIONED = re.compile(r"<@([A-Z0-9]+)\|([^>\s]+)>")
_CHOSEN_MANY = ("selected_users", "selected_conversations", "selected_channels")


class Arrival(StrEnum):
    """Type of a payload, for metrics."""

    COMMAND = "command"
    ACTION = "action"
    VIEW = "view"
    EVENT = "event"
    SHORTCUT = "shortcut"
    OTHER = "other"

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> "Arrival":
        return cls.COMMAND if "command" in body else _ARRIVALS.get(str(body.get("type")), cls.OTHER)


_ARRIVALS: Final[Mapping[str, Arrival]] = {
    "block_actions": Arrival.ACTION,
    "view_submission": Arrival.VIEW,
    "view_closed": Arrival.VIEW,
    "event_callback": Arrival.EVENT,
    "message_action": Arrival.SHORTCUT,
    "shortcut": Arrival.SHORTCUT,
}
Acked = Callable[[Arrival, float], None]
"""Called after each ack with the seconds since its request arrived."""


class UnreadableError(Exception):
    """A signed payload of a shape that Slack never sends; it is answered without effect."""


@contextmanager
def reading() -> Iterator[None]:
    """Turn errors of reading a payload into ``UnreadableError``, because a malformed payload isn't our bug."""
    try:
        yield
    except (KeyError, IndexError, TypeError, AttributeError, ValueError) as odd:
        raise UnreadableError(type(odd).__name__) from None


def an_id(value: object) -> str:
    """Return a Slack id; ``TypeError`` for anything else."""
    if not isinstance(value, str) or not value.isascii() or not value.isalnum():
        raise TypeError("no id")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A slash command. ``text`` is as Slack sent it, including escapes.

    ``source_key`` deduplicates requests: the same command, click or form makes one request.
    """

    name: str
    text: str
    user: str
    channel: str
    trigger_id: str
    response_url: str
    asked_as: str = ""
    """Trigger of the command whose answer offered this one; empty if it was typed."""

    @property
    def source_key(self) -> str:
        return f"command:{self.asked_as or self.trigger_id}"

    @property
    def mentioned(self) -> dict[str, str]:
        """Displayed name -> id of the users that Slack recognized in the line."""
        return {name: user for user, name in _MENTIONED.findall(self.text)}

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Command":
        return cls(
            name=str(body.get("command", "")),
            text=str(body.get("text", "")),
            user=an_id(body["user_id"]),
            channel=an_id(body["channel_id"]),
            trigger_id=str(body.get("trigger_id", "")),
            response_url=str(body.get("response_url", "")),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Click:
    """A pressed button, or a choice in a menu, whose ``value`` is the option's.

    ``channel`` and ``ts`` identify its message, ``thread_ts`` the message's thread; they are empty in a modal, which
    has ``view_id`` and ``values`` like :class:`Submission`. A choice in a submitted form has no ``trigger_id``, so it
    can't open another form.
    """

    action_id: str
    value: str
    user: str
    channel: str
    ts: str
    trigger_id: str
    response_url: str
    thread_ts: str = ""
    view_id: str = ""
    values: Mapping[str, str] = field(default_factory=dict)
    at_home: bool = False
    """True in an App Home, which isn't a conversation; ``metadata`` is then the view's."""
    is_private: bool = False
    """True in a message that only this user sees."""
    metadata: str = ""

    @property
    def source_key(self) -> str:
        return f"click:{self.trigger_id or self.view_id}"

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Click":
        action = body["actions"][0]
        container = body.get("container") or {}
        channel = (body.get("channel") or {}).get("id") or container.get("channel_id") or ""
        view = body.get("view") or {}
        modal = view if view.get("type") == "modal" else {}
        return cls(
            action_id=str(action["action_id"]),
            value=str(action.get("value") or (action.get("selected_option") or {}).get("value") or ""),
            user=an_id(body["user"]["id"]),
            channel=str(channel),
            ts=str(container.get("message_ts") or (body.get("message") or {}).get("ts") or ""),
            trigger_id=str(body.get("trigger_id", "")),
            response_url=str(body.get("response_url", "")),
            thread_ts=str(container.get("thread_ts") or ""),
            view_id=str(modal.get("id", "")),
            values={block: _entered(held) for block, held in _state(modal).items()},
            at_home=view.get("type") == "home",
            is_private=container.get("is_ephemeral") is True,
            metadata=str(view.get("private_metadata") or ""),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortcut:
    """A shortcut used on the message ``ts``; ``text`` is in Slack's markup, ``thread_ts`` empty outside of threads."""

    callback_id: str
    user: str
    channel: str
    ts: str
    thread_ts: str
    files: tuple[str, ...]
    trigger_id: str
    response_url: str
    text: str = ""

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Shortcut":
        message = body.get("message") or {}
        return cls(
            callback_id=str(body.get("callback_id", "")),
            user=an_id(body["user"]["id"]),
            channel=str((body.get("channel") or {}).get("id") or ""),
            ts=str(body.get("message_ts") or message.get("ts") or ""),
            thread_ts=str(message.get("thread_ts") or ""),
            files=files_of(message),
            trigger_id=str(body.get("trigger_id", "")),
            response_url=str(body.get("response_url", "")),
            text=str(message.get("text") or ""),
        )


def files_of(message: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the ids of files in a message, without duplicates and deleted ones."""
    files = [file for file in message.get("files") or [] if isinstance(file, Mapping)]
    return tuple(dict.fromkeys(str(file["id"]) for file in files if file.get("id") and file.get("mode") != "tombstone"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """A submitted form with its fields by block id; each block has one element.

    ``values``: typed text, or the value of the chosen option, id or date; empty if nothing was entered. ``choices``:
    values of a multiple selection. ``files``: ids of the files in a ``file_input``.
    """

    callback_id: str
    view_id: str
    metadata: str
    values: Mapping[str, str]
    user: str
    choices: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def source_key(self) -> str:
        return f"view:{self.view_id}"

    @property
    def about(self) -> dict[str, Any]:
        """Data that the form was opened with, such as its channel or the id of its row."""
        about: dict[str, Any] = json.loads(self.metadata)
        return about

    @property
    def channel(self) -> str:
        return str(self.about["channel"])

    @classmethod
    def read(cls, body: Mapping[str, Any]) -> "Submission":
        view = body["view"]
        values: dict[str, str] = {}
        choices: dict[str, tuple[str, ...]] = {}
        files: dict[str, tuple[str, ...]] = {}
        for block, held in _state(view).items():
            element: Mapping[str, Any] = next(iter(held.values()), {})
            values[block] = _entered(held)
            options = [str(option["value"]) for option in element.get("selected_options") or []]
            choices[block] = (*options, *(str(one) for key in _CHOSEN_MANY for one in element.get(key) or []))
            if "files" in element:
                files[block] = tuple(str(file["id"]) for file in element.get("files") or [])
        return cls(
            callback_id=str(view.get("callback_id", "")),
            view_id=str(view["id"]),
            metadata=str(view.get("private_metadata", "")),
            values=values,
            user=an_id(body["user"]["id"]),
            choices=choices,
            files=files,
        )


def _state(view: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a modal's state by block id."""
    return (view.get("state") or {}).get("values") or {}


def _entered(held: Mapping[str, Any]) -> str:
    """Return the value entered in a block's only element."""
    element: Mapping[str, Any] = next(iter(held.values()), {})
    named = (element.get(key) for key in _CHOSEN if element.get(key))
    chosen = element.get("selected_option") or {}
    return str(element.get("value") or chosen.get("value") or next(named, ""))
