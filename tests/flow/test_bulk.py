"""Bulk payments through the whole product: from rows to a summary that adds up."""

import re
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
    sent_list,
    stored,
    stored_rows,
    submissions,
    submit,
)
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, TOM, Rig
from tests.support.shown import shown

FAILED_ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, 11))

pytestmark = pytest.mark.rig(on="both")


def summaries(rig: Rig, channel: str = FINANCE) -> list[str]:
    """What was told of the counts in the threads of a channel's cards."""
    return [m.text for m in rig.news(channel) if " pending" in m.text]


def summary(rig: Rig) -> str:
    found = re.search(r"\(L-[^)]*\)\. (.* pending[^.]*)", summaries(rig)[-1])
    assert found is not None
    return found[1]


async def test_from_rows_to_a_summary_that_adds_up(rig: Rig) -> None:
    await ask(rig)
    assert shown((await rig.card()).text) == snapshot("""Approve $39.75 · 3 payments to 3 people? typed rows, \
requested by Maria Silva (maria) · L-······. 0 of 1 approvals · expires <!date^1795251600^{date_short_pretty} \
{time}|2026-11-21 \
09:00 UTC>. :warning: 1 of the 3 accounts checked can't receive money yet: nobody@example.com. :warning: 1 account not \
verified: luis@example.com. :warning: 3 first-time recipients. <!subteam^S0TREASURY>""")
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
    assert told == [], "that one waits for a sign-up stands in the line"
    assert line(rig.cards(FINANCE)[0], "sign-up") == snapshot("""`█████████████░░░░░░░ 66 %` 2 paid, 1 waiting for \
sign-up ($4.25).""")
    rig.payments.add_account("nobody@example.com", full_name="Nora Body")
    await rig.pass_time(86_400 * 2, steps=4)
    assert shown("\n".join(summaries(rig))) == snapshot("""*All 3 paid* · $39.75 · 3 payments to 3 people (L-······). \
3 paid ($39.75), 0 failed, 0 pending. Approved by Ada Okafor. <@U0MARIA>""")
    assert [m.text for m in rig.news(APPROVALS) if not m.files] == []
    assert shown(rig.cards(FINANCE)[0].plain) == snapshot("""\
All 3 paid: $39.75 · 3 payments to 3 people. typed rows, requested by Maria Silva · L-······. Approved by <@U0ADA>.
:white_check_mark: *All 3 paid* · $39.75 · 3 payments · L-······""")
    assert not (await rig.card()).buttons
    assert Decimal(rig.payments.ledger.paid_cents()) == 3975


