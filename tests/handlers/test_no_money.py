"""When no money can be asked for: a full disk, a freeze, more than the daily limit together."""

import aiohttp
import pytest

from bot.presentation.payments import forms
from tests.support import bulk
from tests.support.bulk import ask
from tests.support.rig import ADA, FINANCE, MARIA, TOM, Rig
from tests.workflows.looking import ephemerals, newest, requests

GIGABYTE = 1_000_000_000


async def _ready(rig: Rig) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{rig.switchboard.url}/readyz") as answer:
        return answer.status, str((await answer.json())["database"])


@pytest.mark.parametrize(
    ("free", "whole", "status", "database"),
    [
        (499_000_000, 100 * GIGABYTE, 200, "its disk is almost full"),
        (1_000_000, 100 * GIGABYTE, 503, "its disk is full"),
        (6_000_000, 64_000_000, 200, "its disk is almost full"),
    ],
)
async def test_full_disk_stops_new_requests(rig: Rig, free: int, whole: int, status: int, database: str) -> None:
    disk = rig.switchboard.context.store.disk
    disk.usage = lambda: (free, whole)
    await rig.pay("send ana@example.com 25.00 rent")
    assert "Switchboard's disk is full, so nothing was done." in ephemerals(rig, MARIA)[-1]
    assert not await requests(rig)
    assert await _ready(rig) == (status, database)
    disk.usage = lambda: (7_000_000, 64_000_000)
    await rig.pay("send ana@example.com 25.00 rent")
    assert len(await requests(rig)) == 1
    assert await _ready(rig) == (200, "ok")


REFUSED = (
    ":snowflake: Payments are frozen by <@U0ADA>: “the bank called”. You can send requests again once an approver "
    "unfreezes them."
)


async def test_frozen_payments_still_allow_collections(rig: Rig) -> None:
    await rig.pay("freeze the bank called", user=ADA)
    for verb in ("send", "now"):
        await rig.pay(f"{verb} ana@example.com 25.00 rent")
        assert ephemerals(rig, MARIA)[-1] == REFUSED
    assert not await requests(rig)
    await rig.pay("collect ben@example.com rent web=1x25.00")
    assert len(await requests(rig)) == 1
    assert FINANCE in {card.channel for card in rig.cards(FINANCE)}


async def test_no_form_asks_for_a_payment(rig: Rig) -> None:
    await rig.pay("send")
    await rig.pay("bulk", user=TOM)
    await rig.pay("freeze the bank called", user=ADA)
    values = {forms.EMAIL: "ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "rent"}
    await rig.submit(MARIA, values)
    await rig.submit(TOM, {forms.ROWS: bulk.ROWS})
    for user in (MARIA, TOM):
        assert "Payments are frozen by" in rig.form(user).plain
    assert not await requests(rig)


async def test_bulk_may_reach_but_not_exceed_the_daily_limit(rig: Rig) -> None:
    await ask(rig, "ana@example.com, 12500.00\nben@example.com, 12500.01")
    assert "The sum is `$25,000.01`" in rig.form(MARIA).plain
    assert not await requests(rig)
    await ask(rig, "ana@example.com, 12500.00\nben@example.com, 12500.00")
    assert (await newest(rig)).cents == 2_500_000
