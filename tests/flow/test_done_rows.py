"""Rows of a file that say they are done, and rows of our own lists, are left out until a person takes them in."""

import csv
import io

import pytest

from bot.domain.payments.bulk import BulkPayload
from bot.domain.payments.instruction import State
from tests.support.answers import ask as asks
from tests.support.bulk import (
    approve,
    ask,
    everything,
    held,
    offered,
    press,
    pressed,
    reference,
    run,
    stored,
    stored_rows,
    submit,
    told,
)
from tests.support.exports import files, send
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, TOM, Rig
from tests.support.shown import lacking, shown
from tests.workflows.looking import newest, requests

PEOPLE = ("ana@example.com", "luis@example.com", "mei@example.com", "kim@example.com", "tom@example.com")
STATUS = b"email,amount,note,status\n"
FILE = STATUS + (
    b"ana@example.com,25.00,March,paid\nluis@example.com,10.00,March,pending\nmei@example.com,5.00,March,cancelled\n"
    b"kim@example.com,4.00,March,on hold\n"
)


def column(name: str, *cells: str) -> bytes:
    """A file with a payment for each cell of one more column."""
    text = io.StringIO()
    rows = [[email, f"{n}.00", cell] for n, (email, cell) in enumerate(zip(PEOPLE, cells, strict=False), 1)]
    csv.writer(text).writerows([["email", "amount", name], *rows])
    return text.getvalue().encode()


def offers(rig: Rig) -> dict[str, str]:
    """The rows that the form offers to take in, with what is said of them."""
    found = [block["element"] for block in rig.form().blocks if block.get("block_id") == "anyway"]
    options = [option for element in found for option in element["options"]]
    return {one["value"]: one["description"]["text"] for one in options if one["value"].isdecimal()}


@pytest.mark.rig(on="both")
async def test_done_rows_are_omitted_unless_included(rig: Rig) -> None:
    offer = await offered(rig, FILE)
    assert "$10.00" in offer.plain
    await press(rig, offer)
    assert "*$10.00* · 1 payment to 1 person" in told(rig)
    assert offers(rig) == {"2": "paid", "4": "cancelled", "5": "on hold"}
    await submit(rig, {"anyway": ["2", "5"]})
    assert "*$39.00* · 3 payments to 3 people" in told(rig)
    assert await requests(rig) == []
    await submit(rig)
    assert [(row.row, row.cents) for row in await stored_rows(rig)] == [(2, 2500), (3, 1000), (5, 400)]
    payload = (await newest(rig)).payload
    assert isinstance(payload, BulkPayload)
    assert (payload.done_anyway, payload.left_out) == ({2: "paid", 5: "on hold"}, (4,))
    shown_to_approvers = (await rig.card()).plain
    assert "Left out of the file: row 4." in shown_to_approvers
    assert "Will be paid despite their status: row 2 (paid), row 5 (on hold)." in shown_to_approvers


async def test_rows_paid_despite_their_status_are_confirmed_by_approvers(rig: Rig) -> None:
    rig.add_payees(*PEOPLE)
    await pressed(rig, column("status", "paid", "pending"))
    await submit(rig, {"anyway": ["2"]})
    await submit(rig)
    await rig.press("approve", confirm=False)
    assert (await newest(rig)).state is State.AWAITING
    assert "row 2 (paid)" in rig.form(ADA).plain


