"""Transitions of bookings and jobs: the row, its audit row and its board change together or not at all."""

from itertools import product
from typing import Any

import pytest

from bot.domain.bookings.booking import MOVES, Booking, BookingKind, Stage
from bot.domain.localization.progress import CallState
from storage import Store, Tx
from tests.storage.factories import NOW, booking, job, later, unit

_ARROWS = [(before, to) for before, targets in MOVES.arrows.items() for to in sorted(targets)]


async def stored(store: Store, **changes: Any) -> Booking:
    made = booking(reference="B-1", kind=BookingKind.FOREIGN, store="Centro", **changes)

    def work(tx: Tx) -> None:
        assert tx.bookings.add(made)
        assert tx.boards.add(made.subject, channel="C1", thread_ts=None, requester="")
        found = tx.boards.get(made.subject)
        assert found is not None
        tx.boards.posted(made.subject, channel="C1", ts="1.1", version=found.wanted_version, now=NOW)

    await store.write(work)
    return made


@pytest.mark.parametrize(("stage", "to"), _ARROWS)
async def test_every_declared_arrow_can_be_taken_once(store: Store, stage: Stage, to: Stage) -> None:
    made = await stored(store, stage=stage)
    moved = await unit(store).bookings.move(made, to, now=later(1), action="moved", facts={"number": ""})
    closed = later(1) if to in MOVES.final else None
    assert (moved.stage, moved.version, moved.closed_at) == (to, 2, closed)
    assert await unit(store).bookings.move(made, to, now=later(2), action="moved") is None
    [row] = await store.read(lambda tx: [one.entry() for one in tx.audit.about("B1")])
    assert row is not None
    assert (row.before, row.after, row.action, row.actor) == (stage, to, "moved", "switchboard")
    assert row.detail == {"reference": "B-1", "store": "Centro"}, "empty facts are left out"
    assert await store.read(lambda tx: [one.subject for one in tx.boards.due(later(1), 9)]) == ["booking:B1"]


@pytest.mark.parametrize(("stage", "to"), [pair for pair in product(Stage, Stage) if pair not in _ARROWS])
async def test_no_other_arrow_is_taken(store: Store, stage: Stage, to: Stage) -> None:
    made = await stored(store, stage=stage)
    with pytest.raises(ValueError, match=f"no way for a foreign from {stage} to {to}"):
        await unit(store).bookings.move(made, to, now=NOW)
    assert await unit(store).bookings.get("B1") == made


async def test_stopped_row_resumes_in_another_state(store: Store) -> None:
    waiting = job(kind="call", state=CallState.WAITING, payload={}, stopped="abc")
    await unit(store).jobs.add(waiting)
    canceled = await unit(store).jobs.move(waiting, CallState.CANCELED, now=later(1))
    assert (canceled.stopped, canceled.closed_at, canceled.due_at) == ("", later(1), None)
    with pytest.raises(ValueError, match=r"no way for a call from canceled to running"):
        await unit(store).jobs.move(canceled, CallState.RUNNING, now=NOW)
