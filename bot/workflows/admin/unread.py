"""Answers that could not be read: noted in memory during a call, stored later, so that no call waits for it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

import structlog

from bot.domain.clock import Clock
from bot.domain.unread import Noted, UnreadAnswer
from storage.errors import StorageError
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_MOST_WAITING: Final = 50
"""Forms of answers that are kept until the database takes them."""
_EVERY: Final = 30.0
"""Seconds between two looks at what other processes could not read."""


class UnreadLog:
    """Answers that this process could not read, and operations that it can read again. One per process.

    Takes notes for the clients, see :class:`bot.clients.unread.Answers`. That touches memory alone; :meth:`flush`
    stores it.
    """

    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[str, Noted] = {}
        self._read: dict[str, datetime] = {}
        self._open: frozenset[str] = frozenset()
        self._next_look = 0.0

    def unread(self, answer: UnreadAnswer) -> None:
        """Note an answer that could not be read."""
        key, now = answer.fingerprint, self._clock.now()
        self._read.pop(answer.operation, None)
        known = self._waiting.get(key)
        if known is not None:
            self._waiting[key] = replace(known, answer=answer, last_seen=now, count=known.count + 1)
        elif len(self._waiting) < _MOST_WAITING:
            log.warning("an answer could not be read", operation=answer.operation, status=answer.status)
            self._waiting[key] = Noted(answer=answer, first_seen=now, last_seen=now, count=1)

    def read(self, operation: str) -> None:
        """Note that an operation can be read again, if it has an unread answer."""
        if operation in self._open or any(one.answer.operation == operation for one in self._waiting.values()):
            self._read[operation] = self._clock.now()

    async def look(self) -> None:
        """Learn which operations have unread answers."""
        self._open = await self._store.read(lambda tx: tx.unread.open_operations())
        self._next_look = self._clock.boottime() + _EVERY

    async def flush(self) -> int:
        """Store the notes; how many. They are kept where that fails."""
        unread, read = dict(self._waiting), dict(self._read)
        if unread or read:
            self._open = await self._store.write(lambda tx: _stored(tx, list(unread.values()), read), name="unread")
            self._forget(unread, read)
        elif self._clock.boottime() >= self._next_look:
            await self.look()
        return len(unread) + len(read)

    async def finish(self) -> None:
        """Store the notes: the process stops. Never raises: nothing depends on it."""
        try:
            await self.flush()
        except StorageError as problem:
            log.warning("answers that could not be read are not stored", reason=str(problem))

    def _forget(self, unread: dict[str, Noted], read: dict[str, datetime]) -> None:
        """Drop the notes that were stored, except those that changed meanwhile."""
        for key, stored in unread.items():
            now = self._waiting[key]
            if now.count == stored.count:
                del self._waiting[key]
            else:
                self._waiting[key] = replace(now, count=now.count - stored.count)
        self._read = {name: at for name, at in self._read.items() if read.get(name) != at}


def _stored(tx: Tx, unread: Sequence[Noted], read: dict[str, datetime]) -> frozenset[str]:
    for one in unread:
        tx.unread.note(one)
    for operation, at in read.items():
        tx.unread.mended(operation, at)
    return tx.unread.open_operations()


async def unread_answers(store: Store) -> Sequence[Noted]:
    """Everything that is kept: first what is still unread, each the newest first."""
    return await store.read(lambda tx: tx.unread.all())
