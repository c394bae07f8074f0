"""The same money through two doors: every request is compared with every other one, whatever it came through."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from itertools import product

import pytest

from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, State
from bot.domain.policy import Repeat
from bot.presentation.payments import forms
from bot.workflows.context import Context
from bot.workflows.requests.request import Requested, request
from tests.support.bulk import ask as typed
from tests.support.bulk import offered, press, pressed, run, submit
from tests.support.elsewhere import made, take_in
from tests.support.rig import ADA, APPROVALS, FINANCE, LIN, MARIA, Rig
from tests.workflows.looking import newest, requests


async def send(rig: Rig) -> None:
    await rig.pay("send ANA@example.com 25.00 rent")


async def now(rig: Rig) -> None:
    code = f"RENT-{len(await requests(rig))}"  # each code is used once
    await rig.pay(f"now ana@example.com 25.00 rent code={code}")


async def form(rig: Rig) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "send")
    values = {forms.EMAIL: "Ana@example.com", forms.AMOUNT: "25.00", forms.DESCRIPTION: "March"}
    await rig.submit(MARIA, values)


async def rows(rig: Rig) -> None:
    await typed(rig, "luis@example.com,1.00\nana@example.com,25.00,typed\nkim@example.com,2.00")


async def file(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nluis@example.com,3.00\nana@example.com,25.00\n")
    await submit(rig)
    await rig.workspace.close(MARIA)


async def taken(rig: Rig) -> None:
    await take_in(rig, made(rig))


DOORS = {"send": send, "now": now, "form": form, "rows": rows, "file": file, "taken": taken}
ROWS = {"rows": (2,), "file": (3,)}


async def through(rig: Rig, door: str) -> Instruction:
    rig.clock.advance(1)
    await DOORS[door](rig)
    return await newest(rig)


@pytest.mark.parametrize(("first", "second"), [pair for pair in product(DOORS, DOORS) if pair != ("taken", "taken")])
async def test_request_repeats_another_whatever_both_came_through(rig: Rig, first: str, second: str) -> None:
    rig.add_payees("kim@example.com")
    before = await through(rig, first)
    after = await through(rig, second)
    same_list = first == second and second in ROWS
    mine, theirs = ((), ()) if same_list else (ROWS.get(second, ()), ROWS.get(first, ()))
    expected = Repeat(reference=before.reference, rows=mine, count=len(mine), theirs=theirs)
    assert (before.requirement.quorum, before.requirement.repeats) == (1, ())
    assert (after.requirement.quorum, after.requirement.repeats) == (2, (expected,))
    assert before.reference in (await rig.card()).text, "approvers see which one"


@pytest.mark.rig(on="both")
async def test_good_rows_and_then_the_fixed_file_need_one_more_approver(rig: Rig) -> None:
    bad = b"email,amount\nana@example.com,25.00\nben@example.com,-5\nluis@example.com,10.50\n"
    await pressed(rig, bad)
    before = rig.form().plain
    await rig.workspace.click_in_view(MARIA, "bulk.good")
    await rig.workspace.until(lambda: rig.form().plain != before or None)
    await submit(rig)
    good = await newest(rig)
    await rig.press("approve")
    await run(rig)
    rig.add_payees("ben@example.com")
    await press(rig, await offered(rig, bad.replace(b"-5", b"5.00"), "fixed.csv"))
    await submit(rig)
    fixed = await newest(rig)
    assert fixed.requirement.repeats == (Repeat(reference=good.reference, rows=(2, 4), count=2, theirs=(2, 4)),)
    await rig.press("approve")
    await rig.pass_time(60)
    assert rig.paid == [("ana@example.com", 2_500), ("luis@example.com", 1_050)], "one approval isn't enough"
    assert f"rows 2 and 4 repeat {good.reference}" in (await rig.card()).plain


@pytest.mark.parametrize(
    ("before", "repeats"),
    [
        ("send ana+x@example.com 25.00 rent", 0),
        ("send ana@example.com 25.01 rent", 0),
        ("collect ana@example.com Spring web=1x25.00", 0),
        ("now ANA@EXAMPLE.com 25.00 rent code=A-1", 1),
    ],
)
async def test_only_the_same_recipient_and_amount_repeats(rig: Rig, before: str, repeats: int) -> None:
    rig.add_payees("ana+x@example.com")
    await rig.pay(before)
    await typed(rig, "ana@example.com,25.00\nluis@example.com,9.00")
    assert len((await newest(rig)).requirement.repeats) == repeats


@pytest.mark.parametrize(
    ("status", "repeats"), [("failed", 0), ("canceled", 0), ("completed", 1), ("pending", 1), ("", 1)]
)
async def test_row_that_ended_unpaid_is_not_repeated(rig: Rig, status: str, repeats: int) -> None:
    await rows(rig)
    first = await newest(rig)
    statement = f"UPDATE bulk_item SET status = '{status}'"  # noqa: S608
    await rig.switchboard.context.write(lambda uow: uow.instructions._connection.exec_driver_sql(statement))
    await send(rig)
    found = (await newest(rig)).requirement.repeats
    assert [(one.reference, one.theirs) for one in found] == [(first.reference, (2,))] * repeats


async def test_repeats_need_one_more_approver_and_are_all_named(rig: Rig) -> None:
    for door in ("send", "now", "file"):
        await through(rig, door)
    names = [one.reference for one in await requests(rig)]
    await typed(rig, "ana@example.com,25.00\nluis@example.com,3.00\nana@example.com,25.00")
    found = (await newest(rig)).requirement
    assert (found.quorum, {one.reference for one in found.repeats}) == (2, set(names))
    card = (await rig.card()).text
    assert all(name in card for name in names)


@pytest.mark.rig(on="both")
async def test_later_requests_do_not_raise_earlier_quorums(rig: Rig) -> None:
    await send(rig)  # all in the same millisecond
    await rows(rig)
    await send(rig)
    card = rig.cards(APPROVALS)[0]
    await rig.click(card, "payout.approve", user=ADA)
    sent = [one for one in await requests(rig) if one.state is State.COMMITTED]
    assert [(one.requirement.quorum, one.requirement.repeats) for one in sent] == [(1, ())]


async def test_repeat_stays_when_the_policy_gets_stricter(rig: Rig) -> None:
    await send(rig)
    await rows(rig)
    await rig.switchboard.stop()
    rig.settings.policy_file.write_text(rig.policy_text.replace("quorum = 1", "quorum = 2", 1))
    await rig.start()
    await rig.settle()
    assert [one.requirement.quorum for one in await requests(rig)] == [2, 3]


async def test_repeat_that_is_taken_off_the_card_holds_the_request(rig: Rig) -> None:
    await send(rig)
    await now(rig)
    damage = "UPDATE instruction SET requirement = json_set(requirement, '$.repeats', json('[]'))"
    await rig.switchboard.context.write(lambda uow: uow.instructions._connection.exec_driver_sql(damage))
    for user in (ADA, LIN):
        await rig.press("approve", user=user)
    assert (await newest(rig)).state is State.AWAITING


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", clock=None)
async def test_of_two_processes_at_the_same_moment_one_sees_the_other(rig: Rig) -> None:
    other = await rig.start_another("other")
    payload = PayoutPayload(email="ana@example.com", cents=777, description="rent")
    asked = Requested(requester=MARIA, channel=FINANCE, kind=Kind.ONE_STEP, payload=payload, source_key="")

    def ask(ctx: Context, key: str) -> Awaitable[Instruction]:
        return request(ctx, replace(asked, source_key=key))

    for number in range(5):
        amount = replace(asked, payload=payload.model_copy(update={"cents": 777 + number}))
        asked = amount
        contexts = (rig.switchboard.context, other.context)
        both = await asyncio.gather(*(ask(ctx, f"{number}:{n}") for n, ctx in enumerate(contexts)))
        assert sorted(one.requirement.quorum for one in both) == [1, 2]
        assert {one.reference for found in both for one in found.requirement.repeats} < {one.reference for one in both}
