"""A step that fails is its own: others go on, it is tried a few times, then left alone until an admin says so."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.presentation import notices
from bot.wiring.workers import WORKERS
from bot.workflows.admin.takeover import recover_claims
from bot.workflows.context import Context
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, FINANCE, OLGA, Rig
from tests.support.rows import audit_rows
from tests.support.settling import run_due
from tests.workflows.looking import heard, newest, read, requests, state

MOST_TRIES = 5
MINUTES = timedelta(minutes=1)

GOOD, BAD = "ben+work@example.com", "ana@example.com"


async def test_step_that_fails_is_left_alone_until_an_admin_retries_it(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    payments: Any = rig.switchboard.context.payments.client
    was, met = payments.account_status, []

    async def poisoned(email: str, **more: Any) -> Any:
        if email != BAD:
            return await was(email, **more)
        met.append(email)
        raise ZeroDivisionError("a defect")

    monkeypatch.setattr(payments, "account_status", poisoned)
    await rig.pay(f'send {BAD} 25.00 "March"')
    await rig.pay(f'send {GOOD} 30.00 "March"')
    await rig.pass_time(65 * MINUTE, steps=7)
    assert [one.state for one in await requests(rig)] == [State.NEW, State.AWAITING], "the other goes on"
    assert len(met) == MOST_TRIES
    [alert] = rig.workspace.messages(ALERTS)
    assert "is stopped* after several internal errors" in alert.text
    assert "Preparing" not in rig.cards(FINANCE)[0].text
    monkeypatch.undo()
    await rig.workspace.click(ADA, ALERTS, alert.ts, notices.TRY_AGAIN)
    await heard(rig, ADA, "admins")
    assert (await requests(rig))[0].stopped
    await rig.workspace.click(OLGA, ALERTS, alert.ts, notices.TRY_AGAIN)
    await rig.settle()
    bad, _ = await requests(rig)
    assert (bad.state, bad.stopped, bad.tries) == (State.AWAITING, "", 0)
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == bad.id])
    assert [(one.actor, one.action) for one in rows if one.action in {"stopped", "tried_again"}] == [
        ("switchboard", "stopped"),
        (OLGA, "tried_again"),
    ]


async def test_row_stops_after_ten_crashes_and_is_retried_once(rig: Rig) -> None:
    payments: Any = rig.switchboard.context.payments.client
    was, begun = payments.account_status, 0

    async def killed(*_: Any) -> Any:
        nonlocal begun
        begun += 1
        raise asyncio.CancelledError  # like a kill: nothing of the step's end is stored

    payments.account_status = killed
    ctx = rig.switchboard.context
    await rig.workspace.slash("U0MARIA", FINANCE, "/pay", f"send {BAD} 25 M")

    async def restarts(count: int) -> None:
        for _ in range(count):
            await run_due(ctx, "instructions")
            rig.clock.advance(61)

    def lives(minutes: int) -> Context:
        rig.switchboard._context = replace(ctx, began=rig.clock.now() - minutes * MINUTES)
        return rig.switchboard.context

    ctx = lives(-1_000)
    await restarts(20)
    assert begun == 10
    await rig.settle()
    [alert] = rig.workspace.messages(ALERTS)
    assert "killed ten times" in alert.text
    assert "internal error" not in alert.text + rig.cards(FINANCE)[0].plain
    number = (await newest(rig)).stopped
    ctx = lives(14)
    assert (await run_due(ctx, "died"), (await newest(rig)).stopped) == (0, number)
    ctx = lives(15)
    assert await run_due(ctx, "died") == 1
    await restarts(5)
    assert (begun, await run_due(ctx, "died")) == (11, 0), "once by itself"
    await rig.settle()
    payments.account_status = was
    await rig.workspace.click(OLGA, ALERTS, rig.workspace.messages(ALERTS)[-1].ts, notices.TRY_AGAIN)
    await rig.settle()
    found = await newest(rig)
    assert (found.state, found.stopped, found.tries) == (State.AWAITING, "", 0)


async def test_running_step_keeps_its_lease_and_a_dead_one_loses_it(rig: Rig) -> None:
    ctx = rig.switchboard.context
    payments: Any = ctx.payments.client
    was, hanging, gate = payments.get_operation, asyncio.Event(), asyncio.Event()

    async def slow(*args: Any) -> Any:
        hanging.set()
        await gate.wait()
        return await was(*args)

    await rig.pay()
    payments.get_operation = slow
    card = await rig.card()
    await rig.workspace.click(ADA, card.channel, card.ts, "payout.approve")
    assert await WORKERS["instructions"](ctx) == 1
    await hanging.wait()
    version = (await newest(rig)).version
    for _ in range(30):  # five minutes, by a lease of one
        rig.clock.advance(10)
        await _beaten(rig)
        assert await WORKERS["instructions"](ctx) == 0
        await recover_claims(ctx)
    assert (await newest(rig)).version == version, "a renewed lease is the same hold"
    workers: Any = ctx.workers
    for task in workers._all():
        task.cancel()
    await ctx.workers.finished()
    payments.get_operation = was
    rig.clock.advance(61)
    assert await run_due(ctx, "instructions") == 1
    assert await state(rig) is State.COMMITTED


async def _beaten(rig: Rig) -> None:
    """Until the lease reaches well into the future, as it does while the process lives."""
    for _ in range(1_000):
        until = (await newest(rig)).lease_until
        if until is not None and (until - rig.switchboard.context.clock.now()).total_seconds() > 30:
            return
        await asyncio.sleep(0)
    raise AssertionError("the lease was not renewed")
