"""What the sealed audit rows of a request say, and where its rows in the database disagree.

A writer of the database who lacks the key can change every row except these. So before anything is sent, what was
asked, where it stands, what was sent so far and every vote are compared with them. Which rows are missing, only the
chain around them shows.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any, Final

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
    Kind,
    Payload,
    State,
    Vote,
)
from bot.domain.policy import Requirement

REQUESTED: Final = "requested"
PAID_AFTER_ALL: Final = "paid_after_all"
"""Action of a row that says that the service shows a payment of a request that had ended as not paid."""
HELD_BACK: Final = "held_back"
RELEASED: Final = "released"
"""Actions of rows that say what was found out about the requests that this one was made from, and who released it."""
RECOUNTED: Final = "recounted"
"""Action of a row that says whose votes went on into a new round."""
CAPPED: Final = "capped"
"""Action of a row that lowers the quorum to the people who are left, never below the rules' own."""
NAMED: Final = "named"
"""In the row of a cancellation's request: SHA-256 over the hashes that it named."""
_STILL_COUNTED: Final = "votes_no_longer_count"
_BEGIN_ANEW: Final = frozenset({"suspended", "approve_again", CAPPED})
"""Actions after which every vote so far is void, whatever state they left behind."""
_WAITS: Final = frozenset({State.AWAITING, State.NEEDS_HUMAN})
_PUT_OFF: Final = frozenset({"create_put_off", "send_put_off"})
_UNKNOWN: Final = frozenset({State.CREATE_UNKNOWN, State.COMMIT_UNKNOWN})
_FOUND: Final = "found_after_restore"
_CHOICES: Final = frozenset(Choice)


