"""The payments of a bulk payment are operations, too: known in the list, shown, never imported, never taken for others.

Of the documented fields, a list may give the hash of what was completed, or less; or our own note besides.
"""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.payments.bulk import BulkItem, BulkOrder
from tests.support import bulk
from tests.support.answers import ask
from tests.support.elsewhere import made, press
from tests.support.rig import ADA, ALERTS, LIN, TOM, Rig
from tests.support.rig import press as press_on_card
from tests.support.rows import change_rows
from tests.support.shown import lacking
from tests.workflows.looking import asked, newest, requests, state


async def sent(rig: Rig, stage: str, shows: str = "hashed") -> tuple[str, list[BulkItem]]:
    """A bulk payment of ours: to Ana in row 1, to Luis, and in row 3 to somebody without an account; its reference.

    ``stage``: received and queued (``created``), the same and read by us (``read``); paid, or waiting for a sign-up,
    and not read yet (``paid``); the same, and read (``settled``).
    """
    rig.payments.switches.bulk_operations = shows  # type: ignore[assignment]
    await bulk.ask(rig)
    await bulk.approve(rig, *[ADA, LIN][: (await newest(rig)).requirement.quorum])
    if stage in ("paid", "settled"):
        await rig.payments.advance()
        await rig.payments.advance()
    if stage in ("read", "settled"):
        await rig.pass_time(120, steps=4)
    [job] = rig.payments.bulk_payments
    return bulk.reference(rig), job.items


def lines(text: str) -> list[list[str]]:
    return [line.removeprefix("• ").split(" · ") for line in text.splitlines() if line.startswith("• ")]


@pytest.mark.parametrize(
    ("shows", "stage", "has_ids", "is_certain"),
    [
        ("noted", "created", False, True),
        ("noted", "paid", False, True),
        ("noted", "settled", False, True),
        ("hashed", "created", False, False),
        ("hashed", "paid", False, False),
        ("hashed", "settled", False, True),
        ("bare", "created", False, False),
        ("bare", "paid", False, False),
        ("bare", "settled", False, False),
        ("bare", "read", True, True),
        ("bare", "settled", True, True),
    ],
)
async def test_list_show_and_import_know_rows_of_our_bulk_payment(
    rig: Rig, shows: str, stage: str, has_ids: bool, is_certain: bool
) -> None:
    external = await ask(rig, f"show {made(rig, email='kim@example.com').id}")
    rig.payments.switches.bulk_item_ids = has_ids
    reference, items = await sent(rig, stage, shows)
    ana = items[0]
    row = f"{reference} row 1"
    [line] = [one for one in lines((await ask(rig, "list")).text) if one[2:4] == ["$25.00", "ana@example.com"]]
    assert line[-1] == (row if is_certain else f"{ana.operation_id}, maybe {row}")
    told = await ask(rig, f"show {ana.operation_id}")
    assert (f"row 1 of the bulk payment {reference}" in told.text, "Not requested here" in told.text) == (True, False)
    assert ("may be" in told.text, told.buttons) == (not is_certain, [])
    before = len(await requests(rig))
    answer = await press(rig, external, value=ana.operation_id, force=True)
    assert (len(await requests(rig)), asked(rig, "commit_payout")) == (before, 0)
    assert stage != "created" or f"row 1 of the bulk payment {reference}" in answer.text


async def test_import_of_a_possible_row_is_refused(rig: Rig) -> None:
    """Pressed below what was shown before the bulk payment was sent."""
    record = made(rig, email="luis@example.com", cents=1_050, code=None)
    told = await ask(rig, f"show {record.id}")
    await sent(rig, "created")
    answer = await press(rig, told)
    assert "can't be imported. It may be row 2 of the bulk payment L-" in answer.text
    assert len(await requests(rig)) == 1


async def test_import_that_became_a_row_ends_before_commit(rig: Rig) -> None:
    await press(rig, await ask(rig, f"show {made(rig, code=None).id}"))
    imported = await newest(rig)
    card = rig.cards()[-1]
    await sent(rig, "created")
    await press_on_card(rig.workspace, card, "approve", user=LIN)
    await rig.settle()
    ended = next(one for one in await requests(rig) if one.id == imported.id)
    assert (ended.state, asked(rig, "commit_payout")) == (State.MISMATCH, 0)


