"""*Pay the failed ones again*: the rows that certainly failed, as a new request, once, linked both ways."""

import asyncio

import pytest

from bot.domain.payments.bulk_file import Checked
from bot.domain.payments.bulk_records import NOT_AGAIN, BulkRow
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.workflows.context import Unit
from bot.workflows.payments import bulk_again
from storage.errors import RowUnreadable
from storage.transaction import Tx
from tests.support.bulk import ROWS, approve, ask, finished, run
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, TOM, Rig, approve_card
from tests.support.shown import lacking, shown

SIX = "\n".join(f"person{n}@example.com,{n}.00,row {n}" for n in range(1, 7))


async def failed(rig: Rig, every: int = 3, rows: str = SIX) -> Message:
    """A bulk payment of which each third failed: its card."""
    rig.add_payees(*(f"person{n}@example.com" for n in range(1, 7)))
    rig.payments.switches.bulk_fail_every = every
    await finished(rig, rows)
    rig.payments.switches.bulk_fail_every = 0
    return card(rig, 0)


def card(rig: Rig, number: int, channel: str = FINANCE) -> Message:
    return rig.cards(channel)[number]


def offers(message: Message) -> bool:
    return any(one.action_id == "bulk.again" for one in message.buttons)


async def again(rig: Rig, on: Message, user: str = MARIA, channel: str = FINANCE) -> str:
    """Press the button as it stood on this card; the answer."""
    before = len(rig.workspace.ephemerals(user))
    rig.clock.advance(0.01)  # requests have an order
    await rig.click(on, "bulk.again", user=user, value=on.button("bulk.again").value)

    def told() -> list[Message]:
        return [one for one in rig.workspace.ephemerals(user)[before:] if "Asking the" not in one.text]

    [answer] = await rig.workspace.until(told)
    return shown(answer.text)


async def requests(rig: Rig) -> list[Instruction]:
    def bulk(tx: Tx) -> list[Instruction]:
        return [one for one in tx.instructions.awaiting(tuple(State)) if one.kind is Kind.BULK]

    return await rig.switchboard.context.store.read(bulk)


def line(message: Message, word: str) -> str:
    """The last line of a message that has this word."""
    return shown([one for one in message.plain.splitlines() if word in one][-1])


@pytest.mark.rig(on="both")
async def test_failed_rows_are_requested_approved_and_paid_again(rig: Rig) -> None:
    first = await failed(rig)
    assert offers(first)
    assert offers(card(rig, 0, APPROVALS))
    assert "Request sent: $9.00 · 2 payments" in await again(rig, first)
    assert "Retries what failed in" in card(rig, 1).text
    assert line(card(rig, 0), "requested again").endswith("*waiting for approval*")
    assert not offers(card(rig, 0))
    assert not offers(card(rig, 0, APPROVALS))
    assert len(rig.payments.bulk_payments) == 1, "nothing is sent before people approve it"
    await approve(rig)
    await run(rig)
    one, other = rig.payments.bulk_payments
    name = (await requests(rig))[1].reference
    assert [(item.order.email, item.order.cents, item.order.note) for item in other.items] == [
        ("person3@example.com", 300, "row 3"),
        ("person6@example.com", 600, "row 6"),
    ]
    assert [item.order.internal_note for item in other.items] == [f"{name}/3", f"{name}/6"]
    assert line(card(rig, 0), "requested again").endswith("$9.00 · 2 payments, *both paid*")
    assert sorted(cents for _, cents in rig.paid) == [100, 200, 300, 400, 500, 600]
    assert {item.status for item in one.items} == {"completed", "failed"}
    await rig.pay(f"bulk show {(await requests(rig))[0].reference}")
    assert "requested again as" in rig.workspace.ephemerals(MARIA)[-1].text


@pytest.mark.rig(on="both")
async def test_pressed_twice_and_by_two_people_makes_one(rig: Rig) -> None:
    first = await failed(rig)
    told = await asyncio.gather(again(rig, first), again(rig, first, TOM))
    assert len(await requests(rig)) == 2
    assert sorted(one.partition(" ")[0] for one in told) == [":information_source:", ":memo:"]
    assert len(rig.cards(FINANCE)) == 2


