"""F34 and I2: people count as they stand when the attempt is claimed, and only while the time to send it runs."""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

import pytest

from bot.domain.approvals import Membership, No
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.workflows.context import Context, Unit
from bot.workflows.requests import decide, send
from bot.workflows.requests.authority import OutdatedError, Standings
from storage.transaction import Tx
from tests.support.bulk import ask as ask_for_many
from tests.support.bulk import run
from tests.support.clock import HOUR, MINUTE, QUIET
from tests.support.rig import ADA, LIN, MARIA, TOM, Rig
from tests.workflows.authority import KINDS, approved_just_now, sent, votes_with_amount
from tests.workflows.looking import asked, everywhere, heard, newest, state, votes

MEMBERSHIP_SECONDS = 60.0


def while_reading(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, method: str, *, seconds: float, leaves: str, answered: bool = False
) -> None:
    """Let time pass and somebody be dismissed while the service is read, or once it has answered."""
    payments = rig.switchboard.context.payments.client
    original: Callable[..., Any] = getattr(payments, method)

    async def slow(*arguments: Any, **named: Any) -> Any:
        answer = await original(*arguments, **named) if answered else None
        rig.clock.advance(seconds)
        rig.workspace.set_user(leaves, deleted=True)
        return answer if answered else await original(*arguments, **named)

    monkeypatch.setattr(payments, method, slow)


def while_asking_slack(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, *, before: float = 0.0, after: float = 0.0
) -> list[str]:
    """Let time pass around each reading of people; the list grows with the readings."""
    people, clock, readings = rig.switchboard.context.people, rig.clock, list[str]()
    original = people.standings

    async def slow(users: Iterable[str], **named: Any) -> Mapping[str, Membership]:
        readings.append("read")
        clock.advance(before)
        found = await original(users, **named)
        clock.advance(after)
        return found

    monkeypatch.setattr(people, "standings", slow)
    return readings


def claimed_with(ctx: Context, instruction: Instruction, standings: Standings, tx: Tx) -> object:
    return send.claim(Unit(tx, ctx), instruction, standings)


READ_BEFORE = {Kind.PAYOUT: "get_operation", Kind.BULK: "bulk_history_page", Kind.BULK_CANCEL: "bulk_item_page"}


@pytest.mark.parametrize("kind", READ_BEFORE)
async def test_approver_leaving_during_the_read_does_not_count(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    await approved_just_now(rig, kind)
    while_reading(rig, monkeypatch, READ_BEFORE[kind], seconds=120, leaves=ADA)
    await rig.settle()
    assert sent(rig, kind) == 0
    assert await state(rig) is State.AWAITING
    assert everywhere(rig, "needed: an approver")


async def test_approver_leaving_during_the_search_does_not_count(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    await rig.pay("now ana@example.com 25.00 rent")
    rig.payments.faults.arm(Fault(FaultKind.LOST, "one_step_payout"))
    await rig.press("approve", user=ADA)
    await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
    await rig.press("retry", user=LIN)
    while_reading(rig, monkeypatch, "find_by_code", seconds=50, leaves=LIN)
    await rig.submit(LIN, {"amount": "25.00"})
    assert await state(rig) is State.NEEDS_HUMAN
    assert not await votes(rig)
    assert asked(rig, "one_step_payout") == 1
    assert not rig.paid


@pytest.mark.parametrize("kind", KINDS)
async def test_slow_people_lookup_is_repeated_before_sending(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    await approved_just_now(rig, kind)
    readings = while_asking_slack(rig, monkeypatch, after=MEMBERSHIP_SECONDS + 0.1)
    await rig.settle()
    assert len(readings) >= 3
    assert sent(rig, kind) == 0
    assert await state(rig) is State.APPROVED, "nobody has lost their vote by that"
    monkeypatch.undo()
    await rig.pass_time(2 * MINUTE, steps=4)
    assert sent(rig, kind) == 1


async def test_cached_answer_keeps_its_age(rig: Rig) -> None:
    """What Slack said before may stand in while it is silent, but not for longer than a minute after it was said."""
    await approved_just_now(rig, Kind.PAYOUT)
    ctx, clock = rig.switchboard.context, rig.clock
    await ctx.people.standings([MARIA, ADA])
    clock.advance(MEMBERSHIP_SECONDS - 1)
    for method in ("users.info", "usergroups.list"):
        rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, method, times=None))
    remembered = await ctx.people.standings([MARIA, ADA])
    clock.advance(2)
    found = await newest(rig)
    with pytest.raises(OutdatedError):
        await ctx.store.write(partial(claimed_with, ctx, found, remembered))
    await rig.pass_time(5 * MINUTE, steps=5)
    assert not rig.paid
    assert await state(rig) is State.APPROVED


@pytest.mark.parametrize("kind", KINDS)
async def test_send_window_may_end_during_the_people_lookup(
    rig: Rig, monkeypatch: pytest.MonkeyPatch, kind: Kind
) -> None:
    """The window is looked at in the claim itself, whatever it was before the last reading."""
    await approved_just_now(rig, kind)
    while_asking_slack(rig, monkeypatch, before=HOUR)
    await rig.settle()
    assert await state(rig) is State.EXPIRED
    assert sent(rig, kind) == 0


@pytest.mark.parametrize("decision", ["approve", "retry"])
async def test_requester_vote_never_counts(rig: Rig, decision: str) -> None:
    """The workflow refuses by itself: forms stay open while roles change."""
    await rig.pay("send ana@example.com 25.00 rent", user=TOM)
    if decision == "retry":
        rig.payments.faults.arm(Fault(FaultKind.LOST, "commit_payout"))
        await rig.press("approve", user=ADA)
        await rig.pass_time(QUIET + 5 * MINUTE, steps=5)
        await rig.press("retry", user=TOM)
        await heard(rig, TOM, "You can't approve your own request")
    found = await newest(rig)
    click = decide.Decision(instruction_id=found.id, round=found.round, person=TOM)
    workflow = decide.approve if decision == "approve" else decide.retry
    decided = await workflow(rig.switchboard.context, click, typed_amount="25.00")
    assert decided.refusal is No.OWN_REQUEST
    assert not await votes(rig)
    assert (await newest(rig)).round == found.round
    await rig.pass_time(MINUTE)
    assert not rig.paid


async def test_remaining_cancellation_waits_for_lost_approvals(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes are counted for each request of it, not once for all of them."""

    def named() -> list[int]:
        bodies = [call.body for call in rig.payments.calls_of("cancel_bulk_items")]
        return [len(body["paymentItems"]) for body in bodies if isinstance(body, dict)]

    await ask_for_many(rig, "\n".join(f"q{n}@example.com,0.01" for n in range(130)))
    await rig.press("approve", user=ADA)
    await run(rig, steps=3)
    await rig.pay(f"bulk cancel {(await newest(rig)).reference} all")
    while_reading(rig, monkeypatch, "cancel_bulk_items", seconds=61, leaves=ADA, answered=True)
    await rig.press("approve", user=ADA)
    monkeypatch.undo()
    await rig.pass_time(5 * HOUR, steps=10)
    assert (await state(rig), named()) == (State.NEEDS_HUMAN, [100])
    assert everywhere(rig, "Not all of them were sent to the provider. 1 more approval needed")
    await votes_with_amount(rig, "retry", LIN, "1.30")
    await rig.pass_time(5 * MINUTE, steps=5)
    assert (await state(rig), named()) == (State.COMPLETED, [100, 30])
