"""Disagreements between the rows of a request and their seals and audit rows.

A seal shows that a row was changed (``storage/seals.py``). The audit shows that a row is an older copy, and which votes
and attempts must exist. Only the chain shows whether an audit row is missing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.payments.bulk import BulkPayload, CancelPayload, hashes_digest, items_digest
from bot.domain.payments.bulk_records import BulkRow
from bot.domain.payments.instruction import (
    EFFECT_UNDER_WAY,
    Attempt,
    AttemptKind,
    AttemptOutcome,
    Choice,
    Instruction,
    Payload,
    State,
    Vote,
)
from bot.domain.policy import Requirement

REQUESTED: Final = "requested"
PAID_AFTER_ALL: Final = "paid_after_all"
"""Action of a row for a request that had ended as not paid, but is paid at the service."""
HELD_BACK: Final = "held_back"
RELEASED: Final = "released"
"""Actions of rows with findings about the requests from which this one was made, and with who released it."""
RECOUNTED: Final = "recounted"
"""Action of a row with the people whose votes count in a new round."""
CAPPED: Final = "capped"
"""Action of a row that lowers the quorum to the people who are left, never below that of the rules."""
MOVE: Final = "move"
"""Detail of each row about a change of the request: its number, from 1."""
NAMED: Final = "named"
"""Detail of the row of a cancellation's call: SHA-256 over the hashes in it."""
MAY_BE_SENT: Final = "may_be_sent"
"""Action of a row that counts a request as sent, because it may have been after the time of a restored database."""
_NOT_SENT: Final = frozenset({AttemptOutcome.NOT_EXECUTED, AttemptOutcome.ABANDONED})
_PUT_OFF: Final = frozenset({"create_put_off", "send_put_off"})


class Odd(StrEnum):
    NOT_ASKED = "not asked"
    CHANGED_ROW = "changed row"
    GAP = "gap"
    """The chain is broken after the request was made, so one of its rows may be missing."""
    CHANGED = "changed"
    """The request's row was changed after it was written."""
    STATE = "state"
    """The row is an older copy, was made from one, or has a state that differs from the audit."""
    SENT = "sent"
    VOTES = "votes"
    RESERVED = "reserved"
    ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Reserved:
    day: str
    cents: int
    released: bool


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A disagreement. ``facts`` are those of the reason, e.g. people whose votes lack a row, or the audit row."""

    odd: Odd
    facts: tuple[str, ...] = ()


def disagreements(
    instruction: Instruction,
    *,
    is_sealed: bool,
    votes: Sequence[Vote],
    attempts: Sequence[Attempt],
    unsealed: Sequence[Vote | Attempt],
    rows: Sequence[VerifiedRow],
) -> tuple[Disagreement, ...]:
    """Return every disagreement of a request with its seals and audit rows.

    ``is_sealed`` means that its row is unchanged; ``unsealed`` are the votes and attempts that were changed.
    """
    changed = tuple(str(row.seq) for row in rows if row.entry is None or not row.is_intact)
    if changed:
        return (Disagreement(Odd.CHANGED_ROW, changed),)
    entries = [row.entry for row in rows if row.entry is not None]
    if not entries or entries[0].action != REQUESTED:
        return (Disagreement(Odd.NOT_ASKED),)
    missing = _counted(entries, instruction.round).difference(one.person for one in votes)
    alone = tuple(sorted(missing.union(one.person for one in unsealed if isinstance(one, Vote))))
    forged = any(isinstance(one, Attempt) for one in unsealed)
    checks = (
        (is_sealed and instruction.intact(), Disagreement(Odd.CHANGED)),
        (_is_newest(instruction, entries), Disagreement(Odd.STATE, (entries[-1].after,))),
        (not forged and _was_sent_as(instruction, attempts, entries), Disagreement(Odd.SENT)),
        (not alone, Disagreement(Odd.VOTES, alone)),
    )
    return tuple(found for holds, found in checks if not holds)


def asked(instruction: Instruction) -> dict[str, object]:
    """Return the detail of a request's first row: everything that must not change."""
    taken = {"remote_id": instruction.remote_id} if instruction.payload.taken else {}
    return taken | {
        "code": instruction.code,
        "digest": instruction.digest,
        "reference": instruction.reference,
        "requirement": needed(instruction.requirement),
    }


def needed(requirement: Requirement) -> dict[str, object]:
    return requirement.model_dump(exclude={"reasons"})


def daily_key(now: datetime) -> str:
    return now.date().isoformat()


def _is_newest(instruction: Instruction, entries: Sequence[Entry]) -> bool:
    """Return whether each change has its row, and none was made from an older copy of the request."""
    numbers = [one.detail[MOVE] for one in entries if MOVE in one.detail]
    return numbers == list(range(1, instruction.moves + 1)) and entries[-1].after == instruction.state


def _counted(entries: Sequence[Entry], number: int) -> set[str]:
    """Return the people whose votes in a round count."""
    lists = [one.detail.get("counted") for one in entries if one.detail.get("round") == number]
    return {str(person) for counted in lists if isinstance(counted, list) for person in counted}


def _was_sent_as(instruction: Instruction, attempts: Sequence[Attempt], entries: Sequence[Entry]) -> bool:
    begun = (one.before != one.after and one.after in EFFECT_UNDER_WAY for one in entries)
    claims = [one for one, is_begun in zip(entries, begun, strict=True) if is_begun or one.action == MAY_BE_SENT]
    is_under_way = any(one.outcome is AttemptOutcome.OPEN for one in attempts)
    return len(attempts) == len(claims) and is_under_way == (instruction.state in EFFECT_UNDER_WAY)


def is_reserved_as(instruction: Instruction, held: Mapping[int, Reserved], attempts: Sequence[Attempt]) -> bool:
    """Return whether each attempt that may have moved money has its reservation; ``held`` is by attempt number."""
    return instruction.state is State.REFUSED or all(
        held.get(one.n) == Reserved(daily_key(one.claimed_at), instruction.cents, released=False)
        for one in attempts
        if one.kind is AttemptKind.COMMIT and one.outcome not in _NOT_SENT
    )


def made_of(payload: Payload, rows: Sequence[BulkRow]) -> bool:
    """Return whether the items of a request for several payments match its digest."""
    if isinstance(payload, CancelPayload):
        return hashes_digest({row.hash: int(row.cents) for row in rows}) == payload.items_digest
    items = [row.item for row in rows]
    found = (items_digest(items), len(items), sum(item.cents for item in items))
    return isinstance(payload, BulkPayload) and found == (payload.items_digest, payload.count, payload.cents)


def named_in(rows: Sequence[VerifiedRow]) -> Mapping[int, str]:
    """Return the digest of each call of a cancellation by attempt, without those before a vote for another one."""
    found: dict[int, str] = {}
    for one in (row.entry for row in rows if row.entry is not None and row.is_intact):
        if one.action == Choice.RETRY and one.after == State.APPROVED:
            found.clear()
        elif one.action in _PUT_OFF and found:
            found.popitem()
        elif NAMED in one.detail:
            found[int(str(one.detail.get("attempt", 0)))] = str(one.detail[NAMED])
    return found
