"""T16: what the service says carries it forward, never back; each end is told once, with or without callbacks."""

import pytest

from bot.domain.payments.instruction import State
from tests.support.rig import Rig
from tests.workflows.looking import (
    MINUTE,
    approved,
    operation,
    state,
    told_once,
)


async def move(rig: Rig, *, seconds: float = 2 * MINUTE) -> None:
    """The service carries its payouts one step; the callback arrives, or polling finds it."""
    await rig.payments.advance()
    await rig.payments.delivered()
    await rig.pass_time(seconds, steps=4)


@pytest.fixture(params=["callbacks", "polling alone"])
def heard_by(request: pytest.FixtureRequest, rig: Rig) -> str:
    """However it is found out."""
    rig.payments.callbacks.switches.drop = request.param == "polling alone"
    return str(request.param)


async def test_an_answer_to_the_commit_that_is_final_already(rig: Rig) -> None:
    await rig.pay()
    record = operation(rig)
    execute = rig.payments.book.execute

    def at_once(asked_for):  # type: ignore[no-untyped-def]
        done = execute(asked_for)
        rig.payments.book.settle(record, "completed")
        return done

    rig.payments.book.execute = at_once  # type: ignore[method-assign]
    await rig.press("approve")
    await rig.settle()
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")


async def test_a_read_that_is_behind_changes_nothing(rig: Rig, heard_by: str) -> None:
    await approved(rig)
    rig.payments.switches.stale_reads = 3
    await move(rig, seconds=20 * MINUTE)
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")
