"""The audit as read by people: the story of one request, the export of all rows, the comparison with the requests."""

import asyncio
import io
from dataclasses import dataclass
from typing import IO, Generic, TypeVar

from bot.domain.audit import VerifiedRow, write_csv
from bot.domain.bookings.booking import Booking, Stage
from bot.domain.payments.instruction import MONEY_OUT, Instruction
from bot.domain.payments.sealed import Disagreement, Odd, is_reserved_as
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.workflows.requests.authority import FREEZE, frozen_by_audit, frozen_by_people, odd
from storage.store import Store
from storage.transaction import Tx

About = TypeVar("About", Instruction, Booking)

STORY_ROWS = 1_000
"""Most audit rows read for the story of one request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Story(Generic[About]):
    """The audit rows of a request or booking, oldest first. ``is_complete`` is False if there are more rows."""

    about: About
    rows: tuple[VerifiedRow, ...]
    is_complete: bool


async def story(store: Store, text: str) -> Story[Instruction] | None:
    return await store.read(lambda tx: _story(tx, tx.instructions.find(text)))


async def booking_story(store: Store, text: str) -> Story[Booking] | None:
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


async def export(store: Store, out: IO[bytes], *, about: str | None = None) -> int:
    """Write every row as CSV in UTF-8 and return their number. At most one page of rows is in memory.

    ``about``: write only the rows of the request or booking with this id.
    """
    text = io.TextIOWrapper(out, encoding="utf-8", newline="", write_through=True)
    count, after = 0, None
    try:
        while True:
            page = await store.read(lambda tx: list(tx.audit.stored(after, about, STORY_ROWS)))  # noqa: B023 - run at once
            count += await asyncio.to_thread(write_csv, page, text, head=after is None)
            if len(page) < STORY_ROWS:
                return count
            after = page[-1].seq
    finally:
        text.detach()


@dataclass(frozen=True, slots=True)
class Compared:
    """Number of compared requests, and each disagreement with the reference of its request, empty if it has none."""

    requests: int
    found: tuple[tuple[str, Reason], ...]


def compare(tx: Tx) -> Compared:
    """Compare all requests with the audit, and the flags that freeze payments."""
    count = 0
    found: list[tuple[str, Reason]] = []
    for instruction_id, reference in tx.instructions.names():
        count += 1
        try:
            instruction = tx.instructions.get(instruction_id)
            assert instruction is not None, "its name was read in the same transaction"
            odds = list(odd(tx, instruction))
            if instruction.kind in MONEY_OUT:
                held, attempts = tx.reservations.of(instruction_id), tx.attempts.of(instruction_id)
                if not is_reserved_as(instruction, held, attempts):
                    odds.append(Disagreement(Odd.RESERVED))
        except Exception as unreadable:  # noqa: BLE001 - a row written by someone else can contain anything
            found.append((reference, Reason(OfMode.ROWS_UNREADABLE, error=type(unreadable).__name__)))
        else:
            if odds:
                facts = [(one.odd.value, one.facts) for one in odds]
                found.append((reference, Reason(OfRequest.DISAGREES, found=facts)))
    found += [(reference, Reason(OfMode.NOT_IN_DATABASE)) for reference in tx.instructions.missing()]
    if frozen_by_audit(tx) is not None and not tx.flags.get(FREEZE):
        found.append(("", Reason(OfMode.FREEZE_LOST)))
    elif frozen_by_people(tx) is not None and frozen_by_audit(tx) is None:
        found.append(("", Reason(OfMode.FREEZE_FORGED)))
    return Compared(count, tuple(found))
