"""A list that the e-mail service has checked is not paid blindly: undeliverable rows are left out, and offered."""

import pytest
from inline_snapshot import snapshot

from tests.support.bulk import approve, everything, offered, press, pressed, stored, stored_rows, submit, told
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import lacking
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


async def test_undeliverable_rows_are_left_out_until_chosen(rig: Rig) -> None:
    result = await processed(rig)
    assert result.decode("utf-8-sig").splitlines()[0].startswith("email,amount,note,processing,result")
    await pressed(rig, result)
    assert "*$29.00* · 2 payments to 2 people" in told(rig)
    form = rig.form()
    (field,) = [block for block in form.blocks if block.get("block_id") == "anyway"]
    assert [option["text"]["text"] for option in field["element"]["options"]] == snapshot(
        ["Row 3: $10.00 to bounce1@example.com", "Row 5: $1.00 to bounce2@example.com"]
    )
    await submit(rig, {"anyway": ["5"]})
    assert not lacking(told(rig), "*$30.00* · 3 payments to 3 people", "left out: row 3", "will be paid: row 5")
    assert await requests(rig) == []
    await submit(rig)
    assert "Left out: row 3." in rig.form().plain
    assert [row.row for row in await stored_rows(rig)] == [2, 4, 5]
    await approve(rig)
    assert [item.order.email[:6] for item in rig.payments.bulk_payments[0].items] == ["ana@ex", "luis@e", "bounce"]


async def test_whole_file_result_is_read_like_row_results(rig: Rig) -> None:
    await pressed(rig, await processed(rig, whole=True))
    assert "left out: row 3, row 5" in told(rig)
    await submit(rig)
    assert (await newest(rig)).cents == 2900


async def test_fully_paid_list_requests_nothing(rig: Rig) -> None:
    await pressed(rig, b"email,amount,result\nana@example.com,1.00,undeliverable\nnobody,2.00,invalid\n")
    assert "*Every row is left out.*" in told(rig)
    assert rig.form().submit == "Go on"
    await submit(rig)
    assert await requests(rig) == []
    await submit(rig, {"anyway": ["2"]})
    await submit(rig)
    assert (await newest(rig)).cents == 100


async def test_command_form_shows_omitted_rows_first(rig: Rig) -> None:
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