DONE = [
    ("status", ["paid", "Sent", "completed", "cancelled", "pending"]),
    ("State", ["refunded", "settled", "PAID 2026-11-20", "partially paid", "to be paid"]),
    ("payment status", ["✓", "reimbursed", "voided", "wired", "not paid"]),
    ("paid?", ["yes", "x", "✔", "2026-11-20", "no"]),
    ("date paid", ["2026-11-20", "20.11.2026", "20 Nov 2026", "11/20/26", ""]),
    ("Paid on", ["2026-11-20T09:00:00", "Nov 20, 2026", "1/2/26", "2026-11-20 09:00", "-"]),
    ("estado", ["pagado", "Enviada", "cancelado", "reembolsado", "pendiente"]),
    ("Estado del pago", ["abonado", "liquidado", "anulado", "ya pagado", "no pagado"]),
    ("pagado", ["sí", "SI", "x", "20/11/2026", "por pagar"]),
    ("pagado el", ["20/11/2026", "2026-11-20", "20-11-26", "20.11.2026", ""]),
    ("situação", ["pago", "Concluído", "cancelado", "estornado", "a pagar"]),
    ("status do pagamento", ["Pago ✓", "já pago", "quitada", "pago em 20/11/2026", "não pago"]),
    ("pago", ["sim", "s", "✅", "20/11/2026", "não"]),
    ("Status", ["bezahlt", "überwiesen am 20.11.", "erledigt", "storniert", "noch nicht bezahlt"]),
    ("Zahlungsstatus", ["Gezahlt", "erstattet", "abgeschlossen", "beglichen", "offen"]),
    ("bezahlt", ["ja", "x", "1", "20.11.2026", "nein"]),
    ("überwiesen am", ["20.11.2026", "20.11.", "2026-11-20", "1.2.26", ""]),
    ("Paid/Unpaid", ["Paid", "x", "yes", "settled", "Unpaid"]),
    ("payment made?", ["yes", "y", "2026-11-20", "✓", "no"]),
    ("Überweisung erfolgt am", ["20.11.2026", "20. November 2026", "ja", "x", ""]),
    ("Pago realizado", ["sí", "x", "20 de noviembre de 2026", "hecho", "no"]),
    ("pagamento efetuado", ["sim", "s", "20/11/2026", "x", "não"]),
    ("¿Ya se pagó?", ["sí", "si", "x", "✓", "no"]),
    ("resultado", ["pagado", "Exitoso", "cobrado", "liquidado", "pendiente"]),
    ("Zahlung", ["bezahlt", "gebucht", "erledigt", "ausgeführt", "offen"]),
    ("Status (March)", ["paid", "sent", "transferred 20/11", "PAID", "open"]),
    ("Bearbeitungsstatus", ["bezahlt", "bereits überwiesen", "storniert", "gebucht", "offen"]),
    ("note", ["PAID", "already paid", "bezahlt", "ya pagado", "March rent, paid leave"]),
    ("✓", ["✓", "x", "✔", "yes", ""]),
    ("Paid March", ["yes", "x", "2026-03-20", "✓", "no"]),
    ("Pagado (S/N)", ["S", "Sí", "x", "20/11/2026", "N"]),
    ("Bezahldatum", ["20.11.2026", "20.11.", "1.2.26", "2026-11-20", ""]),
    ("dt pagto", ["20/11/2026", "20/11/26", "20-11-26", "2026-11-20", ""]),
    ("Current status", ["Paid", "sent", "bezahlt", "transferred 20/11", "waiting for the tax form"]),
    ("Status atual", ["Pago", "já pago", "estornado", "pg", "falta a nota"]),
]


async def test_done_words_of_four_languages_are_left_out(rig: Rig) -> None:
    for name, cells in DONE:
        await pressed(rig, column(name, *cells))
        assert list(offers(rig)) == ["2", "3", "4", "5"], name
        await rig.workspace.close(MARIA)


