"""What a cell of a workbook shows is what is paid: number formats with currencies, literals, scales and rounding."""

import io

import pytest

from bot.domain.errors import RuleError
from bot.domain.files.tables import rows_of
from bot.domain.money import OTHER_CURRENCY, parse_amount
from bot.tables.formats import BUILT_IN
from bot.tables.reading import read_table
from tests.tables.workbooks import Cell, number, packed, parts, workbook

ACCOUNTING = '_(* #,##0.00_);_(* \\(#,##0.00\\);_(* "-"??_);_(@_)'

PAID = [
    *((stored, "0.00", cents) for stored, cents in (
        ("2.6749999999999998", 268), ("1.0049999999999999", 101), ("652.68499999999995", 65_269), ("1.115", 112),
        ("1.1149999999999", 111), ("25.4", 2_540), ("0.285", 29), ("1.0049999999999", 100))),
    *(("25.4", code, 2_540) for code in (
        "General", "@", "0.00", "#,##0.00", '"$"#,##0.00', "$#,##0.00", '#,##0.00" USD"', "[$USD] #,##0.00",
        "[$$-409]#,##0.00",
        "[$$-en-US]#,##0.00", "[$$-300A] #,##0.00", "[$$-440A]#,##0.00", "[$$-500A]#,##0.00", "[$$-180A]#,##0.00",
        "[$$-10409]#,##0.00", "[$US$-300A]#,##0.00", "[$$]#,##0.00", "[$-409]0.00", "[$-407]0.00", "[Red]0.00",
        "[Color10]0.00", "#,##0.00 $", ACCOUNTING, ACCOUNTING.replace("_(*", '_("$"*'), "# ##0.00", "0.0?",
        '_-[$$-409]* #,##0.00_ ;_-[$$-409]* \\-#,##0.00\\ ;_-[$$-409]* "-"??_ ;_-@_ ', "[<100]0.00;0")),
    ("125.4", "[<100]0.00;0", 12_500),
    ("25.4", "[>=100]0.00;[>50]0.0;0", 2_500), ("75.46", "[>=100]0.00;[>50]0.0;0", 7_550),
    ("1234.56", "# ##0.00", 123_456), ("25.4", "0", 2_500), ("1234567.5", "#,##0.00", 123_456_750),
    ("25.5", "#,##0", 2_600),
]  # fmt: skip
FOREIGN = [
    '#,##0.00\\ "€"', "[$€-407] #,##0.00", "#,##0.00 [$€-1]", "[$€-x-euro2]0.00", "€0.00", "0.00€", "[$£-809]#,##0.00",
    "[$COP]\\ #,##0", "[$MXN] 0.00", "[$R$-416] #,##0.00", '"R$ "#,##0.00', '"S/" #,##0.00', "[$S/-280A]\\ 0.00",
    "[$$-2C0A]0.00", "[$$-80A]#,##0.00", "[$$-240A] 0.00", "[$$-340A]0", "[$$-C0C]0.00", "[$$-1009]0.00",
    "[$$-es-MX]0.00",
    '[$-80A]"$"#,##0.00', "[$-es-CO]$0.00", "[$A$-C09]0.00", '"kr" 0.00', "[$zł-415] 0.00", '0.00" EUR"',
    '0.00" pesos"',
    "[$¥-411]0", "[$₡-140A]0.00", "[$Bs-400A]0.00", "[$CHF-807] 0.00", "[$$-411]0.00", "[<100][$€-2]0.00;0.00",
    ACCOUNTING.replace("_(*", '_-"€"*'),
]  # fmt: skip
REFUSED = [
    '0.00" k"', "0.00k", '0.00" mil"', '0" M"', "0.00\\K", '"ca. "0.00', "0%", '0"%"', "0.00%", "0.00E+00", '0.00"-"',
    '0.00" / h"', "yyyy-mm-dd", "[h]:mm", "h:mm", "0.00 Dh", '0.00"c"',
]  # fmt: skip
PLAIN = [
    "00000", '"Fr. "0.00', '"Rs."0.00', "#\\ ##0.00", "[$CHF-807] #\\'##0.00", "#,##0.00_);[Red](#,##0.00)",
    "[$€-2] #,##0.00;[Red]-[$€-2] #,##0.00", '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)', "0.00;@",
    '_-* #,##0.00\\ "€"_-;\\-* #,##0.00\\ "€"_-;_-* "-"??\\ "€"_-;_-@_-', 'General" USD"', "yyyy-mm-dd", "[h]:mm:ss",
    "[>=100]0.00;0.0", "[>100]0.00;[<10]0.00;0.0", '0.00"; net"', *(code for code in REFUSED if code != '0.00"-"'),
]  # fmt: skip
HIDDEN = [
    ("900", code) for code in (
        "0,", "0.00,", "#,##0.00,,", '"5.00"', "# ?/?", "# ??/??", "0 0/4", "# ?/16", "-0.00", '"-"0.00', "(0.00)",
        "0\\.00", '0"0".00', '0"."00', "\\.00", '"."00', ";;;", ";0.00", '"five"', "\\5", '"5.00";"5.00";"5.00"',
        '"1"0.00', '0.00"9"', "[$5]0.00", "*50.00", '"٥"0', "50.00", '[=900]"5.00";0.00', "[>1000]0.00",
        "[>1000]0.00;[<10]0.00", "@@", "General@")
] + [("-5", "0.00;;"), ("0", '0.00;-0.00;"5.00"')]  # fmt: skip
NOT_HIDDEN = [(stored, code) for stored in ("25", "900.5") for code in PLAIN]
NOT_HIDDEN += [("-5", "0.00;-0.00;"), ("0", '0.00;-0.00;"-"')]
HIDDEN_TEXTS = [";;;", '0;0;0;"bo@example.com"', '"bo."@', "0.00;0.00;0.00;", "@@", "@ @", "0;0;0;@@"]


