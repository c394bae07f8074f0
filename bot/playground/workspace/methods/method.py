"""Definition of a Web API method, and pagination of lists."""

import base64
import binascii
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal, TypeVar

from bot.playground.workspace.arguments import Arguments
from bot.playground.workspace.errors import ApiRefusal
from bot.playground.workspace.model import Channel, Json
from bot.playground.workspace.state import WorkspaceState

T = TypeVar("T")
_TIMESTAMP = re.compile(r"\d{1,12}\.\d{6}")
Run = Callable[[WorkspaceState, Arguments], Json]


@dataclass(frozen=True, kw_only=True)
class Method:
    """A method: its function, the required scope and kind of token, and its tier as calls per minute.

    With ``by_kind``, the scope is that of public channels, and ``run`` requires that of the conversation.
    """

    run: Run
    scope: str = ""
    token: Literal["bot", "app", "none"] = "bot"
    per_minute: int = 50
    by_kind: bool = False


def page(items: Sequence[T], arguments: Arguments, *, default: int, most: int) -> tuple[list[T], str]:
    """One page of a list and the cursor of the next, ``""`` after the last.

    Raises:
        ApiRefusal: ``invalid_cursor`` or ``invalid_limit``.
    """
    limit = arguments.number("limit", default)
    if limit < 0:
        raise ApiRefusal("invalid_limit")
    start = _start(arguments.text("cursor", ""))
    end = start + min(limit or default, most)
    following = base64.b64encode(f"next:{end}".encode()).decode() if end < len(items) else ""
    return list(items[start:end]), following


def _start(cursor: str) -> int:
    if not cursor:
        return 0
    try:
        return int(base64.b64decode(cursor, validate=True).decode().removeprefix("next:"))
    except (binascii.Error, ValueError):
        raise ApiRefusal("invalid_cursor") from None


def check_scope(held: Collection[str], scope: str) -> None:
    """Let a call pass.

    Raises:
        ApiRefusal: ``missing_scope``.
    """
    if scope not in held:
        raise ApiRefusal("missing_scope", {"needed": scope, "provided": ",".join(held)})


def allowed(state: WorkspaceState, channel: Channel, may: Literal["read", "history"]) -> Channel:
    """The channel, if the bot has the scope of its kind.

    Raises:
        ApiRefusal: ``missing_scope``.
    """
    kind = "im" if channel.kind == "im" else "groups" if channel.private else "channels"
    check_scope(state.identity.scopes, f"{kind}:{may}")
    return channel


def readable_channel(state: WorkspaceState, name: str) -> Channel:
    """A channel the bot may look at.

    Raises:
        ApiRefusal: ``channel_not_found``, also for private channels without the bot.
    """
    channel = state.directory.channel(name)
    if channel is None or (channel.private and not channel.bot_member):
        raise ApiRefusal("channel_not_found")
    return channel


def joined_channel(state: WorkspaceState, name: str) -> Channel:
    """A channel the bot is in.

    Raises:
        ApiRefusal: ``channel_not_found`` or ``not_in_channel``.
    """
    channel = readable_channel(state, name)
    if not channel.bot_member:
        raise ApiRefusal("not_in_channel")
    return channel


def parent_ts(state: WorkspaceState, channel: Channel, ts: str) -> str:
    """The time stamp of the thread's parent; a reply's own time stamp leads to its parent, ``""`` to none.

    Raises:
        ApiRefusal: ``invalid_thread_ts`` or ``thread_not_found``; a deleted parent still has its thread.
    """
    if not ts:
        return ""
    if not _TIMESTAMP.fullmatch(ts):
        raise ApiRefusal("invalid_thread_ts")
    parent = state.log.find(channel.id, ts)
    if parent is None or parent.ephemeral_to:
        raise ApiRefusal("thread_not_found")
    return parent.thread_ts or ts
