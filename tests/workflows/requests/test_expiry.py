"""T9: a request that nobody decides ends by itself; its clock starts when the approvers can first see it."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.presentation.payments import forms
from tests.support.clock import START
from tests.support.rig import ADA, APPROVALS, FINANCE, POLICY, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    DAY,
    HOUR,
    MINUTE,
    asked,
    buttons,
    everywhere,
    heard,
    newest,
    state,
    told_once,
    votes,
)


async def test_nobody_decides_for_a_day(rig: Rig) -> None:
    await rig.pay()
    await rig.pass_time(DAY - 1)
    assert await state(rig) is State.AWAITING
    await rig.pass_time(1)
    assert await state(rig) is State.EXPIRED
    assert everywhere(rig, "*expired*: nobody decided in time. Nothing was paid.")
    assert shown(told_once(rig, "expired")) == snapshot(
        ":alarm_clock: <@U0MARIA> 25.00 USD to ana@example.com (P-······) has *expired*. Nothing was paid. Reason: "
        "nobody decided in time."
    )
    assert buttons(rig) == set()


async def test_until_when_is_on_the_card_and_true(rig: Rig) -> None:
    await rig.pay()
    found = await newest(rig)
    assert found.expires_at is not None
    assert (found.expires_at - START).total_seconds() == pytest.approx(DAY, abs=1)
    assert everywhere(rig, f"<!date^{int(found.expires_at.timestamp())}^")


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


async def test_the_clock_starts_when_the_card_is_there(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=None))
    await rig.pay()
    await rig.pass_time(HOUR, steps=10)
    found = await newest(rig)
    assert (found.state, found.posted_at, found.expires_at) == (State.AWAITING, None, None)
    rig.workspace.faults.clear()
    await rig.pass_time(2 * MINUTE, steps=4)
    found = await newest(rig)
    assert found.posted_at is not None
    assert found.expires_at is not None
    assert (found.posted_at - START).total_seconds() >= HOUR
    assert (found.expires_at - found.posted_at).total_seconds() == DAY
    assert len(rig.cards(APPROVALS)) == len(rig.cards(FINANCE)) == 1
    assert everywhere(rig, f"<!date^{int(found.expires_at.timestamp())}^")
    await rig.press("approve")
    assert len(rig.paid) == 1


async def test_a_request_nobody_could_see_does_not_expire(rig: Rig) -> None:
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "chat.postMessage", times=None))
    await rig.pay()
    await rig.pass_time(2 * DAY, steps=8)
    assert await state(rig) is State.AWAITING


async def test_what_is_approved_must_be_sent_within_the_window(rig: Rig) -> None:
    await rig.pay()
    port = rig.payments.port
    await rig.payments.stop()
    await rig.press("approve")
    await rig.pass_time(59 * MINUTE, steps=12)
    assert await state(rig) is State.APPROVED
    await rig.pass_time(2 * MINUTE, steps=4)
    assert await state(rig) is State.EXPIRED
    assert shown(told_once(rig, "expired")) == snapshot(
        ":alarm_clock: <@U0MARIA> 25.00 USD to ana@example.com (P-······) has *expired*. Nothing was paid. Reason: "
        "it was not sent in time after approval: the payments service has not answered since 2026-11-20 09:00 UTC, "
        "so nothing was sent."
    )
    await rig.payments.start(port=port)
    await rig.pass_time(HOUR, steps=4)
    assert asked(rig, "commit_payout") == 0
    assert not rig.paid


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
