"""A file with rows that cannot be paid: the good ones are one press away, and the bad ones come back as a file."""

import csv
import io

import pytest
from inline_snapshot import snapshot

from tests.support.bulk import ask, offered, press, pressed, stored, stored_rows, submit, told
from tests.support.rig import FINANCE, LIN, MARIA, TOM, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")

FILE = (
    b"who,email,amount,note\n"
    b"Ana,ana@example.com,25.00,March\n"
    b"=Ben,ben@example.com,-5,April\n"
    b"Luis,luis@example.com,10.50,\n"
    b"Cleo,,3.00,'=1+1\n"
)
FIXED = FILE.replace(b"-5", b"5.00").replace(b"Cleo,,", b"Cleo,cleo@example.com,")


async def good(rig: Rig, user: str = MARIA, value: str | None = None) -> None:
    """Press *Request the … good rows* in the form, and wait for the form that it turns into."""
    before = rig.form(user).plain
    await rig.workspace.click_in_view(user, "bulk.good", value=value)
    await rig.workspace.until(lambda: rig.form(user).plain != before or None)


def direct(rig: Rig, user: str = MARIA) -> list[list[str]]:
    """The rows of the only file in somebody's direct messages."""
    [file] = [one for m in rig.workspace.messages(rig.workspace.open_dm(user).id) for one in m.files]
    return list(csv.reader(io.StringIO(stored(rig, file).content.decode("utf-8-sig"))))


async def test_the_good_rows_are_requested_and_the_bad_ones_come_back(rig: Rig) -> None:
    await pressed(rig, FILE)
    assert told(rig) == snapshot("""\
Pay in bulk
:pencil2: *2 of 4 rows need fixing.* Fix them and upload the file again, or request the 2 good rows.
• Row 3: amount is -5; it must be more than 0
• Row 5: no e-mail address
Example: `ana@example.com,25.00,March translation`
I sent you these rows as a file, with a column *problem*.
Request the 2 good rows\
""")
    assert rig.form().submit == "Go on"
    assert direct(rig) == snapshot(
        [
            ["who", "email", "amount", "note", "problem"],
            ["'=Ben", "ben@example.com", "-5", "April", "Row 3: amount is -5; it must be more than 0"],
            ["Cleo", "", "3.00", "'=1+1", "Row 5: no e-mail address"],
        ]
    )
    await good(rig)
    assert told(rig) == snapshot("""\
Pay in bulk
*$35.50* · 2 payments to 2 people
:no_entry_sign: 2 rows left out: row 3, row 5
march.csv\
""")
    assert rig.form().submit == "Request approval"
    assert await requests(rig) == [], "nothing is requested before the new sum was seen"
    ack = await rig.workspace.submit(MARIA)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    assert ack.request is not None
    await rig.workspace.resend(ack)
    await rig.settle()
    assert [(row.row, row.email, row.cents) for row in await stored_rows(rig)] == [
        (2, "ana@example.com", 2500),
        (4, "luis@example.com", 1050),
    ]
    (asked,) = await requests(rig)
    assert (asked.cents, asked.requester) == (3550, MARIA)
    assert "Left out: row 3, row 5" in shown(rig.form())
    assert "row 3, row 5" in (await rig.card()).plain, "approvers see that rows of the file were left out"


async def test_pressed_again_and_by_somebody_else_requests_once(rig: Rig) -> None:
    offer = await pressed(rig, FILE)
    await press(rig, offer, user=TOM)
    await good(rig)
    await good(rig, TOM)
    await submit(rig)
    await submit(rig, user=TOM)
    assert len(await requests(rig)) == 1
    assert "already requested" in rig.form(TOM).plain
    await rig.pass_time(3)
    await press(rig, offer)
    assert "already requested" in rig.form().plain


