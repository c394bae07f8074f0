"""Before approvers see a bulk payment: its accounts are looked up, one after the other, and progress is shown."""

from typing import Any

import pytest

from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import refusal
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkJob, BulkRow, ItemPage, ReportedItem
from bot.domain.payments.instruction import Kind, State
from bot.domain.payments.operation import AccountStatus
from bot.workflows.payments import bulk_request, bulk_shown
from bot.workflows.payments.bulk_shown import Bulk
from tests.support.reasons import NO_ANSWER
from tests.support.rig import Rig
from tests.workflows.planted import on_one_rig, planted

ON, OFF, UNSAID = AccountStatus(active=True), AccountStatus(active=False), AccountStatus()
SILENT, REFUSED = ServiceNow("payments", NO_ANSWER), ServiceNever("payments", refusal(422))


class Pages:
    def __init__(self, found: Any = None, job: BulkJob | Exception | None = None) -> None:
        self.found, self.job = found, job
        self.asked: list[tuple[str, str, int]] = []

    async def bulk_item_page(self, job: str, page: int = 1) -> Any:
        self.asked.append(("items", job, page))
        return self.found[page]

    async def get_bulk(self, _text: str) -> BulkJob:
        if isinstance(self.job, Exception):
            raise self.job
        assert self.job is not None
        return self.job


@pytest.mark.parametrize(
    ("page", "pages", "count", "first", "said", "asked"),
    [
        (1, 1, None, 1, (1, 2), [1]),
        (1, 3, 7, 1, (3, 7), [1]),
        (2, 3, 7, 3, (3, 7), [2]),
        (3, 3, 5, 4, (3, 5), [3]),
        (3, 3, None, 7, (3, 2), [3, 1]),
    ],
)
async def test_rows_of_what_was_not_asked_for_here_run_on_over_the_services_pages(
    rig: Rig, page: int, pages: int, count: int | None, first: int, said: tuple[int, int], asked: list[int]
) -> None:
    items = (
        ReportedItem(email="a@example.com", cents=Cents(5), note="n", status="odd", hash="h1", error="e1"),
        ReportedItem(email="b@example.com"),
    )
    whole = (*items, ReportedItem(email="c@example.com"))
    served = {
        page: ItemPage(items=items, page=page, pages=pages, count=count),
        **({1: ItemPage(items=whole, page=1, pages=pages, count=count)} if page > 1 else {}),
    }
    service: Any = Pages(served)
    found = await bulk_shown.items_page(rig.switchboard.context, service, Bulk(name="b7", remote_id="b7"), page=page)
    assert service.asked == [("items", "b7", one) for one in asked]
    assert (found.pages, found.total, found.page, found.read_at) == (*said, page, None)
    assert found.rows == [
        BulkRow(row=first, email="a@example.com", cents=Cents(5), note="n", status="odd", hash="h1", error="e1"),
        BulkRow(row=first + 1, email="b@example.com", cents=Cents(0)),
    ]


@on_one_rig([
    (1, False, (1, 20), 3, 41), (2, False, (21, 40), 3, 41), (3, False, (41, 41), 3, 41), (1, True, (1, 20), 2, 21),
    (2, True, (21, 21), 2, 21),
])  # fmt: skip
async def test_items_of_ours_are_listed_twenty_a_page(
    rig: Rig, page: int, failed: bool, rows: tuple[int, int], pages: int, total: int
) -> None:
    now = rig.clock.now()
    items = [
        BulkRow(row=n, email=f"{n}@example.com", cents=Cents(1), status="failed" if n <= 21 else "completed")
        for n in range(1, 42)
    ]
    one = await planted(rig, Kind.BULK, state=State.COMMITTED, items=items, progress=BulkProgress(read_at=now))
    service: Any = Pages()
    bulk = Bulk(name=one.reference, remote_id="b1", instruction=one)
    found = await bulk_shown.items_page(rig.switchboard.context, service, bulk, page=page, failed=failed)
    assert ((found.rows[0].row, found.rows[-1].row), found.pages, found.total) == (rows, pages, total)
    assert (found.page, found.read_at) == (page, now)


async def test_a_bulk_payment_is_found_by_our_reference_or_the_services_id(rig: Rig) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, Kind.BULK, state=State.COMMITTED, remote_id="b5")
    payout, theirs = await planted(rig), BulkJob(id="b9", status="done")
    service: Any = Pages(job=theirs)
    ours = Bulk(name=one.reference, remote_id="b5", instruction=one)
    assert await bulk_shown.find_bulk(ctx, service, one.reference) == ours
    assert await bulk_shown.find_bulk(ctx, service, payout.reference) is None
    assert await bulk_shown.find_bulk(ctx, service, "b9") == Bulk(name="b9", remote_id="b9", job=theirs)
    unknown: Any = Pages(job=ServiceNever("payments", refusal(404), status=404))
    assert await bulk_shown.find_bulk(ctx, unknown, "b0") is None
    forbidden: Any = Pages(job=ServiceNever("payments", refusal(403), status=403))
    with pytest.raises(ServiceNever):
        await bulk_shown.find_bulk(ctx, forbidden, "b0")


@on_one_rig([
    ("file:F1", State.REJECTED, True), ("file:F2", State.FAILED, True), ("file:F3", State.AWAITING, False),
    ("file:F4", State.COMPLETED, False), ("file:F5", State.CLOSED, False), ("form:V1", State.REJECTED, False),
])  # fmt: skip
async def test_a_dropped_file_that_ended_unpaid_may_be_asked_for_again(
    rig: Rig, key: str, state: State, again: bool
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, Kind.BULK, state=state, source_key=key)
    known, free = await ctx.store.read(lambda tx: bulk_request.requested_before(tx, key))
    assert (known, free) == ((None, f"{key}#2") if again else (one, key))
    if again:
        second = await planted(rig, Kind.BULK, state=State.EXPIRED, source_key=f"{key}#2")
        assert await ctx.store.read(lambda tx: bulk_request.requested_before(tx, key)) == (None, f"{key}#3")
        third = await planted(rig, Kind.BULK, state=State.AWAITING, source_key=f"{key}#3")
        assert await ctx.store.read(lambda tx: bulk_request.requested_before(tx, key)) == (third, f"{key}#3")
        assert second.id < third.id
