"""Storing what was asked for: once, also when the database does not say whether it did; and waking who works on it."""

from dataclasses import replace
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bot.clients.circuit import Circuit
from bot.domain.bookings.booking import BookingKind, Stage
from bot.domain.payments.instruction import Kind, PayoutPayload, State
from bot.domain.references import Letter
from bot.workflows.bookings.book import _send, draft, request_prebooking
from bot.workflows.requests import request as requesting
from bot.workflows.requests.request import Requested, request, unused_reference
from storage.disk_space import DiskSpace
from storage.errors import CommitUnknown, StorageFull
from tests.support.rig import FINANCE, MARIA, Rig
from tests.workflows.bookings import made
from tests.workflows.looking import read, requests
from tests.workflows.planted import planted

PAYLOAD = PayoutPayload(email="ana@example.com", cents=2500, description="rent")
ASKED = Requested(requester=MARIA, channel=FINANCE, kind=Kind.PAYOUT, payload=PAYLOAD, source_key="command:9")


class Unsure:
    """A store whose answer to a commit is lost; ``done``: whether it was made."""

    def __init__(self, store: Any, *, done: bool, room: DiskSpace = DiskSpace.ENOUGH) -> None:
        self._store, self._done = store, done
        self.disk = SimpleNamespace(space_left=lambda: room)
        self.written: list[str] = []

    async def write(self, work: Any, *, name: str = "") -> Any:
        self.written.append(name)
        if self._done:
            await self._store.write(work, name=name)
        raise CommitUnknown("the connection broke")

    async def read(self, work: Any) -> Any:
        return await self._store.read(work)


def unsure(rig: Rig, *, done: bool) -> Any:
    ctx = rig.switchboard.context
    store: Any = Unsure(ctx.store, done=done)
    return replace(ctx, store=store)


async def test_a_request_whose_commit_had_no_answer_is_looked_for_before_anybody_is_told(rig: Rig) -> None:
    made_now = await request(unsure(rig, done=True), ASKED)
    assert [one.id for one in await requests(rig)] == [made_now.id]
    again = await request(rig.switchboard.context, ASKED)
    assert again.id == made_now.id


async def test_where_it_was_not_stored_who_asked_is_told(rig: Rig) -> None:
    with pytest.raises(CommitUnknown):
        await request(unsure(rig, done=False), ASKED)
    assert await requests(rig) == []


@pytest.mark.parametrize("room", [one for one in DiskSpace if one.is_short])
async def test_nothing_is_begun_that_there_is_no_room_to_end(rig: Rig, room: DiskSpace) -> None:
    ctx = rig.switchboard.context
    store: Any = Unsure(ctx.store, done=True, room=room)
    with pytest.raises(StorageFull):
        await request(replace(ctx, store=store), ASKED)
    assert store.written == []


async def test_a_new_request_is_as_it_was_asked_for_and_worked_on_at_once(rig: Rig) -> None:
    woken: list[bool] = []
    ctx = replace(rig.switchboard.context, wake=lambda: woken.append(True))
    now = rig.clock.now()
    one = await request(ctx, ASKED)
    assert woken == [True]
    assert (one.state, one.round, one.version, one.requester, one.origin_channel) == (State.NEW, 1, 1, MARIA, FINANCE)
    assert (one.payload, one.source_key, one.created_at, one.due_at) == (PAYLOAD, "command:9", now, now)
    assert one.intact()
    assert one.progress is None
    assert await read(rig, lambda tx: tx.boards.get(f"request:{one.id}:requester")) is not None
    assert (await read(rig, lambda tx: tx.boards.get(f"request:{one.id}:approvals"))) is None


async def test_a_reference_is_that_of_nothing_else(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    one = await planted(rig, reference="P-AAAAAA")
    booking = await made.planted(rig, reference="P-BBBBBB")
    drawn = [one.reference, booking.reference, "P-CCCCCC"]
    monkeypatch.setattr(requesting, "reference", lambda _: drawn.pop(0))
    assert await read(rig, lambda tx: unused_reference(tx, Letter.PAYOUT)) == "P-CCCCCC"
    assert drawn == []


PREBOOKING = draft(
    datetime(2026, 1, 1, tzinfo=UTC), by=MARIA, channel=FINANCE, store="Centro", request=made.asked(),
    kind=BookingKind.PREBOOKING, source_key="form:9",
)  # fmt: skip


async def test_a_prebooking_is_stored_once_whatever_the_database_says(rig: Rig) -> None:
    woken: list[bool] = []
    ctx = replace(unsure(rig, done=True), wake=lambda: woken.append(True))
    one = await request_prebooking(ctx, PREBOOKING)
    assert (one.stage, one.due_at, one.kind, woken) == (Stage.NEW, rig.clock.now(), BookingKind.PREBOOKING, [True])
    again = await request_prebooking(rig.switchboard.context, PREBOOKING)
    assert again == one
    assert [name for name, _ in await made.actions(rig, one)] == ["prebooked"]
    with pytest.raises(CommitUnknown):
        await request_prebooking(unsure(rig, done=False), replace(PREBOOKING, source_key="form:10"))


@pytest.mark.parametrize("done", [True, False])
async def test_a_booking_whose_claim_had_no_answer_is_sent_if_the_claim_is_there(rig: Rig, done: bool) -> None:
    asked: list[str] = []

    class Client:
        circuit = Circuit("delivery", clock=rig.clock.boottime)

        async def create_booking(self, external_id: str, _request: Any, *, key: str, guard: Any) -> Any:
            assert (key, guard()) == ("key", True)
            asked.append(external_id)
            raise ZeroDivisionError

    store = rig.switchboard.context.store
    booking = await made.planted(rig, stage=Stage.NEW, lease_owner=rig.switchboard.context.owner)

    class Once(Unsure):
        async def write(self, work: Any, *, name: str = "") -> Any:
            return await (super().write(work, name=name) if name == "claim_booking" else store.write(work, name=name))

    unsure_once: Any = Once(store, done=done)
    ctx = replace(rig.switchboard.context, store=unsure_once)
    delivery, sent = SimpleNamespace(client=Client()), cast("Any", _send)
    if done:
        with pytest.raises(ZeroDivisionError):
            await sent(ctx, delivery, booking, "key")
    else:
        await sent(ctx, delivery, booking, "key")
    after = await made.stored(rig, booking)
    assert (asked, after.stage) == (([booking.external_id], Stage.SENDING) if done else ([], Stage.NEW))