@pytest.mark.parametrize("steps", [0, 1])
async def test_row_of_an_unfinished_bulk_is_not_imported(rig: Rig, steps: int) -> None:
    """The service pays it by itself; a payout to the same person with a code of its own is none."""
    rig.payments.switches.bulk_items_a_step = 1
    orders = [BulkOrder(email=email, cents=2_500, note="n") for email in ("luis@example.com", "ana@example.com")]
    job = rig.payments.bulk.create(orders)
    for _ in range(2 * steps):
        await rig.payments.advance()
    row = job.items[1]
    answer = await press(rig, await ask(rig, f"show {row.operation_id}"))
    assert f"It may be row 2 of the bulk payment {job.id}." in answer.text
    assert await requests(rig) == []
    for record in (made(rig, email="kim@example.com", code=None), made(rig)):
        await press(rig, await ask(rig, f"show {record.id}"))
        assert (await newest(rig)).remote_id == record.id


async def test_external_payout_beside_our_rows_is_imported(rig: Rig) -> None:
    """Another amount, another person, or before the bulk payment was sent."""
    old = made(rig, email="ana@example.com", code="OLD")
    rig.clock.advance(3_600)
    await sent(rig, "created")
    for record in (old, made(rig, cents=2_501, code="A"), made(rig, email="joana.silva@example.com", code="B")):
        told = await ask(rig, f"show {record.id}", user=TOM)
        assert [one.text for one in told.buttons] == ["Import payout"], record.code


async def test_leftovers_of_a_failed_bulk_are_not_imported(rig: Rig) -> None:
    """*Retry these* pays its row again."""
    rig.payments.switches.bulk_breaks_after = 1
    reference, items = await sent(rig, "settled")
    assert [item.status for item in items] == ["completed", "created", "created"]
    told = await ask(rig, f"show {items[1].operation_id}")
    assert (f"may be row 2 of the bulk payment {reference}" in told.text, told.buttons) == (True, [])


async def test_foreign_note_hides_no_row(rig: Rig) -> None:
    await bulk.ask(rig, "ana@example.com, 25.00, F-202611/3")
    await bulk.approve(rig)
    [[item]] = [job.items for job in rig.payments.bulk_payments]
    told = await ask(rig, f"show {item.operation_id}")
    assert (f"may be row 1 of the bulk payment {bulk.reference(rig)}" in told.text, told.buttons) == (True, [])


async def test_new_external_payout_is_not_a_row_paid_before(rig: Rig) -> None:
    reference, _ = await sent(rig, "settled", "bare")
    rig.clock.advance(86_400)
    record = made(rig, code="LATER")
    told = await ask(rig, f"show {record.id}")
    assert (reference in told.text, [one.text for one in told.buttons]) == (False, ["Import payout"])


@pytest.mark.parametrize(("shows", "ends"), [("noted", State.AWAITING), ("bare", State.NEEDS_HUMAN)])
async def test_lost_payout_is_not_confused_with_a_bulk_row(rig: Rig, shows: str, ends: State) -> None:
    """The same recipient and amount: certain rows are no suspects, what may be either goes to people."""
    await rig.pay("send luis@example.com 7.00 before")  # the list shows a code of ours
    rig.payments.faults.arm(Fault(FaultKind.LOST, operation="create_payout"))
    await rig.pay("send luis@example.com 10.50 alone")
    single = await newest(rig)
    await sent(rig, "paid", shows)
    await rig.pass_time(4_000, steps=20)
    found = next(one for one in await requests(rig) if one.id == single.id)
    assert found.state is ends
    assert asked(rig, "create_payout") == (3 if ends is State.AWAITING else 2)


