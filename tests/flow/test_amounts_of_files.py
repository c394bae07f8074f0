"""The amounts of a file: their currency, and which sign stands before the cents, which is asked and never guessed."""

from collections.abc import Mapping, Sequence

import pytest

from tests.support.bulk import ask, button, everything, offered, press, pressed, stored_rows, submit, told
from tests.support.offers import said
from tests.support.rig import FINANCE, MARIA, TOM, Rig
from tests.support.shown import shown
from tests.tables.workbooks import Cell, number, packed, parts, workbook
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")

COLUMN = b"email,amount,currency,note\nana@example.com,100.00,EUR,March\nluis@example.com,2500.00,COP,March\n"
IN_DOLLARS = b"mei@example.com,50.00,USD,March\n"
COMMAS = b"email;amount\nana@example.com;1.655,60\nluis@example.com;455,44\nmei@example.com;25\n"
GROUPS = b"email;amount\nana@example.com;1,655\nluis@example.com;2,500\n"


def bad_rows(rig: Rig) -> list[str]:
    return [line.partition(";")[0] for line in told(rig).splitlines() if line.startswith("• Row")]


def decimals(rig: Rig) -> tuple[dict[str, str], str]:
    """Readings of the amounts that the form offers, by value; and the one that is selected."""
    found = [block["element"] for block in rig.form().blocks if block.get("block_id") == "decimals"]
    options = found[0]["options"] if found else []
    chosen = found[0].get("initial_option", {}).get("value", "") if found else ""
    return {one["value"]: one["text"]["text"] for one in options}, chosen


async def test_rows_in_another_currency_are_refused_with_their_number(rig: Rig) -> None:
    await pressed(rig, COLUMN + IN_DOLLARS)
    assert [line[:25] for line in bad_rows(rig)] == ["• Row 2: currency is EUR", "• Row 3: currency is COP"]
    await rig.workspace.click_in_view(MARIA, "bulk.good")
    await rig.workspace.until(lambda: "*$50.00* · 1 payment" in rig.form().plain or None)
    await submit(rig)
    assert [(row.row, row.cents) for row in await stored_rows(rig)] == [(4, 5_000)]


@pytest.mark.parametrize(
    ("name", "cells", "bad"),
    [
        ("currency", ["USD", "", "US$"], []),
        ("Moneda", ["dólares", "$", "usd"], []),
        ("Währung", ["USD", "", "EUR"], ["• Row 3: no currency", "• Row 4: currency is EUR"]),
        ("divisa", ["£", "US Dollar", "pesos"], ["• Row 2: currency is £", "• Row 4: currency is pesos"]),
        ("Unit", ["USD", "EUR", "USD"], ["• Row 3: currency is EUR"]),
        ("Type", ["Dollars", "Euros", "Dólares"], ["• Row 3: currency is Euros"]),
        ("currency", ["840", "978", "840"], ["• Row 3: currency is 978"]),
        ("Unit", ["box", "EUR", "USD"], []),
        ("Amount in local currency", ["100.00", "2.50", ""], []),
        ("note", ["rent", "MXN", "EUR for rent"], ["• Row 3: amount is 25.00 MXN"]),
    ],
)
async def test_currency_column_decides_which_rows_are_paid(
    rig: Rig, name: str, cells: Sequence[str], bad: list[str]
) -> None:
    rows = "".join(f"p{n}@example.com,25.00,{cell}\n" for n, cell in enumerate(cells))
    await pressed(rig, f"email,amount,{name}\n{rows}".encode())
    assert (bad_rows(rig), rig.form().submit) == (bad, "Go on" if bad else "Request approval")


@pytest.mark.parametrize(
    "name",
    [
        *("amount (€)", "amount £", "amount (R$)", "amount CHF", "amount (Rs.)", "importe (M.N.)", "amount (KSh)"),
        *("金額(円)", "сумма, руб", "amount (Q)", "amount in USD cents", "importe en centavos", "amount (k)"),
        *("Betrag in TEUR", "amount in thousands", "importe (miles)", "amount in local currency", "Betrag Hauswährung"),
    ],
)
async def test_column_in_another_unit_is_refused_once(rig: Rig, name: str) -> None:
    content = f"email;{name};paid usd\nana@example.com;100.00;110.00\nluis@example.com;250.00;275.00\n".encode()
    await rig.pay("bulk")
    await rig.workspace.submit(MARIA, {"file": [rig.workspace.upload(MARIA, "march.csv", content)]})
    await rig.workspace.until(lambda: rig.form().submit == "Go on" or None)
    await submit(rig, {"amount": "1"})
    assert told(rig).splitlines()[1].startswith(f":pencil2: *The column “{name}” is in ")
    assert (bad_rows(rig), rig.form().submit) == ([], "Go on")
    await submit(rig)
    assert await requests(rig) == []
    await submit(rig, {"amount": "2"})
    await submit(rig)
    assert (await newest(rig)).cents == 38_500


