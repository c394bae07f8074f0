"""Anchors of the audit chain, written outside the database.

The high-water mark: every request with an effect is anchored before it is sent, at the end of the chain with its claim.
A database that lacks an anchored row is older than the last request; then nothing is sent until an operator has
checked. Anchors go only to a file, not to a channel: anyone with the bot's token can edit or delete a message.
"""

import asyncio
import hashlib
from collections.abc import Mapping
from itertools import islice

import structlog

from bot.domain.anchors import Anchor, is_due
from bot.domain.clock import Clock
from bot.domain.policy import Policy
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Unit
from bot.workflows.restored import freeze_restored, last_found, restored, resumed_at
from storage.anchors import AnchorFile
from storage.errors import StorageError
from storage.rows import Head
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

_LOOK_SECONDS = 1.0
"""Interval between checks of the end of the chain: the worker runs at every wake."""

_AFTER_FAILURE = 60.0
_CHUNK = 100
_NAMED = 10
"""Most changed lines listed in an alert."""


class HighWater:
    """Compares the database with its anchors, and writes one before each request with an effect. One per process."""

    def __init__(self, *, store: Store, file: AnchorFile, clock: Clock, policy: Policy) -> None:
        self._store = store
        self._file = file
        self._clock = clock
        self._policy = policy
        self._last: Anchor | None = None
        self._has_added = False
        """Whether the finding includes this host's requests: another host may have found the loss first."""
        self._refused = False
        self._turn = asyncio.Lock()

    async def compare(self) -> None:
        """At start, before any work: freeze payments if the database lacks anchored rows, alert if anchors changed."""
        try:
            lost = await self._lost()
            foreign = await asyncio.to_thread(self._file.last_of_another_key)
            whole = await asyncio.to_thread(self._file.read)
        except OSError as refused:
            await self._cannot_write(refused)
            return
        if changed := sorted((*whole.unreadable, *whole.forged)):
            file = str(self._file.path)
            log.error("anchors were changed", file=file, lines=changed, mend="run `switchboard audit verify`")
            facts = {"file": file, "lines": changed[:_NAMED], "count": len(changed)}
            once = hashlib.sha256(repr(changed).encode()).hexdigest()  # one alert per set of lines
            await self._tell("anchors_changed", once, facts)
        await self._account_for([foreign, *lost] if foreign is not None else lost)

    async def may_leave(self, about: str) -> bool:
        """Anchor a request whose claim the caller has stored; return False if it must not be sent."""
        async with self._turn:
            try:
                head, may_send = await self._stand()
                if not may_send:
                    return False
                anchor = Anchor(at=self._clock.now(), seq=head.seq, head=head.hash, about=about)
                await asyncio.to_thread(self._file.append, anchor)
                self._last = anchor
                if self._refused:
                    await self._tell("anchors_work", f"{self._clock.now():%Y-%m-%dT%H:%M}", {})
                    self._refused = False
            except StorageError as silent:
                log.warning("sending blocked: database not readable", reason=str(silent))
                return False
            except OSError as refused:
                await self._cannot_write(refused)
                return False
            return True

    async def is_sound(self) -> bool:
        """Return whether the chain may be anchored: it has every anchored row, and no operator has to check it."""
        async with self._turn:
            try:
                return (await self._stand())[1]
            except OSError as refused:
                await self._cannot_write(refused)
                return False

    def _unit(self, tx: Tx) -> Unit:
        return Unit(tx, now=self._clock.now(), policy=self._policy)

    async def _lost(self) -> list[Anchor]:
        """Return the newest anchors that the chain lacks. Raises OSError."""
        lost: list[Anchor] = []
        lines = self._file.newest_first()
        while chunk := await asyncio.to_thread(lambda: list(islice(lines, _CHUNK))):
            holds = await self._held(chunk)
            lost += chunk[: holds.index(True)] if True in holds else chunk
            if True in holds:
                self._last = chunk[holds.index(True)]
                break
        return lost

    async def _held(self, chunk: list[Anchor]) -> list[bool]:
        return await self._store.read(lambda tx: [tx.audit.holds(one.seq, one.head) for one in chunk])

    async def _stand(self) -> tuple[Head, bool]:
        last = self._last

        def read(tx: Tx) -> tuple[Head, bool, bool]:
            return tx.audit.head(), restored(tx) is None, last is None or tx.audit.holds(last.seq, last.head)

        head, may_send, is_whole = await self._store.read(read)
        if last is not None and not is_whole and (may_send or not self._has_added):
            await self._account_for(await self._lost() or [last])
            self._has_added = True
            head, may_send, _ = await self._store.read(read)
        self._has_added = self._has_added and not is_whole
        return head, may_send

    async def _account_for(self, lost: list[Anchor]) -> None:
        """Handle anchors that the chain lacks: freeze payments unless an operator has accounted for them.

        Another host's requests are accounted for only if that host had reported them by then.
        """
        if not lost:
            return
        resumed, known = await self._store.read(lambda tx: (resumed_at(tx), last_found(tx)))
        new = [one for one in lost if resumed is None or one.at > resumed or {one.about} - {"", *known}]
        if not new:
            await self._begin_anew()
            return
        self._last = max(new, key=lambda one: one.at)
        sent = [one.about for one in reversed(new) if one.about]
        await self._store.write(lambda tx: freeze_restored(self._unit(tx), sent), name="restored")
        log.error(
            "database older than its anchors, payments frozen",
            anchored=self._last.seq,
            sent=len(sent),
            mend="check the providers' dashboards, then run `switchboard resume`",
        )

    async def _begin_anew(self) -> None:
        """Set aside the anchors that the chain lacks, because an operator has accounted for them."""
        newest = await asyncio.to_thread(self._file.last)
        foreign = await asyncio.to_thread(self._file.last_of_another_key)
        if foreign is not None or (newest is not None and not (await self._held([newest]))[0]):
            await asyncio.to_thread(self._file.set_aside, self._clock.now())
            newest = None
        self._last = newest

    async def _cannot_write(self, refused: OSError) -> None:
        reason, file = refused.strerror or str(refused), str(self._file.path)
        log.error("sending blocked: anchor file not writable", file=file, reason=reason)
        if not self._refused:  # several processes, or starts, may find it within a minute
            await self._tell("no_anchor", f"{self._clock.now():%Y-%m-%dT%H:%M}", {"file": file, "reason": reason})
            self._refused = True

    async def _tell(self, topic: str, once: str, facts: Mapping[str, object]) -> None:
        key, facts = f"{topic}:{once}", {"topic": topic, **facts}
        await self._store.write(lambda tx: tell_everybody(self._unit(tx), key=key, facts=facts), name=topic)


