"""Requests with an effect are anchored before they leave: where that cannot be done, nothing leaves."""

from typing import Any

import pytest

from bot.domain.payments.instruction import State
from bot.domain.recovery import ReadingOnly
from bot.workflows.admin.audit import HighWater
from bot.workflows.context import Unit
from bot.workflows.payments.callbacks import exists
from bot.workflows.reading_only import enter
from storage.errors import StorageBusy
from tests.support.reasons import own_words
from tests.support.rig import ALERTS, Rig
from tests.workflows.planted import planted


def high_water(rig: Rig) -> Any:
    found: Any = rig.switchboard.context.high_water
    assert isinstance(found, HighWater)
    return found


async def test_nothing_leaves_while_the_database_says_nothing(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    water = high_water(rig)
    assert await water.may_leave("payout X")

    async def busy() -> None:
        raise StorageBusy("locked")

    monkeypatch.setattr(water, "_stand", busy)
    assert not await water.may_leave("payout X")


async def test_nothing_leaves_unwritten_and_it_is_told_once_a_day(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    water = high_water(rig)

    def full(_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(water._file, "append", full)
    for _ in range(2):
        assert not await water.may_leave("payout X")
    await rig.settle()
    found = [one.text for one in rig.workspace.messages(ALERTS) if "No space left on device" in one.text]
    assert len(found) == 1


async def test_nothing_leaves_in_reading_only_mode(rig: Rig) -> None:
    ctx, now, water = rig.switchboard.context, rig.clock.now(), high_water(rig)
    assert await water.is_sound()
    mode = ReadingOnly(since=now, reason=own_words("put back"), until=now)
    await ctx.store.write(lambda tx: enter(Unit(tx, now=now, policy=ctx.policy), mode))
    assert not await water.is_sound()
    assert not await water.may_leave("payout X")


async def test_an_address_that_was_never_given_out_is_none(rig: Rig) -> None:
    ctx, now = rig.switchboard.context, rig.clock.now()
    await planted(rig, state=State.COMMITTED)
    assert not await exists(ctx.store, now=now, token="never")
