"""Submitting a bulk payment and finding it again: what its history proves, who waits, what differs."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk_records import BulkJob, BulkRow, ReportedItem
from bot.domain.payments.instruction import Attempt, AttemptKind, Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.payments import bulk
from tests.support.bulk import ask
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.looking import alerts, read
from tests.workflows.planted import on_one_rig, planted, queued, stored, write

AWAY = own_words("is away")


async def asked(rig: Rig, **like: Any) -> Instruction:
    items = [BulkRow(row=n, email=f"x{n}@example.com", cents=Cents(100)) for n in (1, 2)]
    return await planted(rig, Kind.BULK, items=items, **{"state": State.COMMIT_UNKNOWN, "commits": 1, **like})


def listed(one: Instruction, *, reference: str = "") -> list[ReportedItem]:
    name = reference or one.reference
    return [
        ReportedItem(email=f"x{n}@example.com", cents=Cents(100), internal_note=f"{name}/{n}", status="pending")
        for n in (1, 2)
    ]


class Service:
    """A history with these bulk payments, and the pages of their items; an error in place of a page is raised."""

    def __init__(self, held: dict[str, list[Any]]) -> None:
        self.held = held
        self.read: list[str] = []

    async def bulk_history(self) -> Any:
        yield SimpleNamespace(jobs=[BulkJob(id=name, status="done") for name in self.held])

    async def bulk_items(self, job: str) -> Any:
        for page in self.held[job]:
            if isinstance(page, Exception):
                raise page
            self.read.append(job)
            yield SimpleNamespace(items=page)


async def looked(rig: Rig, one: Instruction, service: Any) -> Any:
    return await bulk.in_history(rig.switchboard.context, service, one)


@pytest.mark.parametrize("trouble", [
    ServiceNow("payments", AWAY), ServiceNever("payments", own_words("refused")), OperatorError("no route"),
])  # fmt: skip
async def test_history_entry_whose_items_cannot_be_read_may_be_ours(rig: Rig, trouble: Exception) -> None:
    one = await asked(rig)
    look = await looked(rig, one, Service({"b1": [trouble]}))
    assert (look.hits, look.suspect) == ((), "b1")
    assert look.doubt is not None
    assert look.doubt.is_(OfRequest.MAY_BE_THIS_BULK)
    found = await looked(rig, one, Service({"b1": [trouble], "b2": [listed(one)]}))
    assert ([job.id for job in found.hits], found.doubt) == (["b2"], None)


async def test_earlier_and_foreign_history_is_ignored(rig: Rig) -> None:
    one = await asked(rig)
    await planted(rig, Kind.BULK, state=State.COMMITTED, remote_id="b2")
    await write(rig, lambda tx: tx.bulk_flights.take(one.id, known={"b1"}, now=rig.clock.now()))
    mine = [listed(one)]
    service = Service({"b1": mine, "b2": mine, "b3": mine, "b4": [listed(one, reference="L-ANOTHER")]})
    look = await looked(rig, one, service)
    assert ([job.id for job in look.hits], look.doubt, service.read) == (["b3"], None, ["b3", "b4"])


async def test_several_bulk_payments_with_our_items_are_for_people(rig: Rig) -> None:
    one = await asked(rig, remote_id=None)
    await write(rig, lambda uow: bulk._found(uow, one, [BulkJob(id="b1"), BulkJob(id="b2")]))
    found = await stored(rig, one)
    assert (found.state, found.reason) == (State.NEEDS_HUMAN, Reason(OfRequest.SEVERAL_BULK, ids=["b1", "b2"]))
    assert "alert:differs" in await queued(rig, one)


async def test_alert_about_a_closed_request_names_each_bulk_payment_found(rig: Rig) -> None:
    one = await asked(rig, state=State.CLOSED, remote_id=None)
    await bulk.watch_closed(rig.switchboard.context, Service({"b1": [listed(one)], "b2": [listed(one)]}), one)  # type: ignore[arg-type]
    await rig.settle()
    assert "b1, b2" in alerts(rig)[-1]


@on_one_rig([(1, False), (2, True)])
async def test_unsent_submission_frees_the_flight_unless_uncertain(rig: Rig, commits: int, flies: bool) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=State.SENDING, commits=commits)
    await write(rig, lambda tx: tx.bulk_flights.take(one.id, known=set(), now=now))
    attempt = Attempt(instruction_id=one.id, n=1, kind=AttemptKind.COMMIT, request_hash="", claimed_at=now, boot_at=0.0)
    await write(rig, lambda uow: bulk._unsent(uow, one, attempt))
    assert (await read(rig, lambda tx: tx.bulk_flights.flying()) == one.id) is flies
    await write(rig, lambda tx: tx.bulk_flights.land(one.id))


@on_one_rig([(10, []), (None, []), (9, ["alert:differs"]), (11, ["alert:differs"])])
async def test_unexpected_number_of_payments_is_an_alert(rig: Rig, count: int | None, keys: list[str]) -> None:
    one = await asked(rig, state=State.SENDING, remote_id=None)
    await write(rig, lambda uow: bulk.submitted(uow, one, BulkJob(id=f"b{one.id}", status="running", count=count)))
    assert ((await stored(rig, one)).state, await queued(rig, one)) == (State.COMMITTED, keys)


async def test_bulk_stalled_for_an_hour_is_one_alert(rig: Rig) -> None:
    await ask(rig)
    await rig.press("approve")
    await rig.pass_time(3_500, steps=50)
    assert alerts(rig) == []
    await rig.pass_time(5 * 3_600, steps=50)
    assert ["hasn't changed at the provider" in one for one in alerts(rig)] == [True]
