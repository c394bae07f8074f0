"""Payment files and lists of addresses as people's programs write them, dropped into a channel."""

import csv
import io

import pytest

from bot.domain.content import Block
from bot.playground.workspace import Message
from tests.support.bulk import button, offered, press, pressed, stored, stored_rows, submit
from tests.support.offers import said
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest

pytestmark = pytest.mark.rig(on="both")

ZERO, BOM, MARK, POP = "\u200b", "\ufeff", "\u202a", "\u202c"


def direct_files(rig: Rig) -> list[bytes]:
    messages = rig.workspace.messages(rig.workspace.open_dm(MARIA).id)
    return [stored(rig, file).content for message in messages for file in message.files]


@pytest.mark.parametrize(
    ("content", "rows", "words"),
    [
        (
            f"email,amount\nana@example.com{ZERO},25.00{ZERO}\n{BOM}luis@example.com,\u00a010.00\n"
            f"{MARK}mei\uff20example.com{POP},\uff15.00\nj\u00ado@exam\u2060ple.com,$\u202f1\ufe0f.00\n",
            [("ana@example.com", 2500), ("luis@example.com", 1000), ("mei@example.com", 500), ("jo@example.com", 100)],
            [],
        ),
        ("email,amount,note\na@example.com,1.00\nb@example.com,2.00,x\n",
         [("a@example.com", 100), ("b@example.com", 200)], []),
        ("Payroll March,,\n,,\nemail,amount,note\na@example.com,1.00,x\n", [("a@example.com", 100)],
         ["names found in row 3"]),
        ("email;amount;note\na@example.com;1.00;x\nb@example.com;2.00;x\n;;\nSumme (USD):;3.00;\n",
         [("a@example.com", 100), ("b@example.com", 200)], ["Row 5 is a total and isn't paid."]),
        ("email,amount,name,note\n?ukasz@example.com,1.00,Jos?,Why?\nb@example.com,2.00,Bo,Espa?a\nc@example.com,1.00,Cy,x\n",
         [("?ukasz@example.com", 100), ("b@example.com", 200), ("c@example.com", 100)],
         ["Rows 2 and 3 may have lost a letter: a question mark is in its place."]),
        (b"email,amount,note\na@example.com,1.00,Jos\x8e\n", [("a@example.com", 100)], ["read as Mac Roman"]),
    ],
    ids=["invisible", "short row", "title", "total", "lost letters", "encoding"],
)  # fmt: skip
async def test_payment_file_is_read_as_people_wrote_it(
    rig: Rig, content: str | bytes, rows: list[tuple[str, int]], words: list[str]
) -> None:
    await pressed(rig, content.encode() if isinstance(content, str) else content)
    for one in words:
        assert one in shown(rig.form())
    await submit(rig)
    assert [(row.email, row.cents) for row in await stored_rows(rig)] == rows
    for one in words:
        assert one.casefold() in (await rig.card()).plain.casefold(), "approvers see it, too"


async def test_offer_counts_the_payments_of_its_sum(rig: Rig) -> None:
    offer = await offered(rig, b"email,amount,status\na@example.com,1.00,\nb@example.com,2.00,paid\nTotal,1.00,\n")
    assert "1 payment, $1.00" in offer.plain


async def test_two_columns_of_recipients_are_asked_about(rig: Rig) -> None:
    header = b"email,recipient email,amount\nana@example.com,luis@example.com,5.00\n"
    await pressed(rig, header)
    email = next(block for block in rig.form().blocks if block.get("block_id") == "email")
    assert (rig.form().submit, email["element"].get("initial_option")) == ("Go on", None)
    await submit(rig, {"email": "1"})
    await submit(rig)
    assert [row.email for row in await stored_rows(rig)] == ["luis@example.com"]


async def test_one_cleaning_serves_commands(rig: Rig) -> None:
    await rig.pay(f"send {MARK}ana\uff20example.com{POP} \uff12\uff15.00{ZERO} March")
    payload = (await newest(rig)).payload
    assert (payload.email, payload.cents) == ("ana@example.com", 2500)


