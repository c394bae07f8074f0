"""What a record of the service does to a request, record by record: what moves it, what alarms, what is read on."""

from datetime import timedelta
from types import SimpleNamespace
from typing import Any

from bot.domain.money import Cents
from bot.domain.payments.instruction import AttemptOutcome, Instruction, Kind, State
from bot.domain.payments.operation import Operation, Search
from bot.presentation.reasons import in_words, worded
from bot.workflows.payments import follow, payout
from storage.rows import Tracked
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import on_one_rig, planted, queued, record, stored, tried, write

PAID_AFTER = ["alert:paid after its end"]
MINUTE, HOUR, DAY, POLL = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1), timedelta(seconds=30)


def holding(*held: Operation) -> Any:
    """The payments service, as far as what it holds goes."""

    async def find_by_code(*_: object, **__: object) -> Search:
        return Search(hits=held, complete=True)

    return SimpleNamespace(find_by_code=find_by_code)


async def tracked(rig: Rig, kind: str, one: Instruction) -> Tracked | None:
    return await read(rig, lambda tx: tx.tracked.get(kind, one.remote_id or ""))


async def test_the_id_of_a_payout_in_one_step_is_that_of_its_record_and_followed_after_a_base_interval(
    rig: Rig,
) -> None:
    now = rig.clock.now()
    one = await planted(rig, Kind.ONE_STEP, state=State.SENDING, remote_id=None)
    await write(rig, lambda uow: payout.apply_record(uow, one, record(one, "committed", id="r77")))
    found = await stored(rig, one)
    row = await tracked(rig, "payout", found)
    assert (found.state, found.remote_id) == (State.COMMITTED, "r77")
    assert row is not None
    assert (row.instruction_id, row.due_at, row.created_at) == (one.id, now + POLL, now)


@on_one_rig([{"cents": Cents(2501)}, {"cents": None}, {"email": "eve@example.com"}, {"code": "ANOTHER"}, {"id": "r0"}])
async def test_a_record_of_another_payout_changes_nothing_and_is_an_alert(rig: Rig, differs: dict[str, Any]) -> None:
    one = await planted(rig, state=State.COMMITTED)
    assert not await write(rig, lambda uow: payout.observe(uow, one, record(one, "completed", **differs)))
    assert (await stored(rig, one), await queued(rig, one)) == (one, ["alert:differs"])


@on_one_rig(
    [
        ("committed", "odd", "odd", ["alert:unknown_status:odd"]),
        ("odd", "ODD", "odd", []),
        ("odd", "strange", "strange", ["alert:unknown_status:strange"]),
        ("odd", "committed", "committed", []),
        ("committed", "created", "committed", []),
        ("created", "Created", "created", []),
    ]
)
async def test_a_status_nobody_knows_is_kept_as_it_is_spelled(
    rig: Rig, before: str, said: str, kept: str, keys: list[str]
) -> None:
    due = rig.clock.now() + HOUR
    one = await planted(rig, state=State.COMMITTED, remote_status=before, due_at=due)
    after = await write(rig, lambda uow: follow.note_status(uow, one, record(one, said)))
    assert after == await stored(rig, one)
    assert (after.remote_status, after.due_at, await queued(rig, one)) == (kept, due, keys)


@on_one_rig(
    [
        (State.COMPLETED, "failed", ["alert:contradiction"]),
        (State.FAILED, "completed", ["alert:contradiction"]),
        (State.COMPLETED, "completed", []),
        (State.COMPLETED, "pending", []),
    ]
)
async def test_another_end_than_before_is_an_alert(rig: Rig, state: State, status: str, keys: list[str]) -> None:
    one = await planted(rig, state=state, closed_at=rig.clock.now())
    assert await write(rig, lambda uow: payout.observe(uow, one, record(one, status)))
    assert (await stored(rig, one), await queued(rig, one)) == (one, keys)


def row_of(rig: Rig, one: Instruction, kind: str, **changes: Any) -> Tracked:
    now = rig.clock.now()
    values: dict[str, Any] = {"kind": kind, "remote_id": one.remote_id, "created_at": now, "due_at": now}
    return Tracked(**{**values, "instruction_id": one.id, "last_status": "before", **changes})