class Anchoring:
    """Writes the anchors of one database's chain. One per process; several processes may share a file."""

    def __init__(self, *, store: Store, file: AnchorFile, clock: Clock, high_water: HighWater | None = None) -> None:
        self._high_water = high_water
        self._store = store
        self._file = file
        self._clock = clock
        self._last: Anchor | None = None
        self._read = False
        self._next_look = 0.0

    async def due(self) -> int:
        boottime = self._clock.boottime()
        if boottime < self._next_look:
            return 0
        self._next_look = boottime + _LOOK_SECONDS
        return await self._write(always=False)

    async def finish(self) -> None:
        """Anchor the last rows when the process stops. Errors are only logged, because nothing depends on it."""
        try:
            await self._write(always=True)
        except StorageError as problem:
            log.warning("last audit rows not anchored", reason=str(problem))

    async def _write(self, *, always: bool) -> int:
        if self._high_water is not None and not await self._high_water.is_sound():
            return 0  # an anchor of a doubtful chain would make it look right
        head = await self._store.read(lambda tx: tx.audit.head())
        now = self._clock.now()
        try:
            if not self._read:
                self._last = await asyncio.to_thread(self._file.last)
                self._read = True
                if self._last is not None and self._last.seq > head.seq:
                    log.error(
                        "audit has fewer rows than its anchors: older or different database",
                        rows=head.seq,
                        anchored=self._last.seq,
                        mend="run `switchboard audit verify`",
                    )
            last = self._last
            anchored = last.seq if last is not None else 0
            if head.seq in (0, anchored) or not (always or is_due(last, seq=head.seq, now=now)):
                return 0
            anchor = Anchor(at=now, seq=head.seq, head=head.hash)
            await asyncio.to_thread(self._file.append, anchor)
        except OSError as refused:
            self._next_look = self._clock.boottime() + _AFTER_FAILURE
            log.warning("audit anchor not written", file=str(self._file.path), reason=refused.strerror)
            return 0
        self._last = anchor
        return 1