@pytest.mark.parametrize(
    ("name", "currency"),
    [
        ("importe EUR", "EUR"),
        ("amount MXN", "MXN"),
        ("Betrag (EUR)", "EUR"),
        ("valor R$", "R$"),
        ("monto_eur", "eur"),
        ("Amount in euros", "euros"),
        ("monto_usd", ""),
        ("Total en dólares", ""),
    ],
)
async def test_column_named_by_amount_and_currency_is_recognized(rig: Rig, name: str, currency: str) -> None:
    offer = await offered(rig, f"email,{name}\nana@example.com,25.00\n".encode())
    assert ("$25.00" in said(rig)[-1].text) == (not currency)
    await press(rig, offer)
    assert (f"The column “{name}” is in {currency}." in told(rig), "How are" in told(rig)) == (bool(currency), False)
    await submit(rig)
    assert [one.cents for one in await requests(rig)] == ([] if currency else [2_500])


@pytest.mark.parametrize(
    ("content", "currency"),
    [
        ("Payments in EUR\nemail,amount\nana@example.com,25\n", "EUR"),
        ("Nómina marzo (pesos)\ncorreo;monto\nana@example.com;25\n", "pesos"),
        ("email,amount\n,(€)\nana@example.com,25\n", "€"),
        ("email,amount\nana@example.com,25\nAlle Beträge in EUR,\n", "EUR"),
        ("Rates EUR/USD\nemail,amount\nana@example.com,25\n", ""),
        ("Team EUR\nemail,amount_usd\nana@example.com,25\n", ""),
        ("TOP PAYMENTS\nemail,amount\nana@example.com,25\n", ""),
    ],
)
async def test_currency_in_a_title_or_remark_applies_to_all_amounts(rig: Rig, content: str, currency: str) -> None:
    await pressed(rig, content.encode())
    assert (f"*All amounts are in {currency}.*" in told(rig)) is bool(currency)
    assert ("*$25.00*" in told(rig)) is not bool(currency)


async def test_dollar_column_is_preferred(rig: Rig) -> None:
    await pressed(rig, b"email,monto (MXN),monto (USD)\nana@example.com,450.00,25.00\n")
    await submit(rig)
    assert (await newest(rig)).cents == 2_500


@pytest.mark.parametrize(
    "content",
    [
        "email,amount,currency\nana@example.com,100.00,EUR\nluis@example.com,20.00,EUR",
        "email,amount,note\nana@example.com,100.00 EUR,March\nluis@example.com,EUR 20.00,April",
        "email;amount;note\nana@example.com;100,00;EUR\nluis@example.com;20,00;EUR",
    ],
)
async def test_file_in_another_currency_is_refused(rig: Rig, content: str) -> None:
    await pressed(rig, content.encode())
    assert told(rig).splitlines()[1].startswith(":pencil2: *All amounts are in EUR.*")
    await submit(rig)
    assert await requests(rig) == []


@pytest.mark.parametrize(
    ("rows", "bad", "cents"),
    [
        ("email,amount,note\nana@example.com,1,500\nluis@example.com,25,rent", {2: 150_000}, [2_500]),
        ("email,amount,note\nana@example.com,1,500\nluis@example.com,2,300.5", {2: 150_000, 3: 230_050}, []),
        ("email,amount,note\nana@example.com,1500,50\nluis@example.com,$1655,60", {2: 150_050, 3: 165_560}, []),
        ("email,amount,,note\nana@example.com,1,500,rent\nluis@example.com,25,,rent", {2: 150_000}, [2_500]),
        ("email,amount,project\nana@example.com,1,500\nluis@example.com,25,", {2: 150_000}, [2_500]),
        ("email,amount,quantity\nana@example.com,1,500\nluis@example.com,25,101", {}, [100, 2_500]),
        ("email,amount,note\nana@example.com,1.00,500\nluis@example.com,25,2026", {}, [100, 2_500]),
        ('email,amount,note\nana@example.com,1,"500"\n"luis@example.com","25","50"', {}, [100, 2_500]),
        ("email;amount;note\nana@example.com;1;500\nluis@example.com;25;50", {}, [100, 2_500]),
    ],
)
async def test_number_behind_an_amount_is_refused_unless_a_column_explains_it(
    rig: Rig, rows: str, bad: Mapping[int, int], cents: list[int]
) -> None:
    await pressed(rig, rows.encode())
    refused = [line for line in told(rig).splitlines() if line.startswith("• Row")]
    assert len(refused) == len(bad)
    for line, (row, whole) in zip(refused, bad.items(), strict=True):
        assert line.startswith(f"• Row {row}: amount is ")
        assert f"; write {whole // 100}.{whole % 100:02d}, or " in line
    if bad and cents:
        await rig.workspace.click_in_view(MARIA, "bulk.good")
        await rig.workspace.until(lambda: "· 1 payment" in rig.form().plain or None)
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == cents if cents else await requests(rig) == []