async def test_a_file_that_was_fixed_or_is_gone_meanwhile_is_said(rig: Rig) -> None:
    offer = await pressed(rig, FILE)
    assert offer.thread_ts is not None
    file = stored(rig, rig.workspace.message(FINANCE, offer.thread_ts).files[0])
    files = rig.workspace._state.files
    files.keep(files.store(file, FIXED))
    await good(rig)
    assert told(rig) == snapshot("""\
Pay in bulk
:warning: *The file changed since you opened it.* Check the new total, then request it.
*$43.50* · 4 payments to 4 people
march.csv\
""")
    files.keep(files.store(file, FILE.replace(b"10.50", b"99.50")))
    await submit(rig)
    assert told(rig).splitlines()[1:3] == snapshot(
        [
            ":warning: *The file changed since you opened it.* Check the new total, then request it.",
            "*$124.50* · 2 payments to 2 people",
        ]
    )
    assert await requests(rig) == []
    await submit(rig)
    assert (await newest(rig)).cents == 12450
    other = await offered(rig, FILE, "other.csv")
    await press(rig, other)
    assert other.thread_ts is not None
    await rig.workspace.delete_file(MARIA, rig.workspace.message(FINANCE, other.thread_ts).files[0])
    await good(rig)
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
:warning: This file was deleted.\
""")
    assert len(await requests(rig)) == 1


async def test_the_same_rules_hold_for_the_good_rows(rig: Rig) -> None:
    await pressed(rig, FILE.replace(b"10.50", b"25000.00"))
    await good(rig)
    assert "25,000.00" in told(rig)
    assert rig.form().submit == "Go on", "above the daily limit"
    await submit(rig)
    await rig.workspace.close(MARIA)
    await pressed(rig, FILE)
    await rig.pay("freeze careful", user=LIN)
    await rig.workspace.click_in_view(MARIA, "bulk.good")
    await rig.settle()
    assert "frozen" in rig.form().plain
    assert await requests(rig) == []


def typed(rig: Rig) -> str:
    """What stands in the rows of the form."""
    [rows] = [block["element"] for block in rig.form().blocks if block.get("block_id") == "rows"]
    return str(rows["initial_value"])


async def test_where_no_row_is_good_nothing_is_offered(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana,1.00\n")
    assert "Request the" not in rig.form().plain
    assert "good row" not in told(rig)


async def test_typed_rows_stay_in_the_form_and_the_good_ones_are_one_press_away(rig: Rig) -> None:
    await ask(rig, 'ana@example.com,25.00,"March, April"\nben@example.com,-5\nluis@example.com,10.50')
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
:pencil2: *1 of 3 rows needs fixing.* Fix it here and send the form again, or request the 2 good rows.
• Row 2: amount is -5; it must be more than 0
Example: `ana@example.com,25.00,March translation`
Request the 2 good rows
Rows
ana@example.com, 25.00, March translation
ben@example.com, 10.50, Proofreading
One payment per line: email, amount, note. You can paste from a spreadsheet.\
""")
    assert "ben@example.com,-5" in typed(rig)
    before = rig.form().plain
    await rig.workspace.click_in_view(MARIA, "bulk.good_typed")
    await rig.workspace.until(lambda: rig.form().plain != before or None)
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
*$35.50* · 2 payments to 2 people
:no_entry_sign: Left out: Row 2: amount is -5; it must be more than 0
Rows
ana@example.com, 25.00, March translation
ben@example.com, 10.50, Proofreading
One payment per line: email, amount, note. You can paste from a spreadsheet.\
""")
    assert typed(rig) == 'ana@example.com,25.00,"March, April"\nluis@example.com,10.50,\n'
    assert await requests(rig) == []
    await submit(rig)
    assert [(row.row, row.cents, row.note) for row in await stored_rows(rig)] == [
        (1, 2500, "March, April"),
        (2, 1050, ""),
    ]


async def test_a_forged_press_changes_nothing(rig: Rig) -> None:
    offer = await offered(rig, FILE)
    await rig.workspace.click(ZOE, FINANCE, offer.ts, "bulk.good", value="{}", force=True)
    await rig.settle()
    await rig.workspace.click(MARIA, FINANCE, offer.ts, "bulk.good", value='{"file":"FNOPE"}', force=True)
    await rig.settle()
    assert rig.workspace.modal(MARIA) is None
    assert await requests(rig) == []
