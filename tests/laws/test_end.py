"""What the service says afterwards carries a request forward, never back, however it is heard; its end is told once."""

import pytest

from bot.domain.payments.instruction import CallbackKind, Instruction, State
from bot.playground.faults import Fault, FaultKind
from storage.rows import InboxState
from tests.laws.effects import COMMIT, ONE_STEP, PURCHASE, Effect, over
from tests.support.clock import DAY, HOUR, MINUTE
from tests.support.rig import FINANCE, Rig
from tests.workflows.calling import call, inbox, token
from tests.workflows.looking import alerts, asked, buttons, newest, operation, read, state, told, told_once

FOLLOWED = [COMMIT, ONE_STEP, PURCHASE]
SPEAKING = (CallbackKind.CONFIRMATION, CallbackKind.FAILURE)
ENDS = {"completed": State.COMPLETED, "failed": State.FAILED, "canceled": State.CANCELED}


def end(rig: Rig, effect: Effect, status: str = "completed") -> str:
    return "confirmed" if (effect, status) == (PURCHASE, "completed") else status


async def ended(rig: Rig, effect: Effect, status: str = "completed", *, force: bool = False) -> None:
    """The service ends it; its callback arrives, where there is one, and is verified."""
    await rig.payments.settle(operation(rig).id, end(rig, effect, status), force=force)
    await rig.payments.delivered()
    await rig.pass_time(2)


def heard_once(rig: Rig, effect: Effect, word: str) -> str:
    """That it was told once where it was requested; what was said."""
    return told_once(rig, word, *([FINANCE] if effect is PURCHASE else []))


@over(FOLLOWED)
@pytest.mark.parametrize("status", ENDS)
@pytest.mark.parametrize("callbacks", [True, False], ids=["callback", "polling alone"])
async def test_each_final_state_is_announced_once(rig: Rig, effect: Effect, status: str, callbacks: bool) -> None:
    rig.payments.callbacks.switches.drop = not callbacks
    await effect.leaves(rig)
    word = "paid" if status == "completed" else status
    assert not told(rig, FINANCE, f"*{word}*")
    await ended(rig, effect, status, force=True)
    if not callbacks or status == "canceled":  # of which nobody is called back
        await rig.pass_time(2 * MINUTE, steps=2)
    assert await state(rig) is ENDS[status]
    heard_once(rig, effect, f"*{word}*")
    assert word in rig.cards(FINANCE)[-1].text.casefold()
    assert buttons(rig, FINANCE) == set()
    reads = asked(rig, "get_operation")
    await rig.pass_time(DAY, steps=4)
    heard_once(rig, effect, f"*{word}*")
    assert (asked(rig, "get_operation"), effect.sent(rig), alerts(rig)) == (reads, 1, [])


@over(FOLLOWED)
@pytest.mark.parametrize("switch", ["double", "out_of_order", "forged"])
async def test_doubled_reordered_and_forged_callbacks_report_the_truth_once(
    rig: Rig, effect: Effect, switch: str
) -> None:
    setattr(rig.payments.callbacks.switches, switch, True)
    await effect.leaves(rig)
    await ended(rig, effect)
    await rig.pass_time(MINUTE, steps=4)
    await rig.payments.delivered()
    await rig.pass_time(10 * MINUTE, steps=4)
    assert await state(rig) is State.COMPLETED
    heard_once(rig, effect, "*paid*")
    assert not [message for message in rig.workspace.messages(FINANCE) if "999999" in message.plain]


@over(FOLLOWED)
async def test_record_decides_whatever_a_callback_claims(rig: Rig, effect: Effect) -> None:
    """A body may be forged, or speak of another request that did end."""
    await effect.leaves(rig)
    first = await newest(rig)
    await effect.before(rig) if effect.asks else await rig.pay("now luis@example.com 30.00 rent")
    for kind in CallbackKind if effect is PURCHASE else (*SPEAKING, CallbackKind.CANCEL):
        for status in ("completed", "failed", "canceled", "confirmed"):
            lie = {"id": operation(rig).id, "status": status, "amount": "25.00", "code": first.code}
            assert (await call(rig, token(first.id, kind), lie))[0] == 200
    await rig.pass_time(MINUTE, steps=4)
    held = await read(rig, lambda tx: tx.instructions.get(first.id))
    assert isinstance(held, Instruction)
    assert held.state is effect.found
    assert not told(rig, FINANCE, "*paid*")


