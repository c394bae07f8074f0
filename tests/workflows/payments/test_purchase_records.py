"""What a record of the service does to a purchase, and what is read on without its link being given out."""

from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from bot.domain.errors import ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import Operation, Search
from bot.presentation.reasons import worded
from bot.workflows.context import Context, Unit
from bot.workflows.payments import purchase
from bot.workflows.payments.subject import RequestSubject
from bot.workflows.services import Service
from storage.rows import Tracked
from tests.support.reasons import own_words
from tests.support.rig import Rig
from tests.workflows.looking import read, there
from tests.workflows.planted import on_one_rig, planted, queued, record, stored, write

HOUR, DAY, POLL = timedelta(hours=1), timedelta(days=1), timedelta(seconds=30)
MONTH = 30 * DAY


def listing(*hits: Operation) -> Any:
    """The payments service, as far as a search by our code goes."""

    async def find_by_code(*_: object, **__: object) -> Search:
        return Search(hits=hits, complete=True)

    return SimpleNamespace(find_by_code=find_by_code)


async def asked(rig: Rig, **like: Any) -> Instruction:
    return await planted(rig, Kind.PURCHASE, **like)


def row_of(rig: Rig, one: Instruction, age: timedelta, **more: Any) -> Tracked:
    now, of = rig.clock.now(), one.remote_id or ""
    return Tracked(kind="purchase", remote_id=of, instruction_id=one.id, created_at=now - age, due_at=now, **more)


async def tracked(rig: Rig, one: Instruction) -> Tracked | None:
    return await read(rig, lambda tx: tx.tracked.get("purchase", one.remote_id or ""))


@on_one_rig([
    (State.OPEN, {"status": "confirmed"}, True, State.COMPLETED, "", ["news:requester:completed:1"]),
    (State.OPEN, {"status": "confirmed", "email": "eve@example.com"}, True, State.COMPLETED, "paid by eve@example.com",
     ["news:requester:completed:1"]),
    (State.OPEN, {"status": "confirmed", "email": "BEN@example.com"}, True, State.COMPLETED, "",
     ["news:requester:completed:1"]),
    (State.OPEN, {"status": "failed", "failure_reason": "card"}, True, State.FAILED, "card",
     ["news:requester:failed:1"]),
    (State.OPEN, {"status": "canceled", "email": "eve@example.com"}, True, State.CANCELED, "",
     ["news:requester:canceled:1"]),
    (State.OPEN, {"status": "created"}, False, State.OPEN, "", []),
    (State.OPEN, {"status": "odd"}, False, State.OPEN, "", ["alert:unknown_status:odd"]),
    (State.OPEN, {"status": "confirmed", "cents": Cents(1)}, False, State.OPEN, "", ["alert:differs"]),
    (State.COMPLETED, {"status": "confirmed"}, True, State.COMPLETED, "", []),
    (State.COMPLETED, {"status": "failed"}, True, State.COMPLETED, "", ["alert:contradiction"]),
    (State.FAILED, {"status": "created"}, True, State.FAILED, "", []),
    (State.MISMATCH, {"status": "confirmed", "cents": Cents(1)}, True, State.MISMATCH, "", ["alert:paid_elsewhere"]),
    (State.REFUSED, {"status": "confirmed"}, True, State.REFUSED, "", ["alert:paid_elsewhere"]),
    (State.REFUSED, {"status": "failed"}, True, State.REFUSED, "", []),
    (State.REFUSED, {"status": "created"}, False, State.REFUSED, "", []),
    (State.CREATE_UNKNOWN, {"status": "confirmed"}, False, State.CREATE_UNKNOWN, "", []),
])  # fmt: skip
async def test_a_record_of_a_purchase(
    rig: Rig, state: State, says: dict[str, Any], over: bool, after: State, reason: str, keys: list[str]
) -> None:
    now = rig.clock.now()
    one = await asked(rig, state=state)
    await write(rig, lambda tx: tx.tracked.follow("purchase", one.remote_id or "", due_at=now, now=now))
    assert await write(rig, lambda uow: purchase.observe(uow, one, record(one, **says))) is over
    found, row = await stored(rig, one), await tracked(rig, one)
    assert (found.state, worded(found.reason), await queued(rig, one)) == (after, reason, keys)
    assert row is not None
    assert (row.stopped_at is not None) is (after is not state)


def linking(ctx: Context, *, works: bool) -> Context:
    class Links:
        def checkout_url(self, _remote: str) -> str:
            if works:
                return "https://pay.example.com/r1"
            raise ServiceNever("payments", own_words("odd id"))

    client: Any = Links()
    return replace(ctx, payments=Service(client=client))


