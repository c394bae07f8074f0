"""The high-water mark: every request with an effect is anchored outside the database before it is sent.

The anchor holds the end of the audit chain after the claim. A database that lacks it is older than what was sent,
however little it lacks; then nothing is sent until an operator has looked.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from itertools import islice

import structlog

from bot.domain.anchors import Anchor
from bot.domain.clock import Clock
from bot.domain.policy import Policy
from bot.domain.reasons import OfMode, Reason
from bot.domain.recovery import ReadingOnly
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Unit
from bot.workflows.reading_only import enter, reading_only, resumed_at
from storage.anchors import AnchorFile
from storage.errors import StorageError
from storage.rows import Head
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_CHUNK = 100
_NAMED = 10
"""Changed lines that an alert names."""


class HighWater:
    """Compares the database with its anchors, and writes one before each request with an effect. One per process."""

    def __init__(self, *, store: Store, file: AnchorFile, clock: Clock, policy: Policy, surveys: bool = False) -> None:
        self.began = clock.now()
        """Start of this process: older requests may have been executed in a period that this database lost."""
        self.survey_at = self.began if surveys else None
        """When to compare the services with the rows here; None: done, or our payments cannot be told apart."""
        self.looked: set[str] = set()
        """Older requests that were searched for at the service."""
        self._store = store
        self._file = file
        self._clock = clock
        self._policy = policy
        self._last: Anchor | None = None
        self._turn = asyncio.Lock()

    async def compare(self) -> None:
        """At start, before anything works: does the database hold everything its anchors say it held?"""
        lost: list[Anchor] = []
        lines = self._file.newest_first()
        try:
            while chunk := await asyncio.to_thread(lambda: list(islice(lines, _CHUNK))):
                holds = await self._held(chunk)
                lost += chunk[: holds.index(True)] if True in holds else chunk
                if True in holds:
                    self._last = chunk[holds.index(True)]
                    break
            foreign = await asyncio.to_thread(self._file.last_of_another_key)
            whole = await asyncio.to_thread(self._file.read)
        except OSError as refused:
            await self._cannot_write(refused)
            return
        if changed := sorted((*whole.unreadable, *whole.forged)):
            file = str(self._file.path)
            log.error("anchors were changed", file=file, lines=changed, mend="run `switchboard audit verify`")
            facts = {"file": file, "lines": changed[:_NAMED], "count": len(changed)}
            once = hashlib.sha256(repr(changed).encode()).hexdigest()  # one alert for the same lines
            await self._tell("anchors_changed", once, facts)
        await self._account_for([foreign, *lost] if foreign is not None else lost)

    async def may_leave(self, about: str) -> bool:
        """Anchor a request that is about to be sent; False: it must not be. The caller has stored its claim."""
        async with self._turn:
            try:
                head, may_send = await self._stand()
                if not may_send:
                    return False
                anchor = Anchor(at=self._clock.now(), seq=head.seq, head=head.hash, about=about)
                await asyncio.to_thread(self._file.append, anchor)
            except StorageError as silent:
                log.warning("nothing leaves: the database does not say where it stands", reason=str(silent))
                return False
            except OSError as refused:
                await self._cannot_write(refused)
                return False
            self._last = anchor
            return True

    async def is_sound(self) -> bool:
        """Whether the chain may be anchored now: it has all that was sent, and no operator has to check it."""
        async with self._turn:
            return (await self._stand())[1]

    async def doubt(self, reason: Reason, *, sent: Sequence[str] = ()) -> None:
        """Start reading-only mode: the services hold more than the database; ``sent``: kind and code or id of each."""
        now = self._clock.now()
        found = ReadingOnly(since=now, reason=reason, until=now, sent=tuple(sent))
        log.error("the database may be older than the services: reading only from now on", reason=str(reason))
        await self._store.write(lambda tx: enter(self._unit(tx), found), name="reading_only")

    def _unit(self, tx: Tx) -> Unit:
        return Unit(tx, now=self._clock.now(), policy=self._policy)

    async def _held(self, chunk: list[Anchor]) -> list[bool]:
        return await self._store.read(lambda tx: [tx.audit.holds(one.seq, one.head) for one in chunk])

    async def _stand(self) -> tuple[Head, bool]:
        """The end of the database's chain, and whether anything may leave."""
        last = self._last

        def read(tx: Tx) -> tuple[Head, bool, bool]:
            return tx.audit.head(), reading_only(tx) is None, last is None or tx.audit.holds(last.seq, last.head)

        head, may_send, is_whole = await self._store.read(read)
        if last is not None and may_send and not is_whole:
            await self._account_for([last])
            head, may_send, _ = await self._store.read(read)
        return head, may_send

    async def _account_for(self, lost: list[Anchor]) -> None:
        """Handle anchors that the chain lacks: unless an operator has accounted for them, start reading-only mode."""
        if not lost:
            return
        resumed = await self._store.read(resumed_at)
        new = [one for one in lost if resumed is None or one.at > resumed]
        if not new:
            await self._begin_anew()
            return
        self._last = max(new, key=lambda one: one.at)
        now = self._clock.now()
        sent = tuple(one.about for one in reversed(new) if one.about)
        found = ReadingOnly(since=now, reason=Reason(OfMode.OLDER), until=self._last.at, sent=sent)
        await self._store.write(lambda tx: enter(self._unit(tx), found), name="reading_only")
        log.error(
            "the database is older than its anchors: reading only",
            anchored=self._last.seq,
            sent=len(sent),
            mend="look at what the services hold, then run `switchboard resume`",
        )

    async def _begin_anew(self) -> None:
        """An operator has accounted for the anchors that the chain lacks: they are set aside, and count no more."""
        newest = await asyncio.to_thread(self._file.last)
        foreign = await asyncio.to_thread(self._file.last_of_another_key)
        if foreign is not None or (newest is not None and not (await self._held([newest]))[0]):
            await asyncio.to_thread(self._file.set_aside, self._clock.now())
            newest = None
        self._last = newest

    async def _cannot_write(self, refused: OSError) -> None:
        reason, file = refused.strerror or str(refused), str(self._file.path)
        log.error("nothing leaves: it cannot be written down before", file=file, reason=reason)
        await self._tell("no_anchor", f"{self._clock.now():%Y-%m-%d}", {"file": file, "reason": reason})

    async def _tell(self, topic: str, once: str, facts: Mapping[str, object]) -> None:
        key, facts = f"{topic}:{once}", {"topic": topic, **facts}
        await self._store.write(lambda tx: tell_everybody(self._unit(tx), key=key, facts=facts), name=topic)