NOT_DONE = [
    ("account status", ["active", "closed", "paid"]),
    ("member status", ["active", "cancelled", "done"]),
    ("status", ["active", "inactive", "active"]),
    ("status", ["Q4", "Q4", "Q4"]),
    ("status", ["deliverable", "risky", "unknown"]),
    ("status", ["approved", "due", "failed"]),
    ("state", ["CA", "NY", "TX"]),
    ("estado", ["Jalisco", "Puebla", "Oaxaca"]),
    ("pago", ["Pago de marzo", "Pago de abril", "Pago de mayo"]),
    ("fecha de pago", ["2026-12-01", "2026-12-02", "2026-12-03"]),
    ("Estado", ["pago pendiente", "vencida", "aprobado"]),
    ("total paid", ["25.00", "1.00", "yes"]),
    ("member status", ["cancelled", "", ""]),
    ("concepto", ["Pago", "Pago", "Pago"]),
    ("payment", ["March", "April", "wire"]),
    ("comments", ["Paid leave", "Sent goods", "done"]),
    ("Invoice sent", ["yes", "no", "yes"]),
    ("Approved by", ["Tom", "Ann", "Tom"]),
    ("Balance due", ["1.00", "2.00", "3.00"]),
    ("Hold", ["no", "", "no"]),
]
UNCLEAR = [
    ("status", ["processing", "processing"], {"2": "processing", "3": "processing"}),
    ("payment status", ["OK", "OK"], {"2": "OK", "3": "OK"}),
    ("status", ["paid", "processing", "?", ""], {"2": "paid", "3": "processing", "4": "?"}),
    ("status", ["sent, pending", "not approved", "open"], {"2": "sent, pending", "3": "not approved"}),
    ("paid", ["25.00", "0.00", "no"], {"2": "paid: 25.00"}),
    ("estado", ["pendiente", "en revisión", ""], {"3": "en revisión"}),
    ("payment date", ["2026-11-20", "", ""], {"2": "payment date: 2026-11-20"}),
    ("status", ["don't pay", "do not pay", "open"], {"2": "don't pay", "3": "do not pay"}),
    ("Estado", ["aprobado y pagado", "listo"], {"2": "aprobado y pagado", "3": "listo"}),
    (
        "note",
        ["already sent via Zelle", "Paid in cash", "DO NOT PAY", "✅"],
        {"2": "already sent via Zelle", "3": "Paid in cash", "4": "DO NOT PAY", "5": "✅"},
    ),
    ("Verwendungszweck", ["bezahlt", "nicht zahlen", "Miete"], {"2": "bezahlt", "3": "nicht zahlen"}),
    ("name", ["Ana Lopez (PAID)", "Luis (paid leave)", "Mei"], {"2": "Ana Lopez (PAID)"}),
    ("status", ["100%", "100%"], {"2": "100%", "3": "100%"}),
    ("Unpaid", ["no", "yes", "yes"], {"2": "Unpaid: no"}),
    ("Pay?", ["x", "", "x"], {"3": "Pay: empty"}),
    ("¿Pagar?", ["sí", "no", "sí"], {"3": "¿Pagar: no"}),
    ("Hold", ["yes", "", ""], {"2": "Hold: yes"}),
    ("No pagar", ["x", "", ""], {"2": "No pagar: x"}),
    ("Offener Betrag", ["0,00", "2,00", "-"], {"2": "Offener Betrag: 0,00"}),
    ("Amount paid", ["1.00", "0.00", ""], {"2": "Amount paid: 1.00"}),
]


async def test_other_columns_leave_nothing_out_and_unknown_words_are_asked_about(rig: Rig) -> None:
    for name, cells, said in [*((name, cells, {}) for name, cells in NOT_DONE), *UNCLEAR]:
        await pressed(rig, column(name, *cells))
        assert offers(rig) == said, (name, cells)
        await rig.workspace.close(MARIA)


async def test_rows_of_one_status_are_included_together(rig: Rig) -> None:
    await pressed(rig, column("status", "paid", "on hold", "On hold", "on hold", "pending"))
    [field] = [block["element"] for block in rig.form().blocks if block.get("block_id") == "anyway"]
    [on_hold] = [one["value"] for one in field["options"] if one["text"]["text"] == "All 3 rows: on hold"]
    await submit(rig, {"anyway": [on_hold]})
    assert not lacking(
        told(rig),
        "*$14.00* · 4 payments",
        "*1 marked as done* (paid), left out",
        "(on hold), will be paid: row 3, row 4, row 5",
    )
    await submit(rig)
    assert [row.row for row in await stored_rows(rig)] == [3, 4, 5, 6]


async def paid(rig: Rig) -> None:
    """A payout that was paid, and one that waits for approval."""
    await rig.pay("send ana@example.com 25.00 March")
    await approve(rig)
    await run(rig)
    await rig.pay("send luis@example.com 10.00 March")


async def exported(rig: Rig, command: str) -> bytes:
    await send(rig, await asks(rig, command))
    return files(rig, MARIA)[-1][1].encode()


def in_threads(rig: Rig) -> dict[str, bytes]:
    """The files in the threads of cards, by what they are; the newest of each."""
    messages = [*everything(rig, APPROVALS), *everything(rig, FINANCE)]
    sent = [stored(rig, file) for message in messages for file in message.files]
    return {file.name.removesuffix(".csv").rstrip("-0123456789").rpartition("-")[2]: file.content for file in sent}