@pytest.mark.parametrize(
    ("content", "encoding"),
    [
        ("email;amount;note\nana@example.com;25,00;Año\nbad;1.655,60;Peña\n", "cp1252"),
        ("email;amount;note\nana@example.com;25,00;Łódź\nbad;1.655,60;Kovač\n", "cp1250"),
        ("email\tamount\tnote\nana@example.com\t25,00\tAño\nbad\t1.655,60\tPeña\n", "utf-16"),
    ],
)
async def test_rows_to_fix_are_sent_once_and_written_like_their_file(rig: Rig, content: str, encoding: str) -> None:
    offer = await pressed(rig, content.encode(encoding))
    await submit(rig, {"decimals": "comma"})
    assert "read as" in shown(rig.form())
    for _ in range(2):
        await press(rig, offer)
        await submit(rig, {"decimals": "comma"})
        assert "as a file>" in next(str(block) for block in rig.form().blocks if "as a file" in str(block))
    (sent,) = direct_files(rig)
    mark = "\t" if "\t" in content else ";"
    rows = list(csv.reader(io.StringIO(sent.decode(encoding)), delimiter=mark))
    assert rows[0] == ["email", "amount", "note", "problem"]
    assert rows[1][:3] == content.splitlines()[2].split(mark)


LISTS = {
    "lines": "ana@example.com\nluis@example.com\nmei@example.com\n",
    "a name": "email\nana@example.com\nluis@example.com\nmei@example.com\n",
    "one line": 'ana@example.com; luis@example.com, "Li, Mei" <mei@example.com>\n',
    "blanks": "ana@example.com luis@example.com\nmei@example.com\n",
    "names": f'"Ana" <ana@example.com>\nmailto:luis@example.com\n{ZERO}mei@example.com;\n',
}


@pytest.mark.parametrize("content", LISTS.values(), ids=LISTS)
async def test_text_that_lists_addresses_is_processed(rig: Rig, content: str) -> None:
    await rig.workspace.drop(MARIA, FINANCE, "people.txt", content.encode())
    await rig.settle()
    (offer,) = said(rig)
    assert [one.text for one in offer.buttons] == ["Process e-mails"]
    await _process(rig, offer)
    assert rig.emails.asked == dict.fromkeys(("ana@example.com", "luis@example.com", "mei@example.com"), 1)


async def test_address_of_a_list_is_checked_once_however_it_is_written(rig: Rig) -> None:
    rows = [f"ana@example.com{ZERO}", "ana@example.com", f"{MARK}luis@example.com{POP}", "mailto:mei@example.com"]
    rows += ["zed@example.com;", "Yan <yan@example.com>"]
    content = "email,name\n" + "".join(f"{row},x\n" for row in rows)
    await _process(rig, await offered(rig, content.encode()))
    names = ("ana", "luis", "mei", "yan", "zed")
    assert rig.emails.asked == dict.fromkeys((f"{name}@example.com" for name in names), 1)


async def test_address_that_lost_a_letter_is_a_warning(rig: Rig) -> None:
    rows = "".join(f"{one}@example.com,Why? me@here\n" for one in ("?ukasz", "ana", "s?ren"))
    await _column(rig, await offered(rig, f"email,name\n{rows}".encode()))
    assert "Rows 2 and 4 may have lost a letter" in shown(rig.form())
    rig.add_payees("?ukasz@example.com")
    await rig.pay("send ?ukasz@example.com 25.00 March")
    assert "may have lost a letter" in (await rig.card()).plain


async def test_choices_of_a_form_do_not_say_that_they_are_shortened(rig: Rig) -> None:
    header = ["email", "amount", *(f"{'a very long name of a column ' * 3}{at}" for at in range(40))]
    content = "\n".join([",".join(header), ",".join(["ana@example.com", "1.00", *(["x" * 90] * 40)])])
    await pressed(rig, content.encode())
    assert "(shortened)" not in str(rig.form().blocks)


async def test_list_with_two_address_columns_asks_until_one_was_chosen(rig: Rig) -> None:
    content = b"private,work\na@example.com,b@example.com\n"
    assert "initial_option" not in await _column(rig, await offered(rig, content, "a.csv"))
    await rig.submit(MARIA, {"column": "1|100|work"})
    assert (await _column(rig, await offered(rig, content + b"\n", "b.csv")))["initial_option"]["value"] == "1|100|work"


async def _column(rig: Rig, offer: Message) -> Block:
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Process e-mails").action_id)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    return next(block["element"] for block in rig.form().blocks if block.get("block_id") == "column")


async def _process(rig: Rig, offer: Message) -> None:
    await _column(rig, offer)
    await rig.submit(MARIA, {})
