"""App Home under a finger: a row keeps its place, so that a second press there decides about nothing else."""

from collections.abc import Awaitable, Callable

import pytest

from bot.domain.approvals import No
from bot.domain.home import Laid, Rows
from bot.domain.payments.instruction import State
from bot.presentation.home import ON, REFRESH
from bot.workflows.admin.home import look
from tests.support.homes import calls, home_of, lines, opened, press
from tests.support.rig import ADA, FINANCE, LIN, MARIA, OLGA, TOM, Rig
from tests.workflows.looking import requests

THREE = ("1.00 Rent", "2.00 Ink", "3.00 Paper")
Places = dict[str, tuple[int, list[str]]]


def places(rig: Rig, user: str) -> Places:
    """Number of each row's block that holds its buttons or had them, and the buttons that are there now."""
    return {
        block["block_id"].partition(":")[2]: (number, [one["action_id"] for one in block.get("elements", [])])
        for number, block in enumerate(home_of(rig, user).blocks)
        if block["block_id"].partition(":")[0] in ("home", "home.asks")
    }


async def ask(rig: Rig, *lines: str, user: str = MARIA) -> list[str]:
    """Request payouts; their ids."""
    for line in lines:
        await rig.pay(f"send ana@example.com {line}", user=user)
    return [one.id for one in await requests(rig)]


async def approve_there(rig: Rig) -> None:
    [first, *_] = await requests(rig)
    await press(rig, ADA, "payout.approve", block_id=f"home:{first.id}")


async def reject_there(rig: Rig) -> None:
    [first, *_] = await requests(rig)
    await press(rig, ADA, "payout.reject", block_id=f"home:{first.id}")
    await rig.submit(ADA, {"reason": "No invoice"})


async def another_approves(rig: Rig) -> None:
    await rig.workspace.click(LIN, "C0APPROVE", rig.cards()[0].ts, "payout.approve")


async def requester_withdraws(rig: Rig) -> None:
    [first, *_] = await requests(rig)
    await rig.workspace.open_home(MARIA)
    await press(rig, MARIA, "payout.withdraw", block_id=f"home.own:{first.id}")


DECIDED = [
    (approve_there, State.COMMITTED, "*Sent* · approved by"),
    (reject_there, State.REJECTED, "*Rejected*"),
    (another_approves, State.COMMITTED, "*Sent* · approved by"),
    (requester_withdraws, State.WITHDRAWN, "*Withdrawn*"),
]


@pytest.mark.parametrize(("decide", "state", "told"), DECIDED)
async def test_decided_row_stays_in_place_without_buttons(
    rig: Rig, decide: Callable[[Rig], Awaitable[None]], state: State, told: str
) -> None:
    [first, *others] = await ask(rig, *THREE)
    await opened(rig, ADA)
    before = places(rig, ADA)
    await decide(rig)
    await rig.pass_time(4)
    assert places(rig, ADA) == {first: (before[first][0], []), **{one: before[one] for one in others}}
    assert told in lines(home_of(rig, ADA))
    assert "2 need you" in lines(home_of(rig, ADA))
    assert [one.state for one in await requests(rig)] == [state, State.AWAITING, State.AWAITING]
    await press(rig, ADA, REFRESH)
    assert places(rig, ADA).keys() == {*others}


async def another_requests(rig: Rig) -> None:
    await rig.pay("send ana@example.com 4.00 Pens")


async def somebody_freezes(rig: Rig) -> None:
    await rig.workspace.slash(OLGA, FINANCE, "/pay", "freeze the bank called")


async def approver_requests(rig: Rig) -> None:
    await rig.pay("send ana@example.com 4.00 Pens", user=TOM)


@pytest.mark.parametrize(
    ("happens", "told"),
    [
        (another_requests, "4 need you · 1 new, press Refresh"),
        (approver_requests, "Your requests · 1 new, press Refresh"),
        (somebody_freezes, "Payments are frozen"),
    ],
)
async def test_unasked_drawing_moves_no_row(rig: Rig, happens: Callable[[Rig], Awaitable[None]], told: str) -> None:
    await ask(rig, *THREE)
    await opened(rig, TOM)
    before, drawn = places(rig, TOM), len(calls(rig))
    await happens(rig)
    await rig.pass_time(4)
    assert len(calls(rig)) > drawn
    assert places(rig, TOM) == before
    assert told in lines(home_of(rig, TOM))
    await press(rig, TOM, REFRESH)
    assert "press Refresh" not in lines(home_of(rig, TOM))


async def test_new_request_leaves_own_rows_of_a_caught_up_approver(rig: Rig) -> None:
    await rig.pay("send new@example.com 4.00 Pens", user=TOM)
    await opened(rig, TOM)
    before = places(rig, TOM)
    await ask(rig, *THREE)
    await rig.pass_time(4)
    assert places(rig, TOM) == before
    assert "*3 need you.* Press *Refresh*." in lines(home_of(rig, TOM))


