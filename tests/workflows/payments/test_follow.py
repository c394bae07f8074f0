"""T16: what the service says carries it forward, never back; each end is told once, with or without callbacks."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import (
    DAY,
    HOUR,
    MINUTE,
    alerts,
    approved,
    asked,
    buttons,
    everywhere,
    newest,
    operation,
    state,
    told,
    told_once,
)

TO_ESCROW = "send mia@example.com 25.00 rent"


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


async def test_completed(rig: Rig, heard_by: str) -> None:
    await approved(rig)
    assert not rig.news(FINANCE)
    await move(rig)
    assert await state(rig) is State.COMPLETED
    assert everywhere(rig, "*completed*")
    found = await newest(rig)
    assert told_once(rig, "completed") == (
        f":white_check_mark: <@{MARIA}> 25.00 USD to ana@example.com ({found.reference}) is *completed*: the service "
        f"confirms that the recipient was credited. Approved by Ada Okafor. Hash `{found.svc_hash}`."
    )
    assert buttons(rig) == set()
    await rig.pass_time(DAY, steps=4)
    told_once(rig, "completed")


async def test_failed_with_the_services_reason(rig: Rig, heard_by: str) -> None:
    rig.payments.switches.fail_reason = "The <!channel> account is closed & gone"
    await approved(rig)
    await move(rig)
    assert await state(rig) is State.FAILED
    assert shown(told_once(rig, "failed")) == snapshot(
        ":x: <@U0MARIA> 25.00 USD to ana@example.com (P-······) *failed* at the service. Reason: The "
        "&lt;!channel&gt; account is closed &amp; gone. Approved by Ada Okafor."
    )
    assert everywhere(rig, "*failed*")
    assert buttons(rig) == set()


async def test_money_in_escrow_waits_for_the_recipient_and_arrives(rig: Rig, heard_by: str) -> None:
    await approved(rig, TO_ESCROW)
    await move(rig)
    assert await state(rig) is State.PENDING_ESCROW
    assert everywhere(rig, "in escrow")
    told_once(rig, "in escrow")
    rig.payments.add_account("mia@example.com", full_name="Mia Keller")
    await move(rig, seconds=3 * DAY)
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")
    told_once(rig, "in escrow")


async def test_money_in_escrow_that_comes_back(rig: Rig, heard_by: str) -> None:
    await approved(rig, TO_ESCROW)
    await move(rig)
    await rig.payments.settle(operation(rig).id, "canceled")
    await rig.payments.delivered()
    await rig.pass_time(2 * DAY, steps=8)
    assert await state(rig) is State.CANCELED
    assert shown(told_once(rig, "canceled")) == snapshot(
        ":leftwards_arrow_with_hook: <@U0MARIA> 25.00 USD to mia@example.com (P-······) was *canceled* by the "
        "service; the money went back. Approved by Ada Okafor."
    )
    assert rig.payments.ledger.paid_cents() == 0


async def test_straight_to_the_end_without_the_steps_between(rig: Rig, heard_by: str) -> None:
    await approved(rig, TO_ESCROW)
    await rig.payments.settle(operation(rig).id, "completed", force=True)
    await rig.payments.delivered()
    await rig.pass_time(2 * MINUTE, steps=2)
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")
    assert not told(rig, FINANCE, "in escrow")


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


async def test_it_never_goes_back(rig: Rig) -> None:
    await approved(rig, TO_ESCROW)
    await move(rig)
    for status in ("committed", "created"):
        await rig.payments.settle(operation(rig).id, status, force=True)
        await rig.pass_time(2 * DAY, steps=4)
        assert await state(rig) is State.PENDING_ESCROW


async def test_a_read_that_is_behind_changes_nothing(rig: Rig, heard_by: str) -> None:
    await approved(rig)
    rig.payments.switches.stale_reads = 3
    await move(rig, seconds=20 * MINUTE)
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")


async def test_a_status_nobody_knows_is_waited_out(rig: Rig) -> None:
    await approved(rig)
    operation(rig).status = "under_review"
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is State.COMMITTED
    operation(rig).status = "CANCELLED"
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is State.CANCELED


async def test_two_ends_that_contradict_each_other_are_an_alarm_and_the_first_stays(rig: Rig) -> None:
    await approved(rig)
    await move(rig)
    await rig.payments.settle(operation(rig).id, "failed", force=True)
    await rig.payments.delivered()
    await rig.pass_time(MINUTE)
    assert await state(rig) is State.COMPLETED
    assert not told(rig, FINANCE, "failed")
    said = alerts(rig)[0].splitlines()[0].partition(", asked by Maria Silva: ")[2]
    assert said == "the service contradicts what it said before."


async def test_a_record_of_another_payout_is_an_alarm_and_decides_nothing(rig: Rig) -> None:
    await approved(rig)
    record = operation(rig)
    record.cents = 9900
    await move(rig)
    assert await state(rig) is State.COMMITTED
    assert alerts(rig)[0].splitlines()[1] == "The amount is 99.00 instead of 25.00."
    record.cents = 2500
    await rig.pass_time(10 * MINUTE, steps=4)
    assert await state(rig) is State.COMPLETED


async def test_a_service_that_is_away_for_a_while_is_read_afterwards(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await approved(rig)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await rig.payments.advance()
    await rig.pass_time(HOUR, steps=6)
    assert await state(rig) is State.COMMITTED
    rig.payments.faults.clear()
    await rig.pass_time(HOUR, steps=4)
    assert await state(rig) is State.COMPLETED
    told_once(rig, "completed")


async def test_the_pace_of_polling_falls_with_time(rig: Rig) -> None:
    rig.payments.callbacks.switches.drop = True
    await approved(rig)
    before = asked(rig, "get_operation")
    await rig.pass_time(HOUR, steps=120)
    brisk = asked(rig, "get_operation") - before
    await rig.pass_time(6 * HOUR, steps=12)
    steady = asked(rig, "get_operation") - before - brisk
    assert 12 <= brisk <= 25
    assert 4 <= steady <= 8


async def test_what_ended_is_read_no_more(rig: Rig) -> None:
    await approved(rig)
    await move(rig)
    reads = asked(rig, "get_operation")
    await rig.pass_time(2 * DAY, steps=8)
    assert asked(rig, "get_operation") == reads


async def test_each_copy_follows_every_state(rig: Rig) -> None:
    words = []
    for step in ("pay", "approve", "escrow", "complete"):
        match step:
            case "pay":
                await rig.pay(TO_ESCROW)
            case "approve":
                await rig.press("approve")
            case "escrow":
                await move(rig)
            case "complete":
                rig.payments.add_account("mia@example.com", full_name="Mia Keller")
                await move(rig, seconds=2 * DAY)
        text = rig.cards(FINANCE)[0].text
        assert rig.cards(APPROVALS)[0].text.replace(" (maria)", "").partition(" To decide: ")[0] == text
        words += [word for word in ("waiting for approval", "*sent*", "in escrow", "*completed*") if word in text]
    assert words == ["waiting for approval", "*sent*", "in escrow", "*completed*"]