@on_one_rig(
    [
        (State.COMMITTED, "committed", 1.5, "committed"),
        (State.COMMITTED, None, 1.5, "before"),
        (State.COMMITTED, "completed", None, ""),
        (State.COMPLETED, "completed", None, ""),
        (State.COMPLETED, None, None, ""),
    ]
)
async def test_a_payout_is_polled_until_its_end(
    rig: Rig, state: State, status: str | None, pause: float | None, last: str
) -> None:
    one = await planted(rig, state=state)
    said, row = None if status is None else record(one, status), row_of(rig, one, "payout")
    again = await write(rig, lambda uow: payout._polled(uow, row, one, said))
    assert (again and again.pause) == (None if pause is None else pause * POLL)
    assert (again.status if again else "") == last
    assert again is None or not again.afresh, "the count of its reads goes on"


@on_one_rig([(State.COMMITTED, 120), (State.PENDING_ESCROW, 2_880)])
async def test_the_pace_falls_to_daily_for_money_in_escrow(rig: Rig, state: State, times: int) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=state)
    row = row_of(rig, one, "payout", polls=40, created_at=now - 30 * DAY)
    again = there(await write(rig, lambda uow: payout._polled(uow, row, one, None)))
    assert again.pause == times * POLL


@on_one_rig([
    (State.REJECTED, "r1", True), (State.WITHDRAWN, "r2", True), (State.EXPIRED, "r3", True),
    (State.MISMATCH, "r4", True), (State.REFUSED, "r5", True), (State.CLOSED, "r6", False),
    (State.COMPLETED, "r7", False), (State.REJECTED, None, False),
])  # fmt: skip
async def test_what_an_unpaid_end_leaves_at_the_service_is_followed(
    rig: Rig, state: State, remote: str | None, followed: bool
) -> None:
    one = await planted(rig, state=state, remote_id=remote)
    await write(rig, lambda uow: payout.watch(uow, one))
    assert (await tracked(rig, "orphan", one) is not None) is followed


@on_one_rig([
    ("created", timedelta(), True, []), ("odd", timedelta(), True, []), (None, timedelta(), True, []),
    ("created", 90 * DAY, True, []), ("created", 90 * DAY + MINUTE, False, []), (None, 90 * DAY + MINUTE, False, []),
    ("failed", timedelta(), False, []), ("completed", timedelta(), False, PAID_AFTER),
    ("committed", timedelta(), False, PAID_AFTER), ("created", None, False, []),
])  # fmt: skip
async def test_a_leftover_is_read_for_90_days_and_its_payment_is_an_alert(
    rig: Rig, status: str | None, ago: timedelta | None, on: bool, keys: list[str]
) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.REJECTED, closed_at=None if ago is None else now - ago)
    said, row = None if status is None else record(one, status), row_of(rig, one, "orphan", polls=0)
    again = await write(rig, lambda uow: payout._left_behind(uow, row, one, said))
    assert (again is not None, await queued(rig, one)) == (on, keys)


async def test_what_was_found_by_our_code_after_the_end_is_followed_by_its_id(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.REFUSED, remote_id=None, due_at=now)
    held = [record(one, "created", id="o1"), record(one, "completed", id="o2"), record(one, "odd", id="o3")]
    await payout.watch_closed(rig.switchboard.context, holding(*held), one)
    after = await stored(rig, one)
    assert (after.remote_id, after.due_at, await queued(rig, one)) == ("o1", None, PAID_AFTER)
    rows = await read(rig, lambda tx: [tx.tracked.get("orphan", name) for name in ("o1", "o2", "o3")])
    assert [row is not None for row in rows] == [True, False, True]


async def test_what_the_list_shows_before_a_new_attempt_is_applied_and_nobody_is_read_to_send_it(rig: Rig) -> None:
    one = await planted(rig, Kind.ONE_STEP, state=State.APPROVED, commits=1, remote_id=None)
    held = holding(record(one, "completed", id="o1"))
    held.require, held.circuit = (lambda _: None), rig.switchboard.context.payments.required().circuit
    before = len(rig.workspace.calls)
    await payout.pay(rig.switchboard.context, held, one)
    after = await stored(rig, one)
    assert (after.state, after.remote_id) == (State.COMPLETED, "o1")
    assert not [call for call in list(rig.workspace.calls)[before:] if call.method in {"users.info", "usergroups.list"}]


@on_one_rig(
    [
        (State.COMMIT_UNKNOWN, "odd", MINUTE),
        (State.NEEDS_HUMAN, "odd", HOUR),
        (State.COMMIT_UNKNOWN, "created", MINUTE),
        (State.NEEDS_HUMAN, "created", HOUR),
    ]
)
async def test_what_the_record_leaves_open_is_read_on(rig: Rig, state: State, status: str, due: timedelta) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=state, commits=1, sent_at=now - DAY, puts_off=2)
    await write(rig, lambda uow: payout.read_again(uow, one, record(one, status)))
    found = await stored(rig, one)
    assert (found.state, found.due_at) == (state, now + due)
    if status == "odd":
        assert found.remote_status == "odd"
    elif state is State.COMMIT_UNKNOWN:
        assert (found.reads, found.puts_off) == (1, 0)


