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
    finished,
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
from tests.support.shown import lacking, shown

FAILED_ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, 11))

pytestmark = pytest.mark.rig(on="both")


def summaries(rig: Rig, channel: str = FINANCE) -> list[str]:
    """What was told of the counts in the threads of a channel's cards."""
    return [m.text for m in rig.news(channel) if " pending" in m.text]


def summary(rig: Rig) -> str:
    found = re.search(r"\(L-[^)]*\)\. (.* pending[^.]*)", summaries(rig)[-1])
    assert found is not None
    return found[1]


async def test_bulk_payment_goes_from_rows_to_its_summary(rig: Rig) -> None:
    await ask(rig)
    assert "$39.75 · 3 payments to 3 people" in (await rig.card()).text
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
    assert "2 paid, 1 waiting for sign-up ($4.25)" in rig.cards(FINANCE)[0].plain
    rig.payments.add_account("nobody@example.com", full_name="Nora Body")
    await rig.pass_time(86_400 * 2, steps=4)
    assert (len(summaries(rig)), summary(rig)) == (1, "3 paid ($39.75), 0 failed, 0 pending")
    assert [m.text for m in rig.news(APPROVALS) if not m.files] == []
    assert "All 3 paid" in rig.cards(FINANCE)[0].plain
    assert not (await rig.card()).buttons
    assert Decimal(rig.payments.ledger.paid_cents()) == 3975


async def test_uploaded_files_belong_to_the_message(rig: Rig) -> None:
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
    assert summaries(rig, APPROVALS) == []
    for channel in (FINANCE, APPROVALS):
        done = rig.cards(channel)[0]
        assert ("8 paid, 2 failed" in done.plain, done.buttons[0].text) == (True, "Retry these 2")
    chart = next(block for block in told.blocks if block["type"] == "data_visualization")
    assert chart["chart"]["segments"] == [{"label": "Paid", "value": 8}, {"label": "Failed", "value": 2}]


async def test_failed_payments_can_be_dropped_again_after_mending(rig: Rig) -> None:
    rig.payments.switches.bulk_fail_every = 1
    await finished(rig, "ana@example.com;12.00;=1+1\nben+work@example.com;3.00;-note")
    failed = content(files(rig, FINANCE)[0])
    assert [one.split(",")[2] for one in failed.splitlines()] == ["note", "'=1+1", "'-note"]
    assert "0 paid, 2 failed ($15.00), 0 pending" in rig.news(FINANCE)[0].text
    rig.payments.switches.bulk_fail_every = 0
    await drop(rig, "mended.csv", failed.encode())
    items = [row.item for row in await stored_rows(rig)]
    assert [(item.email, item.cents, item.note) for item in items] == [
        ("ana@example.com", 1200, "=1+1"),
        ("ben+work@example.com", 300, "-note"),
    ]


@pytest.mark.parametrize("channel", [FINANCE, APPROVALS])
async def test_progress_of_a_dropped_file_is_in_its_thread(rig: Rig, channel: str) -> None:
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
async def test_unreadable_list_is_reported_once(rig: Rig) -> None:
    await finished(rig)
    await rig.pass_time(3_600, steps=8)
    assert sum("list of payments can't be read" in m.text for m in rig.workspace.messages(ALERTS)) == 1
    assert "Nothing reported yet" in rig.cards(FINANCE)[0].plain


async def test_dropped_file_pressed_twice_requests_once(rig: Rig) -> None:
    data = "Recipient;Sum (USD);Purpose\nana@example.com;25.00;März\n".encode("cp1252")
    data = data.replace(b"Sum (USD)", b"Amount")
    offer = await drop(rig, "march.csv", data)
    said = shown(rig.form())
    assert not lacking(said, "Needs 1 approval", "email from “Recipient”")
    await press(rig, offer)  # within a moment: a slip of the finger
    assert shown(rig.form()) == said
    await rig.pass_time(3)
    await press(rig, offer)
    told = rig.form()
    assert "already requested" in told.plain
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
    assert "Row 3 repeats an earlier row" in (await rig.card()).plain
    assert "Needs 2 approvers because 1 row repeats" in (await rig.card()).plain
    await approve(rig, ADA)
    assert submissions(rig) == 0
    await approve(rig, LIN)
    assert submissions(rig) == 1
    await run(rig)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    await ask(rig, "ana@example.com,5.00\nluis@example.com,5.00,other words")
    assert shown(line(await rig.card(), "Needs")).endswith("it repeats L-······ and rows 1 and 2 repeat L-······.")