async def test_the_files_go_with_it(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 4
    await ask(rig, FAILED_ROWS)
    assert content(await sent_list(rig)).splitlines()[:2] == [
        "row,email,amount,currency,note,internal note,user,status,why it failed,hash,name,registered name,active,"
        "verified,primary,country,to check",
        f"1,ana@example.com,1.00,USD,row 1,{reference(rig)}/1,,,,,,Ana Maria Lopez,yes,yes,yes,ECU,",
    ]
    await approve(rig)
    await run(rig)
    (failed,) = files(rig, FINANCE)
    assert not files(rig, APPROVALS)
    assert [row.split(",")[:3] for row in content(failed).splitlines()] == [
        ["email", "amount", "note"],
        ["ana@example.com", "4.00", "row 4"],
        ["ana@example.com", "8.00", "row 8"],
    ]
    assert summary(rig) == snapshot("8 paid ($43.00), 2 failed ($12.00), 0 pending")
    (told,) = [m for m in rig.news(FINANCE) if "8 paid" in m.text]
    chart = next(block for block in told.blocks if block["type"] == "data_visualization")
    assert chart["chart"]["segments"] == [{"label": "Paid", "value": 8}, {"label": "Failed", "value": 2}]


async def test_a_bulk_payment_with_failures_is_finished_and_not_completed(rig: Rig) -> None:
    people = ("ana@example.com", "ben@example.com", "cleo@example.com")
    for email in people:
        rig.payments.add_account(email, full_name=email)
    rig.payments.switches.bulk_fail_every = 5
    await ask(rig, "\n".join(f"{people[n % 3]},1.{n:02}" for n in range(60)))
    assert "repeat" not in (await rig.card()).plain
    await approve(rig)
    await run(rig)
    assert rig.payments.ledger.paid_cents() == 6192
    told = {channel: shown(rig.cards(channel)[0].plain) for channel in (FINANCE, APPROVALS)}
    assert told == snapshot(
        {
            "C0FINANCE": """\
48 paid, 12 failed: $77.70 · 60 payments to 3 people. typed rows, requested by Maria Silva · L-······. Approved by \
<@U0ADA>.
:warning: *48 paid, 12 failed* · $77.70 · 60 payments · L-······
Retry these 12\
""",
            "C0APPROVE": """\
48 paid, 12 failed: $77.70 · 60 payments to 3 people. typed rows, requested by Maria Silva (maria) · L-······. \
Approved by <@U0ADA>.
48 paid, 12 failed · $77.70 USD
typed rows · 3 people · requested by Maria Silva (maria) · approved by <@U0ADA> · \
<!date^1795165280^{date_short_pretty} {time}|2026-11-20 09:01 UTC> · L-······
Retry these 12\
""",
        }
    )
    assert (len(summaries(rig)), len(summaries(rig, APPROVALS))) == (1, 0)
    (failed,) = files(rig, FINANCE)
    assert len(content(failed).splitlines()) == 13
    await rig.pay("bulk history")
    await rig.settle()
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Bulk payments*, page 1 of 1
• <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC> · L-······ · 48 paid, 12 failed · 60 payments · \
48 paid · 12 failed""")


async def test_failed_payments_can_be_dropped_again_after_mending(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 1
    await ask(rig, "ana@example.com;12.00;=1+1\nben+work@example.com;3.00;-note")
    await approve(rig)
    await run(rig)
    failed = content(files(rig, FINANCE)[0])
    assert [one.split(",")[2] for one in failed.splitlines()] == ["note", "'=1+1", "'-note"]
    assert shown(rig.news(FINANCE)[0].text) == snapshot("""*Both failed* · $15.00 · 2 payments to 2 people (L-······). \
0 paid, 2 failed ($15.00), 0 pending. Approved by Ada Okafor. <@U0MARIA>""")
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
    job = next(m for m in thread if "1 paid, 1 failed" in m.text)
    assert line(job, "1 paid, 1 failed") == snapshot(":warning: *1 paid, 1 failed* · $3.00 · 2 payments · L-······")
    assert len([m for m in thread if "0 pending" in m.text]) == 1
    names = [stored(rig, file).name.rpartition("-")[0] for m in thread for file in m.files if m.ts != offer.thread_ts]
    assert [name.partition("-failed")[1] for name in names] == ["-failed"]
    assert not [m.text for m in rig.workspace.messages(APPROVALS, thread_ts=card.ts) if "pending" in m.text]


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
:rotating_light: *L-······* ($39.75 · 3 payments to 3 people, requested by Maria Silva) is done, but the provider's \
list of payments can't be read. We keep trying.
Payments sent an unexpected reply.
Look for `······`. <http://127.0.0.1/archives/C0APPROVE/p······|Open the card>
Compare it with the provider's dashboard before you pay anything again.""")
    assert line(rig.cards(FINANCE)[0], "reported") == snapshot("`░░░░░░░░░░░░░░░░░░░░ 0 %` Nothing reported yet.")


async def test_a_dropped_file_pressed_twice_asks_once(rig: Rig) -> None:
    data = "Recipient;Sum (USD);Purpose\nana@example.com;25.00;März\n".encode("cp1252")
    data = data.replace(b"Sum (USD)", b"Amount")
    offer = await drop(rig, "march.csv", data)
    said = shown(rig.form())
    assert said == snapshot("""\
Pay in bulk
:memo: Request sent: $25.00 · 1 payment to 1 person. Needs 1 approval · L-······
Read as Windows-1252; email from “Recipient”, amount from “Amount”, note from “Purpose”.""")
    await press(rig, offer)  # within a moment: a slip of the finger
    assert shown(rig.form()) == said
    await rig.pass_time(3)
    await press(rig, offer)
    told = rig.form()
    assert shown(told) == snapshot("""\
Pay in bulk
:information_source: This file was already requested as L-······: $25.00 · 1 payment, *waiting for approval*.""")
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
    assert line(await rig.card(), "Row 3 repeats") == snapshot(""":warning: Row 3 repeats an earlier row (same address \
and amount).""")
    assert line(await rig.card(), "Needs") == snapshot(""":warning: Needs 2 approvers because 1 row repeats an earlier \
one.""")
    await approve(rig, ADA)
    assert submissions(rig) == 0
    await approve(rig, LIN)
    assert submissions(rig) == 1
    await run(rig)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00,other words")
    assert line(await rig.card(), "Needs") == snapshot(""":warning: Needs 2 approvers because it repeats L-······ and \
rows 1 and 2 repeat L-······.""")


