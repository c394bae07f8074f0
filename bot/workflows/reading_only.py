"""Reading-only mode: no request with an effect is sent until an operator has looked.

Kept in the database, so that it outlives restarts and holds for every process.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.payments.instruction import State
from bot.domain.reasons import OfMode, OfRequest, Reason
from bot.domain.recovery import MOST_NAMED, LastSearch, ReadingOnly
from bot.domain.references import ulid
from bot.workflows.alerts import tell
from bot.workflows.context import Unit, witness
from storage.errors import RowUnreadable
from storage.transaction import Tx

WAITS = frozenset({State.NEW, State.AWAITING, State.APPROVED})
"""Nothing was sent, as far as the database knows."""
_ALL = 1_000_000
_ALL_OF_IT = datetime(2999, 1, 1, tzinfo=UTC)
"""After every request."""
_FLAG = "reading_only"
RESUMED = "resumed"
"""Action of the row, and key of the flag, with which an operator has accounted for everything."""
_ENTERED = "reading_only"
"""Action of the row with which it begins."""
_LOOK = "look:"


def reading_only(tx: Tx) -> ReadingOnly | None:
    """Whether nothing may be sent, read in the transaction that would send; so it is where that cannot be read.

    It ends when the audit says so too: a flag is a row that anybody can write who can write to the database.
    """
    try:
        if (flag := ReadingOnly.read(tx.flags.get(_FLAG))) is not None:
            return flag
        rows = tx.audit.since(_ENTERED, RESUMED)
        begun = rows[0] if rows else None
        if begun is None or any(row.is_intact and row.entry and row.entry.action == RESUMED for row in rows):
            return None
        if begun.entry is None or not begun.is_intact:
            return ReadingOnly(since=_ALL_OF_IT, reason=Reason(OfMode.CHANGED, row=begun.seq), until=_ALL_OF_IT)
        return ReadingOnly.read({"since": begun.entry.at.isoformat(), **begun.entry.detail})
    except (RowUnreadable, ValueError, TypeError, KeyError):
        return ReadingOnly(since=_ALL_OF_IT, reason=Reason(OfMode.UNREADABLE), until=_ALL_OF_IT)


def enter(uow: Unit, found: ReadingOnly) -> None:
    """Send nothing from now on. An earlier finding is kept; it is announced once."""
    before = reading_only(uow)
    if before is not None:
        sent = tuple(dict.fromkeys((*before.sent, *found.sent)))[:MOST_NAMED]
        uow.flags.set(_FLAG, replace(before, until=max(before.until, found.until), sent=sent).stored(), uow.now)
        return
    uow.flags.set(_FLAG, replace(found, sent=found.sent[:MOST_NAMED]).stored(), uow.now)
    for waiting in uow.instructions.awaiting(WAITS, limit=_ALL):
        # Their cards may show what this database lacks: they are redrawn, with the reason.
        uow.instructions.touch(waiting, show=True, reason=Reason(OfRequest.RESTORED), due_at=uow.now)
    detail = {"reason": found.reason.stored(), "until": found.until.isoformat(), "sent": list(found.sent[:MOST_NAMED])}
    witness(uow, _ENTERED, detail)
    announce(uow, "reading_only", {"reason": found.reason.stored()})


def leave(uow: Unit) -> None:
    """Sending goes on; anchors up to now that the chain does not hold count as accounted for."""
    uow.flags.set(_FLAG, {}, uow.now)
    uow.flags.set(RESUMED, {"at": uow.now.isoformat()}, uow.now)
    uow.flags.forget(_LOOK)


def resumed_at(tx: Tx) -> datetime | None:
    """When an operator last accounted for what the database does not hold, as the sealed row says."""
    rows = tx.audit.since(RESUMED, RESUMED)
    return rows[0].entry.at if rows and rows[0].entry is not None and rows[0].is_intact else None


def looks(tx: Tx) -> dict[str, LastSearch]:
    """The last look for each request, by its id."""
    found: dict[str, LastSearch] = {}
    for key, value in tx.flags.starting(_LOOK).items():
        with suppress(ValueError, TypeError, KeyError):  # looked for again
            if look := LastSearch.read(value):
                found[key.removeprefix(_LOOK)] = look
    return found


def note(uow: Unit, instruction_id: str, look: LastSearch) -> None:
    uow.flags.set(f"{_LOOK}{instruction_id}", look.stored(), uow.now)


def announce(uow: Unit, topic: str, facts: Mapping[str, object]) -> None:
    """Tell the approvers, the operators and the payments channel: it concerns all of them."""
    for channel in dict.fromkeys((uow.policy.channels.approvals, uow.policy.alerts, uow.policy.payments)):
        tell(uow, channel, key=f"{topic}:{ulid(uow.now)}", facts={"topic": topic, **facts})
