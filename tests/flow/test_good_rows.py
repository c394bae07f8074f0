"""A file with rows that cannot be paid: the good ones are one press away, and the bad ones come back as a file."""

import csv
import io

import pytest

from bot.playground.workspace.model import elements_of
from tests.support.bulk import ask, change, pressed, stored, stored_rows, submit, told
from tests.support.rig import LIN, MARIA, ZOE, Rig
from tests.support.shown import lacking, shown
from tests.workflows.looking import requests

pytestmark = pytest.mark.rig(on="both")

FILE = (
    b"who,email,amount,note\n"
    b"Ana,ana@example.com,25.00,March\n"
    b"=Ben,ben@example.com,-5,April\n"
    b"Luis,luis@example.com,10.50,\n"
    b"Cleo,,3.00,'=1+1\n"
)


async def good(rig: Rig, user: str = MARIA, value: str | None = None) -> None:
    """Press *Request the … good rows* in the form, and wait for the form that it turns into."""
    before = rig.form(user).plain
    await rig.workspace.click_in_view(user, "bulk.good", value=value)
    await rig.workspace.until(lambda: rig.form(user).plain != before or None)


def direct(rig: Rig, user: str = MARIA) -> list[list[str]]:
    """The rows of the only file in somebody's direct messages."""
    [file] = [one for m in rig.workspace.messages(rig.workspace.open_dm(user).id) for one in m.files]
    return list(csv.reader(io.StringIO(stored(rig, file).content.decode("utf-8-sig"))))


async def test_good_rows_are_requested_and_bad_rows_returned(rig: Rig) -> None:
    await pressed(rig, FILE)
    assert "*2 of 4 rows need fixing.*" in told(rig)
    assert rig.form().submit == "Go on"
    assert direct(rig) == [
        ["who", "email", "amount", "note", "problem"],
        ["'=Ben", "ben@example.com", "-5", "April", "Row 3: amount is -5; it must be more than 0"],
        ["Cleo", "", "3.00", "'=1+1", "Row 5: no e-mail address"],
    ]
    await good(rig)
    assert not lacking(told(rig), "*$35.50* · 2 payments to 2 people", "2 rows left out: row 3, row 5")
    assert rig.form().submit == "Request approval"
    assert await requests(rig) == [], "nothing is requested before the new sum was seen"
    ack = await rig.workspace.submit(MARIA)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    assert ack.request is not None
    await rig.workspace.resend(ack)
    await rig.settle()
    assert [(row.row, row.cents) for row in await stored_rows(rig)] == [(2, 2500), (4, 1050)]
    (asked,) = await requests(rig)
    assert (asked.cents, asked.requester) == (3550, MARIA)
    assert "Left out: row 3, row 5" in shown(rig.form())
    assert "row 3, row 5" in (await rig.card()).plain, "approvers see that rows of the file were left out"


async def test_file_fixed_meanwhile_is_shown_again(rig: Rig) -> None:
    offer = await pressed(rig, FILE)
    change(rig, offer, FILE.replace(b"-5", b"5.00").replace(b"Cleo,,", b"Cleo,cleo@example.com,"))
    await good(rig)
    assert not lacking(told(rig), "*The file changed since you opened it.*", "*$43.50* · 4 payments")
    assert await requests(rig) == []


def typed(rig: Rig) -> str:
    """What stands in the rows of the form."""
    [rows] = [block["element"] for block in rig.form().blocks if block.get("block_id") == "rows"]
    return str(rows["initial_value"])


async def test_without_good_rows_nothing_is_offered(rig: Rig) -> None:
    await pressed(rig, b"email,amount\nana,1.00\n")
    assert "Request the" not in rig.form().plain
    assert "good row" not in told(rig)


async def test_typed_rows_stay_and_the_good_ones_can_be_requested(rig: Rig) -> None:
    await ask(rig, 'ana@example.com,25.00,"March, April"\nben@example.com,-5\nluis@example.com,10.50')
    assert "*1 of 3 rows needs fixing.*" in rig.form().plain
    assert "ben@example.com,-5" in typed(rig)
    before = rig.form().plain
    await rig.workspace.click_in_view(MARIA, "bulk.good_typed")
    await rig.workspace.until(lambda: rig.form().plain != before or None)
    assert not lacking(rig.form().plain, "*$35.50* · 2 payments to 2 people", "Left out: Row 2: amount is -5")
    assert typed(rig) == 'ana@example.com,25.00,"March, April"\nluis@example.com,10.50,\n'
    assert await requests(rig) == []
    await submit(rig)
    assert [(row.row, row.cents, row.note) for row in await stored_rows(rig)] == [
        (1, 2500, "March, April"),
        (2, 1050, ""),
    ]


async def test_good_rows_need_the_role_and_no_freeze(rig: Rig) -> None:
    offer = await pressed(rig, FILE)
    value = next(one["value"] for _, one in elements_of(rig.form().blocks) if one["action_id"] == "bulk.good")
    await rig.click(offer, "bulk.good", user=ZOE, value=value, force=True)
    assert rig.workspace.modal(ZOE) is None
    await rig.pay("freeze careful", user=LIN)
    await rig.workspace.click_in_view(MARIA, "bulk.good")
    await rig.settle()
    assert "frozen" in rig.form().plain
    await rig.workspace.close(MARIA)
    await rig.click(offer, "bulk.good", value='{"file":"FNOPE"}', force=True)
    assert rig.workspace.modal(MARIA) is None
    assert await requests(rig) == []
