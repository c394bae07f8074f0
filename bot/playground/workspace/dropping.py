"""Acts of people with files: drop, upload for a form, share again, delete; and changes that Slack makes to files."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from bot.playground.workspace import payloads, typed
from bot.playground.workspace.acting import Acting
from bot.playground.workspace.errors import ImpossibleAct
from bot.playground.workspace.files import FILE_BYTES, Odd, StoredFile
from bot.playground.workspace.model import Channel, Message, User

Told = Literal["message", "file_shared"]
BOTH: tuple[Told, ...] = ("message", "file_shared")
_AT_ONCE = 10
"""Maximum number of files in one message, as in Slack's clients."""


class Dropping(Acting):
    """Acts with files, which return after the app has answered their events."""

    async def drop(
        self,
        user: str,
        channel: str,
        name: str,
        content: bytes | Path,
        *,
        mimetype: str = "",
        text: str = "",
        thread_ts: str | None = None,
        odd: Odd = "",
        duration_ms: int | None = None,
        tell: Sequence[Told] = BOTH,
    ) -> Message:
        """Drop a file into a channel or thread; the bot gets events for the message and the file.

        Args:
            user: The person who drops it.
            channel: Id or name.
            name: File name.
            content: Its bytes, or a file on disk to copy.
            mimetype: The client's; by default guessed from the name.
            text: Text of the message.
            thread_ts: The thread, by its parent.
            odd: Peculiarity of the file, see :data:`Odd`.
            duration_ms: Duration; by default read from the file.
            tell: Events sent to the app, in this order.
        """
        who = self._user(user)
        file_id = self.upload(user, name, content, mimetype=mimetype, odd=odd, duration_ms=duration_ms)
        return await self._shared(who, channel, (file_id,), text=text, thread_ts=thread_ts, tell=tell)

    async def drop_many(
        self,
        user: str,
        channel: str,
        files: Sequence[tuple[str, bytes]],
        *,
        text: str = "",
        thread_ts: str | None = None,
        tell: Sequence[Told] = BOTH,
    ) -> Message:
        """Drop several files, as name and bytes, in one message."""
        who = self._user(user)
        ids = tuple(self.upload(user, name, content) for name, content in files)
        return await self._shared(who, channel, ids, text=text, thread_ts=thread_ts, tell=tell)

    async def share(
        self,
        user: str,
        channel: str,
        *files: str,
        text: str = "",
        thread_ts: str | None = None,
        tell: Sequence[Told] = BOTH,
    ) -> Message:
        """Share uploaded files, perhaps from another conversation, by their ids."""
        who = self._user(user)
        for file_id in files:
            self._own(file_id)
        return await self._shared(who, channel, files, text=text, thread_ts=thread_ts, tell=tell)

    def upload(
        self,
        user: str,
        name: str,
        content: bytes | Path,
        *,
        mimetype: str = "",
        odd: Odd = "",
        duration_ms: int | None = None,
    ) -> str:
        """Upload a file without sharing it, e.g. for a ``file_input``; return its id."""
        file = self._state.files.announce(name, 0, self._user(user).id, mimetype=mimetype)
        file = self._state.files.store(replace(file, duration_ms=duration_ms), content)
        if file.size > FILE_BYTES:
            raise ImpossibleAct(f"{name} is larger than any file may be")
        return self._state.files.keep(replace(file, complete=True, odd=odd)).id

    async def upload_stream(self, user: str, name: str, chunks: AsyncIterator[bytes], *, mimetype: str = "") -> str:
        """Like :meth:`upload`, for a stream of bytes."""
        file = self._state.files.announce(name, 0, self._user(user).id, mimetype=mimetype)
        blob = await self._state.files.receive(chunks)
        if blob is None:
            raise ImpossibleAct(f"{name} is larger than any file may be")
        return self._state.files.keep(replace(self._state.files.store(file, blob), complete=True)).id

    def set_file(self, file_id: str, **changes: Any) -> StoredFile:
        """Change fields of a file, e.g. ``odd=""`` once Slack has processed it, or ``name``."""
        file = self._state.files.keep(replace(self._own(file_id), **changes))
        self._redrawn(file)
        return file

    async def delete_file(self, user: str, file_id: str) -> None:
        """Delete one of the person's files; its messages keep a tombstone."""
        file = self._own(file_id)
        if file.user != self._user(user).id:
            raise ImpossibleAct(f"{user} cannot delete a file of {file.user}")
        file = self.set_file(file_id, odd="deleted")
        channels = dict.fromkeys(channel for channel, _, _ in file.shares)
        if any(self._state.directory.channels[channel].bot_member for channel in channels):
            await self.send_event(payloads.file_deleted(self._state, file.id))

    async def _shared(
        self, who: User, channel: str, ids: Sequence[str], *, text: str, thread_ts: str | None, tell: Sequence[Told]
    ) -> Message:
        place = self._place(who, channel, force=False)
        if len(ids) > _AT_ONCE:
            raise ImpossibleAct(f"a message takes {_AT_ONCE} files")
        message = self._state.post_as(
            who.id,
            place.id,
            text=typed.as_message(text, self._state.directory),
            thread_ts=thread_ts or "",
            files=tuple(ids),
            subtype="file_share",
        )
        for file_id in ids:
            self._state.files.share(self._own(file_id), place.id, message.ts, thread_ts or "")
        for kind in tell:
            await self._tell(kind, place, message)
        return message

    async def _tell(self, kind: Told, place: Channel, message: Message) -> None:
        if kind == "message":
            await self._tell_bot(place, message)
        elif place.bot_member:
            for file_id in message.files:
                await self.send_event(payloads.file_shared(self._state, place, file_id, message.user))

    def _own(self, file_id: str) -> StoredFile:
        file = self._state.files.get(file_id)
        if file is None:
            raise ImpossibleAct(f"no file {file_id!r}")
        return file

    def _redrawn(self, file: StoredFile) -> None:
        """Redraw the messages with this file."""
        for channel, ts, _ in file.shares:
            message = self._state.log.find(channel, ts)
            if message is not None and not message.deleted:
                self._state.log.touch(message)