class Odd(StrEnum):
    NOT_ASKED = "not asked"
    CHANGED_ROW = "changed row"
    GAP = "gap"
    """The chain is broken somewhere since the request was made, so one of its rows may be missing."""
    CONTENT = "content"
    REQUESTER = "requester"
    REQUIREMENT = "requirement"
    STORY = "story"
    """One of its rows begins in another state than the row before it left: a state was changed in between."""
    STATE = "state"
    SENT = "sent"
    REMOTE_ID = "remote id"
    WINDOW = "window"
    VOTES = "votes"
    RESERVED = "reserved"
    ITEMS = "items"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One way. ``facts``: what the reason names, e.g. the people whose votes have no row, or the row of the audit."""

    odd: Odd
    facts: tuple[str, ...] = ()


def content_of(payload: Payload) -> str:
    """SHA-256 (hex) of everything that was asked, also of what no money depends on."""
    # Without defaults: a field that a later version adds does not change what was asked before.
    held = payload.model_dump(mode="json", exclude_defaults=True)
    return hashlib.sha256(json.dumps(held, sort_keys=True, ensure_ascii=True).encode()).hexdigest()


def asked(instruction: Instruction) -> dict[str, object]:
    """Detail of the row with which a request begins: everything that must stay as it is."""
    taken = {"remote_id": instruction.remote_id} if instruction.payload.taken else {}
    return taken | {
        "code": instruction.code,
        "digest": instruction.digest,
        "reference": instruction.reference,
        "content": content_of(instruction.payload),
        "requirement": needed(instruction.requirement),
    }


def needed(requirement: Requirement) -> dict[str, object]:
    # Without an empty list: rows of older versions have none.
    return requirement.model_dump(exclude={"reasons"} if requirement.repeats else {"reasons", "repeats"})


def disagreements(
    instruction: Instruction,
    *,
    votes: Sequence[Vote],
    attempts: Sequence[Attempt],
    rows: Sequence[VerifiedRow],
) -> tuple[Disagreement, ...]:
    """Every way in which a request disagrees with its rows."""
    changed = tuple(str(row.seq) for row in rows if row.entry is None or not row.is_intact)
    if changed:
        return (Disagreement(Odd.CHANGED_ROW, changed),)
    entries = [row.entry for row in rows if row.entry is not None]
    if not entries or entries[0].action != REQUESTED or entries[0].before:
        return (Disagreement(Odd.NOT_ASKED),)
    return tuple(_compared(instruction, votes, attempts, entries))


def _compared(
    instruction: Instruction, votes: Sequence[Vote], attempts: Sequence[Attempt], entries: Sequence[Entry]
) -> Iterator[Disagreement]:
    first, last = entries[0], entries[-1]
    same = [first.detail.get(name) for name in ("digest", "code", "reference")] == [
        instruction.digest,
        instruction.code,
        instruction.reference,
    ]
    if not (same and instruction.intact() and first.detail.get("content") == content_of(instruction.payload)):
        yield Disagreement(Odd.CONTENT)
    if instruction.requester != first.actor or instruction.created_at != first.at:
        yield Disagreement(Odd.REQUESTER)
    if not _asks_as_much(instruction.requirement, entries):
        yield Disagreement(Odd.REQUIREMENT)
    if any(one.before != before.after for before, one in pairwise(entries)):
        yield Disagreement(Odd.STORY)
    if last.after != instruction.state:
        yield Disagreement(Odd.STATE, (last.after,))
    if not _was_sent_as(instruction, attempts, entries):
        yield Disagreement(Odd.SENT)
    if not _is_created_as(instruction, entries):
        yield Disagreement(Odd.REMOTE_ID)
    alone = tuple(vote.person for vote in votes if not _is_witnessed(vote, entries))
    if alone:
        yield Disagreement(Odd.VOTES, alone)
    if instruction.state is State.APPROVED and not _is_in_its_window(instruction, entries):
        yield Disagreement(Odd.WINDOW)


def _asks_as_much(requirement: Requirement, entries: Sequence[Entry]) -> bool:
    """Whether it asks for no less than it ever did: a policy can hold a request back, never hurry it.

    Only approvers beyond the rules' own quorum are given up, and only by a sealed row.
    """
    held = entries[0].detail.get("requirement")
    begun = held if isinstance(held, Mapping) else {}
    stated = [begun, *(one.detail for one in entries if "quorum" in one.detail)]
    lowered = max((n for n, one in enumerate(entries) if one.action == CAPPED), default=0)
    since = [one.detail for one in entries[lowered:] if "quorum" in one.detail] if lowered else stated
    quorum = max((_number(one.get("quorum")) for one in since), default=0)
    snapshots = [one for one in stated if "expires_seconds" in one]  # a vote's row has the quorum alone
    rules = max((_number(one.get("quorum")) - _number(one.get("extra")) for one in snapshots), default=0)
    repeats: list[Any] = [repeat for one in stated for repeat in one.get("repeats", [])]
    longest = _number(begun.get("expires_seconds", requirement.expires_seconds))
    window = _number(begun.get("execute_within_seconds", requirement.execute_within_seconds))
    return (
        requirement.quorum >= quorum
        and requirement.by_rules >= rules
        and {repeat["reference"] for repeat in repeats} <= {repeat.reference for repeat in requirement.repeats}
        and requirement.typed_amount >= any(one.get("typed_amount") is True for one in stated)
        and requirement.expires_seconds <= longest
        and requirement.execute_within_seconds <= window
    )


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


@dataclass(frozen=True, slots=True)
class Reserved:
    day: str
    cents: int
    released: bool


@dataclass(slots=True)
class _Send:
    """A request with an effect; ``at`` is None when its time is unknown."""

    kind: AttemptKind
    at: datetime | None
    put_off: bool = False
    unknown: bool = False
    under_way: bool = True


def _sends(entries: Sequence[Entry]) -> list[_Send]:
    sends: list[_Send] = []
    for one in entries:
        if one.before in EFFECT_UNDER_WAY and sends and one.after != one.before:
            sends[-1].under_way = False
            sends[-1].put_off = one.action in _PUT_OFF
            sends[-1].unknown = one.after in _UNKNOWN
        kind = AttemptKind.CREATE if one.after in (State.CREATING, State.CREATE_UNKNOWN) else AttemptKind.COMMIT
        if one.after in EFFECT_UNDER_WAY and one.after != one.before:
            sends.append(_Send(kind, one.at))
        elif one.action == _FOUND:
            sends.append(_Send(kind, None, unknown=True, under_way=False))
    return sends


def _was_sent_as(instruction: Instruction, attempts: Sequence[Attempt], entries: Sequence[Entry]) -> bool:
    sends = _sends(entries)
    commits = sum(1 for one in sends if one.kind is AttemptKind.COMMIT and not one.put_off)
    asks_again = [one.action == Choice.RETRY and one.after == State.CREATE_UNKNOWN for one in entries]
    begun = max((n for n, again in enumerate(asks_again) if again), default=0)  # creates are counted anew from there
    creates = sum(1 for one in _sends(entries[begun:]) if one.kind is AttemptKind.CREATE and not one.put_off)
    if (instruction.commits, instruction.creates) != (commits, creates):
        return False
    if sends and sends[-1].at not in (None, instruction.sent_at):
        return False
    return len(attempts) == len(sends) and all(
        (attempt.n, attempt.kind) == (n, send.kind)
        and send.at in (None, attempt.claimed_at)
        and (attempt.outcome is AttemptOutcome.UNKNOWN) == send.unknown
        and (attempt.outcome is AttemptOutcome.OPEN) == send.under_way
        for n, (attempt, send) in enumerate(zip(attempts, sends, strict=True), 1)
    )


def daily_key(now: datetime) -> str:
    return now.date().isoformat()


def is_reserved_as(instruction: Instruction, held: Mapping[int, Reserved], rows: Sequence[VerifiedRow]) -> bool:
    """Whether each attempt that may have moved money holds it of its day's limit; ``held`` is by number of attempt."""
    sends = _sends([row.entry for row in rows if row.entry is not None and row.is_intact])
    for n, send in enumerate(sends, 1):
        if send.kind is not AttemptKind.COMMIT or send.put_off or instruction.state is State.REFUSED:
            continue
        taken = held.get(n)
        day = daily_key(send.at) if send.at is not None else None
        if taken is None or taken.released or taken.cents != instruction.cents or day not in (None, taken.day):
            return False
    return True


