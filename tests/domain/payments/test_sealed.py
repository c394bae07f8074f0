"""F94: what the sealed rows of a request say, and each way in which its rows in the database can disagree."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

import pytest

from bot.domain.audit import Entry, VerifiedRow
from bot.domain.payments import instruction as instructions
from bot.domain.payments.bulk import CancelPayload
from bot.domain.payments.sealed import Odd, Reserved, asked, content_of, disagreements, is_reserved_as, named_in
from bot.domain.policy import Requirement
from tests.domain.made import NOW, REMOTE, bulk, instruction, payload

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


REQUIREMENT = Requirement(quorum=2)
ONE = instruction(requirement=REQUIREMENT, creates=1, sent_at=at(1))
ASKED: Row = ("U0MARIA", "requested", "", "new", asked(ONE))
CREATED: list[Row] = [
    ASKED,
    ("switchboard", "create", "new", "creating", {}),
    ("switchboard", "created", "creating", "awaiting", {"remote_id": REMOTE}),
]


def voted(person: str, after: str = "awaiting", **more: Any) -> Row:
    detail = {"round": 1, "counted": [person], "quorum": 2, "typed": False, **more}
    return (person, more.pop("action", "approve"), "awaiting", after, detail)


APPROVED: list[Row] = [*CREATED, voted(ADA), voted(LIN, "approved", counted=[ADA, LIN])]
VOTES = [
    instructions.Vote(instruction_id="i", round=1, person=person, choice=instructions.Choice.APPROVE, at=at(n))
    for n, person in ((3, ADA), (4, LIN))
]
CREATE = instructions.Attempt(
    instruction_id="i", n=1, kind=instructions.AttemptKind.CREATE, request_hash="h", claimed_at=at(1), boot_at=1.0,
    outcome=instructions.AttemptOutcome.DONE,
)  # fmt: skip
READY = replace(ONE, state=instructions.State.APPROVED, exec_deadline=at(64))
SEND: Row = ("switchboard", "send", "approved", "sending", {"attempt": 2})


def odds(
    one: instructions.Instruction = READY,
    *,
    votes: Sequence[instructions.Vote] = VOTES,
    attempts: Sequence[instructions.Attempt] = (CREATE,),
    rows: Sequence[Row] = APPROVED,
) -> set[Odd]:
    return {found.odd for found in disagreements(one, votes=votes, attempts=attempts, rows=told(*rows))}


def test_what_was_asked_approved_and_created_agrees() -> None:
    assert odds() == set()
    assert odds(replace(ONE, state=instructions.State.AWAITING), votes=VOTES[:1], rows=APPROVED[:4]) == set()
    new = replace(ONE, state=instructions.State.NEW, creates=0, sent_at=None, remote_id=None)
    assert odds(new, votes=(), attempts=(), rows=[ASKED]) == set()


OTHER = payload(cents=90_000)
CHANGED: list[tuple[str, dict[str, Any], Odd]] = [
    ("another payload with its digest", {"payload": OTHER, "digest": ""}, Odd.CONTENT),
    ("another payload alone", {"payload": OTHER}, Odd.CONTENT),
    ("another code", {"code": "X", "digest": ""}, Odd.CONTENT),
    ("another kind", {"kind": instructions.Kind.ONE_STEP, "digest": ""}, Odd.CONTENT),
    ("another reference", {"reference": "P-XXXXXX"}, Odd.CONTENT),
    ("another requester", {"requester": ADA}, Odd.REQUESTER), ("asked later", {"created_at": at(1)}, Odd.REQUESTER),
    ("a smaller quorum", {"requirement": Requirement(quorum=1)}, Odd.REQUIREMENT),
    ("a quorum with an extra approver in it", {"requirement": Requirement(quorum=2, extra=1)}, Odd.REQUIREMENT),
    ("an extra approver given up", {"requirement": Requirement(quorum=1, everyone=True)}, Odd.REQUIREMENT),
    ("votes live longer", {"requirement": Requirement(quorum=2, expires_seconds=86_401)}, Odd.REQUIREMENT),
    ("a longer window", {"requirement": Requirement(quorum=2, execute_within_seconds=3_601)}, Odd.REQUIREMENT),
    ("another state", {"state": instructions.State.AWAITING}, Odd.STATE), ("a commit less", {"commits": 1}, Odd.SENT),
    ("a create less", {"creates": 0}, Odd.SENT), ("sent at another time", {"sent_at": at(0)}, Odd.SENT),
    ("another operation", {"remote_id": "1" * 24}, Odd.REMOTE_ID), ("no operation", {"remote_id": None}, Odd.REMOTE_ID),
    ("a later end of the window", {"exec_deadline": at(64.1)}, Odd.WINDOW),
    ("no end of the window", {"exec_deadline": None}, Odd.WINDOW),
]  # fmt: skip
"""An empty digest stands for the one that fits the changed request."""


@pytest.mark.parametrize(("changes", "odd"), [one[1:] for one in CHANGED], ids=[one[0] for one in CHANGED])
def test_each_change_of_the_request_is_seen(changes: dict[str, Any], odd: Odd) -> None:
    one = replace(READY, **changes)
    if not one.digest:
        one = replace(one, digest=instructions.digest_of(kind=one.kind, code=one.code, payload=one.payload))
    assert odds(one) == {odd}


def test_a_policy_that_asks_more_is_no_disagreement() -> None:
    strict = Requirement(quorum=3, typed_amount=True, expires_seconds=60, execute_within_seconds=60)
    assert odds(replace(READY, requirement=strict, exec_deadline=at(5))) == set()


@pytest.mark.parametrize("detail", [{"quorum": 3}, {"quorum": 2, "typed_amount": True}])
def test_what_the_policy_asked_more_since_is_not_forgotten(detail: dict[str, object]) -> None:
    rows = [*APPROVED, ("switchboard", "tightened", "approved", "approved", detail)]
    assert odds(rows=rows) == {Odd.REQUIREMENT}


FORGED: list[tuple[str, list[instructions.Vote], list[Row]]] = [
    ("nobody voted", VOTES, CREATED),
    ("another person", [*VOTES[:1], replace(VOTES[1], person="U0TOM")], APPROVED),
    ("another time", [*VOTES[:1], replace(VOTES[1], at=at(4.5))], APPROVED),
    ("another choice", [*VOTES[:1], replace(VOTES[1], choice=instructions.Choice.RETRY)], APPROVED),
    ("the amount typed", [*VOTES[:1], replace(VOTES[1], typed=True)], APPROVED),
    ("another round", [*VOTES[:1], replace(VOTES[1], round=2)], APPROVED),
]


@pytest.mark.parametrize(("votes", "rows"), [one[1:] for one in FORGED], ids=[one[0] for one in FORGED])
def test_a_vote_without_its_row_is_seen(votes: list[instructions.Vote], rows: list[Row]) -> None:
    assert Odd.VOTES in odds(votes=votes, rows=rows)


def test_votes_of_a_ballot_that_is_over_do_not_count_again() -> None:
    """After an unknown outcome, the approvals of the first attempt are no approvals of the second one."""
    rows = [
        *APPROVED,
        SEND,
        ("switchboard", "commit_unknown", "sending", "commit_unknown", {}),
        ("switchboard", "needs_human", "commit_unknown", "needs_human", {}),
    ]
    sent = replace(
        CREATE, n=2, kind=instructions.AttemptKind.COMMIT, claimed_at=at(5), outcome=instructions.AttemptOutcome.UNKNOWN
    )
    one = replace(ONE, state=instructions.State.NEEDS_HUMAN, commits=1, sent_at=at(5), round=2)
    assert odds(one, votes=(), attempts=(CREATE, sent), rows=rows) == set()
    assert odds(replace(one, round=1), attempts=(CREATE, sent), rows=rows) == {Odd.VOTES}


@pytest.mark.parametrize("action", ["suspended", "approve_again"])
def test_nor_after_they_became_void(action: str) -> None:
    rows = [*APPROVED[:4], ("switchboard", action, "awaiting", "awaiting", {})]
    assert odds(replace(ONE, state=instructions.State.AWAITING), votes=VOTES[:1], rows=rows) == {Odd.VOTES}


@pytest.mark.parametrize("action", ["recounted", "votes_no_longer_count"])
def test_who_counts_on_in_a_new_round_is_named_in_its_row(action: str) -> None:
    kept = [replace(VOTES[0], round=2)]
    rows = [*APPROVED[:4], ("switchboard", action, "awaiting", "awaiting", {"round": 2, "counted": [ADA]})]
    waits = replace(ONE, state=instructions.State.AWAITING, round=2)
    assert odds(waits, votes=kept, rows=rows) == set()
    assert odds(waits, votes=[replace(VOTES[1], round=2)], rows=rows) == {Odd.VOTES}
    others = [*APPROVED[:4], ("switchboard", action, "awaiting", "awaiting", {"round": 2, "counted": [LIN]})]
    assert odds(waits, votes=kept, rows=others) == {Odd.VOTES}


def test_rows_that_do_not_follow_each_other_tell_that_a_state_was_changed_between() -> None:
    rows: list[Row] = [
        *APPROVED,
        ("U0MARIA", "withdrawn", "approved", "withdrawn", {}),
        ("switchboard", "tightened", "approved", "approved", {}),
    ]
    assert odds(rows=rows) == {Odd.STORY}


def test_without_its_first_row_nobody_asked() -> None:
    assert odds(rows=[]) == {Odd.NOT_ASKED}
    assert odds(rows=APPROVED[1:]) == {Odd.NOT_ASKED}
    assert odds(rows=[("U0MARIA", "requested", "new", "new", asked(ONE)), *APPROVED[1:]]) == {Odd.NOT_ASKED}


@pytest.mark.parametrize("changed", [{"is_intact": False}, {"entry": None, "is_intact": False}])
def test_a_row_that_is_not_what_was_written_is_named(changed: dict[str, Any]) -> None:
    rows = told(*APPROVED)
    rows[3] = replace(rows[3], **changed)
    (found,) = disagreements(READY, votes=VOTES, attempts=(CREATE,), rows=rows)
    assert (found.odd, found.facts) == (Odd.CHANGED_ROW, ("13",))


COMMIT = replace(
    CREATE, n=2, kind=instructions.AttemptKind.COMMIT, claimed_at=at(5), outcome=instructions.AttemptOutcome.OPEN
)
UNDER_WAY = replace(ONE, state=instructions.State.SENDING, commits=1, sent_at=at(5))
SENT = [*APPROVED, SEND]
UNKNOWN = [*SENT, ("switchboard", "commit_unknown", "sending", "commit_unknown", {})]
LOST = replace(COMMIT, outcome=instructions.AttemptOutcome.UNKNOWN)
UNANSWERED = replace(UNDER_WAY, state=instructions.State.COMMIT_UNKNOWN)


def test_an_attempt_is_followed_through_its_rows() -> None:
    assert odds(UNDER_WAY, attempts=(CREATE, COMMIT), rows=SENT) == set()
    assert odds(UNANSWERED, attempts=(CREATE, LOST), rows=UNKNOWN) == set()
    back = [*SENT, ("switchboard", "send_put_off", "sending", "approved", {})]
    unsent = replace(COMMIT, outcome=instructions.AttemptOutcome.ABANDONED)
    assert odds(replace(READY, sent_at=at(5)), attempts=(CREATE, unsent), rows=back) == set()
    found = [*APPROVED, ("switchboard", "found_after_restore", "approved", "commit_unknown", {})]
    late = replace(LOST, claimed_at=at(-60))
    assert odds(replace(UNANSWERED, sent_at=at(-60)), attempts=(CREATE, late), rows=found) == set()


@pytest.mark.parametrize("attempts", [
    (), (CREATE,), (CREATE, replace(LOST, outcome=instructions.AttemptOutcome.ABANDONED)),
    (CREATE, replace(LOST, outcome=instructions.AttemptOutcome.OPEN)),
    (CREATE, replace(LOST, kind=instructions.AttemptKind.CREATE)), (CREATE, replace(LOST, n=3)),
    (CREATE, replace(LOST, claimed_at=at(4))), (CREATE, replace(LOST, claimed_at=at(6.1))),
    (CREATE, LOST, replace(LOST, n=3)),
])  # fmt: skip
def test_attempts_that_were_not_made_so_are_seen(attempts: tuple[instructions.Attempt, ...]) -> None:
    assert odds(UNANSWERED, attempts=attempts, rows=UNKNOWN) == {Odd.SENT}


def test_creating_begins_to_count_anew_when_people_want_it_again() -> None:
    rows: list[Row] = [
        ASKED,
        ("switchboard", "create", "new", "creating", {}),
        ("switchboard", "create_unknown", "creating", "create_unknown", {}),
        ("switchboard", "needs_human", "create_unknown", "needs_human", {}),
        (ADA, "retry", "needs_human", "create_unknown", {"round": 2, "counted": [ADA], "quorum": 2, "typed": True}),
    ]
    lost = replace(CREATE, outcome=instructions.AttemptOutcome.UNKNOWN)
    one = replace(ONE, state=instructions.State.CREATE_UNKNOWN, creates=0, remote_id=None, round=3)
    assert odds(one, votes=(), attempts=(lost,), rows=rows) == set()
    assert odds(replace(one, creates=1), votes=(), attempts=(lost,), rows=rows) == {Odd.SENT}


def test_nothing_is_at_the_service_before_it_was_sent() -> None:
    begun = instruction(kind=instructions.Kind.ONE_STEP, requirement=REQUIREMENT, remote_id=None)
    rows: list[Row] = [
        ("U0MARIA", "requested", "", "new", asked(begun)),
        ("switchboard", "prepared", "new", "awaiting", {}),
    ]
    assert odds(begun, votes=(), attempts=(), rows=rows) == set()
    assert odds(replace(begun, remote_id=REMOTE), votes=(), attempts=(), rows=rows) == {Odd.REMOTE_ID}


def test_what_no_money_depends_on_is_part_of_what_was_asked() -> None:
    many = bulk()
    assert content_of(many.payload) != content_of(many.payload.model_copy(update={"name": "april.csv"}))


def test_what_was_asked_is_told_by_what_is_not_as_by_default() -> None:
    """A field that a later version adds does not change what was asked before."""
    payload = CancelPayload(bulk="L-4F7K2M", bulk_remote_id="bulk-1", count=2, cents=9_500, items_digest="22")
    text = '{"bulk": "L-4F7K2M", "bulk_remote_id": "bulk-1", "cents": 9500, "count": 2, "items_digest": "22"}'
    assert content_of(payload) == sha256(text.encode()).hexdigest()


def test_an_attempt_holds_its_part_of_the_limit_of_its_day() -> None:
    held = {2: Reserved("2026-11-20", 2500, released=False)}
    assert is_reserved_as(UNANSWERED, held, told(*UNKNOWN))
    for wrong in (
        {},
        {2: Reserved("2026-11-20", 2500, released=True)},
        {2: Reserved("2026-11-19", 2500, released=False)},
        {2: Reserved("2026-11-20", 2499, released=False)},
    ):
        assert not is_reserved_as(UNANSWERED, wrong, told(*UNKNOWN))
    assert is_reserved_as(replace(UNANSWERED, state=instructions.State.REFUSED), {}, told(*UNKNOWN))
    assert is_reserved_as(READY, {}, told(*SENT, ("switchboard", "send_put_off", "sending", "approved", {})))


@pytest.mark.parametrize(("minutes", "agrees"), [(64, True), (63, True), (64 + 1 / 60, False)])
def test_deadline_is_no_later_than_its_approval_allows(minutes: float, agrees: bool) -> None:
    found = odds(replace(READY, exec_deadline=at(minutes)), votes=VOTES, attempts=(CREATE,), rows=APPROVED)
    assert found == (set() if agrees else {Odd.WINDOW})


@pytest.mark.parametrize("seconds", [0, 1e-6, -1e-6, 7_200, -7_200])
def test_last_request_was_sent_at_the_time_of_its_row(seconds: float) -> None:
    one = replace(UNANSWERED, sent_at=at(5) + timedelta(seconds=seconds))
    found = odds(one, votes=VOTES, attempts=(CREATE, LOST), rows=UNKNOWN)
    assert found == ({Odd.SENT} if seconds else set())


def naming(n: int) -> Row:
    return ("switchboard", "send", "approved", "sending", {"attempt": n, "named": f"hashes {n}"})


GONE_ON: Row = ("switchboard", "chunk_sent", "sending", "approved", {})
PUT_OFF: Row = ("switchboard", "send_put_off", "sending", "approved", {})
VOTED_AGAIN: Row = (LIN, "retry", "needs_human", "approved", {})
WAITS_FOR_ONE: Row = (ADA, "retry", "needs_human", "needs_human", {})


@pytest.mark.parametrize(("rows", "found"), [
    ([], {}), ([SEND], {}), ([naming(1)], {1: "hashes 1"}),
    ([naming(1), GONE_ON, naming(2)], {1: "hashes 1", 2: "hashes 2"}),
    ([naming(1), GONE_ON, naming(2), PUT_OFF], {1: "hashes 1"}), ([PUT_OFF], {}),
    ([naming(1), WAITS_FOR_ONE], {1: "hashes 1"}), ([naming(1), WAITS_FOR_ONE, VOTED_AGAIN], {}),
    ([naming(1), VOTED_AGAIN, naming(2)], {2: "hashes 2"}),
])  # fmt: skip
def test_what_a_cancellation_named_until_people_vote_again(rows: list[Row], found: Mapping[int, str]) -> None:
    assert named_in(told(*rows)) == found


def test_a_row_that_was_changed_says_nothing_of_what_was_named() -> None:
    (row,) = told(naming(1))
    assert named_in([replace(row, is_intact=False)]) == {}
    assert named_in([replace(row, entry=None)]) == {}