@pytest.mark.parametrize(
    ("days", "needs"),
    [
        (6.99, ":warning: Needs 2 approvers because it repeats L-······."),
        (7.01, ""),
    ],
)
async def test_a_file_is_remembered_for_a_week(rig: Rig, days: float, needs: str) -> None:
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00")
    await approve(rig)
    await run(rig)
    rig.clock.advance(days * 86_400)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    assert ("Needs" in (await rig.card()).plain, needs in shown((await rig.card()).plain)) == (bool(needs), True)
    await approve(rig, ADA)
    assert submissions(rig) == (1 if days < 7 else 2)


async def test_the_policy_applies_to_the_sum(rig: Rig) -> None:
    await ask(rig, "\n".join(f"p{n}@example.com,100.00" for n in range(12)))
    await rig.press("approve")
    assert submissions(rig) == 0
    assert shown(rig.form(ADA)) == snapshot("""\
Approve a bulk payment
$1,200.00 · 12 payments to 12 people · L-······
:warning: Needs 2 approvers because it's over $1,000. Each types the amount.
:warning: 12 of the 12 accounts checked can't receive money yet.
:warning: 12 first-time recipients.
To approve, type the amount: 1200.00""")
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
    assert summary(rig) == snapshot("10 paid ($55.00), 0 failed, 0 pending")
    assert submissions(rig) == 1


async def test_what_is_missing_from_the_list_is_said(rig: Rig) -> None:
    rig.payments.switches.bulk_loses_every = 5
    await ask(rig, FAILED_ROWS)
    await approve(rig)
    await run(rig, steps=12)
    [told] = [text for text in summaries(rig) if "not reported" in text]
    assert shown(told) == snapshot("""The provider is done with $55.00 · 10 payments to 1 person (L-······), *but not \
every payment is reported*: 8 paid ($40.00), 0 failed, 0 pending, *2 not reported*. Approved by Ada Okafor. \
<@U0MARIA>""")
    assert shown(rig.workspace.messages(ALERTS)[-1].text) == snapshot("""\
:rotating_light: *L-······* ($55.00 · 10 payments to 1 person, requested by Maria Silva) has payments missing \
from the provider's list. Check the provider's dashboard.
The provider calls it finished, with 2 payments missing from its list.
Look for `······`. <http://127.0.0.1/archives/C0APPROVE/p······|Open the card>
Compare it with the provider's dashboard before you pay anything again.""")
    rig.payments.switches.bulk_loses_every = 0
    await rig.pass_time(86_400, steps=8)
    assert summary(rig) == snapshot("10 paid ($55.00), 0 failed, 0 pending")


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
    assert all(f"{n} paid" in card for n, card in between)
    assert line(rig.cards(FINANCE)[-1], "10 paid") == snapshot(""":white_check_mark: *All 10 paid* · $55.00 · 10 \
payments · L-······""")


async def test_the_button_cancels_what_was_pending_then(rig: Rig) -> None:
    await held(rig)
    card = rig.cards(FINANCE)[-1]
    assert [one.text for one in card.buttons] == ["Cancel 3 waiting"]
    await rig.workspace.click(MARIA, FINANCE, card.ts, "bulk.cancel")
    await rig.settle()
    assert shown((await rig.card()).text) == snapshot("""Approve canceling 3 waiting payments ($9.00)? From L-······: \
all that were waiting, requested by Maria Silva (maria) · X-······. 0 of 1 approvals · expires \
<!date^1795251760^{date_short_pretty} {time}|2026-11-21 09:02 UTC>. <!subteam^S0TREASURY>""")
    assert rig.payments.bulk_payments[0].cancellations == 0
    # One of them signs up before the approval: too late for that one.
    rig.payments.add_account("x2@example.com", full_name="Xenia")
    await approve(rig)
    await rig.pass_time(120, steps=4)
    job = rig.payments.bulk_payments[0]
    assert (job.cancellations, job.canceled_all) == (1, 0)
    (told,) = [m.text for m in rig.news(FINANCE) if "returned" in m.text]
    assert shown(told) == snapshot("""*Done* (X-······): 2 payments canceled, $6.00 returned; 1 already paid ($3.00). \
Approved by Ada Okafor. <@U0MARIA>""")
    assert rig.payments.ledger.paid_cents() == 400
    await run(rig, steps=2)
    [final] = [text for text in summaries(rig) if "2 paid" in text]
    assert shown(final) == snapshot("""*2 paid, 2 canceled* · $10.00 · 4 payments to 4 people (L-······). 2 paid \
($4.00), 0 failed, 0 pending, 2 canceled ($6.00). Approved by Ada Okafor. <@U0MARIA>""")


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
    assert shown([m.text for m in rig.news(FINANCE) if "returned" in m.text][-1]) == snapshot("""*Done* (X-······): \
130 payments canceled, $6.40 returned. Approved by Ada Okafor. <@U0MARIA>""")
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
    assert shown([m.text for m in rig.news(FINANCE) if "returned" in m.text][-1]) == snapshot("""*Done* (X-······): \
100 payments canceled, $4.96 returned; 30 still waiting for sign-up ($1.44). Approved by Ada Okafor. <@U0MARIA>""")


