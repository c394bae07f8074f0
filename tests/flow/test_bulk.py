"""Bulk payments through the whole product: from rows to a summary that adds up."""

from decimal import Decimal

import pytest
from inline_snapshot import snapshot

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.playground.workspace.files import StoredFile
from tests.support.bulk import (
    approve,
    ask,
    everything,
    held,
    press,
    reference,
    run,
    stored,
    stored_rows,
    submissions,
    submit,
)
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, TOM, Rig
from tests.support.shown import shown

FAILED_ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, 11))

pytestmark = pytest.mark.rig(on="both")


def summary(rig: Rig) -> str:
    said = [m.text for m in rig.news(FINANCE) if "*Summary*: " in m.text][-1]
    return said.partition("*Summary*: ")[2].partition(". ")[0]


async def test_from_rows_to_a_summary_that_adds_up(rig: Rig) -> None:
    await ask(rig)
    assert shown((await rig.card()).text) == snapshot("""\
Bulk payment L-······: $39.75 in 3 payments. File “typed rows”, 3 payments to 3 people, $39.75 together. \
*Largest*:
• $25.00 to ana@example.com (row 1)
• $10.50 to luis@example.com (row 2)
• $4.25 to nobody@example.com (row 3). *Duplicates*: none. *Never paid before*: 3 recipients. Accounts looked up: \
3; 2 active
:warning: *1 not active* (no account, signup not completed, or it cannot receive money now): nobody@example.com
:warning: *1 not verified*: luis@example.com. Asked by Maria Silva (maria). :hourglass_flowing_sand: *waiting for \
approval*: 0 of 1, until <!date^1795251600^{date_short_pretty} {time}|2026-11-21 09:00 UTC>. Needs 1 approval besides \
the requester. To decide: <!subteam^S0TREASURY>.\
""")
    assert submissions(rig) == 0
    await approve(rig)
    assert submissions(rig) == 1
    assert [(o.order.email, o.order.cents) for o in rig.payments.bulk_payments[0].items] == [
        ("ana@example.com", 2500),
        ("luis@example.com", 1050),
        ("nobody@example.com", 425),
    ]
    await run(rig)
    told = rig.news(FINANCE)
    (interim,) = (m for m in told if "What is pending is followed" in m.text)
    assert shown(interim.text) == snapshot(""":lock: <@U0MARIA> Bulk payment L-······, $39.75 in 3 payments, is not \
finished: so far 2 completed ($35.50), 0 failed ($0.00), 1 pending in escrow ($4.25). What is pending is \
followed; the summary comes when every payment is final. Approved by Ada Okafor.""")
    assert not any("ummary*" in m.text or "data_visualization" in {block["type"] for block in m.blocks} for m in told)
    rig.payments.add_account("nobody@example.com", full_name="Nora Body")
    await rig.pass_time(86_400 * 2, steps=4)
    [final] = [m.text for m in rig.news(FINANCE) if "*Summary*" in m.text]
    assert shown(final) == snapshot(""":white_check_mark: <@U0MARIA> Bulk payment L-······, $39.75 in 3 payments, \
is *completed*. *Summary*: 3 completed ($39.75), 0 failed ($0.00), 0 pending in escrow ($0.00). That is all 3 \
payments that were approved. Approved by Ada Okafor.""")
    assert not (await rig.card()).buttons
    assert Decimal(rig.payments.ledger.paid_cents()) == 3975