@pytest.mark.parametrize("shows", ["noted", "hashed", "bare"])
async def test_rows_without_codes_do_not_make_the_search_by_code_unusable(rig: Rig, shows: str) -> None:
    await sent(rig, "settled", shows)
    rig.payments.faults.arm(Fault(FaultKind.LOST, operation="create_payout"))
    await rig.pay("send joana.silva@example.com 7.00 first")
    assert await state(rig) is State.CREATE_UNKNOWN
    await bulk.ask(rig, "ana@example.com, 3.00\nluis@example.com, 4.00")
    await bulk.approve(rig)
    await rig.pass_time(4_000, steps=20)
    [single] = [one for one in await requests(rig) if one.reference.startswith("P-")]
    assert (single.state, asked(rig, "create_payout")) == (State.AWAITING, 2)


@pytest.mark.parametrize(
    ("changes", "mark"),
    [
        ({"description": "Invoice 7 for P-4F7K2M"}, "P-4F7K2M"),
        ({"code": "01KAGT0000000000000000TAKE"}, "01KAGT0000000000000000TAKE"),
        ({"code": "l-4f7k2m / 12"}, "L-4F7K2M/12"),
        ({"failure_uri": "https://before.example/callbacks/payments/secret"}, "/callbacks/payments"),
    ],
)
async def test_payout_with_marks_of_switchboard_is_never_imported(rig: Rig, changes: dict[str, str], mark: str) -> None:
    external = await ask(rig, f"show {made(rig).id}")
    record = made(rig, **{"code": "OTHER", **changes})
    told = await ask(rig, f"show {record.id}")
    assert told.buttons == []
    answer = await press(rig, external, value=record.id, force=True)
    assert not lacking(answer.text, f"{record.id} can't be imported.", f"the provider's record has {mark}.")
    assert (await requests(rig), "secret" in answer.text) == ([], False)


async def test_payout_with_the_hash_of_a_row_is_never_imported(rig: Rig) -> None:
    """Whoever it goes to, and whatever the amount."""
    reference, items = await sent(rig, "settled")
    record = made(rig, email="kim@example.com", cents=9_900, code="COPY")
    record.svc_operation_hash = items[0].hash
    told = await ask(rig, f"show {record.id}")
    assert (f"may be row 1 of the bulk payment {reference}" in told.text, told.buttons) == (True, [])


@pytest.mark.parametrize("description", ["PO-7 of P-234567", "part XP-4F7K2M-9", "P-4F7K2", "F-202611/3"])
async def test_foreign_numbers_are_not_our_marks(rig: Rig, description: str) -> None:
    told = await ask(rig, f"show {made(rig, description=description).id}")
    assert [one.text for one in told.buttons] == ["Import payout"]


@pytest.mark.parametrize(
    ("table", "column"), [("instruction", "recipient"), ("bulk_item", "status")], ids=["request", "row"]
)
async def test_list_omits_and_reports_damaged_rows(rig: Rig, table: str, column: str) -> None:
    external = made(rig, email="kim@example.com")
    if table == "instruction":
        await rig.pay("send ana@example.com 25.00 x")
    else:
        await sent(rig, "created")
    where = "email = 'ana@example.com'" if table == "bulk_item" else "1"
    change_rows(rig, f"UPDATE {table} SET {column} = x'ff00' WHERE {where}")  # noqa: S608
    told = await ask(rig, "list", user=TOM)
    people = {line[3] for line in lines(told.text)}
    assert people == {"kim@example.com"} | ({"luis@example.com", "nobody@example.com"} & people)
    assert external.id in told.text
    assert ":warning: 1 row can't be read: see the alerts channel." in told.text
    for _ in range(2):
        await rig.pass_time(3_600, steps=2)
        await ask(rig, "list", user=TOM)
    assert sum("row can't be read" in one.text for one in rig.workspace.messages(ALERTS)) == 1


async def test_bulk_items_with_a_damaged_row_say_so(rig: Rig) -> None:
    reference, _ = await sent(rig, "created")
    change_rows(rig, "UPDATE bulk_item SET status = x'ff00' WHERE number = 1")
    for verb in ("items", "failed"):
        assert "can't be read" in (await ask(rig, f"bulk {verb} {reference}")).text
    await rig.settle()
    assert sum("row can't be read" in one.text for one in rig.workspace.messages(ALERTS)) == 1
