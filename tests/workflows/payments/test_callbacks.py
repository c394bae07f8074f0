"""Callbacks are hints: stored, answered, verified by reading the operation that belongs to their address."""

import asyncio
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from bot.domain.payments.instruction import CallbackKind, State
from bot.playground.faults import Fault, FaultKind
from storage.rows import InboxState
from tests.support.clock import DAY, HOUR
from tests.support.rig import Rig
from tests.support.rows import callbacks_of
from tests.support.settling import run_due
from tests.workflows.calling import call, inbox, token
from tests.workflows.looking import approved, asked, newest, operation, read, state, told_once

KINDS = [CallbackKind.CONFIRMATION, CallbackKind.CANCEL, CallbackKind.FAILURE]


async def test_callback_floods_are_bounded(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await approved(rig)
    found, before = await newest(rig), asked(rig, "get_operation")
    secrets = [token(found.id, kind) for kind in KINDS]
    for number in range(60):
        assert (await call(rig, secrets[number % 3], {"n": number, "text": "x" * 200_000}))[0] == 200
        await rig.pass_time(0.1)
    rows = await read(rig, lambda tx: callbacks_of(tx, found.id))
    assert sum(row.hints for row in rows) == 60
    assert len(rows) == 3
    assert len(str(rows)) < 3_000
    assert asked(rig, "get_operation") - before <= 6  # in six seconds, one back-off included
    await rig.payments.settle(operation(rig).id, "completed", force=True)
    assert (await call(rig, secrets[0], {"n": 61}))[0] == 200
    await rig.pass_time(3)
    told_once(rig, "*paid*")


async def test_callback_during_a_read_causes_another_read(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await approved(rig)
    secret, payments = token((await newest(rig)).id), rig.switchboard.context.payments.client
    assert payments is not None
    as_ever = payments.get_operation

    async def overtaken(operation_id: str) -> Any:
        record = await as_ever(operation_id)
        payments.get_operation = as_ever  # type: ignore[method-assign]
        await rig.payments.settle(operation_id, "completed", force=True)
        assert (await call(rig, secret, {"second": True}))[0] == 200
        return record

    payments.get_operation = overtaken  # type: ignore[method-assign]
    assert (await call(rig, secret, {"first": True}))[0] == 200
    await rig.settle()
    assert await state(rig) is State.COMMITTED
    await rig.pass_time(3)
    told_once(rig, "*paid*")
    assert await inbox(rig) == [InboxState.APPLIED]


async def test_callback_address_is_valid_for_90_days_after_the_end(rig: Rig) -> None:
    await approved(rig)
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(2)
    secret, store = token((await newest(rig)).id), rig.switchboard.context.store
    await rig.pass_time(90 * DAY - HOUR, steps=2)
    assert (await call(rig, secret, {"late": True}))[0] == 200
    rig.clock.advance(2 * HOUR)
    gone = (404, b'{"error": "not found"}')
    assert await call(rig, secret, {"later": True}) == gone
    before = store.writer.commits
    assert await call(rig, "A" * 43) == gone
    assert store.writer.commits == before, "a stranger never gets to the writer"
    await rig.pass_time(31 * DAY, steps=2)
    assert not await inbox(rig)
    assert await state(rig) is State.COMPLETED


async def test_early_callback_is_read_after_the_commit_answer(rig: Rig) -> None:
    """The record completes and is called back while the answer, which says less, is on its way."""
    await rig.pay()
    rig.payments.faults.arm(Fault(FaultKind.SLOW, "commit_payout", seconds=0.5))
    pressing = asyncio.create_task(rig.press("approve"))
    await rig.workspace.until(lambda: rig.paid)
    await rig.payments.settle(operation(rig).id, "completed")
    await rig.payments.delivered()
    reads = asked(rig, "get_operation")
    assert await run_due(rig.switchboard.context, "callbacks") == 1
    assert asked(rig, "get_operation") == reads
    assert await inbox(rig) == [InboxState.RECEIVED]
    await pressing
    assert await state(rig) is State.COMPLETED
    assert await inbox(rig) == [InboxState.APPLIED]
    told_once(rig, "*paid*")


async def test_callback_body_is_never_trusted(rig: Rig) -> None:
    await approved(rig)
    secret = token((await newest(rig)).id)
    url = f"{rig.switchboard.url}/callbacks/payments/{secret}"
    bodies = [b"", b"\xff\xfe\x00", b"[" * 100_000, b'{"id":', "ünïcode".encode("utf-16"), b"x" * (256 * 1024)]
    async with aiohttp.ClientSession() as session:
        for body in bodies:
            async with session.post(url, data=body) as answer:
                assert answer.status == 200
        async with session.post(url, data=b"x" * (256 * 1024 + 1)) as answer:
            assert answer.status == 413
    await rig.settle()
    assert await state(rig) is State.COMMITTED


@pytest.mark.rig(payments_allowed_sources="203.0.113.7", trusted_proxies="127.0.0.0/8")
async def test_only_allowed_sources_may_call(rig: Rig) -> None:
    await approved(rig)
    secret = token((await newest(rig)).id)
    assert (await call(rig, secret))[0] == 404
    assert (await call(rig, secret, headers={"X-Forwarded-For": "203.0.113.7, 198.51.100.1"}))[0] == 404
    # A proxy that adds a line of its own leaves the caller's line before it.
    two_lines = [("X-Forwarded-For", "203.0.113.7"), ("X-Forwarded-For", "198.51.100.1")]
    assert (await call(rig, secret, headers=two_lines))[0] == 404
    assert (await call(rig, secret, headers=two_lines[::-1]))[0] == 200
    assert (await call(rig, secret, headers={"X-Forwarded-For": "198.51.100.1, 203.0.113.7"}))[0] == 200


async def test_database_stores_no_plain_callback_address(rig: Rig) -> None:
    """However the service writes the addresses into its record."""
    await approved(rig)
    found = await newest(rig)
    secret = token(found.id)
    for address in (f"https://x/callbacks/payments/{secret}", f"https:\\/\\/x\\/{secret}", f"x%2F{secret}", secret):
        assert (await call(rig, secret, {"confirmation_uri": address, "n": address}))[0] == 200
    await rig.settle()
    rows = await read(rig, lambda tx: callbacks_of(tx, found.id))
    assert len(rows) == 1
    folder = Path(rig.settings.database_url.partition("///")[2]).parent
    for path in folder.iterdir():
        assert secret.encode() not in path.read_bytes(), path