@pytest.mark.parametrize(
    ("days", "needs"), [(6.99, ":warning: Needs 2 approvers because it repeats L-······."), (7.01, "")]
)
async def test_file_is_remembered_for_a_week(rig: Rig, days: float, needs: str) -> None:
    await finished(rig, "ana@example.com,5.00\nluis@example.com,5.00")
    rig.clock.advance(days * 86_400)
    await ask(rig, "luis@example.com,5.00\nana@example.com,5.00")
    assert ("Needs" in (await rig.card()).plain, needs in shown((await rig.card()).plain)) == (bool(needs), True)
    await approve(rig, ADA)
    assert submissions(rig) == (1 if days < 7 else 2)


async def test_policy_applies_to_the_sum(rig: Rig) -> None:
    await ask(rig, "\n".join(f"p{n}@example.com,100.00" for n in range(12)))
    await rig.press("approve")
    assert submissions(rig) == 0
    assert "To approve, type the amount: 1200.00" in rig.form(ADA).plain
    await rig.submit(ADA, {"amount": "1200"})
    await rig.press("approve", user=LIN)
    await rig.submit(LIN, {"amount": "1200.00"})
    assert submissions(rig) == 1


async def test_without_notes_it_is_found_by_its_people_and_amounts(rig: Rig) -> None:
    rig.payments.switches.bulk_drops_notes = True
    rig.payments.faults.arm(Fault(kind=FaultKind.DONE_DROPPED, operation="create_bulk_payment"))
    await finished(rig, FAILED_ROWS)
    assert summary(rig) == snapshot("10 paid ($55.00), 0 failed, 0 pending")
    assert submissions(rig) == 1


async def test_payments_missing_from_the_list_are_an_alert(rig: Rig) -> None:
    rig.payments.switches.bulk_loses_every = 5
    await finished(rig, FAILED_ROWS, steps=12)
    assert sum("*2 not reported*" in text for text in summaries(rig)) == 1
    assert "2 payments missing from its list" in rig.workspace.messages(ALERTS)[-1].text
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
    assert "*All 10 paid*" in rig.cards(FINANCE)[-1].plain


async def test_button_cancels_items_pending_at_that_moment(rig: Rig) -> None:
    await held(rig)
    card = rig.cards(FINANCE)[-1]
    assert [one.text for one in card.buttons] == ["Cancel 3 waiting"]
    await rig.click(card, "bulk.cancel")
    assert "canceling 3 waiting payments ($9.00)?" in (await rig.card()).text
    assert rig.payments.bulk_payments[0].cancellations == 0
    # One of them signs up before the approval: too late for that one.
    rig.payments.add_account("x2@example.com", full_name="Xenia")
    await approve(rig)
    await rig.pass_time(120, steps=4)
    job = rig.payments.bulk_payments[0]
    assert (job.cancellations, job.canceled_all) == (1, 0)
    (told,) = [m.text for m in rig.news(FINANCE) if "returned" in m.text]
    assert "2 payments canceled, $6.00 returned; 1 already paid ($3.00)" in told
    assert rig.payments.ledger.paid_cents() == 400
    await run(rig, steps=2)
    [final] = [text for text in summaries(rig) if "2 paid" in text]
    assert "2 canceled ($6.00)" in final