@over(FOLLOWED)
async def test_unconfirmed_report_is_announced_after_a_day(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    kind = CallbackKind.PURCHASE if effect is PURCHASE else SPEAKING[0]
    assert (await call(rig, token((await newest(rig)).id, kind), {"status": end(rig, effect)}))[0] == 200
    await rig.pass_time(DAY - HOUR, steps=8)
    assert not alerts(rig)
    await rig.pass_time(4 * HOUR, steps=4)
    (alert,) = alerts(rig)
    assert alert.splitlines()[0].endswith(
        ", requested by Maria Silva) was reported, but the provider's record doesn't confirm it."
    )
    assert (await inbox(rig), await state(rig)) == ([InboxState.UNCONFIRMED], effect.found)


@over(FOLLOWED)
async def test_unknown_status_is_shown_raw_and_not_final(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    operation(rig).status = "On <Hold>"
    await rig.pass_time(10 * MINUTE, steps=6)
    assert await state(rig) is effect.found
    assert "The provider calls its status “On &lt;Hold&gt;”." in rig.cards(FINANCE)[-1].text
    assert [text.count("On &lt;Hold&gt;") for text in alerts(rig)] == [1]
    operation(rig).status = "CANCELLED"
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is State.CANCELED
    heard_once(rig, effect, "*canceled*")


@over(FOLLOWED)
async def test_contradicting_final_state_alerts_and_keeps_the_first(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    await ended(rig, effect)
    await ended(rig, effect, "failed", force=True)
    await rig.pass_time(MINUTE)
    assert await state(rig) is State.COMPLETED
    assert not told(rig, FINANCE, "failed")
    (alert,) = alerts(rig)
    first, second, *_ = alert.splitlines()
    assert first.endswith(", requested by Maria Silva) has two conflicting final statuses at the provider.")
    assert second == "It was paid, and the provider now lists it as failed."


@over(FOLLOWED)
async def test_record_with_another_amount_alerts_and_decides_nothing(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    operation(rig).cents = 9900
    await ended(rig, effect)
    await rig.pass_time(2 * MINUTE, steps=2)
    assert await state(rig) is effect.found
    assert [alert.splitlines()[1] for alert in alerts(rig)] == ["The amount is 99.00 instead of 25.00."]
    operation(rig).cents = 2500
    await rig.pass_time(10 * MINUTE, steps=4)
    assert await state(rig) is State.COMPLETED


@over(FOLLOWED)
async def test_outage_and_restart_lose_no_final_state(rig: Rig, effect: Effect) -> None:
    rig.payments.callbacks.switches.drop = True
    await effect.leaves(rig)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await ended(rig, effect)
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is effect.found
    rig.payments.faults.clear()
    await rig.start_again()
    await rig.pass_time(HOUR, steps=4)
    assert await state(rig) is State.COMPLETED
    heard_once(rig, effect, "*paid*")


@over(FOLLOWED)
async def test_polling_slows_down_but_never_stops(rig: Rig, effect: Effect) -> None:
    rig.payments.callbacks.switches.drop = True
    await effect.leaves(rig)
    before = asked(rig, "get_operation")
    await rig.pass_time(HOUR, steps=120)
    brisk = asked(rig, "get_operation") - before
    await rig.pass_time(6 * HOUR, steps=12)
    assert 12 <= brisk <= 25
    assert 4 <= asked(rig, "get_operation") - before - brisk <= 8
    await rig.pass_time(40 * DAY, steps=20)
    await ended(rig, effect)
    await rig.pass_time(2 * DAY, steps=8)
    heard_once(rig, effect, "*paid*")


@over([COMMIT, ONE_STEP])
async def test_escrow_is_announced_and_never_reverts(rig: Rig, effect: Effect) -> None:
    await effect.leaves(rig)
    await ended(rig, effect, "pending")
    await rig.pass_time(2 * MINUTE, steps=2)
    assert await state(rig) is State.PENDING_ESCROW
    heard_once(rig, effect, "waiting for sign-up")
    for status in ("committed", "created"):
        await ended(rig, effect, status, force=True)
        await rig.pass_time(2 * DAY, steps=2)
        assert await state(rig) is State.PENDING_ESCROW
    await ended(rig, effect, force=True)
    await rig.pass_time(2 * DAY, steps=2)
    assert await state(rig) is State.COMPLETED
    heard_once(rig, effect, "*paid*")
    heard_once(rig, effect, "waiting for sign-up")