async def test_the_files_go_with_it(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 4
    await ask(rig, FAILED_ROWS)
    request, accounts = files(rig, APPROVALS)
    assert accounts.name.endswith("-accounts.csv")
    assert request.name.endswith("-request.csv")
    assert content(request).splitlines()[:2] == ["email,amount,note", "ana@example.com,1.00,row 1"]
    await approve(rig)
    await run(rig)
    failed, items = files(rig, FINANCE)
    assert content(files(rig, APPROVALS)[-1]) == content(failed)
    assert [row.split(",")[:3] for row in content(failed).splitlines()] == [
        ["email", "amount", "note"],
        ["ana@example.com", "4.00", "row 4"],
        ["ana@example.com", "8.00", "row 8"],
    ]
    assert summary(rig) == snapshot("8 completed, 2 failed, 0 pending in escrow")
    lines = content(items).splitlines()
    assert lines[0] == "row,email,amount,note,status,hash,error"
    assert len(lines) == 11
    assert all(line.split(",")[5] for line in lines[1:])
    (told,) = [m for m in rig.news(FINANCE) if "is *finished*" in m.text]
    chart = next(block for block in told.blocks if block["type"] == "data_visualization")
    assert chart["chart"]["segments"] == [{"label": "Completed", "value": 8}, {"label": "Failed", "value": 2}]


async def test_a_bulk_payment_with_failures_is_finished_and_not_completed(rig: Rig) -> None:
    people = ("ana@example.com", "ben@example.com", "cleo@example.com")
    for email in people:
        rig.payments.add_account(email, full_name=email)
    rig.payments.switches.bulk_fail_every = 5
    await ask(rig, "\n".join(f"{people[n % 3]},1.{n:02}" for n in range(60)))
    assert line(await rig.card(), "Duplicates") == snapshot("""*Duplicates*: no row repeats the address and the amount \
of another""")
    await approve(rig)
    await run(rig)
    assert rig.payments.ledger.paid_cents() == 6192
    for channel in (FINANCE, APPROVALS):
        (card,) = rig.cards(channel)
        assert shown(card.text).replace(" (maria)", "") == snapshot("""\
Bulk payment L-······: $77.70 in 60 payments. File “typed rows”, 60 payments to 3 people, $77.70 together. Asked \
by Maria Silva. :warning: *finished*: 48 paid ($61.92), 12 failed ($15.78); every payment is accounted for.
The failed ones are listed in the thread. Approved by <@U0ADA>.""")
        assert len([m for m in rig.news(channel) if "*Summary*" in m.text]) == 1
        (failed,) = (file for file in files(rig, channel) if "failed" in file.name)
        assert len(content(failed).splitlines()) == 13
    await rig.pay("bulk history")
    await rig.settle()
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Bulk payments*, page 1 of 1
• <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC> · L-······ · finished · 60 payments · 48 \
completed · 12 failed""")


async def test_failed_payments_can_be_dropped_again_after_mending(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 1
    await ask(rig, "ana@example.com;12.00;=1+1\nben+work@example.com;3.00;-note")
    await approve(rig)
    await run(rig)
    failed = content(files(rig, FINANCE)[0])
    assert [one.split(",")[2] for one in failed.splitlines()] == ["note", "'=1+1", "'-note"]
    assert shown(rig.news(FINANCE)[0].text) == snapshot(""":x: <@U0MARIA> Bulk payment L-······, $15.00 in 2 \
payments, has *failed*. *Summary*: 0 completed ($0.00), 2 failed ($15.00), 0 pending in escrow ($0.00). That \
is all 2 payments that were approved. Approved by Ada Okafor.""")
    rig.payments.switches.bulk_fail_every = 0
    await drop(rig, "mended.csv", failed.encode())
    items = [row.item for row in await stored_rows(rig)]
    assert [(item.email, item.cents, item.note) for item in items] == [
        ("ana@example.com", 1200, "=1+1"),
        ("ben+work@example.com", 300, "-note"),
    ]


@pytest.mark.parametrize("channel", [FINANCE, APPROVALS])
async def test_what_becomes_of_a_dropped_file_is_told_in_its_thread(rig: Rig, channel: str) -> None:
    rig.payments.switches.bulk_fail_every = 2
    offer = await drop(
        rig, "march.csv", b"email,amount,note\nana@example.com,1.00,x\nluis@example.com,2.00,y\n", channel=channel
    )
    (card,) = rig.cards()
    if channel == FINANCE:
        assert not rig.cards(FINANCE)
    await rig.press("approve")
    await run(rig)
    assert offer.thread_ts is not None
    thread = rig.workspace.messages(channel, thread_ts=offer.thread_ts)
    (job,) = (m for m in thread if m.text.startswith("Bulk payment"))
    assert line(job, "finished") == snapshot(""":warning: *finished*: 1 paid ($1.00), 1 failed ($2.00); every \
payment is accounted for.""")
    assert len([m for m in thread if "*Summary*" in m.text]) == 1
    names = [stored(rig, file).name.rpartition("-")[0] for m in thread for file in m.files if m.ts != offer.thread_ts]
    assert [name.partition("-failed")[1] for name in names] == ["-failed", ""]
    assert [m.text for m in rig.workspace.messages(APPROVALS, thread_ts=card.ts) if "*Summary*" in m.text]


@pytest.mark.rig(services='[payments.list_bulk_items]\npath = "/bulk-payments/{id}"\n')  # answers, but with no list
async def test_a_list_that_cannot_be_read_is_told_once(rig: Rig) -> None:
    await ask(rig)
    await approve(rig)
    await run(rig)
    await rig.pass_time(3_600, steps=8)
    [told] = [
        m.text for m in rig.workspace.messages(ALERTS) if "the provider's list of payments can't be read" in m.text
    ]
    assert shown(told) == snapshot("""\
:rotating_light: Bulk payment L-······, $39.75 in 3 payments, asked by Maria Silva: is over at the service, but its \
list of payments cannot be read. Switchboard goes on asking for it.
Payments sent an unexpected reply.
Provider ID: `······` · <http://127.0.0.1/archives/C0APPROVE/p······|The card>
Runbook: `docs/alerts.md#bulk-payment-not-accounted-for`\
""")
    assert line(rig.cards(FINANCE)[0], "reported") == snapshot("`░░░░░░░░░░░░░░░░░░░░ 0 %` no payment reported yet.")


async def test_a_dropped_file_pressed_twice_asks_once(rig: Rig) -> None:
    data = "Recipient;Sum (USD);Purpose\nana@example.com;25.00;März\n".encode("cp1252")
    data = data.replace(b"Sum (USD)", b"Amount")
    offer = await drop(rig, "march.csv", data)
    said = shown(rig.form())
    assert said == snapshot("""\
Pay in bulk
:memo: Request sent: $25.00 in 1 payment. Needs 1 approval besides the requester · L-······
Read as Latin-1 (Windows-1252); email from “Recipient”, amount from “Amount”, note from “Purpose”.\
""")
    await press(rig, offer)  # within a moment: a slip of the finger
    assert shown(rig.form()) == said
    await rig.pass_time(3)
    await press(rig, offer)
    told = rig.form()
    assert shown(told) == snapshot("""\
Pay in bulk
:information_source: This file was already requested as L-······: $25.00 in 1 payment, *waiting for approval*.\
""")
    assert not told.submit
    assert len(rig.cards()) == 1
    # After it ended unpaid, the same file may be asked for again.
    await rig.press("withdraw", user=MARIA, channel=APPROVALS)
    await rig.pass_time(3)
    await press(rig, offer)
    await submit(rig)
    assert len(rig.cards()) == 2


async def test_duplicates_and_the_same_file_need_one_more_approver(rig: Rig) -> None:
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00\nANA@example.com,5.00,again")
    assert line(await rig.card(), "Row 3 repeats") == snapshot(
        "*Duplicates*: Row 3 repeats an earlier row (same address and amount)"
    )
    assert line(await rig.card(), "Needs") == snapshot("""Needs 2 approvals besides the requester (1 row repeats an \
earlier one: one more approver)""")
    await approve(rig, ADA)
    assert submissions(rig) == 0
    await approve(rig, LIN)
    assert submissions(rig) == 1
    await run(rig)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00,other words")
    assert line(await rig.card(), "The same payments") == snapshot(""":warning: *The same payments* were asked for as \
L-······""")


@pytest.mark.parametrize(
    ("days", "needs"),
    [
        (6.99, "Needs 2 approvals besides the requester (the same payments as L-······: one more approver)"),
        (7.01, "Needs 1 approval besides the requester"),
    ],
)
async def test_a_file_is_remembered_for_a_week(rig: Rig, days: float, needs: str) -> None:
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00")
    await approve(rig)
    await run(rig)
    rig.clock.advance(days * 86_400)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    assert line(await rig.card(), "Needs") == needs
    await approve(rig, ADA)
    assert submissions(rig) == (1 if days < 7 else 2)


async def test_the_policy_applies_to_the_sum(rig: Rig) -> None:
    await ask(rig, "\n".join(f"p{n}@example.com,100.00" for n in range(12)))
    await rig.press("approve")
    assert submissions(rig) == 0
    assert shown(rig.form(ADA)) == snapshot("""\
Approve a bulk payment
$1,200.00 in 12 payments
Reference L-······
Type the amount, $1,200.00, to approve it""")
    await rig.submit(ADA, {"amount": "1200"})
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {"amount": "1200.00"})
    assert submissions(rig) == 1


async def test_without_notes_it_is_found_by_its_people_and_amounts(rig: Rig) -> None:
    rig.payments.switches.bulk_drops_notes = True
    rig.payments.faults.arm(Fault(kind=FaultKind.DONE_DROPPED, operation="create_bulk_payment"))
    await ask(rig, FAILED_ROWS)
    await approve(rig)
    await run(rig)
    assert summary(rig) == snapshot("10 completed ($55.00), 0 failed ($0.00), 0 pending in escrow ($0.00)")
    assert submissions(rig) == 1


async def test_what_is_missing_from_the_list_is_said(rig: Rig) -> None:
    rig.payments.switches.bulk_loses_every = 5
    await ask(rig, FAILED_ROWS)
    await approve(rig)
    await run(rig, steps=12)
    [told] = [m.text for m in rig.news(FINANCE) if "Unaccounted" in m.text]
    assert shown(told) == snapshot(""":hourglass_flowing_sand: <@U0MARIA> Bulk payment L-······, $55.00 in 10 \
payments, is through at the service, *but not everything is accounted for*: 8 completed ($40.00), 0 failed ($0.00), 0 \
pending in escrow ($0.00), 2 not reported yet. *Unaccounted: 2* of 10 payments approved. Approved by Ada \
Okafor.""")
    assert shown(rig.workspace.messages(ALERTS)[-1].text) == snapshot("""\
:rotating_light: Bulk payment L-······, $55.00 in 10 payments, asked by Maria Silva: is not accounted for by the \
service's own list. Look it up at the service.
The service says it is through, with 2 payments missing from its list.
Provider ID: `······` · <http://127.0.0.1/archives/C0APPROVE/p······|The card>
Runbook: `docs/alerts.md#bulk-payment-not-accounted-for`\
""")
    rig.payments.switches.bulk_loses_every = 0
    await rig.pass_time(86_400, steps=8)
    assert summary(rig) == snapshot("10 completed ($55.00), 0 failed ($0.00), 0 pending in escrow ($0.00)")


async def test_progress_is_shown_on_the_jobs_message(rig: Rig) -> None:
    rig.payments.switches.bulk_items_a_step = 3
    await ask(rig, FAILED_ROWS)
    await approve(rig)
    seen = []
    for _ in range(8):
        await rig.payments.advance()
        await rig.pass_time(60, steps=2)
        seen.append(rig.cards(FINANCE)[-1].plain)
    # A look and an edit may each come a little later, so which of the steps is seen is a matter of luck.
    between = [(n, card) for card in seen for n in (3, 6, 9) if f"{n}0 %" in card]
    assert between, seen
    assert all(f"{n} completed" in card for n, card in between)
    assert line(rig.cards(FINANCE)[-1], "10 completed") == snapshot("""10 completed ($55.00), 0 failed ($0.00), \
0 pending in escrow ($0.00). That is all 10 payments that were approved.""")


async def test_the_button_cancels_what_was_pending_then(rig: Rig) -> None:
    await held(rig)
    card = rig.cards(FINANCE)[-1]
    assert [one.text for one in card.buttons] == ["Cancel pending"]
    await rig.workspace.click(MARIA, FINANCE, card.ts, "bulk.cancel")
    await rig.settle()
    assert shown((await rig.card()).text) == snapshot("""Cancellation X-······: $9.00 back from 3 payments still \
pending in escrow. Of bulk payment L-······. Everything that was pending when it was asked for: 3 payments, each by \
its hash. Asked by Maria Silva (maria). :hourglass_flowing_sand: *waiting for approval*: 0 of 1, until \
<!date^1795251760^{date_short_pretty} {time}|2026-11-21 09:02 UTC>. Needs 1 approval besides the requester. To decide: \
<!subteam^S0TREASURY>.""")
    assert rig.payments.bulk_payments[0].cancellations == 0
    # One of them signs up before the approval: too late for that one.
    rig.payments.add_account("x2@example.com", full_name="Xenia")
    await approve(rig)
    await rig.pass_time(120, steps=4)
    job = rig.payments.bulk_payments[0]
    assert (job.cancellations, job.canceled_all) == (1, 0)
    (told,) = [m.text for m in rig.news(FINANCE) if "ancellation" in m.text]
    assert shown(told) == snapshot(""":white_check_mark: <@U0MARIA> Cancellation X-······, $9.00 back from 3 \
payments still pending in escrow, is *completed*: 2 payments canceled, $6.00 returned to the balance; 1 too late \
($3.00): 1 completed, 0 failed. Approved by Ada Okafor.""")
    assert rig.payments.ledger.paid_cents() == 400
    await run(rig, steps=2)
    [final] = [m.text for m in rig.news(FINANCE) if "is *completed*. *Summary*: 2 completed" in m.text]
    assert shown(final) == snapshot(""":white_check_mark: <@U0MARIA> Bulk payment L-······, $10.00 in 4 payments, \
is *completed*. *Summary*: 2 completed ($4.00), 0 failed ($0.00), 0 pending in escrow ($0.00), 2 canceled \
($6.00). That is all 4 payments that were approved. Approved by Ada Okafor.""")


async def test_a_row_number_or_eight_digits_of_the_hash_are_enough(rig: Rig) -> None:
    await held(rig)
    job = rig.payments.bulk_payments[0]
    await rig.pay(f"bulk cancel {reference(rig)} 2 {job.items[3].hash[:8].upper()} {job.items[3].hash}")
    await approve(rig)
    await rig.pass_time(60, steps=2)
    assert [item.status for item in job.items] == ["completed", "canceled", "pending", "canceled"]
    bodies = [call.body for call in rig.payments.calls_of("cancel_bulk_items")]
    assert bodies == [{"paymentItems": [{"svc_operation_hash": one.hash} for one in job.items[1::2]]}]


async def test_what_cannot_be_canceled_is_said(rig: Rig) -> None:
    await held(rig)
    done = next(item.hash for item in rig.payments.bulk_payments[0].items if item.status == "completed")
    name = reference(rig)
    for typed, said in (
        (
            f"{name} {done}",
            "Row 1 (ana@example.com) was already paid, so it can't be canceled.",
        ),
        (f"{name} 17", "There's no row 17; L-······ has rows 1–4."),
        (
            "B-XXXXXX all",
            "B-······ is a delivery.",
        ),
        (
            name,
            "Add the payments: all, or row numbers such as 3 5.",
        ),
    ):
        await rig.pay(f"bulk cancel {typed}")
        assert shown(rig.workspace.ephemerals(MARIA)[-1].text).splitlines()[0] == f":pencil2: {said}"
    assert len(rig.cards()) == 1


async def test_a_large_cancellation_goes_out_in_chunks(rig: Rig) -> None:
    await ask(rig, "\n".join(f"q{n}@example.com,0.0{1 + n % 9}" for n in range(130)))
    await approve(rig)
    await run(rig, steps=3)
    await rig.pay(f"bulk cancel {reference(rig)} all")
    await approve(rig)
    await rig.pass_time(60, steps=3)
    sizes = [len(call.body["paymentItems"]) for call in rig.payments.calls_of("cancel_bulk_items")]  # type: ignore[index]
    assert sizes == [100, 30]
    assert shown([m.text for m in rig.news(FINANCE) if "ancellation" in m.text][-1]) == snapshot(""":white_check_mark: \
<@U0MARIA> Cancellation X-······, $6.40 back from 130 payments still pending in escrow, is *completed*: 130 \
payments canceled, $6.40 returned to the balance. Approved by Ada Okafor.""")
    assert rig.payments.bulk_payments[0].canceled_all == 0


async def test_a_cancellation_whose_time_is_over_ends_with_what_it_named(rig: Rig) -> None:
    await ask(rig, "\n".join(f"q{n}@example.com,0.0{1 + n % 9}" for n in range(130)))
    await approve(rig)
    await run(rig, steps=3)
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, operation="cancel_bulk_items", skip=1, times=None))
    await rig.pay(f"bulk cancel {reference(rig)} all")
    await approve(rig)
    await rig.pass_time(26 * 3_600, steps=60)
    rig.payments.faults.clear()
    await rig.pass_time(3_600, steps=10)
    assert rig.payments.bulk_payments[0].cancellations == 1
    assert shown([m.text for m in rig.news(FINANCE) if "ancellation" in m.text][-1]) == snapshot(""":white_check_mark: \
<@U0MARIA> Cancellation X-······, $6.40 back from 130 payments still pending in escrow, is *completed*: 100 \
payments canceled, $4.96 returned to the balance; 30 still pending in escrow ($1.44). Approved by Ada Okafor.""")


async def test_looking_at_it(rig: Rig) -> None:
    await held(rig)
    name = reference(rig)
    await rig.pay(f"bulk items {name}")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Payments of L-······*: 4, page 1 of 1
• row 1 · ana@example.com · $1.00 · completed · `······`
• row 2 · x1@example.com · $2.00 · pending in escrow · `······`
• row 3 · x2@example.com · $3.00 · pending in escrow · `······`
• row 4 · x3@example.com · $4.00 · pending in escrow · `······`""")
    await rig.pay(f"bulk failed {name}")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot(""":open_file_folder: *Failed payments of \
L-······*: none.""")
    await rig.pay("bulk history")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Bulk payments*, page 1 of 1
