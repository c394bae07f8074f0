"""The form of *Pay in bulk* on a dropped file: the sum before anything is asked for, and which column is which."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from tests.support.bulk import GOOD, button, change, dropped, offered, press, pressed, stored_rows, submit, told
from tests.support.rig import ADA, FINANCE, LIN, MARIA, TOM, Rig
from tests.support.shown import lacking
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")


async def test_one_press_asks_for_nothing_and_shows_the_sum(rig: Rig) -> None:
    await pressed(rig)
    form = rig.form()
    assert not lacking(form.plain, "*$60.50* · 3 payments to 2 people", "Row 4 repeats an earlier row")
    assert (form.submit, form.close) == ("Request approval", "Cancel")
    await rig.settle()
    assert await requests(rig) == []
    await rig.workspace.close(MARIA)
    await rig.pass_time(3_600)
    assert await requests(rig) == []
    assert rig.workspace.ephemerals(MARIA) == []


async def test_shown_list_is_requested_once(rig: Rig) -> None:
    await pressed(rig)
    ack = await rig.workspace.submit(MARIA)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    assert ack.request is not None
    await rig.workspace.resend(ack)
    await rig.settle()
    (asked,) = await requests(rig)
    assert (asked.cents, asked.state, asked.requester) == (6050, State.AWAITING, MARIA)
    assert "Request sent: $60.50 · 3 payments to 2 people. Needs 2 approvers" in rig.form().plain
    assert not rig.form().submit


async def test_changed_list_is_shown_again(rig: Rig) -> None:
    offer = await pressed(rig)
    change(rig, offer, GOOD.replace(b"10.50", b"99.50"))
    await submit(rig)
    assert "*The file changed since you opened it.*" in told(rig)
    assert await requests(rig) == []
    await submit(rig)
    assert (await newest(rig)).cents == 14950


async def test_file_without_its_columns_requests_nothing(rig: Rig) -> None:
    offer = await pressed(rig)
    change(rig, offer, b"note,who\nMarch,ana@example.com\n")
    await submit(rig)
    assert "*Which column is which?*" in told(rig)
    assert rig.form().submit == "Go on"
    change(rig, offer, b"only\nana\n")
    await submit(rig, {"amount": "0", "email": "1"})
    assert "The first row has no column email and no column amount." in told(rig)
    assert await requests(rig) == []


async def test_used_columns_are_shown_and_can_be_changed(rig: Rig) -> None:
    await pressed(rig, b"email,amount,note,total paid\nana@example.com,25.00,March,75.00\n")
    selects = {block["block_id"]: block["element"] for block in rig.form().blocks if block["type"] == "input"}
    chosen = {name: one["initial_option"]["text"]["text"] for name, one in selects.items()}
    assert chosen == {"email": "email", "amount": "amount", "note": "note", "name": "No name"}
    assert selects["amount"]["options"][3]["description"]["text"] == "75.00"
    assert [one["text"]["text"] for one in selects["note"]["options"]][-1] == "No note"
    await submit(rig, {"amount": "3", "note": "none"})
    assert "Updated for the columns you chose." in told(rig)
    assert await requests(rig) == []
    await submit(rig)
    (row,) = await stored_rows(rig)
    assert (row.item.email, row.item.cents, row.item.note) == ("ana@example.com", 7500, "")
    assert "amount from “total paid”; not used: “amount”, “note”." in rig.cards()[0].plain


async def test_one_column_cannot_be_both(rig: Rig) -> None:
    await pressed(rig)
    await submit(rig, {"amount": "0"})
    assert rig.form().errors.keys() == {"amount"}
    assert await requests(rig) == []


async def test_bad_rows_are_named_and_another_column_may_mend_them(rig: Rig) -> None:
    await pressed(rig, b"email,amount,usd net\nana@example.com,EUR 25,25.00\nluis@example.com,GBP 10,10.00\n")
    assert "*All 2 rows need fixing.*" in told(rig)
    assert rig.form().submit == "Go on"
    await submit(rig, {"amount": "2"})
    await submit(rig)
    assert (await newest(rig)).cents == 3500


async def test_sum_over_the_daily_limit_is_refused_in_the_form(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana@example.com,25000.01\n")
    assert "The sum is `$25,000.01`" in told(rig)
    assert rig.form().submit == "Go on"
    await submit(rig)
    assert await requests(rig) == []


async def test_file_that_is_not_a_table_gets_one_sentence(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana@example.com,1.00,2.00,3.00\n")
    assert "row 2 has 4" in rig.form().plain
    assert not rig.form().submit


async def test_lost_requester_role_requests_nothing(rig: Rig) -> None:
    await pressed(rig)
    await rig.pay("freeze careful", user=ADA)
    await submit(rig)
    assert "Payments are frozen" in rig.form().plain
    await rig.pay("unfreeze", user=LIN)
    assert await requests(rig) == []


async def test_file_deleted_meanwhile_is_reported(rig: Rig) -> None:
    offer = await pressed(rig)
    await rig.workspace.delete_file(MARIA, dropped(rig, offer).id)
    await submit(rig)
    assert "This file was deleted." in rig.form().plain
    assert await requests(rig) == []


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_slow_file_opens_a_placeholder_form(rig: Rig) -> None:
    offer = await offered(rig)
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "files.info", skip=1, seconds=0.8))
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Pay in bulk").action_id)
    waiting = rig.form()
    assert "Reading “march.csv”…" in waiting.plain
    assert not waiting.submit
    await rig.workspace.until(lambda: "*$60.50*" in rig.form().plain or None)
    assert rig.form().id == waiting.id


async def test_two_people_with_the_form_open_ask_once(rig: Rig) -> None:
    offer = await pressed(rig)
    await press(rig, offer, user=TOM)
    await submit(rig)
    await submit(rig, user=TOM)
    (asked,) = await requests(rig)
    assert asked.requester == MARIA
    assert "already requested" in rig.form(TOM).plain
