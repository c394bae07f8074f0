"""*Pay in bulk* is offered where the columns fit; *Use this file* has it for other tables, and asks for the columns."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.workspace import Message
from tests.support.bulk import press, stored_rows, submit
from tests.support.offers import choices, said, use_file
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import lacking
from tests.workflows.looking import newest, requests

BOTH = ["Pay in bulk", "Process e-mails"]
ALL = ["Pay in bulk", "Check first", "Process e-mails"]
NAMELESS = b"Id;Contact;To pay;Before;Why\n1;ana@example.com;25.00;1;March\n2;luis@example.com;10.50;1;Proofs\n"

pytestmark = pytest.mark.rig(on="both")


async def dropped(rig: Rig, content: bytes, name: str = "march.csv") -> Message:
    message = await rig.workspace.drop(MARIA, FINANCE, name, content)
    await rig.settle()
    return message


def offers(rig: Rig) -> list[list[str]]:
    return [[button.text for button in one.buttons] for one in said(rig)]


@pytest.mark.parametrize(
    ("header", "labels"),
    [
        ("email,amount,note", ALL),
        ("Payee;Total;Zweck", ALL),
        ("amount,memo,comment,E-Mail", ALL),
        ("email,name", ["Process e-mails"]),
        ("who,how much", ["Process e-mails"]),
        ("recipient,payee,amount", ["Process e-mails"]),
    ],
)
async def test_bulk_is_offered_if_headers_name_the_columns(rig: Rig, header: str, labels: list[str]) -> None:
    mark = ";" if ";" in header else ","
    row = mark.join("x" for _ in header.split(mark))
    await dropped(rig, f"{header}\n{row}\n".encode())
    assert offers(rig) == [labels]


async def test_table_without_names_is_offered_and_explained(rig: Rig) -> None:
    await dropped(rig, b"ana@example.com,25.00\nluis@example.com,10.50\n")
    assert offers(rig) == [BOTH]
    await press(rig, said(rig)[0])
    assert "The first row already holds data." in rig.form().plain


async def test_shortcut_offers_other_tables_and_asks_for_columns(rig: Rig) -> None:
    message = await dropped(rig, NAMELESS)
    assert offers(rig) == [["Process e-mails"]]
    listed = choices(await use_file(rig, message))
    assert list(listed) == ["Process e-mails", "Pay in bulk", "Check first"]
    await submit(rig, {"choice": listed["Pay in bulk"]})
    form = rig.form()
    assert "*Which column is which?*" in form.plain
    assert form.submit == "Go on"
    chosen = {
        block["block_id"]: block["element"]["initial_option"]["text"]["text"]
        for block in form.blocks
        if block["type"] == "input"
    }
    assert chosen == {"email": "Contact", "amount": "To pay", "note": "No note", "name": "No name"}
    await submit(rig, {"note": "4"})
    assert rig.form().plain.splitlines()[1] == "*$35.50* · 2 payments to 2 people"
    assert await requests(rig) == []
    await submit(rig)
    asked = await newest(rig)
    assert (asked.cents, asked.state) == (3550, State.AWAITING)
    assert [(row.item.email, row.item.cents, row.item.note) for row in await stored_rows(rig)] == [
        ("ana@example.com", 2500, "March"),
        ("luis@example.com", 1050, "Proofs"),
    ]
    await rig.press("approve")
    assert [(one.order.email, one.order.cents) for one in rig.payments.bulk_payments[0].items] == [
        ("ana@example.com", 2500),
        ("luis@example.com", 1050),
    ]


async def test_unrecognized_columns_have_to_be_chosen(rig: Rig) -> None:
    message = await dropped(rig, b"who,how much\nnobody,much\n")
    await use_file(rig, message)
    listed = choices(rig.form())
    await submit(rig, {"choice": listed["Pay in bulk"]})
    selects = [block["element"] for block in rig.form().blocks if block["type"] == "input"]
    assert ["initial_option" in one for one in selects] == [False, False, True, True]
    await submit(rig, {"email": "0", "amount": "1"})
    assert "*The only row needs fixing.*" in rig.form().plain
    assert await requests(rig) == []


async def test_single_column_table_cannot_be_paid(rig: Rig) -> None:
    message = await dropped(rig, b"email\nana@example.com\nluis@example.com\n")
    assert offers(rig) == [["Process e-mails"]]
    assert list(choices(await use_file(rig, message))) == ["Process e-mails"]


async def test_command_form_asks_for_columns(rig: Rig) -> None:
    await rig.pay("bulk")
    file = rig.workspace.upload(MARIA, "march.csv", NAMELESS)
    await rig.workspace.submit(MARIA, {"file": [file]})
    await rig.workspace.until(lambda: "Which column is which?" in rig.form().plain or None)
    await submit(rig)
    await submit(rig)
    assert not lacking(rig.form().plain, "Request sent: $35.50 · 2 payments", "not used: “Id”, “Before”, “Why”")
    assert (await newest(rig)).origin_channel == FINANCE