def formatted(cells: Sequence[tuple[str, str]]) -> bytes:
    codes = list(dict.fromkeys(code for _, code in cells))
    rows: list[list[Cell]] = [
        [f"p{n}@example.com", number(value, style=codes.index(code) + 1)] for n, (value, code) in enumerate(cells)
    ]
    return workbook([["email", "amount"], *rows], formats=codes)


async def test_workbook_pays_displayed_amounts_only(rig: Rig) -> None:
    foreign = [
        ("100", '#,##0.00\\ "€"'),
        ("250.5", "[$£-809]#,##0.00"),
        ("90000", "[$COP]\\ #,##0"),
        ("1", "[$$-80A]0"),
    ]
    await pressed(rig, formatted([*foreign, ("25", '0.00" k"'), ("1.655", "0.000")]))
    assert bad_rows(rig) == [
        f"• Row {row}"
        for row in (
            "2: amount is 100.00 €",
            "3: amount is £250.50",
            "4: amount is COP 90000",
            "5: amount is MXN 1",
            "6: 25.00 k isn't an amount",
            "7: amount is 1.6550",
        )
    ]
    await pressed(
        rig, formatted([(one, "0.00") for one in ("2.6749999999999998", "1.0049999999999999", "652.68499999999995")])
    )
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == [268, 101, 65_269]


async def test_decimal_comma_is_asked_about_once(rig: Rig) -> None:
    offer = await offered(rig, COMMAS)
    assert "$" not in said(rig)[-1].text, "no sum that isn't known"
    await press(rig, offer)
    assert (decimals(rig), rig.form().submit) == (
        ({"point": "1.655,60 can't be read", "comma": "1.655,60 = $1,655.60"}, ""),
        "Go on",
    )
    assert await requests(rig) == []
    await submit(rig, {"decimals": "comma"})
    assert (told(rig).splitlines()[1], decimals(rig)[1]) == ("*$2,136.04* · 3 payments to 3 people", "comma")
    assert await requests(rig) == []
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == [165_560, 45_544, 2_500]
    assert "Amounts read as 1.655,60 = $1,655.60" in (await rig.card()).plain
    await press(rig, await offered(rig, COMMAS.replace(b"455,44", b"455,45"), "april.csv"))
    assert (decimals(rig)[1], rig.form().submit) == ("comma", "Go on"), "preselected, not used"
    await press(rig, await offered(rig, COMMAS.replace(b"455,44", b"455,46"), "may.csv"), user=TOM)
    assert "initial_option" not in next(b["element"] for b in rig.form(TOM).blocks if b.get("block_id") == "decimals")


async def test_separator_before_three_digits_is_never_guessed(rig: Rig) -> None:
    await pressed(rig, GROUPS)
    assert decimals(rig) == ({"point": "1,655 = $1,655.00", "comma": "1,655 = 1.655, too many decimals"}, "")
    await submit(rig, {"decimals": "comma"})
    assert (bad_rows(rig), "1 good row" in rig.form().plain) == (["• Row 2: amount is 1.6550"], True)
    await submit(rig, {"decimals": "point"})
    assert "*$4,155.00* · 2 payments to 2 people" in told(rig)
    await submit(rig, {"decimals": "comma"})
    await submit(rig, {"decimals": "point"})
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == [165_500, 250_000]


async def test_another_reading_is_shown_before_it_is_requested(rig: Rig) -> None:
    await pressed(rig, b"email;amount\nana@example.com;1.500\n")
    await submit(rig, {"decimals": "comma"})
    await submit(rig, {"decimals": "point"})
    assert "*$1.50* · 1 payment to 1 person" in told(rig)
    assert await requests(rig) == []
    await submit(rig)
    assert (await newest(rig)).cents == 150


async def test_amounts_in_two_styles_are_refused_with_their_rows(rig: Rig) -> None:
    await pressed(rig, COMMAS + b"zed@example.com;1,655.60\n")
    assert "row 2 has 1.655,60, row 3 has 455,44 and row 5 has 1,655.60" in told(rig)
    assert (decimals(rig), rig.form().submit) == (({}, ""), "Go on")
    await submit(rig)
    assert await requests(rig) == []