• <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC> · L-······ · pending in escrow · 4 payments · 1 \
completed · 0 failed""")
    await rig.pay(f"bulk show {name}")
    told = rig.workspace.ephemerals(MARIA)[-1].text
    assert shown(told).partition("\n*History*")[0] == snapshot("""\
Bulk payment L-······: $10.00 in 4 payments. File “typed rows”, 4 payments to 4 people, $10.00 together. \
:warning: *3 not active* (no account, signup not completed, or it cannot receive money now): x3@example.com, \
x2@example.com, x1@example.com. Asked by <@U0MARIA>. :lock: *pending in escrow*: the service has gone through all of \
them; what is pending is followed.
`█████░░░░░░░░░░░░░░░ 25 %` 1 completed ($1.00), 0 failed ($0.00), 3 pending in escrow ($9.00). Approved by \
<@U0ADA>. Needed 1 approval besides the requester.
*Provider record*
Provider ID: ······
Status: pending in escrow
Payments: 4
Pending in escrow: 3""")
    remote = rig.payments.bulk_payments[0].id
    await rig.pay(f"bulk show {remote}", user=TOM)
    assert rig.workspace.ephemerals(TOM)[-1].text == told
    await rig.pay("bulk template")
    direct = [m for m in rig.workspace.messages(rig.workspace.open_dm(MARIA).id) if m.files]
    assert content(stored(rig, direct[-1].files[0])).splitlines()[0] == "email,amount,note"
    await rig.pay("bulk wat")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot(
        ":pencil2: Unknown command `bulk wat`. See `/pay help bulk`."
    )


async def test_pages_are_turned(rig: Rig) -> None:
    await ask(rig, "\n".join(f"q{n}@example.com,1.00" for n in range(45)))
    await rig.pay(f"bulk items {reference(rig)}")
    first = rig.workspace.ephemerals(MARIA)[-1]
    await rig.workspace.click(MARIA, FINANCE, first.ts, "bulk.next")
    await rig.settle()
    pages = [shown(one.text).splitlines()[0] for one in (first, rig.workspace.ephemerals(MARIA)[-1])]
    assert pages == ["*Payments of L-······*: 45, page 1 of 3", "*Payments of L-······*: 45, page 2 of 3"]


def line(card: Message, word: str) -> str:
    """The last line of a message that has this word."""
    return shown([one for one in card.plain.splitlines() if word in one][-1])


def files(rig: Rig, channel: str) -> list[StoredFile]:
    threads = [rig.workspace.messages(channel, thread_ts=card.ts) for card in rig.cards(channel)]
    return [stored(rig, file) for thread in threads for message in thread for file in message.files]


def content(file: StoredFile) -> str:
    return file.content.decode("utf-8-sig")


async def drop(rig: Rig, name: str, data: bytes, *, user: str = MARIA, channel: str = FINANCE) -> Message:
    await rig.workspace.drop(user, channel, name, data)
    await rig.settle()
    offer = next(m for m in reversed(everything(rig, channel)) if any(b.text == "Pay in bulk" for b in m.buttons))
    await press(rig, offer, user=user)
    if rig.form(user).submit == "Request approval":
        await submit(rig, user=user)
    return offer
