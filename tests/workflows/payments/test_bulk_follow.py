"""What one look at a bulk payment sets off: alerts, files, the next look."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkProgress, Tally
from bot.domain.payments.bulk_records import Accounting, BulkJob, BulkRow, ReportedItem, RowChange
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.payments import bulk
from bot.workflows.payments.bulk import Read
from storage.rows import Tracked
from tests.support.reasons import NO_ANSWER
from tests.support.rig import Rig
from tests.support.rows import audit_rows
from tests.workflows.looking import read, there
from tests.workflows.planted import on_one_rig, planted, queued, stored, write

SECOND, POLL = timedelta(seconds=1), timedelta(seconds=30)
RUNNING, DONE = BulkJob(id="b1", status="running", count=3), BulkJob(id="b1", status="done", count=3)


def items(*statuses: str) -> list[BulkRow]:
    return [
        BulkRow(row=n, email=f"x{n}@example.com", cents=Cents(100), status=status)
        for n, status in enumerate(statuses, 1)
    ]


async def followed(rig: Rig, *statuses: str, **changes: Any) -> Instruction:
    now = rig.clock.now()
    tally = Tally(counts={status: statuses.count(status) for status in set(statuses)})
    progress = BulkProgress(tally=tally, read_at=now, changed_at=now)
    values = {"state": State.COMMITTED, "progress": progress, "remote_id": "b1", "remote_status": "running"}
    return await planted(rig, Kind.BULK, items=items(*statuses), **{**values, **changes})


def row_of(rig: Rig, one: Instruction, **changes: Any) -> Tracked:
    now = rig.clock.now()
    values: dict[str, Any] = {"kind": "bulk", "remote_id": "b1", "created_at": now, "due_at": now, "polls": 1}
    return Tracked(**{**values, "instruction_id": one.id, "last_status": RUNNING.picture, **changes})


async def polled(rig: Rig, one: Instruction, found: Read | None, **changes: Any) -> Any:
    row = row_of(rig, one, **changes)
    return await write(rig, lambda uow: bulk._polled(uow, row, one, found))


async def test_where_nothing_was_read_it_is_looked_at_again_as_before(rig: Rig) -> None:
    one = await followed(rig, "completed", "committed")
    again = await polled(rig, one, None)
    assert (again.status, again.afresh) == (RUNNING.picture, False)
    assert await stored(rig, one) == one


async def test_who_was_overtaken_reads_the_items_at_the_next_look(rig: Rig) -> None:
    one = await followed(rig, "completed", "pending", version=2)
    late = replace(one, version=1)
    again = await polled(rig, late, Read(DONE, (RowChange(2, "canceled", "h2", ""),), complete=True))
    assert (again.status, again.afresh) == ("", False)
    rows = await read(rig, lambda tx: tx.bulk_items.rows(one.id))
    assert rows[1].status == "canceled", "what was read is stored"


@on_one_rig(
    [
        (Read(RUNNING, complete=True), RUNNING.picture, False),
        (Read(RUNNING), RUNNING.picture, False),
        (Read(DONE, complete=True), DONE.picture, True),
        (Read(DONE, unread=NO_ANSWER), "", False),
        (Read(RUNNING, (RowChange(2, "failed", "h2", "no"),), complete=True), RUNNING.picture, True),
    ]
)
async def test_a_list_that_was_not_read_to_the_end_is_read_again(
    rig: Rig, found: Read, picture: str, afresh: bool
) -> None:
    one = await followed(rig, "completed", "committed", "")
    again = await polled(rig, one, found)
    assert (again.status, again.afresh) == (picture, afresh)


STRANGER = Reason(OfRequest.MISMATCHED_ITEMS, doubles=0, different=0, strangers=1)


@on_one_rig([(None, []), (STRANGER, ["alert:differs"])])
async def test_a_list_that_differs_from_what_was_approved_is_an_alert(
    rig: Rig, trouble: Reason | None, keys: list[str]
) -> None:
    one = await followed(rig, "completed", "committed")
    await polled(rig, one, Read(RUNNING, complete=True, trouble=trouble))
    assert await queued(rig, one) == keys


UNACCOUNTED = ["alert:unaccounted", "news:approvals:unaccounted", "news:requester:unaccounted"]


@on_one_rig(
    [
        (("completed", "committed", ""), 3, UNACCOUNTED),
        (("completed", "failed", ""), 3, [*UNACCOUNTED, "file:approvals:failed:1", "file:requester:failed:1"]),
        (("completed", "committed", ""), 2, []),
        (("completed", "committed"), 3, UNACCOUNTED),
        (("completed", "pending"), 3, []),
    ]
)
async def test_what_the_service_leaves_open_is_told_at_the_third_look(
    rig: Rig, statuses: tuple[str, ...], polls: int, keys: list[str]
) -> None:
    one = await followed(rig, *statuses)
    assert one.progress is not None
    await followed_on(rig, one, one.progress.model_copy(update={"over": True}), polls=polls)
    assert await queued(rig, one) == keys


async def followed_on(rig: Rig, one: Instruction, progress: BulkProgress | None, **changes: Any) -> None:
    row, as_it_is = row_of(rig, one, **changes), replace(one, progress=progress)
    await write(rig, lambda uow: bulk._alert_stuck(uow, as_it_is, row))


@on_one_rig([
    (120 * POLL, timedelta(), True), (120 * POLL - SECOND, timedelta(), False),
    (None, 120 * POLL, True), (None, 120 * POLL - SECOND, False), (120 * POLL - SECOND, 200 * POLL, False),
])  # fmt: skip
async def test_what_stands_still_for_120_base_intervals_is_an_alert(
    rig: Rig, changed_ago: timedelta | None, followed_for: timedelta, alarmed: bool
) -> None:
    now = rig.clock.now()
    one = await followed(rig, "committed", "completed")
    assert one.progress is not None
    changed = None if changed_ago is None else now - changed_ago
    progress = one.progress.model_copy(update={"changed_at": changed})
    await followed_on(rig, one, progress, created_at=now - followed_for, polls=9)
    assert await queued(rig, one) == (["alert:stands_still"] if alarmed else [])


async def test_nothing_stands_still_that_was_never_read(rig: Rig) -> None:
    one = await followed(rig, "committed", "")
    assert one.progress is not None
    long_ago = {"created_at": rig.clock.now() - timedelta(days=9), "polls": 9}
    await followed_on(rig, one, None, **long_ago)
    await followed_on(rig, one, one.progress.model_copy(update={"read_at": None, "over": True}), **long_ago)
    assert await queued(rig, one) == []


@pytest.mark.parametrize(("count", "email", "cents", "found"), [
    (3, "x1@example.com", 100, 1), (3, "X2@EXAMPLE.COM", 100, 2), (2, "x3@example.com", 100, None),
    (3, "x1@example.com", 101, None), (3, "x1@example.com", None, None),
])  # fmt: skip
async def test_a_failure_without_our_note_is_that_of_the_person_and_amount_once(
    count: int, email: str, cents: int | None, found: int | None
) -> None:
    same = ReportedItem(email=email, cents=None if cents is None else Cents(cents), error="why")
    payments: Any = Failures(same, same)
    accounting = Accounting(reference="L-4F7K2M", rows=items(*["failed"] * count))
    changes = await bulk.explained(payments, DONE, accounting)
    assert changes == ([] if found is None else [RowChange(found, "failed", "", "why")])


class Failures:
    def __init__(self, *listed: ReportedItem, trouble: ServiceNow | None = None) -> None:
        self.listed, self.trouble, self.asked = listed, trouble, 0

    async def bulk_items(self, _job: str, *, failed: bool) -> Any:
        self.asked += failed
        yield type("Page", (), {"items": self.listed})
        if self.trouble is not None:
            raise self.trouble


@pytest.mark.parametrize("trouble", [None, ServiceNow("payments", NO_ANSWER)])
async def test_reasons_are_read_only_for_failed_items_that_have_none(trouble: ServiceNow | None) -> None:
    rows = [*items("failed", "failed", "completed"), replace(items("failed")[0], row=4, error="no account")]
    accounting = Accounting(reference="L-4F7K2M", rows=rows)
    payments: Any = Failures(
        ReportedItem(internal_note="L-4F7K2M/1", error="Account closed"),
        ReportedItem(email="X2@example.com", cents=Cents(100)),
        ReportedItem(email="x9@example.com", cents=Cents(100), error="of somebody else"),
        trouble=trouble,
    )
    changes = await bulk.explained(payments, DONE, accounting)
    assert changes == [RowChange(1, "failed", "", "Account closed"), RowChange(2, "failed", "", "no reason given")]
    quiet: Any = Failures()
    explained = Accounting(reference="L-4F7K2M", rows=[rows[3], rows[2]])
    assert await bulk.explained(quiet, DONE, explained) == []
    assert quiet.asked == 0


class Service:
    def __init__(self, job: BulkJob) -> None:
        self.job, self.paged = job, 0

    async def get_bulk(self, _remote: str) -> BulkJob:
        return self.job

    async def bulk_items(self, _remote: str) -> Any:
        self.paged += 1
        yield type("Page", (), {"items": ()})


@on_one_rig([
    (RUNNING, 1, {}, 0), (RUNNING, 7, {}, 0), (RUNNING, 8, {}, 1), (RUNNING, 16, {}, 1), (DONE, 1, {}, 1),
    (RUNNING, 1, {"progress": None}, 1), (RUNNING, 1, {"progress": BulkProgress()}, 1),
])  # fmt: skip
async def test_items_are_paged_when_figures_change_and_at_every_eighth_look(
    rig: Rig, job: BulkJob, polls: int, like: dict[str, Any], paged: int
) -> None:
    one = await followed(rig, "committed", **like)
    service: Any = Service(job)
    found = there(await bulk._read(rig.switchboard.context, service, row_of(rig, one, polls=polls)))
    assert (found.job, found.complete, service.paged) == (job, bool(paged), paged)


@on_one_rig([State.COMPLETED, State.FAILED, None])
async def test_nobody_is_asked_about_what_is_over_or_gone(rig: Rig, state: State | None) -> None:
    one = await followed(rig, "completed", state=state or State.COMMITTED)
    row = row_of(rig, one, **({} if state else {"instruction_id": "gone"}))
    assert await bulk._read(rig.switchboard.context, object(), row) is None  # type: ignore[arg-type]


@on_one_rig([(State.COMMITTED, 3 * POLL), (State.PENDING_ESCROW, 24 * POLL)])
async def test_the_pace_is_that_of_what_waits_for_people(rig: Rig, state: State, least: timedelta) -> None:
    one = await followed(rig, "pending", state=state)
    row = row_of(rig, one, polls=30, created_at=rig.clock.now() - timedelta(days=2))
    ctx = rig.switchboard.context
    again = await ctx.read(lambda uow: bulk._again(uow, row, one, ""))
    assert again.pause > least
    fresh = await ctx.read(lambda uow: bulk._again(uow, row, one, "", afresh=True))
    assert fresh.pause <= 1.1 * POLL


async def test_the_audit_says_with_what_figures_it_ended(rig: Rig) -> None:
    one = await followed(rig, "completed", "committed")
    await polled(rig, one, Read(DONE, (RowChange(2, "failed", "h2", "no"),), complete=True))
    row = (await read(rig, lambda tx: audit_rows(tx, instruction_id=one.id)))[-1].entry
    counts = {"completed": 1, "failed": 1}
    assert (row.after, row.detail) == (State.COMPLETED, {"status": "done", "counts": counts})


@on_one_rig([((), False), ((RowChange(1, "completed", "h1", ""),), True)])
async def test_when_something_last_changed_is_kept(rig: Rig, changes: tuple[RowChange, ...], moved: bool) -> None:
    now = rig.clock.now()
    long_ago = now - timedelta(hours=3)
    progress = BulkProgress(tally=Tally(), read_at=long_ago, changed_at=long_ago)
    one = await followed(rig, "committed", "", progress=progress)
    found = Read(RUNNING, changes, complete=True)
    await write(rig, lambda uow: bulk._apply(uow, one, found))
    after = there((await stored(rig, one)).progress)
    assert (after.changed_at, after.read_at) == (now if moved else long_ago, now)


@on_one_rig([(RUNNING.picture, ["alert:stands_still"]), ("before", [])])
async def test_nothing_stands_still_at_a_look_that_shows_a_change(rig: Rig, last: str, keys: list[str]) -> None:
    long_ago = rig.clock.now() - timedelta(hours=3)
    tally = Tally(counts={"committed": 1}, sums={"committed": 100})
    one = await followed(rig, "committed", progress=BulkProgress(tally=tally, read_at=long_ago, changed_at=long_ago))
    await polled(rig, one, Read(RUNNING), last_status=last, polls=5)
    assert await queued(rig, one) == keys
