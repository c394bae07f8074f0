"""F94: what the audit rows of a request say about which of its rows there must be."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.payments.instruction import Attempt, AttemptKind, AttemptOutcome, Choice, Instruction, State, Vote
from bot.domain.payments.sealed import Odd, Reserved, disagreements, is_reserved_as, named_in
from tests.domain.made import NOW, instruction

ADA, LIN = "U0ADA", "U0LIN"
Row = tuple[str, str, str, str, Mapping[str, Any]]


def at(minutes: float) -> datetime:
    return NOW + timedelta(minutes=minutes)


def told(*rows: Row) -> list[VerifiedRow]:
    """Rows of the form (actor, action, before, after, detail), a minute apart."""
    entries = [
        Entry(at=at(n), instruction_id="i", actor=actor, action=action, before=before, after=after, detail=detail)
        for n, (actor, action, before, after, detail) in enumerate(rows)
    ]
    return [VerifiedRow(seq=10 + n, entry=entry, is_intact=True) for n, entry in enumerate(entries)]


ROWS: list[Row] = [
    ("U0MARIA", "requested", "", "new", {"move": 1}),
    ("switchboard", "prepared", "new", "awaiting", {"move": 2}),
    (ADA, "approve", "awaiting", "awaiting", {"round": 1, "counted": [ADA]}),
    (LIN, "approve", "awaiting", "approved", {"round": 1, "counted": [ADA, LIN], "move": 3}),
    ("switchboard", "send", "approved", "sending", {"attempt": 1, "move": 4}),
    ("switchboard", "commit_unknown", "sending", "commit_unknown", {"move": 5}),
]
VOTES = [
    Vote(instruction_id="i", round=1, person=person, choice=Choice.APPROVE, at=at(n))
    for n, person in ((2, ADA), (3, LIN))
]
LOST = Attempt(
    instruction_id="i", n=1, kind=AttemptKind.COMMIT, request_hash="h", claimed_at=at(4), boot_at=1.0,
    outcome=AttemptOutcome.UNKNOWN,
)  # fmt: skip
UNANSWERED = instruction(state=State.COMMIT_UNKNOWN, commits=1, moves=5)


def odds(
    one: Instruction = UNANSWERED,
    *,
    votes: Sequence[Vote] = VOTES,
    attempts: Sequence[Attempt] = (LOST,),
    rows: Sequence[Row] = ROWS,
    is_sealed: bool = True,
) -> set[Odd]:
    found = disagreements(one, is_sealed=is_sealed, votes=votes, attempts=attempts, unsealed=(), rows=told(*rows))
    return {each.odd for each in found}


def test_request_with_all_rows_matches_the_audit() -> None:
    assert odds() == set()
    assert odds(is_sealed=False) == {Odd.CHANGED}
    assert odds(rows=()) == odds(rows=ROWS[1:]) == {Odd.NOT_ASKED}


@pytest.mark.parametrize("moves", [4, 6])
def test_row_with_fewer_changes_is_older(moves: int) -> None:
    assert odds(replace(UNANSWERED, moves=moves)) == {Odd.STATE}


def test_changed_older_row_is_found_later() -> None:
    again = ("switchboard", "commit_unknown", "sending", "commit_unknown", {"move": 5})
    assert odds(rows=[*ROWS, again]) == {Odd.STATE}


@pytest.mark.parametrize("votes", [VOTES[:1], []])
def test_deleted_vote_that_counted_is_found(votes: list[Vote]) -> None:
    assert odds(votes=votes) == {Odd.VOTES}
    assert odds(replace(UNANSWERED, round=2), votes=[]) == set()


@pytest.mark.parametrize("attempts", [(), (replace(LOST, outcome=AttemptOutcome.OPEN),), (LOST, replace(LOST, n=2))])
def test_deleted_added_or_reopened_attempts_are_found(attempts: tuple[Attempt, ...]) -> None:
    assert odds(attempts=attempts) == {Odd.SENT}


def test_changed_audit_row_is_named() -> None:
    rows = told(*ROWS)
    for changed in ({"is_intact": False}, {"entry": None}):
        others = [*rows[:3], replace(rows[3], **changed), *rows[4:]]
        (found,) = disagreements(UNANSWERED, is_sealed=True, votes=VOTES, attempts=(LOST,), unsealed=(), rows=others)
        assert (found.odd, found.facts) == (Odd.CHANGED_ROW, ("13",))


def test_attempt_reserves_the_limit_of_its_day() -> None:
    held = {1: Reserved("2026-11-20", 2500, released=False)}
    assert is_reserved_as(UNANSWERED, held, [LOST])
    for wrong in (
        {},
        {1: Reserved("2026-11-20", 2500, released=True)},
        {1: Reserved("2026-11-19", 2500, released=False)},
        {1: Reserved("2026-11-20", 2499, released=False)},
    ):
        assert not is_reserved_as(UNANSWERED, wrong, [LOST])
    assert is_reserved_as(replace(UNANSWERED, state=State.REFUSED), {}, [LOST])
    assert is_reserved_as(UNANSWERED, {}, [replace(LOST, outcome=AttemptOutcome.ABANDONED)])


def naming(n: int) -> Row:
    return ("switchboard", "send", "approved", "sending", {"attempt": n, "named": f"hashes {n}"})


GONE_ON: Row = ("switchboard", "chunk_sent", "sending", "approved", {})
PUT_OFF: Row = ("switchboard", "send_put_off", "sending", "approved", {})
VOTED_AGAIN: Row = (LIN, "retry", "needs_human", "approved", {})
WAITS_FOR_ONE: Row = (ADA, "retry", "needs_human", "needs_human", {})


@pytest.mark.parametrize(("rows", "found"), [
    ([], {}), ([ROWS[4]], {}), ([naming(1)], {1: "hashes 1"}),
    ([naming(1), GONE_ON, naming(2)], {1: "hashes 1", 2: "hashes 2"}),
    ([naming(1), GONE_ON, naming(2), PUT_OFF], {1: "hashes 1"}), ([PUT_OFF], {}),
    ([naming(1), WAITS_FOR_ONE], {1: "hashes 1"}), ([naming(1), WAITS_FOR_ONE, VOTED_AGAIN], {}),
    ([naming(1), VOTED_AGAIN, naming(2)], {2: "hashes 2"}),
])  # fmt: skip
def test_cancellation_keeps_named_items_until_new_votes(rows: list[Row], found: Mapping[int, str]) -> None:
    assert named_in(told(*rows)) == found


def test_changed_row_proves_no_named_items() -> None:
    (row,) = told(naming(1))
    assert named_in([replace(row, is_intact=False)]) == {}
    assert named_in([replace(row, entry=None)]) == {}
