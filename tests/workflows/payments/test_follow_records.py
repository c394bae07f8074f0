"""Records of the service that don't agree with a request: nothing is paid twice or given back because of them."""

from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.errors import ServiceNow
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.instruction import AttemptOutcome, Kind, State
from bot.domain.payments.operation import Operation, Search
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.payments import payout, purchase
from tests.support.reasons import NO_ANSWER, own_words
from tests.support.rig import Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import made, on_one_rig, planted, queued, record, stored, tried, write

NO_MONEY = own_words("no money")
REFUSED, LOST = NotExecuted(reason=NO_MONEY, again=False), Unknown(reason=NO_ANSWER)


def holding(*held: Operation) -> Any:
    """The payments service, as far as what it holds goes."""

    async def find_by_code(*_: object, **__: object) -> Search:
        return Search(hits=held, complete=True)

    return SimpleNamespace(find_by_code=find_by_code)


@pytest.mark.parametrize(("outcome", "status", "differs", "kept"), [
    (REFUSED, "created", {}, NotExecuted), (REFUSED, "completed", {}, Done), (REFUSED, "odd", {}, Unknown),
    (REFUSED, "created", {"cents": Cents(1)}, Unknown), (REFUSED, None, {}, Unknown),
    (LOST, "completed", {}, Unknown),
])  # fmt: skip
async def test_refusal_counts_only_if_the_record_agrees(
    rig: Rig, outcome: Any, status: str | None, differs: dict[str, Any], kept: type
) -> None:
    one = made(rig, state=State.SENDING)

    async def get_operation(_: str) -> Operation:
        if status is None:
            raise ServiceNow("payments", NO_ANSWER)
        return record(one, status, **differs)

    payments: Any = SimpleNamespace(get_operation=get_operation)
    after = await payout.reread(payments, one, outcome)
    assert isinstance(after, kept)
    if outcome is REFUSED and kept is Unknown:
        assert isinstance(after, Unknown)
        assert after.refusal == NO_MONEY


async def test_differing_record_does_not_confirm_a_refusal(rig: Rig) -> None:
    day = "2026-11-20"
    one = await planted(rig, state=State.COMMIT_UNKNOWN, commits=1, refusal=NO_MONEY)
    await tried(rig, one, outcome=AttemptOutcome.UNKNOWN)
    await write(rig, lambda tx: tx.reservations.reserve(one.id, 1, day, 2500, 2500))
    await write(rig, lambda uow: payout.read_again(uow, one, record(one, "created", cents=Cents(1))))
    assert (await stored(rig, one)).state is State.COMMIT_UNKNOWN
    assert await read(rig, lambda tx: tx.reservations.sum(day)) == 2500


@on_one_rig([
    (payout.find_outcome, State.COMMIT_UNKNOWN, State.COMMIT_UNKNOWN), (payout.pay, State.APPROVED, State.NEEDS_HUMAN),
])  # fmt: skip
async def test_several_payouts_with_our_code_after_sending_are_an_alert(
    rig: Rig, step: Any, before: State, after: State
) -> None:
    ctx = rig.switchboard.context
    one = await planted(rig, Kind.ONE_STEP, state=before, commits=1, remote_id=None, exec_deadline=None)
    held = holding(record(one, "completed", id="o1"), record(one, "completed", id="o2"))
    held.require = lambda _: None
    rig.clock.advance(7_200)
    await step(ctx, held, one)
    found = await stored(rig, one)
    assert (found.state, found.remote_id) == (after, None)
    assert "alert:differs" in await queued(rig, one)


@on_one_rig([(Kind.PAYOUT, "orphan", "payouts"), (Kind.PURCHASE, None, "purchases")])
async def test_several_created_with_our_code_end_the_request(
    rig: Rig, kind: Kind, followed: str | None, records: str
) -> None:
    one = await planted(rig, kind, state=State.CREATE_UNKNOWN, creates=1, remote_id=None)
    held = holding(record(one, "created", id="o1"), record(one, "created", id="o2"))
    await (payout if kind is Kind.PAYOUT else purchase).find_again(rig.switchboard.context, held, one)
    found = await stored(rig, one)
    assert (found.state, found.reason) == (State.MISMATCH, Reason(OfRequest.SEVERAL, records=records))
    if followed is not None:
        rows = await read(rig, lambda tx: [tx.tracked.get(followed, name) for name in ("o1", "o2")])
        assert all(row is not None and row.instruction_id == one.id for row in rows)


@on_one_rig([
    ({"cents": Cents(1)}, "created", State.NEEDS_HUMAN),
    ({}, "committed", State.COMMITTED),
])  # fmt: skip
async def test_new_attempt_is_not_sent_if_the_record_changed(
    rig: Rig, differs: dict[str, Any], status: str, state: State
) -> None:
    one = await planted(rig, state=State.APPROVED, commits=1)
    assert await write(rig, lambda uow: payout._is_not_as_approved(uow, one, record(one, status, **differs)))
    assert (await stored(rig, one)).state is state


async def test_differing_commit_answer_counts_and_alerts(rig: Rig) -> None:
    one = await planted(rig, state=State.SENDING, commits=1)
    await write(rig, lambda uow: payout.paid(uow, one, record(one, "committed", email="eve@example.com")))
    assert (await stored(rig, one)).state is State.COMMITTED
    assert "alert:differs" in await queued(rig, one)


async def test_refused_purchase_that_was_opened_nevertheless_is_followed(rig: Rig) -> None:
    one = await planted(rig, Kind.PURCHASE, state=State.REFUSED, remote_id=None, closed_at=rig.clock.now(), creates=1)
    await purchase.watch_refused(rig.switchboard.context, holding(record(one, id="w1"), record(one, id="w2")), one)
    assert (await stored(rig, one)).remote_id == "w1"
    rows = await read(rig, lambda tx: [there(tx.tracked.get("purchase", name)) for name in ("w1", "w2")])
    assert [row.instruction_id for row in rows] == [one.id, one.id]
