"""What becomes of one callback after its operation was read: done with, read again, or told as never confirmed."""

from dataclasses import replace
from datetime import timedelta

from bot.domain.payments.instruction import CallbackKind, Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.workflows.payments import callbacks
from storage.rows import InboxRow, InboxState
from storage.transaction import Tx
from tests.support.rig import Rig
from tests.support.rows import callbacks_of
from tests.workflows.looking import read
from tests.workflows.planted import on_one_rig, planted, queued, record, stored, write

SECOND, DAY = timedelta(seconds=1), timedelta(hours=24)
RECEIVED, APPLIED, STALE, UNCONFIRMED = (
    InboxState.RECEIVED,
    InboxState.APPLIED,
    InboxState.STALE,
    InboxState.UNCONFIRMED,
)


async def called_back(
    rig: Rig, one: Instruction, kind: CallbackKind = CallbackKind.CONFIRMATION, *, times: int = 1
) -> InboxRow:
    """A callback about it, which is stored, and not due for an hour."""
    now = rig.clock.now()

    def store(tx: Tx) -> InboxRow:
        tx.tokens.put(token_hash=f"hash of {one.id}", instruction_id=one.id, kind=kind, expires_at=None)
        for n in range(times):
            tx.inbox.receive(
                new_id=lambda: f"I{one.id[1:]}",
                token_hash=f"hash of {one.id}",
                body_hash=str(n),
                now=now,
                pause=timedelta(seconds=3),
            )
        (row,) = callbacks_of(tx, one.id)
        return row

    return await rig.switchboard.context.store.write(store)


async def applied(rig: Rig, row: InboxRow, said: Operation | None, *, early: bool = False) -> InboxRow:
    await write(rig, lambda uow: callbacks._apply(uow, row, said, too_early=early))
    (after,) = await read(rig, lambda tx: callbacks_of(tx, row.instruction_id))
    return after


@on_one_rig(
    [
        (State.COMMITTED, "completed", APPLIED, State.COMPLETED),
        (State.COMMITTED, "pending", RECEIVED, State.PENDING_ESCROW),
        (State.COMMITTED, "created", RECEIVED, State.COMMITTED),
        (State.COMMITTED, None, RECEIVED, State.COMMITTED),
        (State.NEEDS_HUMAN, "completed", APPLIED, State.COMPLETED),
        (State.AWAITING, "completed", RECEIVED, State.AWAITING),
        (State.SENDING, "completed", RECEIVED, State.SENDING),
        (State.COMPLETED, "completed", STALE, State.COMPLETED),
        (State.COMPLETED, None, STALE, State.COMPLETED),
        (State.CLOSED, "completed", STALE, State.CLOSED),
        (State.CLOSED, None, RECEIVED, State.CLOSED),
    ]
)
async def test_a_callback_is_done_with_when_its_payout_is(
    rig: Rig, state: State, status: str | None, kept: InboxState, after: State
) -> None:
    one = await planted(rig, state=state)
    row = await applied(rig, await called_back(rig, one), None if status is None else record(one, status))
    assert (row.state, (await stored(rig, one)).state) == (kept, after)
    if kept is RECEIVED:
        assert row.due_at == rig.clock.now() + SECOND, "read again after a second"


@on_one_rig([(0, 1), (1, 2), (5, 32), (11, 2_048), (12, 3_600), (20, 3_600)])
async def test_the_pause_doubles_up_to_an_hour(rig: Rig, attempts: int, seconds: int) -> None:
    one = await planted(rig, state=State.COMMITTED)
    row = await called_back(rig, one)
    after = await applied(rig, replace(row, attempts=attempts), None)
    assert after.due_at == rig.clock.now() + timedelta(seconds=seconds)


@on_one_rig([(0, 1), (9, 3)])
async def test_another_callback_meanwhile_has_it_read_within_three_seconds(
    rig: Rig, attempts: int, seconds: int
) -> None:
    one = await planted(rig, state=State.COMMITTED)
    row = await called_back(rig, one, times=2)
    after = await applied(rig, replace(row, attempts=attempts, hints=1), None)
    assert after.due_at == rig.clock.now() + timedelta(seconds=seconds)


@on_one_rig(
    [
        (DAY, CallbackKind.CONFIRMATION, Kind.PAYOUT, UNCONFIRMED, ["alert:unconfirmed:confirmation"]),
        (DAY, CallbackKind.FAILURE, Kind.PAYOUT, UNCONFIRMED, ["alert:unconfirmed:failure"]),
        (DAY - SECOND, CallbackKind.CONFIRMATION, Kind.PAYOUT, RECEIVED, []),
        (DAY, CallbackKind.CONFIRMATION, Kind.PURCHASE, UNCONFIRMED, []),
        (DAY, CallbackKind.CANCEL, Kind.PURCHASE, UNCONFIRMED, []),
        (DAY, CallbackKind.PURCHASE, Kind.PURCHASE, UNCONFIRMED, ["alert:unconfirmed:purchase"]),
        (DAY, CallbackKind.FAILURE, Kind.PURCHASE, UNCONFIRMED, ["alert:unconfirmed:failure"]),
    ]
)
async def test_what_no_record_confirms_within_a_day_is_an_alert_unless_anybody_could_have_sent_it(
    rig: Rig, ago: timedelta, about: CallbackKind, kind: Kind, kept: InboxState, keys: list[str]
) -> None:
    one = await planted(rig, kind, state=State.OPEN if kind is Kind.PURCHASE else State.COMMITTED)
    row = await called_back(rig, one, about)
    after = await applied(rig, replace(row, received_at=rig.clock.now() - ago), None)
    assert (after.state, await queued(rig, one)) == (kept, keys)


@on_one_rig([(DAY - SECOND, RECEIVED), (DAY, STALE)])
async def test_after_an_unpaid_end_it_is_read_for_a_day(rig: Rig, ago: timedelta, kept: InboxState) -> None:
    one = await planted(rig, state=State.CLOSED)
    row = await called_back(rig, one)
    after = await applied(rig, replace(row, received_at=rig.clock.now() - ago, attempts=2), None)
    assert after.state is kept
    if kept is RECEIVED:
        assert after.due_at == rig.clock.now() + 4 * SECOND


async def test_a_callback_about_what_is_gone_is_done_with(rig: Rig) -> None:
    one = await planted(rig, state=State.COMMITTED)
    row = await called_back(rig, one)
    await callbacks._Reads(rig.switchboard.context).verify(replace(row, instruction_id="gone"))
    (after,) = await read(rig, lambda tx: callbacks_of(tx, one.id))
    assert after.state is STALE


@on_one_rig([
    (State.NEW, False), (State.CREATING, False), (State.AWAITING, False), (State.APPROVED, False),
    (State.SENDING, False), (State.COMMITTED, True), (State.PENDING_ESCROW, True), (State.COMMIT_UNKNOWN, True),
    (State.NEEDS_HUMAN, True), (State.OPEN, True), (State.COMPLETED, True), (State.CLOSED, True),
])  # fmt: skip
async def test_the_service_is_asked_only_where_its_record_can_prove_anything(
    rig: Rig, state: State, worth: bool
) -> None:
    one = await planted(rig, state=state)
    before = len(rig.payments.calls_of("get_operation"))
    await callbacks._Reads(rig.switchboard.context).verify(await called_back(rig, one))
    assert (len(rig.payments.calls_of("get_operation")) > before) is worth
