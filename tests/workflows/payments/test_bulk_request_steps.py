"""Before approvers see a bulk payment: its accounts are looked up, one after the other, and progress is shown."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import refusal
from bot.domain.payments.bulk import BulkProgress
from bot.domain.payments.bulk_records import BulkJob, BulkRow, ItemPage, ReportedItem
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import AccountStatus
from bot.workflows.payments import bulk_request, bulk_shown
from bot.workflows.payments.bulk_shown import Bulk
from tests.support.reasons import NO_ANSWER
from tests.support.rig import Rig
from tests.workflows.planted import on_one_rig, planted, stored

ON, OFF, UNSAID = AccountStatus(active=True), AccountStatus(active=False), AccountStatus()
SILENT, REFUSED = ServiceNow("payments", NO_ANSWER), ServiceNever("payments", refusal(422))


class Accounts:
    """The payments service, as far as accounts go: what it answers, one after the other, by address."""

    def __init__(self, answers: Mapping[str, list[Any]]) -> None:
        self.answers = {name: list(each) for name, each in answers.items()}
        self.asked: list[str] = []

    async def account_status(self, email: str) -> AccountStatus:
        self.asked.append(email)
        answer = self.answers.get(email, [ON]).pop(0)
        if isinstance(answer, Exception):
            raise answer
        found: AccountStatus = answer
        return found


async def looked_up(rig: Rig, accounts: Accounts, *emails: str) -> tuple[Instruction, BulkProgress]:
    one = await planted(rig, Kind.BULK, state=State.NEW, remote_id=None)
    payments: Any = accounts
    found = await bulk_request.look_up(rig.switchboard.context, payments, one, emails)
    assert found is not None
    return found


@on_one_rig([
    ([ON], (0, 0), 1), ([OFF], (1, 0), 1), ([UNSAID], (0, 0), 1), ([REFUSED], (0, 1), 1),
    ([SILENT, ON], (0, 0), 2), ([SILENT, OFF], (1, 0), 2), ([SILENT, REFUSED], (0, 1), 2),
    ([SILENT, SILENT], (0, 1), 2),
])  # fmt: skip
async def test_an_account_is_asked_for_again_once_when_nothing_answered(
    rig: Rig, answers: list[Any], counts: tuple[int, int], asked: int
) -> None:
    accounts = Accounts({"a@example.com": answers})
    _, progress = await looked_up(rig, accounts, "a@example.com")
    assert (progress.looked_up, progress.to_look_up) == (1, 1)
    assert (progress.inactive, progress.not_read) == counts
    assert len(accounts.asked) == asked
    assert progress.inactive_emails == (("a@example.com",) if counts[0] else ())


async def test_after_three_silences_in_a_row_nobody_is_asked_any_more(rig: Rig) -> None:
    gone = {f"{name}@example.com": [SILENT, SILENT] for name in "abc"}
    accounts = Accounts(gone)
    _, progress = await looked_up(rig, accounts, *gone, "d@example.com", "e@example.com")
    assert accounts.asked == [name for name in gone for _ in range(2)]
    assert (progress.looked_up, progress.not_read) == (5, 5)


async def test_an_answer_in_between_begins_the_count_anew(rig: Rig) -> None:
    silent: list[Any] = [SILENT, SILENT]
    answers: dict[str, list[Any]] = {"a": silent, "b": silent, "c": [REFUSED], "d": silent, "e": silent, "f": [ON]}
    accounts = Accounts({f"{name}@example.com": each for name, each in answers.items()})
    _, progress = await looked_up(rig, accounts, *accounts.answers)
    assert accounts.asked[-1] == "f@example.com"
    assert progress.not_read == 5


async def test_the_first_five_that_cannot_receive_money_are_named(rig: Rig) -> None:
    names = [f"{n}@example.com" for n in range(1, 8)]
    _, progress = await looked_up(rig, Accounts({name: [OFF] for name in names}), *names)
    assert (progress.inactive, progress.inactive_emails) == (7, tuple(names[:5]))


@on_one_rig([(9, 0), (10, 1), (19, 1), (20, 2)])
async def test_progress_is_shown_every_ten_accounts(rig: Rig, count: int, shown: int) -> None:
    held, progress = await looked_up(rig, Accounts({}), *(f"{n}@example.com" for n in range(count)))
    assert held.version == 1 + shown
    assert progress.looked_up == count
    assert (await stored(rig, held)).progress == (held.progress if shown else None)
    if shown:
        assert held.progress is not None
        assert held.progress.looked_up == 10 * shown
        assert held.lease_owner == rig.switchboard.context.owner


async def test_who_was_overtaken_stops_looking_up(rig: Rig) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, Kind.BULK, state=State.NEW, version=2)
    late, accounts = replace(one, version=1), Accounts({})
    payments: Any = accounts
    names = [f"{n}@example.com" for n in range(12)]
    assert await bulk_request.look_up(ctx, payments, late, names) is None
    assert len(accounts.asked) == 10
    assert await stored(rig, one) == one


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