@pytest.mark.parametrize(("end", "word"), [("reject", "rejected"), ("withdraw", "withdrawn")])
async def test_rows_of_an_unpaid_request_are_offered_again(rig: Rig, end: str, word: str) -> None:
    first = await failed(rig)
    await again(rig, first)
    if end == "reject":
        await rig.reject("not yet")
    else:
        await rig.press("withdraw", user=MARIA, channel=FINANCE)
    told = line(card(rig, 0), "requested again")
    assert told == f":repeat: Failed payments requested again as L-······: $9.00 · 2 payments, *{word}*"
    assert offers(card(rig, 0))
    assert "$9.00 · 2 payments" in await again(rig, first)
    await approve(rig)
    await run(rig)
    keys = [one.source_key.partition(":")[2].partition("#")[2] for one in (await requests(rig))[1:]]
    assert keys == ["", "2"]
    assert sorted(cents for _, cents in rig.paid) == [100, 200, 300, 400, 500, 600]


async def test_second_failure_is_offered_on_the_second_card(rig: Rig) -> None:
    first = await failed(rig)
    rig.payments.switches.bulk_fail_every = 2
    await again(rig, first)
    await approve(rig)
    await run(rig)
    rig.payments.switches.bulk_fail_every = 0
    assert (offers(card(rig, 0)), offers(card(rig, 1))) == (False, True)
    await again(rig, card(rig, 1))
    assert "$6.00 · 1 payment to 1 person. Retries what failed in" in card(rig, 2).text
    await approve(rig)
    await run(rig)
    assert sorted(cents for _, cents in rig.paid) == [100, 200, 300, 400, 500, 600]


@pytest.mark.rig(on="both")
async def test_row_with_unknown_outcome_is_never_paid_again(rig: Rig) -> None:
    """Row 5 is in neither list; row 3 failed first, and the service calls it completed when the button is pressed."""
    rig.payments.switches.bulk_loses_every = 5
    first = await failed(rig)
    await rig.pass_time(600, steps=6)
    first = card(rig, 0)
    assert "3 paid, 2 failed, 1 not reported yet" in first.plain
    [job] = rig.payments.bulk_payments
    rig.payments.bulk.settle(job, job.items[2].hash, "completed")
    told = await again(rig, first)
    assert not lacking(told, "$6.00 · 1 payment", "Left out: the provider doesn't confirm")
    assert [row.row for row in await rows_of(rig, 1)] == [6]


async def rows_of(rig: Rig, number: int) -> list[BulkRow]:
    wanted = (await requests(rig))[number].id
    return await rig.switchboard.context.store.read(lambda tx: tx.bulk_items.rows(wanted))


async def test_one_of_two_equal_payments_is_paid_again_without_notes(rig: Rig) -> None:
    rig.payments.switches.bulk_drops_notes = True
    rig.add_payees("person1@example.com")
    rig.payments.switches.bulk_fail_every = 2
    await ask(rig, "person1@example.com,1.00\n" * 2)
    await approve(rig, ADA, LIN)
    await run(rig)
    first = card(rig, 0)
    [job] = rig.payments.bulk_payments
    job.items.reverse()
    assert "$1.00 · 1 payment" in await again(rig, first)
    [row] = await rows_of(rig, 1)
    assert (row.row, not rig.workspace.messages(ALERTS)) == (2, True)


@pytest.mark.parametrize("silent", ["list_bulk_items", "list_bulk_failures", "get_bulk_payment"])
async def test_unconfirmed_failure_requests_nothing(rig: Rig, silent: str) -> None:
    rig.payments.switches.bulk_hides_failed = True
    first = await failed(rig)
    for operation in {silent, "list_bulk_failures" if silent == "list_bulk_items" else silent}:
        rig.payments.faults.arm(Fault(FaultKind.ERROR_500, operation=operation, times=None))
    told = await again(rig, first)
    assert told.startswith(":warning: ")
    assert ("doesn't confirm now that 2 payments failed" in told) is (silent != "get_bulk_payment")
    assert len(await requests(rig)) == 1
    assert offers(card(rig, 0))
    rig.payments.faults.clear()
    assert "$9.00 · 2 payments" in await again(rig, first)


