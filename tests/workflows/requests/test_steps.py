"""A step that fails is its own: others go on, it is tried a few times, then left alone until an admin says so."""

import asyncio
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import Instruction, State
from bot.presentation import notices
from bot.wiring.workers import WORKERS
from bot.workflows.admin.takeover import recover_claims
from bot.workflows.context import Context
from bot.workflows.payments import subject
from tests.support.clock import MINUTE
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, OLGA, Rig
from tests.support.rows import audit_rows
from tests.support.settling import run_due
from tests.support.shown import shown
from tests.workflows.looking import heard, newest, read, requests, state

MOST_TRIES = 5
MINUTES = timedelta(minutes=1)

GOOD, BAD = "ben+work@example.com", "ana@example.com"


class Poison:
    def __init__(self, rig: Rig, method: str, word: str, *, after: bool = False) -> None:
        self.payments: Any = rig.switchboard.context.payments.client
        self.method, self.word, self.after = method, word, after
        self.was = getattr(self.payments, method)
        self.met = 0
        setattr(self.payments, method, self)

    async def __call__(self, *args: Any, **more: Any) -> Any:
        if self.word not in str(args):
            return await self.was(*args, **more)
        if self.after:
            await self.was(*args, **more)
        self.met += 1
        raise ZeroDivisionError("a defect")

    def heal(self) -> None:
        setattr(self.payments, self.method, self.was)


async def ask_two(rig: Rig) -> tuple[Instruction, Instruction]:
    await rig.pay(f'send {BAD} 25.00 "March"')
    await rig.pay(f'send {GOOD} 30.00 "March"')
    bad, good = await requests(rig)
    return bad, good


async def test_one_that_fails_is_left_alone_and_the_others_go_on(rig: Rig) -> None:
    poison = Poison(rig, "account_status", BAD)
    bad, good = await ask_two(rig)
    await rig.pass_time(5 * MINUTE, steps=5)
    bad, good = await requests(rig)
    assert (poison.met, bad.state, good.state) == (MOST_TRIES, State.NEW, State.AWAITING)
    [alert] = rig.workspace.messages(ALERTS)
    assert shown(alert.text) == snapshot(
        """\
:octagonal_sign: *Action needed: the request P-······ is stopped* after several internal errors. Nothing more is sent \
or read for it.
Find `········` in the log, fix it, then press *Try again*.\
"""
    )
    assert all("Preparing" not in said for said in (rig.cards(FINANCE)[0].text, rig.cards(FINANCE)[0].plain))
    line = rig.cards(FINANCE)[0].text.partition(" by itself. ")[2].partition(" Needs ")[0]
    assert line in rig.cards(FINANCE)[0].plain
    assert shown(line) == snapshot("")
    await rig.pass_time(60 * MINUTE, steps=2)
    assert (poison.met, len(rig.workspace.messages(ALERTS))) == (MOST_TRIES, 1)


async def test_an_admin_has_it_tried_again(rig: Rig) -> None:
    poison = Poison(rig, "account_status", BAD)
    await ask_two(rig)
    await rig.pass_time(5 * MINUTE, steps=5)
    poison.heal()
    [alert] = rig.workspace.messages(ALERTS)
    await rig.workspace.click(ADA, ALERTS, alert.ts, notices.TRY_AGAIN)
    await rig.settle()
    assert shown(await heard(rig, ADA, "admins")) == snapshot(":no_entry_sign: Only admins can do this.")
    assert (await requests(rig))[0].stopped
    await rig.workspace.click(OLGA, ALERTS, alert.ts, notices.TRY_AGAIN)
    await rig.settle()
    bad, _ = await requests(rig)
    assert (bad.state, bad.stopped, bad.tries) == (State.AWAITING, "", 0)
    await rig.pass_time(1)
    assert "stopped" not in rig.cards(FINANCE)[0].plain
    rows = await read(rig, lambda tx: [row.entry for row in audit_rows(tx) if row.entry.instruction_id == bad.id])
    assert [(one.actor, one.action) for one in rows if one.action in {"stopped", "tried_again"}] == [
        ("switchboard", "stopped"),
        (OLGA, "tried_again"),
    ]


async def test_ten_deaths_stop_a_row_which_is_retried_once_later(rig: Rig) -> None:
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


async def test_a_long_step_keeps_its_row_and_a_dead_one_does_not(rig: Rig) -> None:
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


async def test_a_card_that_cannot_be_drawn_holds_up_no_other(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    bad, _ = await ask_two(rig)
    drawn = subject.card_for

    async def poisoned(ctx: Any, sight: subject.Sight) -> Any:
        if sight.instruction.id == bad.id:
            raise ZeroDivisionError("a defect")
        return await drawn(ctx, sight)

    monkeypatch.setattr(subject, "card_for", poisoned)
    for card in rig.cards():
        await rig.workspace.click(ADA, card.channel, card.ts, "payout.approve")
    await rig.pass_time(10 * MINUTE, steps=10)
    old, new = rig.cards(FINANCE)
    assert (bool(old.buttons), bool(new.buttons)) == (True, False)
    alerts = sorted(one.text for one in rig.workspace.messages(ALERTS))
    for place, alert in zip((APPROVALS, FINANCE), alerts, strict=True):
        assert shown(alert).replace(place, "C0······") == snapshot(
            """\
:rotating_light: *A message in <#C0······> is out of date*: an internal error keeps it from being updated. The cause \
is in the log under `········`.
The `show` commands give the newest state.\
"""
        )
    monkeypatch.undo()
    await rig.pass_time(2 * MINUTE, steps=2)
    assert not rig.cards(FINANCE)[0].buttons
    ends = sorted(one.text for one in rig.workspace.messages(ALERTS))[-2:]
    assert ends == [f":sunny: *The message in <#{one}> is up to date again.*" for one in (APPROVALS, FINANCE)]
