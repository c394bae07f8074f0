"""Reading-only mode: no request with an effect is sent until an operator has looked.

Kept in the database, so that it outlives restarts and holds for every process.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

from bot.domain.payments.instruction import State
from bot.domain.policy import Policy
from bot.domain.recovery import HELD, MOST_NAMED, UNREADABLE, Look, ReadingOnly
from bot.domain.references import ulid
from bot.workflows.alerts import tell
from bot.workflows.witness import witness
from storage.errors import RowUnreadable
from storage.transaction import Tx

WAITS = frozenset({State.NEW, State.AWAITING, State.APPROVED})
"""Nothing was sent, as far as the database knows."""
_ALL = 1_000_000
_ALL_OF_IT = datetime(2999, 1, 1, tzinfo=UTC)
"""After every request."""
_FLAG = "reading_only"
_RESUMED = "resumed"
_LOOK = "look:"


def reading_only(tx: Tx) -> ReadingOnly | None:
    """Whether nothing may be sent, read in the transaction that would send; so it is where that cannot be read."""
    try:
        return ReadingOnly.read(tx.flags.get(_FLAG))
    except (RowUnreadable, ValueError, TypeError, KeyError):
        return ReadingOnly(since=_ALL_OF_IT, reason=UNREADABLE, until=_ALL_OF_IT)


def enter(tx: Tx, found: ReadingOnly, *, policy: Policy, now: datetime) -> None:
    """Send nothing from now on. An earlier finding is kept; it is announced once."""
    before = reading_only(tx)
    if before is not None:
        sent = tuple(dict.fromkeys((*before.sent, *found.sent)))[:MOST_NAMED]
        tx.flags.set(_FLAG, replace(before, until=max(before.until, found.until), sent=sent).stored(), now)
        return
    tx.flags.set(_FLAG, replace(found, sent=found.sent[:MOST_NAMED]).stored(), now)
    for waiting in tx.instructions.awaiting(WAITS, limit=_ALL):
        # Their cards may show what this database lacks: they are redrawn, with the reason.
        tx.instructions.touch(waiting, now=now, show=True, reason=HELD, due_at=now)
    detail = {"reason": found.reason, "until": found.until.isoformat(), "sent": list(found.sent[:MOST_NAMED])}
    witness(tx, "reading_only", detail, now)
    announce(tx, "reading_only", {"reason": found.reason}, policy=policy, now=now)


def leave(tx: Tx, now: datetime) -> None:
    """Sending goes on; anchors up to now that the chain does not hold count as accounted for."""
    tx.flags.set(_FLAG, {}, now)
    tx.flags.set(_RESUMED, {"at": now.isoformat()}, now)
    tx.flags.forget(_LOOK)


def resumed_at(tx: Tx) -> datetime | None:
    """When an operator last accounted for what the database does not hold."""
    found = tx.flags.readable(_RESUMED)
    with suppress(ValueError, TypeError, KeyError):
        return datetime.fromisoformat(found["at"]) if isinstance(found, dict) and found else None
    return None


def looks(tx: Tx) -> dict[str, Look]:
    """The last look for each request, by its id."""
    found: dict[str, Look] = {}
    for key, value in tx.flags.starting(_LOOK).items():
        with suppress(ValueError, TypeError, KeyError):  # looked for again
            look = Look.read(value)
            if look is not None:
                found[key.removeprefix(_LOOK)] = look
    return found


def note(tx: Tx, instruction_id: str, look: Look, now: datetime) -> None:
    """Store the result of a look."""
    tx.flags.set(f"{_LOOK}{instruction_id}", look.stored(), now)


def not_looked_for(tx: Tx, mode: ReadingOnly) -> Sequence[str]:
    """Ids of the requests whose looks are not over: everything that was not final when it was noticed."""
    done = {key for key, look in looks(tx).items() if look.is_over}
    return [one for one in tx.instructions.not_over_at(mode.since) if one not in done]


def announce(tx: Tx, topic: str, facts: Mapping[str, object], *, policy: Policy, now: datetime) -> None:
    """Tell the approvers, the operators and the payments channel: it concerns all of them."""
    for channel in dict.fromkeys((policy.channels.approvals, policy.alerts, policy.payments)):
        tell(tx, channel, key=f"{topic}:{ulid(now)}", facts={"topic": topic, **facts}, now=now)
