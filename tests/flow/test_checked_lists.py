"""A list that the e-mail service has checked is not paid blindly: undeliverable rows are left out, and offered."""

import pytest
from inline_snapshot import snapshot

from tests.support.bulk import approve, everything, offered, press, pressed, stored, stored_rows, submit, told
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")

LIST = b"""email,amount,note
ana@example.com,25.00,March
bounce1@example.com,10.00,April
luis@example.com,4.00,May
bounce2@example.com,1.00,June
"""


async def processed(rig: Rig, content: bytes = LIST, *, whole: bool = False) -> bytes:
    """What comes back of a list that was processed."""
    offer = await offered(rig, content)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, next(b.action_id for b in offer.buttons if "e-mails" in b.text))
    await rig.workspace.until(lambda: "Column" in rig.form().plain or None)
    await rig.submit(MARIA, {"how": "whole" if whole else "rows"})
    await rig.pass_time(10, steps=4)
    files = [file for message in everything(rig, FINANCE) for file in message.files]
    return stored(rig, files[-1]).content


async def test_undeliverable_rows_of_a_result_are_left_out_and_can_be_taken_in_one_by_one(rig: Rig) -> None:
    result = await processed(rig)
    assert result.decode("utf-8-sig").splitlines()[0].startswith("email,amount,note,processing,result")
    await pressed(rig, result)
    assert told(rig) == snapshot("""\
Pay in bulk
*$29.00* · 2 payments to 2 people
:warning: *2 undeliverable*, left out: row 3, row 5
march.csv
Pay these rows anyway
Row 3: $10.00 to bounce1@example.com
undeliverable
Row 5: $1.00 to bounce2@example.com
undeliverable\
""")
    form = rig.form()
    (field,) = [block for block in form.blocks if block.get("block_id") == "anyway"]
    assert [option["text"]["text"] for option in field["element"]["options"]] == snapshot(
        ["Row 3: $10.00 to bounce1@example.com", "Row 5: $1.00 to bounce2@example.com"]
    )
    await submit(rig, {"anyway": ["5"]})
    assert told(rig) == snapshot("""\
Pay in bulk
:arrows_counterclockwise: Updated for the rows you chose. Check the total, then request it.
*$30.00* · 3 payments to 3 people
:warning: *1 undeliverable*, left out: row 3
:warning: *1 undeliverable*, will be paid: row 5
march.csv
Pay these rows anyway
Row 3: $10.00 to bounce1@example.com
undeliverable
Row 5: $1.00 to bounce2@example.com
undeliverable
Row 5: $1.00 to bounce2@example.com
undeliverable\
""")
    assert await requests(rig) == []
    await submit(rig)
    assert shown(rig.form()) == snapshot("""\
Pay in bulk
:memo: Request sent: $30.00 · 3 payments to 3 people. Needs 1 approval · L-······
Left out: row 3.\
""")
    assert [(row.row, row.email) for row in await stored_rows(rig)] == [
        (2, "ana@example.com"),
        (4, "luis@example.com"),
        (5, "bounce2@example.com"),
    ]
    assert [
        line
        for line in rig.cards(APPROVALS)[-1].plain.splitlines()
        if line.startswith((":warning: *L", ":warning: *P"))
    ] == (snapshot([]))
    await approve(rig)
    assert [item.order.email for item in rig.payments.bulk_payments[0].items] == [
        "ana@example.com",
        "luis@example.com",
        "bounce2@example.com",
    ]


async def test_the_result_of_a_whole_file_is_read_like_ours(rig: Rig) -> None:
    await pressed(rig, await processed(rig, whole=True))
    assert told(rig).splitlines()[1:3] == snapshot(
        ["*$29.00* · 2 payments to 2 people", ":warning: *2 undeliverable*, left out: row 3, row 5"]
    )
    await submit(rig)
    assert (await newest(rig)).cents == 2900


async def test_a_list_of_which_nothing_is_left_asks_for_nothing(rig: Rig) -> None:
    await pressed(rig, b"email,amount,result\nana@example.com,1.00,undeliverable\nnobody,2.00,invalid\n")
    assert told(rig) == snapshot("""\
Pay in bulk
:warning: *Every row is left out.* Choose the rows to pay anyway, or upload another file.
:warning: *2 undeliverable*, left out: row 2, row 3
Pay these rows anyway
Row 2: $1.00 to ana@example.com
undeliverable\
""")
    assert rig.form().submit == "Go on"
    await submit(rig)
    assert await requests(rig) == []
    await submit(rig, {"anyway": ["2"]})
    await submit(rig)
    assert (await newest(rig)).cents == 100


async def test_the_form_of_the_command_shows_what_is_left_out_first(rig: Rig) -> None:
    await rig.pay("bulk")
    file = rig.workspace.upload(MARIA, "march.csv", LIST.replace(b"note", b"result").replace(b"April", b"bounced"))
    await rig.workspace.submit(MARIA, {"file": [file]})
    await rig.workspace.until(lambda: "left out" in rig.form().plain or None)
    assert await requests(rig) == []
    await submit(rig)
    assert (await newest(rig)).cents == 3000
    await rig.settle()
    assert "Left out: row 3" in rig.form().plain
    offer = await offered(rig)
    await press(rig, offer)
    assert "left out" not in rig.form().plain
