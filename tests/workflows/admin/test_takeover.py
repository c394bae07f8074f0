"""What a process that died worked on goes on at once; what a slow one works on is left to it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta

import pytest

from bot.app import Switchboard
from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.wiring.workers import WORKERS
from bot.workflows.admin import takeover
from bot.workflows.context import Context
from storage.peers import Peers
from tests.support.rig import ADA, Rig
from tests.support.waiting import until
from tests.workflows.looking import newest

pytestmark = [
    pytest.mark.postgres,
    pytest.mark.rig(on="postgres", clock=None, around={"ticking": False, "service_total": 3_600.0}),
]

AHEAD = timedelta(hours=2)
SETTLED = 0.0
"""Seconds after which a connection proves something here; 5 in the product."""
SURE = 0.3
"""Seconds between the two looks for the missing."""


@pytest.fixture(autouse=True)
def stops_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(takeover, "_SETTLED", SETTLED)
    monkeypatch.setattr("bot.workflows.workers.STOP_SECONDS", 0.05)


async def hangs_in_its_commit(rig: Rig) -> None:
    """The first process sends an approved payout, which is carried out, and gets no answer."""
    await rig.pay()
    await rig.settle()
    await rig.press("approve", user=ADA)
    fault = Fault(FaultKind.DONE_HANGS, "commit_payout", seconds=3_600.0)
    rig.payments.faults.arm(fault)
    await WORKERS["instructions"](rig.switchboard.context)
    await rig.workspace.until(lambda: fault.times == 0)
    assert (await newest(rig)).state is State.SENDING


async def noticed(process: Switchboard, leave: Callable[[], Awaitable[None]]) -> None:
    """Somebody's connection ends, and this process sees that a lock is gone."""
    peers = process.context.peers
    assert peers is not None
    before = peers.ends
    await leave()

    async def seen() -> bool:
        return peers.ends > before

    await until(seen)


async def test_request_of_a_dead_process_is_read_at_once(rig: Rig) -> None:
    await hangs_in_its_commit(rig)
    other = await rig.start_another("another", ticking=False)
    ctx = other.context
    peers = rig.switchboard.context.peers
    assert peers is not None
    assert await WORKERS["processes"](ctx) == 0
    assert ctx.peers is not None
    assert not ctx.peers.may_miss_somebody()
    assert (await newest(rig)).state is State.SENDING, "it lives: its request is its own"
    await peers.leave()  # as the system does for a process that is killed
    await until(lambda: WORKERS["processes"](ctx))
    assert (await newest(rig)).state is State.COMMIT_UNKNOWN, "no lease was waited for"
    assert await WORKERS["processes"](ctx) == 0
    assert len(rig.paid) == 1


@pytest.mark.rig(around={"ticking": False, "service_total": 3_600.0, "server_now": lambda: datetime.now(UTC) + AHEAD})
async def test_leases_of_a_dead_process_end_despite_its_fast_clock(rig: Rig) -> None:
    await hangs_in_its_commit(rig)
    leased = (await newest(rig)).lease_until
    other = await rig.start_another("another", ticking=False)
    assert leased is not None
    assert leased - other.context.clock.now() > AHEAD
    assert (await newest(rig)).state is State.SENDING
    peers = rig.switchboard.context.peers
    assert peers is not None
    await peers.leave()
    await until(lambda: WORKERS["processes"](other.context))
    assert (await newest(rig)).state is State.COMMIT_UNKNOWN
    assert len(rig.paid) == 1


async def test_process_with_a_lost_connection_keeps_its_work(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """It takes its lock again between the two looks of the others."""
    await hangs_in_its_commit(rig)
    other = await rig.start_another("another", ticking=False)
    mine, theirs = rig.switchboard.context.peers, other.context.peers
    assert mine is not None
    assert theirs is not None
    await noticed(other, mine.leave)
    look, missing, pause = takeover._gone, [], asyncio.sleep

    async def looked(ctx: Context, peers: Peers) -> set[str] | None:
        missing.append(await look(ctx, peers))
        return missing[-1]

    async def come_back(seconds: float) -> None:
        if seconds == SURE:
            await mine.join()
        await pause(seconds)

    async def connected_long_enough() -> bool:
        return theirs.connected_for() >= SETTLED

    await until(connected_long_enough)
    monkeypatch.setattr(takeover, "_gone", looked)
    monkeypatch.setattr(asyncio, "sleep", come_back)
    assert await WORKERS["processes"](other.context) == 0
    assert [bool(found) for found in missing] == [True, False]
    assert (await newest(rig)).state is State.SENDING


async def test_database_restart_reports_no_dead_process(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """It ended the connections of all: who is back first must not take the others for dead."""
    await hangs_in_its_commit(rig)
    other = await rig.start_another("another", ticking=False)
    monkeypatch.setattr(takeover, "_SETTLED", 5.0)
    peers = rig.switchboard.context.peers
    assert peers is not None
    await noticed(other, peers.leave)
    await until(lambda: other.context.store.read(lambda tx: tx.processes.gone()))
    assert await WORKERS["processes"](other.context) == 0
    assert (await newest(rig)).state is State.SENDING


async def test_clean_stop_releases_all_work(rig: Rig) -> None:
    other = await rig.start_another("another", ticking=False)
    await other.stop()
    ctx = rig.switchboard.context
    await until(lambda: ctx.store.read(lambda tx: tx.processes.gone()))
    assert await WORKERS["processes"](ctx) == 0
    assert await ctx.store.read(lambda tx: tx.processes.gone()) == []