@pytest.mark.parametrize("first_the_file", [True, False])
async def test_corrected_file_with_paid_rows_needs_one_more_approval(rig: Rig, first_the_file: bool) -> None:
    first = await failed(rig)

    async def file() -> None:
        await ask(rig, "PERSON3@example.com,3.00,row 3\nperson5@example.com,7.00,new\nperson6@example.com,6.01,mended")

    for of_file in (first_the_file, not first_the_file):
        await (file() if of_file else again(rig, first))
        if of_file is first_the_file:
            await approve(rig)
            await run(rig)
            await rig.pass_time(2 * 86_400)  # a retry is compared with all since the first one, and for a week
    before = (await requests(rig))[1]
    told = f"Needs 2 approvers because row {3 if first_the_file else 1} repeats {before.reference}."
    assert told in rig.cards()[-1].plain


async def test_unreadable_retry_is_not_replaced_by_another(rig: Rig) -> None:
    first = await failed(rig)
    await again(rig, first)
    damage = "UPDATE instruction SET progress = '[1]' WHERE source_key LIKE 'again:%'"
    await rig.switchboard.context.write(lambda uow: damaged(uow, damage), name="damage")
    one = (await requests(rig))[0]
    context = rig.switchboard.context
    assert await context.read(lambda uow: bulk_again.paid_again(uow, one)) == NOT_AGAIN
    with pytest.raises(RowUnreadable):
        await context.read(lambda uow: bulk_again._left(uow, one))


def damaged(uow: Unit, statement: str) -> None:
    uow.instructions._connection.exec_driver_sql(statement)


async def test_resend_needs_the_role_and_no_freeze(rig: Rig) -> None:
    first = await failed(rig)
    value = first.button("bulk.again").value
    await rig.workspace.click(LIN, FINANCE, first.ts, "bulk.again", value=value)
    await rig.pay("freeze audit", user=ADA)
    await rig.click(first, "bulk.again", value=value)
    said = [shown(rig.workspace.ephemerals(user)[-1].text) for user in (LIN, MARIA)]
    assert said[0].startswith(":no_entry_sign: You don't have permission to request payments.")
    assert said[1].startswith(":snowflake: Payments are frozen")
    assert len(await requests(rig)) == 1


async def test_bulk_without_failures_offers_no_retry(rig: Rig) -> None:
    rig.payments.switches.bulk_items_a_step = 3
    await ask(rig, SIX)
    await approve(rig)
    rig.payments.switches.bulk_fail_every = 3
    for _ in range(2):
        await rig.payments.advance()
        await rig.pass_time(60, steps=2)
    assert "1 failed" in card(rig, 0).plain
    assert not offers(card(rig, 0))
    await run(rig)
    assert offers(card(rig, 0))


@pytest.mark.postgres
@pytest.mark.rig(on="postgres", clock=None)
async def test_two_processes_that_store_it_at_the_same_moment_make_one(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 2
    rig.add_payees("ana@example.com", "luis@example.com")
    await ask_for_real(rig, ROWS)
    other = await rig.start_another("other")

    await rig.workspace.until(lambda: any(offers(one) for one in rig.cards(FINANCE)) or None)
    [first] = await requests(rig)
    contexts = [process.context for process in (rig.switchboard, other)] * 3
    rows = await contexts[0].read(lambda uow: [row.item for row in bulk_again._left(uow, first)])
    checked = Checked(name="march.csv", items=rows, bad=(), rows=len(rows), read_as="")
    asked = await asyncio.gather(
        *(bulk_again.request_again(ctx, first, checked, requester=MARIA, channel=FINANCE) for ctx in contexts)
    )
    assert sorted(is_new for _, is_new in asked) == [False] * 5 + [True]
    assert len({one.id for one, _ in asked}) == 1
    assert len(await requests(rig)) == 2


async def ask_for_real(rig: Rig, rows: str) -> None:
    await rig.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
    await rig.workspace.submit(MARIA, {"rows": rows})
    card = await rig.workspace.until(
        lambda: next((one for one in rig.cards() if any(b.text == "Approve" for b in one.buttons)), None)
    )
    await approve_card(rig, card)
