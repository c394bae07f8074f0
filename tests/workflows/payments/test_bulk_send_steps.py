"""Submitting a bulk payment and finding it again: what its history proves, who waits, what differs."""

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk_records import BulkJob, BulkRow, ReportedItem
from bot.domain.payments.instruction import Attempt, AttemptKind, Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import SearchResult, Seen
from bot.presentation.reasons import in_words, worded
from bot.workflows.payments import bulk
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import on_one_rig, planted, queued, stored, write

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)
WAITS = Reason(OfRequest.ANOTHER_IS_SENT)
AWAY = own_words("is away")
UNUSABLE = Reason(OfRequest.HISTORY_UNUSABLE, why=AWAY)


async def asked(rig: Rig, **like: Any) -> Instruction:
    items = [BulkRow(row=n, email=f"x{n}@example.com", cents=Cents(100)) for n in (1, 2)]
    return await planted(rig, Kind.BULK, items=items, **{"state": State.COMMIT_UNKNOWN, "commits": 1, **like})


def listed(one: Instruction, *rows: int, reference: str = "", note: bool = True) -> list[ReportedItem]:
    name = reference or one.reference
    return [
        ReportedItem(
            email=f"x{n}@example.com", cents=Cents(100), internal_note=f"{name}/{n}" if note else "", status="pending"
        )
        for n in rows
    ]


class Service:
    def __init__(self, pages: Iterable[Iterable[str]], held: dict[str, Any], trouble: Exception | None = None) -> None:
        self.pages, self.held, self.trouble = [list(page) for page in pages], held, trouble
        self.read: list[str] = []

    async def bulk_history(self) -> Any:
        for page in self.pages:
            yield type("Page", (), {"jobs": [BulkJob(id=name, status="done") for name in page]})
        if self.trouble is not None:
            raise self.trouble

    async def bulk_items(self, job: str) -> Any:
        for page in self.held.get(job, []):
            if isinstance(page, Exception):
                raise page
            self.read.append(job)
            yield type("Page", (), {"items": page})


async def looked(rig: Rig, one: Instruction, service: Any) -> Any:
    return await bulk.in_history(rig.switchboard.context, service, one)


async def test_what_lists_our_payments_is_ours_and_one_page_is_enough(rig: Rig) -> None:
    one = await asked(rig)
    service = Service([["old", "b1"], ["b2"]], {"b1": [listed(one, 1), listed(one, 2)], "b2": [listed(one, 9)]})
    look = await looked(rig, one, service)
    assert ([job.id for job in look.hits], look.doubt, look.suspect) == (["b1", "b2"], None, None)
    assert service.read == ["b1", "b2"]


async def test_what_names_another_request_is_not_ours(rig: Rig) -> None:
    one = await asked(rig)
    others = [listed(one, 1, 2, reference="L-ANOTHER")]
    look = await looked(rig, one, Service([["b1"]], {"b1": others}))
    assert (look.hits, look.doubt) == ((), None)


@pytest.mark.parametrize("trouble", [
    ServiceNow("payments", AWAY), ServiceNever("payments", own_words("refused")), OperatorError("no route"),
])  # fmt: skip
async def test_one_whose_items_cannot_be_read_may_be_ours(rig: Rig, trouble: Exception) -> None:
    one = await asked(rig)
    look = await looked(rig, one, Service([["b1"]], {"b1": [trouble]}))
    assert (look.hits, look.suspect) == ((), "b1")
    assert look.doubt is not None
    assert look.doubt.is_(OfRequest.MAY_BE_THIS_BULK)
    found = await looked(rig, one, Service([["b1", "b2"]], {"b1": [trouble], "b2": [listed(one, 1, 2)]}))
    assert ([job.id for job in found.hits], found.doubt) == (["b2"], None)


async def test_what_was_there_before_or_belongs_to_another_is_not_looked_into(rig: Rig) -> None:
    now = rig.clock.now()
    one = await asked(rig)
    other = await planted(rig, Kind.BULK, state=State.COMMITTED, remote_id="b2")
    await write(rig, lambda tx: tx.bulk_flights.take(one.id, known={"b1"}, now=now))
    mine = [listed(one, 1, 2)]
    service = Service([["b1", "b2", "b3"]], {"b1": mine, "b2": mine, "b3": mine})
    look = await looked(rig, one, service)
    assert ([job.id for job in look.hits], service.read) == (["b3"], ["b3"])
    assert other.remote_id == "b2"


