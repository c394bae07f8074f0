"""What one look at a bulk payment sets off: alerts, files, the next look."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.bulk import BulkProgress, Tally
from bot.domain.payments.bulk_records import BulkJob, BulkRow, ReportedItem, RowChange
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


UNACCOUNTED = ["alert:unaccounted", "news:requester:unaccounted"]


@on_one_rig(
    [
        (("completed", "committed", ""), 3, UNACCOUNTED),
        (("completed", "failed", ""), 3, [*UNACCOUNTED, "file:requester:failed:1"]),
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


class Service:
    """Says the same at every look. ``trouble``: instead of the end of the failures."""

    def __init__(self, job: BulkJob, *failures: ReportedItem, trouble: Exception | None = None) -> None:
        self.job, self.failures, self.trouble = job, failures, trouble
        self.paged = self.asked = 0

    async def get_bulk(self, _remote: str) -> BulkJob:
        return self.job

    async def bulk_items(self, _remote: str, *, failed: bool = False) -> Any:
        self.paged += not failed
        self.asked += failed
        yield type("Page", (), {"items": self.failures if failed else ()})
        if failed and self.trouble is not None:
            raise self.trouble


ACCOUNT = ReportedItem(email="x1@example.com", cents=Cents(100), error="no account")


@on_one_rig(
    [
        (RUNNING, ("committed", ""), (), False, []),
        (RUNNING, ("failed", ""), (ACCOUNT,), True, ["no account"]),
        (DONE, ("completed", "completed"), (), True, []),
        (DONE, ("failed", ""), (ACCOUNT,), True, ["no account"]),
        (BulkJob(id="b1", status="odd"), ("completed", ""), (), True, []),
        (BulkJob(id="b1", status="FAILED"), ("created", "pending"), (ACCOUNT,), True, ["no account"]),
    ]
)
async def test_failures_are_read_once_it_may_be_through_and_where_a_reason_is_missing(
    rig: Rig, job: BulkJob, statuses: tuple[str, ...], failures: tuple[ReportedItem, ...], asked: bool, said: list[str]
) -> None:
    one = await followed(rig, *statuses)
    service: Any = Service(job, *failures)
    found = await bulk.read_items(rig.switchboard.context, service, one, job)
    assert (bool(service.asked), [change.error for change in found.changes]) == (asked, said)


SILENT = ServiceNow("payments", NO_ANSWER)


@on_one_rig(
    [
        (("failed", "completed"), 2, State.COMMITTED, []),
        (("failed", "completed"), 3, State.COMPLETED, ["unexplained"]),
        (("completed", "completed"), 1, State.COMPLETED, []),
        (("completed", ""), 3, State.COMMITTED, ["unaccounted", "unexplained"]),
    ]
)
async def test_reasons_that_cannot_be_read_are_waited_for_and_then_told_to_be_missing(
    rig: Rig, statuses: tuple[str, ...], polls: int, state: State, alerts: list[str]
) -> None:
    one = await followed(rig, *statuses)
    service: Any = Service(DONE, trouble=SILENT)
    found = await bulk.read_items(rig.switchboard.context, service, one, DONE)
    again = await polled(rig, one, found, polls=polls)
    assert (await stored(rig, one)).state is state
    keys = [key.removeprefix("alert:") for key in await queued(rig, one) if key.startswith("alert:")]
    assert sorted(keys) == alerts
    assert again is None or (again.status, again.afresh) == ("", False), "the failures are read again at the next look"


FAILED = BulkJob(id="b1", status="Failed", count=3, why="balance too low")
TOLD = ["news:requester:failed there"]


@on_one_rig(
    [
        (FAILED, ("completed", "committed"), TOLD),
        (FAILED, ("completed", "pending"), ["pending_escrow"]),
        (FAILED, ("completed", "failed"), ["completed"]),
        (DONE, ("completed", "committed"), []),
        (FAILED, ("failed", "created"), [*TOLD, "file:requester:failed:1"]),
    ]
)
async def test_that_the_record_itself_is_failed_is_told_once(
    rig: Rig, job: BulkJob, statuses: tuple[str, ...], keys: list[str]
) -> None:
    one = await followed(rig, *statuses)
    for _ in range(2):
        await write(rig, lambda uow: bulk._apply(uow, there(uow.instructions.get(one.id)), Read(job, complete=True)))
        told = await queued(rig, one)
        if keys and not keys[0].startswith("news"):
            told = [key.split(":")[2] for key in told if key.startswith("news:requester")]
        assert told == keys
        after = await stored(rig, one)
        if after.state.value in keys:
            break
    progress = there(after.progress)
    assert (progress.failed, progress.why, progress.over) == (job is FAILED, job.why, True)


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