async def test_looking_at_it(rig: Rig) -> None:
    await held(rig)
    name = reference(rig)
    await rig.pay(f"bulk items {name}")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Payments of L-······*: 4, page 1 of 1
• row 1 · ana@example.com · Ana Maria Lopez · $1.00 · paid · hash ······
• row 2 · x1@example.com · $2.00 · waiting for sign-up · hash ······
• row 3 · x2@example.com · $3.00 · waiting for sign-up · hash ······
• row 4 · x3@example.com · $4.00 · waiting for sign-up · hash ······""")
    await rig.pay(f"bulk failed {name}")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("*Failed payments of L-······*: none")
    await rig.pay("bulk history")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot("""\
*Bulk payments*, page 1 of 1
• <!date^1795165200^{date_short_pretty} {time}|2026-11-20 09:00 UTC> · L-······ · waiting for sign-up · 4 payments · 1 \
paid · 0 failed""")
    await rig.pay(f"bulk show {name}")
    told = rig.workspace.ephemerals(MARIA)[-1].text
    assert shown(told).partition("\n*What happened*")[0] == snapshot("""\
Waiting for sign-up: $10.00 · 4 payments to 4 people. typed rows, requested by <@U0MARIA> · L-······. Approved by \
<@U0ADA>. `█████░░░░░░░░░░░░░░░ 25 %` 1 paid, 3 waiting for sign-up ($9.00). :warning: 3 of the 4 accounts checked \
can't receive money yet: x3@example.com, x2@example.com, x1@example.com.
*Provider record*
Provider ID: ······
Status: waiting for sign-up
Payments: 4
Waiting for sign-up: 3
*History*
• <!date^1795165200^{date_short_pretty} {time_secs}|2026-11-20 09:00:00 UTC>  <@U0MARIA> requested $10.00 · 4 payments \
to 4 people.
• <!date^1795165200^{date_short_pretty} {time_secs}|2026-11-20 09:00:00 UTC>  Sent to approvers.
• <!date^1795165200^{date_short_pretty} {time_secs}|2026-11-20 09:00:00 UTC>  <@U0ADA> approved (1 of 1).
• <!date^1795165200^{date_short_pretty} {time_secs}|2026-11-20 09:00:00 UTC>  Sent (attempt 1), approved by <@U0ADA>.
• <!date^1795165200^{date_short_pretty} {time_secs}|2026-11-20 09:00:00 UTC>  Provider status: pending.
• <!date^1795165280^{date_short_pretty} {time_secs}|2026-11-20 09:01:20 UTC>  Provider status: DONE.""")
    remote = rig.payments.bulk_payments[0].id
    await rig.pay(f"bulk show {remote}", user=TOM)
    assert rig.workspace.ephemerals(TOM)[-1].text == told
    await rig.pay("bulk template")
    direct = [m for m in rig.workspace.messages(rig.workspace.open_dm(MARIA).id) if m.files]
    assert content(stored(rig, direct[-1].files[0])).splitlines()[0] == "email,amount,note"
    await rig.pay("bulk wat")
    assert shown(rig.workspace.ephemerals(MARIA)[-1].text) == snapshot(""":pencil2: Unknown command `bulk wat`. See \
`/pay help bulk`.""")


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