async def test_row_is_found_by_number_or_short_hash(rig: Rig) -> None:
    await held(rig)
    job = rig.payments.bulk_payments[0]
    await rig.pay(f"bulk cancel {reference(rig)} 2 {job.items[3].hash[:8].upper()} {job.items[3].hash}")
    await approve(rig)
    await rig.pass_time(60, steps=2)
    assert [item.status for item in job.items] == ["completed", "canceled", "pending", "canceled"]
    bodies = [call.body for call in rig.payments.calls_of("cancel_bulk_items")]
    assert bodies == [{"paymentItems": [{"svc_operation_hash": one.hash} for one in job.items[1::2]]}]


async def test_uncancelable_items_are_reported(rig: Rig) -> None:
    await held(rig)
    done = next(item.hash for item in rig.payments.bulk_payments[0].items if item.status == "completed")
    name = reference(rig)
    for typed, said in (
        (f"{name} {done}", "Row 1 (ana@example.com) was already paid"),
        (f"{name} 17", "There's no row 17"),
        ("B-XXXXXX all", "is a delivery"),
        (name, "Add the payments: all, or row numbers"),
    ):
        await rig.pay(f"bulk cancel {typed}")
        assert said in rig.workspace.ephemerals(MARIA)[-1].text
    assert len(rig.cards()) == 1


async def cancel_130(rig: Rig) -> None:
    """Request and approve to cancel all 130 payments of a bulk payment, which wait for sign-ups."""
    await finished(rig, "\n".join(f"q{n}@example.com,0.0{1 + n % 9}" for n in range(130)), steps=3)
    await rig.pay(f"bulk cancel {reference(rig)} all")
    await approve(rig)


async def test_large_cancellation_is_sent_in_chunks(rig: Rig) -> None:
    await cancel_130(rig)
    await rig.pass_time(60, steps=3)
    sizes = [len(call.body["paymentItems"]) for call in rig.payments.calls_of("cancel_bulk_items")]  # type: ignore[index]
    assert sizes == [100, 30]
    assert "130 payments canceled, $6.40 returned." in [m.text for m in rig.news(FINANCE) if "returned" in m.text][-1]
    assert rig.payments.bulk_payments[0].canceled_all == 0


async def test_expired_cancellation_names_remaining_items(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.TOO_MANY, operation="cancel_bulk_items", skip=1, times=None))
    await cancel_130(rig)
    await rig.pass_time(26 * 3_600, steps=60)
    rig.payments.faults.clear()
    await rig.pass_time(3_600, steps=10)
    assert rig.payments.bulk_payments[0].cancellations == 1
    told = [m.text for m in rig.news(FINANCE) if "returned" in m.text][-1]
    assert "100 payments canceled, $4.96 returned; 30 still waiting for sign-up ($1.44)." in told


async def test_bulk_commands_show_rows_failures_history_and_template(rig: Rig) -> None:
    await held(rig)
    name, remote = reference(rig), rig.payments.bulk_payments[0].id
    for command, said in (
        (f"items {name}", "• row 2 · x1@example.com · $2.00 · waiting for sign-up"),
        (f"failed {name}", f"*Failed payments of {name}*: none"),
        ("history", f"{name} · waiting for sign-up · 4 payments · 1 paid · 0 failed"),
        (f"show {name}", "Provider status: DONE."),
        ("wat", "Unknown command `bulk wat`"),
    ):
        await rig.pay(f"bulk {command}")
        assert said in rig.workspace.ephemerals(MARIA)[-1].text
    for user, given in ((MARIA, name), (TOM, remote)):
        await rig.pay(f"bulk show {given}", user=user)
    assert rig.workspace.ephemerals(TOM)[-1].text == rig.workspace.ephemerals(MARIA)[-1].text
    await rig.pay("bulk template")
    direct = [m for m in rig.workspace.messages(rig.workspace.open_dm(MARIA).id) if m.files]
    assert content(stored(rig, direct[-1].files[0])).splitlines()[0] == "email,amount,note"


async def test_pages_are_turned(rig: Rig) -> None:
    await ask(rig, "\n".join(f"q{n}@example.com,1.00" for n in range(45)))
    await rig.pay(f"bulk items {reference(rig)}")
    first = rig.workspace.ephemerals(MARIA)[-1]
    await rig.click(first, "bulk.next")
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
