"""T9: a request that nobody decides ends by itself; its clock starts when the approvers can first see it."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.presentation.payments import forms
from tests.support.rig import ADA, APPROVALS, FINANCE, POLICY, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    DAY,
    buttons,
    heard,
    state,
    told_once,
    votes,
)


async def test_a_click_after_the_deadline_counts_nothing_even_before_anybody_noticed(rig: Rig) -> None:
    await rig.pay()
    rig.clock.advance(DAY)  # nothing has noticed yet
    card = await rig.card()
    await rig.workspace.click(ADA, APPROVALS, card.ts, "payout.approve")
    assert shown(await heard(rig, ADA, "expired")) == snapshot(
        ":no_entry_sign: This request has expired; it has to be asked for again. Nothing was paid."
    )
    assert not await votes(rig)
    await rig.settle()
    assert await state(rig) is State.EXPIRED


async def test_a_reason_typed_too_late_is_no_rejection(rig: Rig) -> None:
    await rig.pay()
    await rig.press("reject")
    rig.clock.advance(DAY)
    await rig.workspace.submit(ADA, {forms.REASON: "no"})
    await rig.settle()
    assert await state(rig) is State.EXPIRED


async def test_a_clock_that_runs_back_revives_nothing(rig: Rig) -> None:
    await rig.pay()
    await rig.pass_time(DAY)
    rig.clock.advance(-2 * DAY)
    await rig.settle()
    assert await state(rig) is State.EXPIRED
    assert buttons(rig) == set()


def lasting(expires: str) -> pytest.MarkDecorator:
    return pytest.mark.rig(policy=POLICY.replace('expires = "24h"', f'expires = "{expires}"'))


@pytest.mark.parametrize(
    "seconds", [pytest.param(90, marks=lasting("90s")), pytest.param(2 * DAY, marks=lasting("2d"))]
)
async def test_the_policy_says_how_long(rig: Rig, seconds: float) -> None:
    await rig.pay()
    await rig.pass_time(seconds - 1)
    assert await state(rig) is State.AWAITING
    await rig.pass_time(2)
    assert await state(rig) is State.EXPIRED
    assert told_once(rig, "expired", FINANCE)