async def test_a_record_that_differs_is_an_alert_and_looked_at_again(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, state=State.COMMIT_UNKNOWN, commits=1)
    await write(rig, lambda uow: payout.read_again(uow, one, record(one, "completed", cents=Cents(1))))
    found = await stored(rig, one)
    assert (found.state, found.due_at) == (State.COMMIT_UNKNOWN, now + MINUTE)
    assert await queued(rig, one) == ["alert:differs"]


async def test_a_record_that_differs_confirms_no_refusal_and_gives_nothing_back(rig: Rig) -> None:
    day = "2026-11-20"
    one = await planted(rig, state=State.COMMIT_UNKNOWN, commits=1, refusal=own_words("no money"))
    await tried(rig, one, outcome=AttemptOutcome.UNKNOWN)
    await write(rig, lambda tx: tx.reservations.reserve(one.id, 1, day, 2500, 2500))
    await write(rig, lambda uow: payout.read_again(uow, one, record(one, "created", cents=Cents(1))))
    assert (await stored(rig, one)).state is State.COMMIT_UNKNOWN
    assert await read(rig, lambda tx: tx.reservations.sum(day)) == 2500


async def test_two_payouts_with_our_code_are_an_alert_and_looked_at_again(rig: Rig) -> None:
    now = rig.clock.now()
    one = await planted(rig, Kind.ONE_STEP, state=State.COMMIT_UNKNOWN, commits=1, remote_id=None)
    held = holding(record(one, "completed", id="o1"), record(one, "completed", id="o2"))
    await payout.find_outcome(rig.switchboard.context, held, one)
    found = await stored(rig, one)
    assert (found.state, found.due_at, found.remote_id) == (State.COMMIT_UNKNOWN, now + MINUTE, None)
    row = there(await read(rig, lambda tx: tx.outbox.by_key(f"alert:{one.id}:differs")))
    assert in_words(row.payload["reason"]) == "the provider has several payouts with our code"


async def test_several_that_were_created_with_our_code_end_it_and_are_all_followed(rig: Rig) -> None:
    one = await planted(rig, state=State.CREATE_UNKNOWN, creates=1, remote_id=None)
    held = holding(record(one, "created", id="o1"), record(one, "created", id="o2"))
    await payout.find_again(rig.switchboard.context, held, one)
    found = await stored(rig, one)
    assert (found.state, worded(found.reason)) == (State.MISMATCH, "the provider has several payouts with our code")
    rows = await read(rig, lambda tx: [tx.tracked.get("orphan", name) for name in ("o1", "o2")])
    assert all(row is not None and row.instruction_id == one.id for row in rows)


@on_one_rig([
    ({}, {}, "created", False, State.APPROVED, ""),
    ({}, {"cents": Cents(1)}, "created", True, State.MISMATCH, "the amount is 0.01 instead of 25.00"),
    ({"commits": 1}, {"cents": Cents(1)}, "created", True, State.NEEDS_HUMAN, "the amount is 0.01 instead of 25.00"),
    ({}, {}, "committed", True, State.MISMATCH, "the provider lists it as sent, although we sent nothing"),
    ({"commits": 1}, {}, "committed", True, State.COMMITTED, ""),
])  # fmt: skip
async def test_before_it_is_sent_the_payout_must_be_as_it_was_approved(
    rig: Rig, like: dict[str, Any], differs: dict[str, Any], status: str, stops: bool, state: State, reason: str
) -> None:
    one = await planted(rig, state=State.APPROVED, **like)
    said = record(one, status, **differs)
    assert await write(rig, lambda uow: payout._is_not_as_approved(uow, one, said)) is stops
    found = await stored(rig, one)
    assert (found.state, worded(found.reason)) == (state, reason)


async def test_the_answer_to_a_commit_that_differs_is_an_alert_and_counts(rig: Rig) -> None:
    one = await planted(rig, state=State.SENDING, commits=1)
    await write(rig, lambda uow: payout.paid(uow, one, record(one, "committed", email="eve@example.com")))
    assert (await stored(rig, one)).state is State.COMMITTED
    assert "alert:differs" in await queued(rig, one)
