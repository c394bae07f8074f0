"""Reading the workspace: messages, what each person sees, and waiting for a condition."""

from collections.abc import Callable, Iterable
from typing import TypeVar, cast

from bot.playground.workspace.changes import Subscription
from bot.playground.workspace.files import StoredFile
from bot.playground.workspace.model import Channel, Message, View
from bot.playground.workspace.state import WorkspaceState

T = TypeVar("T")
_CALLS_SHOWN = 15


class Looking:
    """Read-only view of the workspace."""

    _state: WorkspaceState

    def channel(self, channel: str) -> Channel:
        """Return the channel with this id or name; ``KeyError`` if it doesn't exist."""
        found = self._state.directory.channel(channel)
        if found is None:
            raise KeyError(channel)
        return found

    def channels_of(self, user: str) -> list[Channel]:
        """Return the channels of which this person is a member, direct messages last."""
        mine = [c for c in self._state.directory.channels.values() if user in c.members]
        return sorted(mine, key=lambda channel: (channel.kind == "im", channel.name))

    def messages(self, channel: str, *, viewer: str | None = None, thread_ts: str | None = None) -> list[Message]:
        """Return messages of a channel, including replies, oldest first.

        Args:
            channel: Id or name.
            viewer: Only messages visible to this person, including ephemerals; empty without access.
            thread_ts: Only this parent and its replies.
        """
        place = self.channel(channel)
        if viewer is not None and not self._state.sees(self._state.directory.users[viewer], place):
            return []
        shown = (m for m in self._state.log.in_channel(place.id) if m.ephemeral_to in ("", viewer))
        return [m for m in shown if thread_ts is None or thread_ts in (m.ts, m.thread_ts)]

    def message(self, channel: str, ts: str) -> Message:
        """Return the current message, even if deleted (``.deleted``); ``KeyError`` if it never existed."""
        found = self._state.log.find(self.channel(channel).id, ts)
        if found is None:
            raise KeyError(ts)
        return found

    def versions(self, channel: str, ts: str) -> list[Message]:
        """Return all versions of a message, the current one last."""
        return self._state.log.versions(self.channel(channel).id, ts)

    def ephemerals(self, user: str) -> list[Message]:
        """Return this person's ephemerals in all channels, in order."""
        return [message for message in self._state.log.everywhere() if message.ephemeral_to == user]

    def modal(self, user: str) -> View | None:
        """Return the modal visible to a person."""
        stack = self._state.views.stack(user)
        return stack[-1] if stack else None

    def modals(self, user: str) -> list[View]:
        """Return a person's stack of modals, the visible one last."""
        return self._state.views.stack(user)

    def home(self, user: str) -> View | None:
        """Return the App Home published for a person."""
        return self._state.views.home(user)

    def file(self, file_id: str) -> StoredFile | None:
        """Return a file with its bytes."""
        return self._state.files.get(file_id)

    def subscribe(self) -> Subscription:
        """Subscribe to changes from now on; close the subscription, or use it with ``with``."""
        return self._state.changes.subscribe()

    async def until(self, condition: Callable[[], T | bool | None], *, timeout: float = 10.0) -> T:
        """Wait until the condition is true, checked after each change.

        A ``LookupError`` in the condition (missing message, list index) or an exhausted ``next`` counts as false.

        Raises:
            TimeoutError: It didn't become true; the error contains all messages and the last calls.
        """
        try:
            return cast(T, await self._state.changes.until(condition, timeout=timeout))
        except TimeoutError:
            raise TimeoutError(f"not within {timeout} s; the workspace:\n{self.picture()}") from None

    def picture(self) -> str:
        """Return the workspace as text: messages by channel, modals, the app's last calls."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterable[str]:
        directory = self._state.directory
        for channel in directory.channels.values():
            yield f"#{channel.name} ({channel.id})"
            for message in self._state.log.in_channel(channel.id):
                reply = "  ↳ " if message.thread_ts else "  "
                reader = f" (only {message.ephemeral_to})" if message.ephemeral_to else ""
                buttons = "".join(f" [{button.text}]" for button in message.buttons)
                text = message.plain.replace("\n", " / ")
                yield f"{reply}{message.ts} {message.user}{reader}: {text}{buttons}"
        for user in directory.users:
            for view in self._state.views.stack(user):
                yield f"modal of {user}: {view.plain!r} {view.errors or ''}"
        for call in list(self._state.calls)[-_CALLS_SHOWN:]:
            yield f"call {call.method} {'ok' if call.ok else call.error}"
