"""Messages by channel, with every version and their readers."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from bot.playground.workspace.model import Change, Message


class Log:
    """All messages by channel, oldest first, ephemeral ones included."""

    def __init__(self, *, tell: Callable[[Change], None]) -> None:
        self._tell = tell
        self._channels: dict[str, dict[str, Message]] = {}
        self._versions: dict[tuple[str, str], list[Message]] = {}

    def add(self, message: Message) -> Message:
        """Post a message."""
        self._channels.setdefault(message.channel, {})[message.ts] = message
        self._versions[message.channel, message.ts] = [message]
        self._announce("ephemeral" if message.ephemeral_to else "message", message)
        return message

    def change(self, message: Message, **changes: Any) -> Message:
        """Replace fields of a message; its earlier versions stay readable through ``versions``."""
        changed = replace(message, **changes)
        self._channels[message.channel][message.ts] = changed
        self._versions[message.channel, message.ts].append(changed)
        kind = "message_deleted" if changed.deleted else "message_changed"
        self._announce("ephemeral" if message.ephemeral_to else kind, changed)
        return changed

    def touch(self, message: Message) -> None:
        """Report an unchanged message as changed, e.g. because its file changed."""
        self._announce("ephemeral" if message.ephemeral_to else "message_changed", message)

    def find(self, channel: str, ts: str) -> Message | None:
        """The message, deleted or not, visible or not."""
        return self._channels.get(channel, {}).get(ts)

    def versions(self, channel: str, ts: str) -> list[Message]:
        """Every version of a message since it was posted, the present one last."""
        return list(self._versions.get((channel, ts), ()))

    def in_channel(self, channel: str) -> Iterator[Message]:
        """Messages of a channel, oldest first, without deleted ones."""
        return (message for message in self._channels.get(channel, {}).values() if not message.deleted)

    def everywhere(self) -> Iterator[Message]:
        """Messages of all channels in time order, without deleted ones."""
        everything = [message for channel in self._channels for message in self.in_channel(channel)]
        return iter(sorted(everything, key=lambda message: message.ts))

    def thread(self, channel: str, ts: str) -> list[Message]:
        """Return a parent and its replies without ephemerals; empty if the parent doesn't exist."""
        members = [m for m in self.in_channel(channel) if not m.ephemeral_to and ts in (m.ts, m.thread_ts)]
        return members if members and members[0].ts == ts else []

    def _announce(self, kind: Any, message: Message) -> None:
        self._tell(Change(kind=kind, channel=message.channel, ts=message.ts, user=message.ephemeral_to))