@on_one_rig(
    [
        (True, {}, State.OPEN, "", True),
        (False, {}, State.MISMATCH, "no checkout link can be built from its ID", False),
        (True, {"cents": Cents(1)}, State.MISMATCH, "the amount is 0.01 instead of 119.50", False),
        (True, {"status": "confirmed"}, State.COMPLETED, "", False),
    ]
)
async def test_the_link_of_what_was_opened_as_asked_for_is_given_out(
    rig: Rig, works: bool, says: dict[str, Any], state: State, reason: str, linked: bool
) -> None:
    ctx, now = linking(rig.switchboard.context, works=works), rig.clock.now()
    one = await asked(rig, state=State.CREATING, remote_id=None)
    own = f"p{one.id}"
    await ctx.store.write(lambda tx: purchase.opened(Unit(tx, ctx, now=now), one, record(one, **{"id": own, **says})))
    found = await stored(rig, one)
    assert (found.state, worded(found.reason), found.remote_id) == (state, reason, own)
    assert ("link" in await queued(rig, one)) is linked
    assert (purchase.link_of(ctx, found) != "") is linked
    row = await tracked(rig, found)
    assert row is not None, "what may be paid is read, with its link or without"
    assert (row.due_at, row.stopped_at) == ((now + POLL, None) if state is not State.COMPLETED else (None, now))


async def test_a_link_that_cannot_be_made_for_now_is_posted_later(rig: Rig) -> None:
    ctx, one = rig.switchboard.context, await asked(rig, state=State.OPEN)
    away = replace(ctx, payments=Service(client=None, missing=("PAYMENTS_BASE_URL",)))
    with pytest.raises(ServiceNow):
        await RequestSubject().file(away, one.id, {"what": purchase.LINK})


@on_one_rig([
    (State.OPEN, timedelta(), "created", 1.5), (State.OPEN, timedelta(), None, 1.5),
    (State.OPEN, timedelta(), "confirmed", None), (State.COMPLETED, timedelta(), None, None),
    (State.COMPLETED, timedelta(), "confirmed", None),
    (State.REFUSED, timedelta(), "created", 1.5), (State.REFUSED, timedelta(), None, 1.5),
    (State.REFUSED, timedelta(), "confirmed", None), (State.MISMATCH, MONTH, "created", 1.5),
    (State.MISMATCH, MONTH + HOUR, "created", None), (State.MISMATCH, MONTH + HOUR, None, None),
    (State.OPEN, MONTH + HOUR, "created", 1.5),
])  # fmt: skip
async def test_a_purchase_is_polled_until_its_end_and_one_without_link_for_a_month(
    rig: Rig, state: State, age: timedelta, status: str | None, pause: float | None
) -> None:
    one = await asked(rig, state=state)
    row = row_of(rig, one, age)
    said = None if status is None else record(one, status)
    again = await write(rig, lambda uow: purchase._polled(uow, row, one, said))
    assert (again and again.pause) == (None if pause is None else pause * POLL)


@on_one_rig([(MONTH, 120), (MONTH + HOUR, 2_880)])
async def test_after_a_month_an_open_purchase_is_read_daily(rig: Rig, age: timedelta, times: int) -> None:
    one = await asked(rig, state=State.OPEN)
    row = row_of(rig, one, age, polls=40)
    again = there(await write(rig, lambda uow: purchase._polled(uow, row, one, None)))
    assert again.pause == times * POLL


async def test_several_with_our_code_end_it(rig: Rig) -> None:
    one = await asked(rig, state=State.CREATE_UNKNOWN, remote_id=None)
    hits = (record(one, id="o1"), record(one, id="o2"))
    await purchase.find_again(rig.switchboard.context, listing(*hits), one)
    found = await stored(rig, one)
    assert (found.state, worded(found.reason)) == (State.MISMATCH, "the provider has several purchases with our code")


@on_one_rig([
    (State.MISMATCH, "r1", True), (State.REFUSED, "r2", True), (State.CLOSED, "r3", False),
    (State.COMPLETED, "r4", False), (State.REFUSED, None, False),
])  # fmt: skip
async def test_what_ended_without_its_link_given_out_is_followed(
    rig: Rig, state: State, remote: str | None, followed: bool
) -> None:
    one = await asked(rig, state=state, remote_id=remote)
    await write(rig, lambda uow: purchase._watch(uow, one))
    assert (await tracked(rig, one) is not None) is followed


@on_one_rig([((), HOUR, None), (("w1", "w2"), None, "w1")])
async def test_what_was_refused_and_opened_nevertheless_is_followed(
    rig: Rig, hits: tuple[str, ...], due: timedelta | None, remote: str | None
) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    one = await asked(rig, state=State.REFUSED, remote_id=None, closed_at=now, creates=1)
    await purchase.watch_refused(ctx, listing(*(record(one, id=name) for name in hits)), one)
    found = await stored(rig, one)
    assert (found.remote_id, found.due_at) == (remote, None if due is None else now + due)
    rows = await read(rig, lambda tx: [tx.tracked.get("purchase", name) for name in hits])
    assert all(row is not None and row.instruction_id == one.id for row in rows)