async def test_second_tap_before_the_drawing_does_nothing(rig: Rig) -> None:
    [first, *_] = await ask(rig, "1500.00 A laptop", *THREE)
    await opened(rig, ADA)
    await press(rig, ADA, "payout.approve", block_id=f"home:{first}")
    await rig.submit(ADA, {"amount": "1500.00"})
    for action in ("payout.approve", "payout.reject"):
        await press(rig, ADA, action, block_id=f"home:{first}", value=f"{first}:1", force=True)
        assert rig.workspace.modal(ADA) is None
    assert places(rig, ADA)[first][1] == []
    assert "Waiting for approval (1 of 2)* · approved by <@U0ADA>" in lines(home_of(rig, ADA))
    assert rig.paid == []  # the form of the first tap was submitted once, and a second person hasn't approved


async def test_layout_outlives_the_process_that_drew_it(rig: Rig) -> None:
    [first, second, _] = await ask(rig, *THREE)
    await opened(rig, ADA)
    before = places(rig, ADA)
    await approve_there(rig)
    await rig.start_again()
    await press(rig, ADA, "payout.approve", block_id=f"home:{second}")
    assert [number for number, _ in places(rig, ADA).values()] == [number for number, _ in before.values()]
    assert [pressed for _, pressed in places(rig, ADA).values()][:2] == [[], []]
    assert first in places(rig, ADA)


@pytest.mark.parametrize("restarts", [False, True])
async def test_opening_right_after_a_press_moves_no_row(rig: Rig, *, restarts: bool) -> None:
    [first, *others] = await ask(rig, *THREE)
    await opened(rig, ADA)
    before = places(rig, ADA)
    await approve_there(rig)
    if restarts:
        await rig.start_again()
    for seconds in (0, 2, 10):
        rig.clock.advance(seconds)
        await opened(rig, ADA)
        assert places(rig, ADA) == {first: (before[first][0], []), **{one: before[one] for one in others}}
    await rig.pass_time(60)
    await opened(rig, ADA)
    assert places(rig, ADA).keys() == {*others}


async def test_opening_of_a_view_that_the_press_has_not_reached_moves_no_row(rig: Rig) -> None:
    [first, *_] = await ask(rig, *THREE)
    await opened(rig, ADA)
    old = home_of(rig, ADA).source
    await approve_there(rig)
    before = places(rig, ADA)
    rig.workspace._state.views.publish(ADA, old)
    await opened(rig, ADA)
    assert places(rig, ADA) == before
    assert first in before


async def test_press_in_a_replaced_view_does_not_bring_it_back(rig: Rig) -> None:
    [_, second, third] = await ask(rig, *THREE)
    await opened(rig, ADA)
    old = home_of(rig, ADA).source
    await approve_there(rig)
    rig.clock.advance(1)
    await press(rig, ADA, REFRESH)
    rig.workspace._state.views.publish(ADA, old)
    await press(rig, ADA, "payout.approve", block_id=f"home:{third}")
    assert places(rig, ADA).keys() == {second, third}


async def test_next_page_skips_no_request_after_decisions(rig: Rig) -> None:
    ids = await ask(rig, *(f"1.{10 + number} Rent" for number in range(7)))
    await opened(rig, ADA)
    await approve_there(rig)
    await press(rig, ADA, ON)
    assert [*places(rig, ADA)] == ids[1:6]
    await press(rig, ADA, ON)
    assert [*places(rig, ADA)] == ids[6:]


async def test_turning_own_requests_leaves_the_rows_above(rig: Rig) -> None:
    await ask(rig, *(f"1.{10 + number} Rent" for number in range(6)), user=TOM)
    await ask(rig, *THREE)
    await opened(rig, TOM)
    before = places(rig, TOM)
    await rig.workspace.click(LIN, "C0APPROVE", rig.cards()[-1].ts, "payout.approve")
    await rig.pass_time(4)
    await press(rig, TOM, ON, value="own:2")
    assert [number for number, _ in places(rig, TOM).values()] == [number for number, _ in before.values()]
    assert "6 to 6 of 6" in lines(home_of(rig, TOM))


async def test_answered_question_keeps_its_place(rig: Rig) -> None:
    for name in ("new", "other"):
        await rig.pay(f"send {name}@example.com 25.00 Rent")
    await opened(rig, MARIA)
    before = places(rig, MARIA)
    [upper, lower] = before
    await press(rig, MARIA, "payout.send_anyway", block_id=f"home.asks:{upper}")
    assert places(rig, MARIA) == {upper: (before[upper][0], []), lower: before[lower]}
    states = {one.id: one.state for one in await requests(rig)}
    assert (states[upper], states[lower]) == (State.AWAITING, State.NEW)


async def test_forged_layout_hides_requests_of_others(rig: Rig) -> None:
    [first] = await ask(rig, "1.00 Rent")
    forged = Rows(total=1, places=(f"{first}:1",))
    for user in (LIN, OLGA, TOM, MARIA):
        home = await look(rig.switchboard.context, user, Laid(waiting=forged, own=forged))
        assert not isinstance(home, No)
        assert bool(home.waiting.rows) == (user in (LIN, TOM))
        assert bool(home.own.rows) == (user == MARIA)