async def test_reading_must_fit_all_amounts(rig: Rig) -> None:
    await pressed(rig, GROUPS + b"zed@example.com;25.00\n")
    await submit(rig, {"decimals": "comma"})
    assert "row 2 has 1,655, row 3 has 2,500 and row 4 has 25.00" in told(rig)
    await submit(rig, {"decimals": "point"})
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == [165_500, 250_000, 2_500]


async def test_numbers_of_a_workbook_have_one_reading_beside_texts_with_commas(rig: Rig) -> None:
    rows: list[list[Cell]] = [["ana@example.com", number("25.5", style=1)], ["luis@example.com", "1.655,60"]]
    await pressed(rig, workbook([["email", "amount"], *rows], formats=["0.00"]))
    await submit(rig, {"decimals": "comma"})
    await submit(rig)
    assert [row.cents for row in await stored_rows(rig)] == [2_550, 165_560]


async def test_checked_file_keeps_the_chosen_reading(rig: Rig) -> None:
    offer = await offered(rig, COMMAS)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Check first").action_id)
    await rig.workspace.until(lambda: decimals(rig)[0] or None)
    await submit(rig, {"decimals": "comma"})
    assert rig.form().submit == "Check first"
    await submit(rig)
    board = next(one for one in everything(rig, FINANCE) if "This check pays nothing." in one.plain)
    assert "*$2,136.04* · 3 payments" in board.plain
    await rig.workspace.click(MARIA, FINANCE, board.ts, button(board, "Pay in bulk").action_id)
    await rig.workspace.until(lambda: "*$2,136.04* · 3 payments" in told(rig) or None)
    await submit(rig)
    assert (await newest(rig)).cents == 213_604


async def test_pasted_rows_get_the_separator_question(rig: Rig) -> None:
    await ask(rig, "ana@example.com\t1.655,60\trent\nluis@example.com\t455,44\n")
    assert decimals(rig)[0]["comma"] == "1.655,60 = $1,655.60"
    await submit(rig, {"decimals": "comma"})
    assert "*$2,111.04* · 2 payments to 2 people" in shown(rig.form())
    assert await requests(rig) == []
    await submit(rig)
    assert [(row.cents, row.note) for row in await stored_rows(rig)] == [(165_560, "rent"), (45_544, "")]


@pytest.mark.parametrize(
    ("rows", "rule"),
    [
        ("ana@example.com,1,500", "Row 1: amount is 1,500; write 1500.00"),
        ("ana@example.com,25,50\nluis@example.com,3.00", "Row 1: amount is 25,50; write 25.50"),
        ("ana@example.com, 25, EUR", "Row 1: amount is 25 EUR; amounts are in USD only"),
        ("email,amount,currency\nana@example.com,25,EUR", "Row 2: currency is EUR; amounts are in USD only"),
        ("email,importe,monto (S/)\nana@example.com,25.00,3", None),
        ('ana@example.com,1,"500"', None),
        ("ana@example.com, 25, 101", None),
    ],
)
async def test_typed_rows_never_lose_a_part_of_their_amounts(rig: Rig, rows: str, rule: str | None) -> None:
    await ask(rig, rows)
    assert (rule or "") in shown(rig.form())
    assert len(await requests(rig)) == (rule is None)


async def test_amounts_struck_out_or_with_raised_digits_are_refused(rig: Rig) -> None:
    raised = '<r><t>25</t></r><r><rPr><vertAlign val="superscript"/></rPr><t>00</t></r>'
    amounts: list[Cell] = [('s="1"', "<v>25</v>"), ('t="s"', "<v>0</v>"), ('t="inlineStr"', f"<is>{raised}</is>"), 10]
    rows: list[list[Cell]] = [["email", "amount"], *([f"p{n}@example.com", one] for n, one in enumerate(amounts))]
    files = parts(rows, formats=["0.00"], strings=[raised])
    styles = files["xl/styles.xml"].replace('numFmtId="164"/></cellXfs>', 'numFmtId="164" fontId="1"/></cellXfs>')
    fonts = "<fonts><font><b/></font><font><strike/></font></fonts>"
    files["xl/styles.xml"] = styles.replace("<cellStyleXfs>", f"{fonts}<cellStyleXfs>")
    await press(rig, await offered(rig, packed(files), "march.xlsx"))
    assert bad_rows(rig) == [f"• Row {row} isn't an amount" for row in ("2: ∼25.00", "3: 25~00", "4: 25~00")]
