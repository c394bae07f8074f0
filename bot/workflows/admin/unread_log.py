"""Answers of services that could not be read: noted in memory, stored in batches, listed for operators."""

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
"""Most distinct unreadable answers kept in memory until the database accepts them."""
_EVERY: Final = 30.0
"""Seconds between two reads of the operations that other processes couldn't read."""


class UnreadLog:
    """Answers that this process couldn't read, and operations readable again: kept in memory until ``flush``."""

    def __init__(self, *, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[str, Noted] = {}
        self._read: dict[str, datetime] = {}
        self._open: frozenset[str] = frozenset()
        self._next_look = 0.0

    def unread(self, answer: UnreadAnswer) -> None:
        key, now = answer.fingerprint, self._clock.now()
        self._read.pop(answer.operation, None)
        known = self._waiting.get(key)
        if known is not None:
            self._waiting[key] = replace(known, answer=answer, last_seen=now, count=known.count + 1)
        elif len(self._waiting) < _MOST_WAITING:
            log.warning("an answer could not be read", operation=answer.operation, status=answer.status)
            self._waiting[key] = Noted(answer=answer, first_seen=now, last_seen=now, count=1)

    def read(self, operation: str) -> None:
        if operation in self._open or any(one.answer.operation == operation for one in self._waiting.values()):
            self._read[operation] = self._clock.now()

    async def look(self) -> None:
        self._open = await self._store.read(lambda tx: tx.unread.open_operations())
        self._next_look = self._clock.boottime() + _EVERY

    async def flush(self) -> int:
        """Store the notes and return their number; if that fails, they are kept."""
        unread, read = dict(self._waiting), dict(self._read)
        if unread or read:

            def store(tx: Tx) -> frozenset[str]:
                for one in unread.values():
                    tx.unread.note(one)
                for operation, at in read.items():
                    tx.unread.mended(operation, at)
                return tx.unread.open_operations()

            self._open = await self._store.write(store, name="unread")
            for key, stored in unread.items():  # drop what was stored, except what changed meanwhile
                now = self._waiting[key]
                if now.count == stored.count:
                    del self._waiting[key]
                else:
                    self._waiting[key] = replace(now, count=now.count - stored.count)
            self._read = {name: at for name, at in self._read.items() if read.get(name) != at}
        elif self._clock.boottime() >= self._next_look:
            await self.look()
        return len(unread) + len(read)

    async def finish(self) -> None:
        """Store the notes when the process stops. Storage errors are only logged, because nothing depends on it."""
        try:
            await self.flush()
        except StorageError as problem:
            log.warning("answers that could not be read are not stored", reason=str(problem))


async def unread_answers(store: Store) -> Sequence[Noted]:
    """Return all stored notes: still unreadable ones first, newest first within each group."""
    return await store.read(lambda tx: tx.unread.all())
