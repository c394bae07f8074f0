"""The form of *Pay in bulk* on a dropped file: the sum before anything is asked for, and which column is which."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.playground.workspace.files import StoredFile
from tests.support.bulk import GOOD, button, offered, press, pressed, stored, stored_rows, submit, told
from tests.support.rig import ADA, FINANCE, LIN, MARIA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")


def dropped(rig: Rig, offer: Message) -> StoredFile:
    assert offer.thread_ts is not None
    return stored(rig, rig.workspace.message(FINANCE, offer.thread_ts).files[0])


def change(rig: Rig, offer: Message, content: bytes) -> None:
    files = rig.workspace._state.files
    files.keep(files.store(dropped(rig, offer), content))


async def test_one_press_asks_for_nothing_and_shows_the_sum(rig: Rig) -> None:
    await pressed(rig)
    form = rig.form()
    assert told(rig) == snapshot("""\
Pay in bulk
*$60.50* · 3 payments to 2 people
:warning: Row 4 repeats an earlier row (same address and amount). Needs one more approver.
march.csv\
""")
    assert (form.submit, form.close) == ("Request approval", "Cancel")
    assert form.plain.splitlines()[-1] == snapshot("Nothing is paid until it's approved.")
    await rig.settle()
    assert await requests(rig) == []
    await rig.workspace.close(MARIA)
    await rig.pass_time(3_600)
    assert await requests(rig) == []
    assert rig.workspace.ephemerals(MARIA) == []


async def test_what_was_shown_is_asked_for_once(rig: Rig) -> None:
    await pressed(rig)
    ack = await rig.workspace.submit(MARIA)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    assert ack.request is not None
    await rig.workspace.resend(ack)
    await rig.settle()
    (asked,) = await requests(rig)
    assert (asked.cents, asked.state, asked.requester) == (6050, State.AWAITING, MARIA)
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
:memo: Request sent: $60.50 · 3 payments to 2 people. Needs 2 approvers because 1 row repeats an earlier one · L-······\
""")
    assert not rig.form().submit


async def test_what_changed_since_it_was_shown_is_shown_anew(rig: Rig) -> None:
    offer = await pressed(rig)
    change(rig, offer, GOOD.replace(b"10.50", b"99.50"))
    await submit(rig)
    assert told(rig).splitlines()[1] == snapshot("""\
:warning: *The file changed since you opened it.* Check the new total, then request it.""")
    assert await requests(rig) == []
    await submit(rig)
    assert (await newest(rig)).cents == 14950


async def test_a_file_that_lost_its_columns_meanwhile_asks_for_nothing(rig: Rig) -> None:
    offer = await pressed(rig)
    change(rig, offer, b"note,who\nMarch,ana@example.com\n")
    await submit(rig)
    assert told(rig) == snapshot("""\
Pay in bulk
:warning: *The file changed since you opened it.* Check the new total, then request it.
:mag: *Which column is which?* Choose them; you see the total before you request anything.\
""")
    assert rig.form().submit == "Go on"
    change(rig, offer, b"only\nana\n")
    await submit(rig, {"amount": "0", "email": "1"})
    assert told(rig) == snapshot("""\
Pay in bulk
:warning: The first row has no column email and no column amount. Example: email,amount,note\
""")
    assert await requests(rig) == []


async def test_which_columns_are_used_is_shown_and_can_be_changed(rig: Rig) -> None:
    await pressed(rig, b"email,amount,note,total paid\nana@example.com,25.00,March,75.00\n")
    selects = {block["block_id"]: block["element"] for block in rig.form().blocks if block["type"] == "input"}
    chosen = {name: one["initial_option"]["text"]["text"] for name, one in selects.items()}
    assert chosen == {"email": "email", "amount": "amount", "note": "note", "name": "No name"}
    assert selects["amount"]["options"][3]["description"]["text"] == "75.00"
    assert [one["text"]["text"] for one in selects["note"]["options"]][-1] == "No note"
    await submit(rig, {"amount": "3", "note": "none"})
    assert told(rig).splitlines()[1] == snapshot("""\
:arrows_counterclockwise: Updated for the columns you chose. Check the total, then request it.""")
    assert await requests(rig) == []
    await submit(rig)
    (row,) = await stored_rows(rig)
    assert (row.item.email, row.item.cents, row.item.note) == ("ana@example.com", 7500, "")
    assert [one for one in rig.cards()[0].plain.splitlines() if "total paid" in one][-1] == snapshot(
        "Email from “email”, amount from “total paid”; not used: “amount”, “note”."
    )