def shown(cell: Cell, code: str) -> tuple[str, bool]:
    """The text of a cell with this content and format, and whether it shows something else than it holds."""
    made = workbook([["email", "amount"], ["a@b.co", cell]], formats=[code])
    table = read_table(io.BytesIO(made), name="march.xlsx")
    return table.rows[0].cells[1], 2 in rows_of(table.hidden.disguised.get(1, ()))


def read(stored: str, code: str) -> tuple[str, bool]:
    return shown(number(stored, style=1), code)


@pytest.mark.parametrize(("stored", "code", "cents"), PAID)
def test_displayed_number_is_the_amount(stored: str, code: str, cents: int) -> None:
    text, disguised = read(stored, code)
    assert (parse_amount(text), disguised) == (cents, False)


@pytest.mark.parametrize("code", FOREIGN)
def test_a_format_in_another_currency_is_refused_as_its_text(code: str) -> None:
    with pytest.raises(RuleError) as refused:
        parse_amount(read("25.4", code)[0])
    assert refused.value.rule == OTHER_CURRENCY


@pytest.mark.parametrize("code", REFUSED)
def test_format_with_other_words_is_not_an_amount(code: str) -> None:
    with pytest.raises(RuleError):
        parse_amount(read("25.4", code)[0])


@pytest.mark.parametrize(
    ("stored", "code", "disguised"), [*((*one, True) for one in HIDDEN), *((*one, False) for one in NOT_HIDDEN)]
)
def test_format_that_shows_another_number_is_refused(stored: str, code: str, disguised: bool) -> None:
    assert read(stored, code)[1] is disguised


@pytest.mark.parametrize(
    ("code", "disguised"), [*((one, True) for one in HIDDEN_TEXTS), *((one, False) for one in PLAIN)]
)
def test_format_that_hides_or_changes_text_is_refused(code: str, disguised: bool) -> None:
    assert shown(('s="1" t="str"', "<v>ana@example.com</v>"), code)[1] is disguised


def builtin(number_format: int, *codes: str) -> str:
    """The text of a cell whose format is given by number, in a workbook with these other formats."""
    files = parts([["email", "amount"], ["a@b.co", number("25.4", style=0)]], formats=codes)
    assert files["xl/styles.xml"].count('<cellXfs><xf numFmtId="0"/>') == 1
    files["xl/styles.xml"] = files["xl/styles.xml"].replace('<xf numFmtId="0"/>', f'<xf numFmtId="{number_format}"/>')
    return read_table(io.BytesIO(packed(files)), name="march.xlsx").rows[0].cells[1]


@pytest.mark.parametrize("one", [5, 6, 7, 8, 42, 44])
def test_default_currency_is_dollars_unless_the_workbook_has_another(one: int) -> None:
    shown = "25.40" if BUILT_IN[one].endswith(".00") else "25"
    assert builtin(one) == builtin(one, '"$"0.00', '0.00" k"') == shown
    for code in ("[$€-407] 0.00", "[$$-80A]0.00"):
        with pytest.raises(RuleError) as refused:
            parse_amount(builtin(one, code))
        assert refused.value.rule == OTHER_CURRENCY
