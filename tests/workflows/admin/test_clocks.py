"""Several processes go by the clock of the database's server, whatever their own say."""

from datetime import datetime, timedelta

import pytest

from bot.domain.clock import SharedClock, SystemClock
from bot.domain.payments.instruction import State
from bot.workflows.admin import clocks
from tests.support.clock import ManualClock
from tests.support.rig import ALERTS, Rig
from tests.workflows.looking import state


class Ahead:
    """The clock of a machine that somebody set wrongly."""

    def __init__(self, right: ManualClock, seconds: float) -> None:
        self._right = right
        self.seconds = seconds

    def now(self) -> datetime:
        return self._right.now() + timedelta(seconds=self.seconds)

    def boottime(self) -> float:
        return self._right.boottime()


def test_between_two_looks_only_boot_time_moves_it() -> None:
    right = ManualClock()
    wrong = Ahead(right, 61)
    shared = SharedClock(wrong)
    shared.take(right.now(), asked_at=right.boottime())
    assert (shared.now(), shared.skew) == (right.now(), 61)
    right.advance(30)
    wrong.seconds = 7_200  # somebody sets it again
    assert shared.now() == right.now()
    assert not shared.is_due
    right.advance(30)
    assert shared.is_due


def test_half_of_what_the_answer_took_is_counted() -> None:
    right = ManualClock()
    shared = SharedClock(right)
    asked_at, said = right.boottime(), right.now() + timedelta(seconds=1)
    right.advance(2)
    shared.take(said, asked_at=asked_at)
    assert shared.now() == right.now()


@pytest.mark.postgres
@pytest.mark.rig(on="postgres")
async def test_the_server_is_asked(rig: Rig) -> None:
    shared = SharedClock(SystemClock())
    assert shared.is_due
    await clocks.look(rig.switchboard.context.store, shared)
    assert not shared.is_due
    assert abs(shared.skew) < 60  # the server of the tests runs on this machine


async def ahead(database_url: str) -> Rig:
    right = ManualClock()
    return await Rig.open(database_url=database_url, clock=right, around={"clock": Ahead(right, 61)})


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", opened_by=ahead)
async def test_a_machine_that_is_a_minute_ahead_takes_nothing_from_others(rig: Rig) -> None:
    assert rig.switchboard.context.clock.now() == rig.clock.now()
    await rig.pay()
    assert await state(rig) is State.AWAITING
    await rig.pass_time(180, steps=3)
    [alert] = rig.workspace.messages(ALERTS)
    assert alert.text.startswith(":alarm_clock: *The clock of a machine is 61 s ahead of the database server's.*")
