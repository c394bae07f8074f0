"""The audit chain at work: anchors written outside the database, and the story of one request.

An anchor goes to a file only, not to a channel: anybody with the bot's token can edit or delete a message.
"""

import asyncio
import io
from dataclasses import dataclass
from typing import IO, Generic, TypeVar

import structlog

from bot.domain.anchors import Anchor, is_due
from bot.domain.audit import VerifiedRow, write_csv
from bot.domain.bookings.booking import Booking, Stage
from bot.domain.clock import Clock
from bot.domain.payments.instruction import MONEY_OUT, Instruction
from bot.domain.payments.sealed import Disagreement, Odd, is_reserved_as
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.workflows.admin.highwater import HighWater
from bot.workflows.requests.authority import FREEZE, frozen, frozen_by_audit, odd
from storage.anchors import AnchorFile
from storage.errors import StorageError
from storage.store import Store
from storage.transaction import Tx

log = structlog.get_logger(__name__)

About = TypeVar("About", Instruction, Booking)

_LOOK_SECONDS = 1.0
"""Between two looks at where the chain stands: the worker runs at every wake."""

_AFTER_FAILURE = 60.0
STORY_ROWS = 1_000
"""Most rows of one request that are read for its story."""


class Anchoring:
    """Writes anchors of the chain of one database. One per process; several processes may share a file."""

    def __init__(self, *, store: Store, file: AnchorFile, clock: Clock, high_water: HighWater | None = None) -> None:
        self._high_water = high_water
        self._store = store
        self._file = file
        self._clock = clock
        self._last: Anchor | None = None
        self._read = False
        self._next_look = 0.0

    async def due(self) -> int:
        """Write an anchor when one is due; how many were written."""
        boottime = self._clock.boottime()
        if boottime < self._next_look:
            return 0
        self._next_look = boottime + _LOOK_SECONDS
        return await self._write(always=False)

    async def finish(self) -> None:
        """Anchor what has no anchor yet: the process stops. Raises nothing: nothing depends on it."""
        try:
            await self._write(always=True)
        except StorageError as problem:
            log.warning("the last rows of the audit have no anchor", reason=str(problem))

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
                        "the audit has fewer rows than its anchors say: an older copy of the database, or another one",
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
            log.warning("no audit anchor could be written", file=str(self._file.path), reason=refused.strerror)
            return 0
        self._last = anchor
        return 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Story(Generic[About]):
    """What the audit says of a request or a booking, oldest first; not ``is_complete``: there are more rows."""

    about: About
    rows: tuple[VerifiedRow, ...]
    is_complete: bool


async def story(store: Store, text: str) -> Story[Instruction] | None:
    """Story of the request that ``text`` names: a reference, our code or id, or the service's id."""
    return await store.read(lambda tx: _story(tx, tx.instructions.find(text)))


async def booking_story(store: Store, text: str) -> Story[Booking] | None:
    """Story of the booking that ``text`` names: its reference, or one of its ids at the service."""

    def work(tx: Tx) -> Story[Booking] | None:
        booking = tx.bookings.find(text)
        return _story(tx, None if booking is None or booking.stage is Stage.QUOTED else booking)

    return await store.read(work)


def _story(tx: Tx, about: About | None) -> Story[About] | None:
    if about is None:
        return None
    rows = list(tx.audit.stored(instruction_id=about.id, limit=STORY_ROWS + 1))
    verified = [
        VerifiedRow(seq=row.seq, entry=row.entry(), is_intact=tx.audit.is_intact(row)) for row in rows[:STORY_ROWS]
    ]
    return Story(about=about, rows=tuple(verified), is_complete=len(rows) <= STORY_ROWS)


async def export(store: Store, out: IO[bytes]) -> int:
    """Write every row as CSV in UTF-8; how many. No more than a page of rows is in memory."""
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    count, after = 0, None
    try:
        while True:
            page = await store.read(lambda tx: list(tx.audit.stored(after, limit=STORY_ROWS)))  # noqa: B023 - run at once
            count += await asyncio.to_thread(write_csv, page, text, head=after is None)
            if len(page) < STORY_ROWS:
                return count
            after = page[-1].seq
    finally:
        text.detach()


@dataclass(frozen=True, slots=True)
class Compared:
    """What was compared: how many requests, and what disagrees, with the reference of the request, if it is one."""

    requests: int
    found: tuple[tuple[str, Reason], ...]


def compare(tx: Tx) -> Compared:
    """Compare all of them, and the flags that hold payments back."""
    count = 0
    found: list[tuple[str, Reason]] = []
    for instruction_id, reference in tx.instructions.names():
        count += 1
        try:
            instruction = tx.instructions.get(instruction_id)
            assert instruction is not None, "its name was read in the same transaction"
            odds = list(odd(tx, instruction))
            if instruction.kind in MONEY_OUT:
                held, rows = tx.reservations.of(instruction_id), tx.audit.verified(tx.audit.about(instruction_id))
                if not is_reserved_as(instruction, held, rows):
                    odds.append(Disagreement(Odd.RESERVED))
        except Exception as unreadable:  # noqa: BLE001 - anything can stand in a row that somebody else wrote
            found.append((reference, Reason(OfMode.ROWS_UNREADABLE, error=type(unreadable).__name__)))
        else:
            if odds:
                facts = [(one.odd.value, one.facts) for one in odds]
                found.append((reference, Reason(OfRequest.DISAGREES, found=facts)))
    found += [(reference, Reason(OfMode.NOT_IN_DATABASE)) for reference in tx.instructions.missing()]
    if frozen_by_audit(tx) is not None and not tx.flags.get(FREEZE):
        found.append(("", Reason(OfMode.FREEZE_LOST)))
    elif frozen(tx) is not None and frozen_by_audit(tx) is None:
        found.append(("", Reason(OfMode.FREEZE_FORGED)))
    return Compared(count, tuple(found))