@pytest.mark.rig(on="both")
async def test_our_own_list_dropped_again_pays_nothing_again(rig: Rig) -> None:
    await paid(rig)
    content = await exported(rig, "list payouts")
    await pressed(rig, content)
    assert not lacking(told(rig), "*1 already paid* (P-", "*1 already requested* (P-")
    await rig.workspace.close(MARIA)
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    kept = ["email", "amount", "status", "reference"]
    text = ",".join(kept) + "\n" + "".join(f"{row['email']},{row['amount']},new,{row['reference']}\n" for row in rows)
    await pressed(rig, text.encode())
    assert sorted(offers(rig).values()) == sorted(row["reference"] for row in rows), "whatever the status says"
    await rig.workspace.close(MARIA)
    await pressed(rig, b"email,amount,reference\nana@example.com,25.00,P-234567\n")
    assert offers(rig) == {}, "a reference of somebody else's"


@pytest.mark.rig(on="both")
async def test_our_lists_of_a_bulk_payment_dropped_again_pay_only_what_failed(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 4
    await held(rig)
    named = reference(rig)
    await rig.pay(f"bulk cancel {named} all")
    lists = in_threads(rig)
    canceled = lists["request"].replace(b",pending,", b",failed,", 1)
    found = []
    for content in (await exported(rig, f"bulk items {named}"), lists["failed"], canceled):
        await pressed(rig, content)
        found.append(list(offers(rig)))
        await rig.workspace.close(MARIA)
    assert found == [["2", "3", "4"], [], ["3"]]


async def test_pasted_rows_with_a_status_are_shown_without_those_that_are_done(rig: Rig) -> None:
    await ask(rig, FILE.decode())
    assert await requests(rig) == []
    assert not lacking(rig.form().plain, "*$10.00* · 1 payment to 1 person", "left out: row 2, row 4")
    await submit(rig)
    assert [row.email for row in await stored_rows(rig)] == ["luis@example.com"]


TWICE = b"email,amount,note\nana@example.com,25.00,March\nluis@example.com,10.50,Proofs\n"


@pytest.mark.rig(on="both")
@pytest.mark.parametrize("typed", [False, True])
async def test_repeated_list_is_shown_before_requesting(rig: Rig, *, typed: bool) -> None:
    await pressed(rig, TWICE)
    await submit(rig)
    first = await newest(rig)
    await rig.pass_time(3_600)
    if typed:
        await ask(rig, "luis@example.com, 10.50\nana@example.com, 25.00", repeats=False)
    else:
        await pressed(rig, TWICE + b"\n")
    assert not lacking(
        rig.form().plain, "*The same payments were already requested*", "*waiting for approval*", first.reference
    )
    assert len(await requests(rig)) == 1
    await submit(rig)
    assert [one.reference for one in (await newest(rig)).requirement.repeats] == [first.reference]


@pytest.mark.parametrize("typed", [False, True])
async def test_up_to_three_earlier_requests_are_named_and_the_rest_counted(rig: Rig, *, typed: bool) -> None:
    for n in range(5):
        await ask(rig, f"ana@example.com, 25.00\nluis@example.com, {n + 1}.00")
    earlier = [one.reference for one in reversed(await requests(rig))]
    if typed:
        await ask(rig, "ana@example.com, 25.00\nkim@example.com, 9.00", repeats=False)
    else:
        await pressed(rig, b"email,amount\nana@example.com,25.00\nkim@example.com,9.00\n")
    lines = [line for line in shown(rig.form()).splitlines() if "earlier request" in line or "already" in line]
    assert ["1 of these payments" in line for line in lines] == [True, True, True, False]
    assert [name for name in earlier if name in rig.form().plain] == earlier[:3]
    assert "2 more earlier requests" in lines[3]
    rig.clock.advance(1)
    await submit(rig)
    assert [one.reference for one in (await newest(rig)).requirement.repeats] == earlier


async def test_list_requested_meanwhile_is_shown_again(rig: Rig) -> None:
    one, other = await offered(rig, TWICE), await offered(rig, TWICE, "copy.csv")
    await press(rig, other, user=TOM)
    await press(rig, one)
    await submit(rig)
    await submit(rig, user=TOM)
    assert len(await requests(rig)) == 1
    assert "already requested" in rig.form(TOM).plain
    await submit(rig, user=TOM)
    assert len(await requests(rig)) == 2


async def test_command_form_shows_a_repeated_file_first(rig: Rig) -> None:
    await pressed(rig, TWICE)
    await submit(rig)
    await rig.pay("bulk")
    await rig.workspace.submit(MARIA, {"file": [rig.workspace.upload(MARIA, "march.csv", TWICE)]})
    await rig.workspace.until(lambda: "already requested" in rig.form().plain or None)
    assert len(await requests(rig)) == 1