def made_of(payload: Payload, rows: Sequence[BulkRow]) -> bool:
    """Whether the items of a request about several payments are those of its digest."""
    if isinstance(payload, CancelPayload):
        return hashes_digest({row.hash: int(row.cents) for row in rows}) == payload.items_digest
    items = [row.item for row in rows]
    found = (items_digest(items), len(items), sum(item.cents for item in items))
    return isinstance(payload, BulkPayload) and found == (payload.items_digest, payload.count, payload.cents)


def named_in(rows: Sequence[VerifiedRow]) -> Mapping[int, str]:
    """What each request of a cancellation named, by attempt; without those after which people voted for another one."""
    found: dict[int, str] = {}
    for one in (row.entry for row in rows if row.entry is not None and row.is_intact):
        if one.action == Choice.RETRY and one.after == State.APPROVED:
            found.clear()
        elif one.action in _PUT_OFF and found:
            found.popitem()
        elif NAMED in one.detail:
            found[int(_number(one.detail.get("attempt")))] = str(one.detail[NAMED])
    return found


def _is_created_as(instruction: Instruction, entries: Sequence[Entry]) -> bool:
    """Whether what would be committed is what was created for it; before that, nothing is there under any id."""
    named = [one.detail["remote_id"] for one in entries if "remote_id" in one.detail]
    if instruction.kind is Kind.PAYOUT and named:
        return instruction.remote_id == named[-1]
    waits = instruction.state in (State.NEW, State.AWAITING, State.APPROVED)
    return not waits or bool(named) or instruction.remote_id is None


def _is_in_its_window(instruction: Instruction, entries: Sequence[Entry]) -> bool:
    """Whether its deadline is no later than its approval allows."""
    approved = [one.at for one in entries if one.action in _CHOICES and one.after == State.APPROVED]
    deadline, window = instruction.exec_deadline, timedelta(seconds=instruction.requirement.execute_within_seconds)
    return bool(approved) and deadline is not None and deadline <= approved[-1] + window


def _is_witnessed(vote: Vote, entries: Sequence[Entry]) -> bool:
    """Whether the person was seen to vote, in this ballot, for this, then and so; and counts on in this round."""
    starts = (
        one.action in _BEGIN_ANEW or (one.after in _WAITS and one.before != one.after and one.action != _STILL_COUNTED)
        for one in entries
    )
    begun = max((n for n, begins in enumerate(starts) if begins), default=0)
    ballot = entries[begun:]  # what was voted before counts no more
    own = [
        one
        for one in ballot
        if (one.actor, one.action, one.at) == (vote.person, vote.choice.value, vote.at)
        and one.detail.get("typed") is vote.typed
    ]
    return any(_counts_in(vote.round, vote.person, one, ballot) for one in own)


def _counts_in(number: int, person: str, own: Entry, ballot: Sequence[Entry]) -> bool:
    if own.detail.get("round") == number:
        return True
    kept = (one.detail for one in ballot if one.action in (RECOUNTED, _STILL_COUNTED) or one.action in _CHOICES)
    lists = [one.get("counted") for one in kept if one.get("round") == number]
    return any(person in counted for counted in lists if isinstance(counted, list))