@on_one_rig(
    [
        (["b1"], State.COMMITTED, "b1", None),
        (["b1", "b2"], State.NEEDS_HUMAN, None, HOUR),
    ]
)
async def test_one_hit_is_taken_in_and_several_are_for_people(
    rig: Rig, names: list[str], state: State, remote: str | None, due: timedelta | None
) -> None:
    now = rig.clock.now()
    one = await asked(rig, remote_id=None)
    hits = [BulkJob(id=name, status="done", count=10) for name in names]
    await write(rig, lambda uow: bulk._found(uow, one, hits))
    found = await stored(rig, one)
    assert (found.state, found.remote_id, found.due_at) == (state, remote, None if due is None else now + due)
    if len(names) > 1:
        said = "the provider has 2 bulk payments with our items: b1, b2"
        assert worded(found.reason) == said
        row = there(await read(rig, lambda tx: tx.outbox.by_key(f"alert:{one.id}:differs")))
        assert in_words(row.payload["reason"]) == said


async def test_where_people_are_asked_already_several_hits_are_looked_at_again(rig: Rig) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=State.NEEDS_HUMAN, remote_id=None)
    hits = [BulkJob(id="b1"), BulkJob(id="b2")]
    await write(rig, lambda uow: bulk._found(uow, one, hits))
    found = await stored(rig, one)
    assert (found.state, found.round, found.due_at) == (State.NEEDS_HUMAN, one.round, now + HOUR)


@on_one_rig([(10, []), (None, []), (9, ["alert:differs"]), (11, ["alert:differs"])])
async def test_another_number_of_payments_than_was_approved_is_an_alert(
    rig: Rig, count: int | None, keys: list[str]
) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=State.SENDING, remote_id=None)
    job = BulkJob(id=f"b{one.id}", status="running", count=count)
    await write(rig, lambda uow: bulk.submitted(uow, one, job))
    assert (await stored(rig, one)).state is State.COMMITTED
    assert await queued(rig, one) == keys
    row = there(await read(rig, lambda tx: tx.tracked.get("bulk", job.id)))
    assert (row.instruction_id, row.due_at) == (one.id, now + 2 * SECOND)


@on_one_rig([(1, False), (2, True)])
async def test_a_submission_that_never_left_lets_the_next_go_unless_an_earlier_one_may_be_in_flight(
    rig: Rig, commits: int, flies: bool
) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=State.SENDING, commits=commits)
    await write(rig, lambda tx: tx.bulk_flights.take(one.id, known=set(), now=now))
    attempt = Attempt(instruction_id=one.id, n=1, kind=AttemptKind.COMMIT, request_hash="", claimed_at=now, boot_at=0.0)
    await write(rig, lambda uow: bulk._unsent(uow, one, attempt))
    assert (await read(rig, lambda tx: tx.bulk_flights.flying()) == one.id) is flies
    await write(rig, lambda tx: tx.bulk_flights.land(one.id))


async def test_what_was_not_in_flight_moves_nobody(rig: Rig) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=State.APPROVED, reason=WAITS, due_at=now + HOUR)
    await write(rig, lambda uow: bulk._land(uow, one.id))
    assert await stored(rig, one) == one


@on_one_rig(
    [
        ([["b1"]], None, SearchResult(Seen.FOUND, Reason(OfRequest.HISTORY_HOLDS))),
        ([["b9"]], None, SearchResult(Seen.ABSENT, Reason(OfRequest.HISTORY_LACKS))),
        ([], ServiceNow("payments", AWAY), SearchResult(Seen.UNREADABLE, UNUSABLE)),
    ]
)
async def test_what_a_search_after_a_restore_comes_to(
    rig: Rig, pages: list[list[str]], trouble: Exception | None, found: SearchResult
) -> None:
    one = await asked(rig)
    service: Any = Service(pages, {"b1": [listed(one, 1, 2)], "b9": [listed(one, 1, reference="L-ANOTHER")]}, trouble)
    assert await bulk._find(rig.switchboard.context, service, one, True) == found
