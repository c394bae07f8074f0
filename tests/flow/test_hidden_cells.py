"""A workbook that hides, computes or disguises what is paid: said before it is asked for, and to who approves it."""

import pytest

from tests.support.bulk import ask, button, offered, press, pressed, stored_rows, submit, told
from tests.support.offers import said
from tests.support.rig import APPROVALS, FINANCE, MARIA, Rig
from tests.support.shown import lacking, shown
from tests.tables.workbooks import packed, parts
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")

_NAMES = "".join(
    f'<c r="{at}1" t="str"><v>{name}</v></c>' for at, name in zip("ABC", ("email", "amount", "id"), strict=True)
)


def workbook(*, masked: str = "", about: str = "") -> bytes:
    """Rows 3 and 4 are hidden, the amounts of 2 and 4 are results of formulas, and so are all ids.

    ``masked``: the column that shows 5.00 in row 3 whatever it holds.
    """

    def row(number: int, amount: str, attributes: str = "") -> str:
        style = {column: 's="1"' if column == masked and number == 3 else "" for column in "BC"}
        identity = f'<c r="C{number}" {style["C"]}><f>ROW()</f><v>{number}</v></c>'
        return (
            f'<row r="{number}" {attributes}><c r="A{number}" t="str"><v>p{number}@example.com</v></c>'
            f'<c r="B{number}" {style["B"]}>{amount}</c>{identity}</row>'
        )

    rows = [
        row(2, "<f>12.5*2</f><v>25</v>"),
        row(3, "<v>900</v>", 'hidden="1"'),
        row(4, "<f>5+5</f><v>10</v>", 'ht="0"'),
    ]
    body = f'<sheetData><row r="1">{_NAMES}</row>{"".join(rows)}</sheetData>'
    sheet = f"<worksheet>{about}{body}</worksheet>"
    return packed({**parts([], formats=['"5.00"']), "xl/worksheets/sheet1.xml": sheet})


COLUMNS = '<cols><col min="2" max="2" width="9" hidden="1"/></cols>'
SAID = [
    ":warning: Rows 3 and 4 are hidden in the spreadsheet but will be paid.",
    ":warning: Column “amount” is hidden in the spreadsheet.",
    ":warning: Rows 2 and 4 contain formulas; their last saved values are used.",
]


async def dropped(rig: Rig, content: bytes, name: str = "march.xlsx") -> None:
    await press(rig, await offered(rig, content, name))


async def test_hidden_cells_are_shown_in_the_form_and_on_the_card(rig: Rig) -> None:
    await dropped(rig, workbook(about=COLUMNS))
    assert [line for line in told(rig).splitlines() if "warning" in line] == SAID
    await submit(rig)
    assert [line for line in shown(rig.form()).splitlines() if "warning" in line] == SAID
    assert (await newest(rig)).cents == 93_500
    (card,) = rig.cards(APPROVALS)
    assert [line for line in card.plain.splitlines() if line in SAID] == SAID


async def test_file_without_hidden_cells_gets_no_warning(rig: Rig) -> None:
    await pressed(rig)
    await submit(rig)
    (card,) = rig.cards(APPROVALS)
    assert "hidden" not in card.plain + shown(rig.form())
    assert "formula" not in card.plain + shown(rig.form())


async def test_misleadingly_displayed_amount_is_not_paid(rig: Rig) -> None:
    await dropped(rig, workbook(masked="B"))
    assert "Row 3: amount is 900; its number format shows something else" in told(rig)
    assert rig.form().submit == "Go on"
    await submit(rig)
    assert await requests(rig) == []


async def test_disguised_format_in_an_unused_column_is_ignored(rig: Rig) -> None:
    await dropped(rig, workbook(masked="C"))
    assert rig.form().submit == "Request approval"


TWICE = b"email,amount,Amount,note\nana@example.com,25.00,900.00,March\n"


async def test_person_chooses_between_equally_named_columns(rig: Rig) -> None:
    await dropped(rig, TWICE, "march.csv")
    assert told(rig).splitlines()[1].startswith(":mag: *Which column is which?*")
    assert rig.form().submit == "Go on"
    selects = {block["block_id"]: block["element"] for block in rig.form().blocks if block["type"] == "input"}
    options = [one["text"]["text"] for one in selects["amount"]["options"]]
    assert options == ["email", "amount (column 2)", "Amount (column 3)", "note"]
    await submit(rig, {"amount": "2", "note": "3"})
    assert "*$900.00* · 1 payment" in told(rig)
    assert await requests(rig) == []
    await submit(rig)
    (row,) = await stored_rows(rig)
    assert (row.item.cents, row.item.note) == (90_000, "March")
    (card,) = rig.cards(APPROVALS)
    assert not lacking(card.plain, "amount from “Amount” (column 3)", "not used: “amount” (column 2)")


@pytest.mark.parametrize(
    "header",
    ["email,amount,note,Note", "email,Email,amount,x", "email,amount,amount,x"],
    ids=["note", "email", "amount"],
)
async def test_each_duplicated_column_is_asked_about(rig: Rig, header: str) -> None:
    await dropped(rig, f"{header}\nana@example.com,25.00,10.00,x\n".encode(), "march.csv")
    assert [one.text for one in said(rig)[0].buttons] == ["Pay in bulk", "Check first", "Process e-mails"]
    assert told(rig).splitlines()[1].startswith(":mag: *Which column is which?*")
    assert await requests(rig) == []


async def test_unused_duplicated_columns_are_ignored(rig: Rig) -> None:
    await dropped(rig, b"email,amount,x,x\nana@example.com,25.00,1,2\n", "march.csv")
    assert "*$25.00* · 1 payment" in told(rig)


async def test_typed_rows_with_one_name_twice_are_refused(rig: Rig) -> None:
    await ask(rig, "email,amount,amount\nana@example.com,25.00,900.00")
    assert await requests(rig) == []
    assert "Rename one of them." in rig.form().plain


async def test_address_list_shows_its_cost_before_starting(rig: Rig) -> None:
    offer = await offered(rig, workbook(masked="C", about=COLUMNS), "people.xlsx")
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Process e-mails").action_id)
    await rig.workspace.until(lambda: "Column with the addresses" in rig.form().plain or None)
    assert [line for line in rig.form().plain.splitlines() if line.startswith(":warning:")] == [
        SAID[0].replace("paid", "checked"),
        SAID[1],
        ":warning: Rows 2 to 4 contain formulas; their last saved values are used.",
        ":warning: Row 3 contains another value than the spreadsheet shows.",
    ]


async def test_equally_named_columns_are_distinguished(rig: Rig) -> None:
    offer = await offered(rig, b"Email,name,email\n-,Ana,ana@example.com\n", "people.csv")
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Process e-mails").action_id)
    await rig.workspace.until(lambda: "Column with the addresses" in rig.form().plain or None)
    select = next(block["element"] for block in rig.form().blocks if block.get("block_id") == "column")
    names = [option["text"]["text"] for option in select["options"]]
    assert names == ["Email (column 1) (0% addresses)", "name (0% addresses)", "email (column 3) (100% addresses)"]
    assert select["initial_option"] == select["options"][2]