async def test_one_column_cannot_be_both(rig: Rig) -> None:
    await pressed(rig)
    await submit(rig, {"amount": "0"})
    assert shown(rig.form().errors["amount"]) == snapshot("Email and amount need different columns.")
    assert await requests(rig) == []


async def test_bad_rows_are_named_and_another_column_may_mend_them(rig: Rig) -> None:
    await pressed(rig, b"email,amount,usd net\nana@example.com,EUR 25,25.00\nluis@example.com,GBP 10,10.00\n")
    assert told(rig) == snapshot("""\
Pay in bulk
:pencil2: *All 2 rows need fixing.* Fix them and upload the file again.
• Row 2: amount is EUR 25; amounts are in USD only
• Row 3: amount is GBP 10; amounts are in USD only
Example: `ana@example.com,25.00,March translation`
I sent you these rows as a file, with a column *problem*.\
""")
    assert rig.form().submit == "Go on"
    await submit(rig, {"amount": "2"})
    await submit(rig)
    assert (await newest(rig)).cents == 3500


async def test_more_than_the_daily_limit_is_said_before_anything_is_asked(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana@example.com,25000.01\n")
    assert told(rig) == snapshot("""\
Pay in bulk
:pencil2: The sum is `$25,000.01`; it is over everyone's daily limit of $25,000.00, which an admin can raise.\
""")
    assert rig.form().submit == "Go on"
    await submit(rig)
    assert await requests(rig) == []


async def test_a_file_that_is_no_table_is_said_in_one_sentence(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana@example.com,1.00,2.00,3.00\n")
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
:warning: No row may have more cells than the row with the names, which has 2: row 2 has 4. Put a cell that contains \
the separator in quotation marks, for example "Ana, Quito".\
""")
    assert not rig.form().submit


async def test_who_may_not_ask_by_then_asks_for_nothing(rig: Rig) -> None:
    await pressed(rig)
    await rig.pay("freeze careful", user=ADA)
    await submit(rig)
    assert shown(rig.form()) == snapshot("""\
Switchboard
:snowflake: Payments are frozen by <@U0ADA>: “careful”. You can send requests again once an approver unfreezes them.\
""")
    await rig.pay("unfreeze", user=LIN)
    assert await requests(rig) == []
    offer = await offered(rig)
    await rig.workspace.click(ZOE, FINANCE, offer.ts, button(offer, "Pay in bulk").action_id)
    await rig.workspace.until(lambda: rig.workspace.ephemerals(ZOE) or None)
    assert rig.workspace.modal(ZOE) is None


async def test_a_file_that_is_gone_by_then_is_said(rig: Rig) -> None:
    offer = await pressed(rig)
    await rig.workspace.delete_file(MARIA, dropped(rig, offer).id)
    await submit(rig)
    assert shown(rig.form()) == snapshot("Pay in bulk\n:warning: This file was deleted.")
    assert await requests(rig) == []


@pytest.mark.rig(around={"handler_moment": 0.3})
async def test_a_slow_file_opens_a_form_that_turns_into_the_real_one(rig: Rig) -> None:
    offer = await offered(rig)
    rig.workspace.faults.arm(Fault(FaultKind.SLOW, "files.info", skip=1, seconds=0.8))
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Pay in bulk").action_id)
    waiting = rig.form()
    assert shown(waiting) == snapshot("Pay in bulk\n:hourglass_flowing_sand: Reading “march.csv”…")
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
    assert shown(rig.form(TOM)).splitlines()[1][:66] == snapshot(
        ":information_source: This file was already requested as L-······: "
    )
