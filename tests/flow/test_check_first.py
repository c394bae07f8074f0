"""*Check first*: addresses and accounts of a payment file before the request, and what the request then leaves out."""

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from tests.support.bulk import button, everything, offered, stored, stored_rows, submit, told
from tests.support.rig import FINANCE, MARIA, ZOE, Rig
from tests.support.shown import shown
from tests.workflows.looking import newest, requests

pytestmark = pytest.mark.rig(on="both")

FILE = b"""email,amount,note,name
ana@example.com,25.00,March,Ana Lopez
bounce1@example.com,10.00,April,
mia@example.com,4.00,May,Mia Keller
luis@example.com,1.00,June,Pedro Costa
bounce2@example.com,2.00,July,
ANA@example.com,3.00,August,
"""


async def checked(rig: Rig, content: bytes = FILE) -> Message:
    """The board of the check, when everything that is due is done."""
    offer = await offered(rig, content)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Check first").action_id)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    assert rig.form().submit == "Check first"
    await submit(rig)
    assert shown(rig.form()) == snapshot("""\
Check first
:mag: Checking the file. The result comes in its thread.""")
    return board(rig)


def board(rig: Rig) -> Message:
    return next(one for one in everything(rig, FINANCE) if "This check pays nothing." in one.plain)


async def pay(rig: Rig, found: Message, user: str = MARIA) -> None:
    await rig.workspace.click(user, FINANCE, found.ts, button(found, "Pay in bulk").action_id)
    await rig.workspace.until(lambda: "Reading" not in rig.form(user).plain or None)


def asked(rig: Rig) -> list[str]:
    return [str(call.query["email"]) for call in rig.payments.calls_of("account_status")]


async def test_a_file_is_checked_before_anything_is_asked_for(rig: Rig) -> None:
    rig.payments.add_account("bounce2@example.com", full_name="Bo Unce")
    found = await checked(rig)
    assert await requests(rig) == []
    assert shown(found) == snapshot("""\
:bar_chart: *6 payments, $45.00* · march.csv
*Check first*
*$33.00* · 4 payments
:warning: *1 can't receive money yet*, paid unless you leave them out: row 4
:warning: *2 undeliverable*, left out: row 3, row 6
:warning: 1 account not verified: luis@example.com
:warning: 1 account registered under another name: luis@example.com
Requested by <@U0MARIA>. This check pays nothing.
:bar_chart: *6 payments, $45.00* · march.csv
*Check first*
*$33.00* · 4 payments
:warning: *1 can't receive money yet*, paid unless you leave them out: row 4
:warning: *2 undeliverable*, left out: row 3, row 6
:warning: 1 account not verified: luis@example.com
:warning: 1 account registered under another name: luis@example.com
Requested by <@U0MARIA>. This check pays nothing.
Pay in bulk
More…
Pay in bulk
Check first
Process e-mails""")
    files = [stored(rig, file) for message in everything(rig, FINANCE) for file in message.files]
    file = next(one for one in files if one.name.startswith("recipients-"))
    assert file.content.decode("utf-8-sig") == snapshot("""\
row,email,name,registered name,active,verified,primary,country,to check,e-mail check\r
2,ana@example.com,Ana Lopez,Ana Maria Lopez,yes,yes,yes,ECU,,deliverable\r
3,bounce1@example.com,,,no,no,no,,undeliverable; no account,undeliverable\r
4,mia@example.com,Mia Keller,Mia Keller,no,yes,yes,DEU,not active,risky\r
5,luis@example.com,Pedro Costa,Luis Andrade,yes,no,yes,ECU,not verified; registered under another name,risky\r
6,bounce2@example.com,,Bo Unce,yes,yes,yes,ECU,undeliverable,undeliverable\r
7,ANA@example.com,,Ana Maria Lopez,yes,yes,yes,ECU,,deliverable\r
""")
    before = len(asked(rig))
    assert before == 5, "each address once"
    await pay(rig, found)
    assert told(rig) == snapshot("""\
Pay in bulk
*$33.00* · 4 payments to 3 people
:warning: *2 undeliverable*, left out: row 3, row 6
:warning: *1 can't receive money yet*, will be paid: row 4
:warning: 1 account not verified: luis@example.com
:warning: 1 account registered under another name: luis@example.com
march.csv
Pay these rows anyway
Row 3: $10.00 to bounce1@example.com
undeliverable
Row 6: $2.00 to bounce2@example.com
undeliverable
Their money waits until they sign up
Leave out 1 row that can't receive money yet
row 4""")
    await submit(rig, {"anyway": ["6"], "without": ["out"]})
    assert told(rig).splitlines()[2:6] == snapshot(
        [
            "*$31.00* · 4 payments to 3 people",
            ":warning: *1 undeliverable*, left out: row 3",
            ":warning: *1 undeliverable*, will be paid: row 6",
            ":warning: *1 can't receive money yet*, left out: row 4",
        ]
    )
    await submit(rig)
    one = await newest(rig)
    assert (one.state, one.cents) == (State.AWAITING, 3100)
    assert [row.row for row in await stored_rows(rig)] == [2, 5, 6, 7]
    assert len(asked(rig)) == before, "what was found out is used again"
    lines = rig.cards()[-1].plain.splitlines()
    assert [line for line in lines if line.startswith(":warning:")] == snapshot(
        [
            ":warning: 1 account not verified: luis@example.com.",
            ":warning: 1 account registered under another name: luis@example.com.",
            ":warning: 3 first-time recipients.",
            ":warning: Left out of the file: row 3, row 4.",
            ":warning: Will be paid despite an undeliverable address: row 6.",
        ]
    )


async def test_where_the_services_are_silent_the_check_ends_and_says_so(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    rig.emails.faults.arm(Fault(FaultKind.GARBAGE, times=None))
    await checked(rig)
    await rig.pass_time(120, steps=12)
    assert shown(board(rig)) == snapshot("""\
:bar_chart: *6 payments, $45.00* · march.csv
*Check first*
*$45.00* · 6 payments
:grey_question: 5 addresses not checked by the e-mail check
:warning: 5 of 5 accounts couldn't be checked
Requested by <@U0MARIA>. This check pays nothing.
:bar_chart: *6 payments, $45.00* · march.csv
*Check first*
*$45.00* · 6 payments
:grey_question: 5 addresses not checked by the e-mail check
:warning: 5 of 5 accounts couldn't be checked
Requested by <@U0MARIA>. This check pays nothing.
Pay in bulk
More…
Pay in bulk
Check first
Process e-mails""")
    rig.payments.faults.clear()
    await pay(rig, board(rig))
    await submit(rig)
    assert (await newest(rig)).cents == 4500


async def test_a_check_goes_on_where_it_was_interrupted(rig: Rig) -> None:
    people = [f"p{n}@example.com" for n in range(25)]
    rig.add_payees(*people)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", skip=10, times=20))
    content = "email,amount\n" + "".join(f"{email},1.00\n" for email in people)
    assert shown(await checked(rig, content.encode())).splitlines()[1:3] == snapshot(
        ["*Check first*", ":mag: `████████░░░░░░░░░░░░ 40 %` 10 of 25 addresses"]
    )
    await rig.start_again()
    await rig.pass_time(180, steps=6)
    assert "$25.00" in board(rig).plain
    assert len(asked(rig)) == 25 + 20
    assert len(set(asked(rig))) == 25


async def test_a_file_that_is_gone_is_said(rig: Rig) -> None:
    offer = await offered(rig)
    await rig.workspace.click(MARIA, FINANCE, offer.ts, button(offer, "Check first").action_id)
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "files.info", skip=1, times=1))
    await rig.workspace.submit(MARIA, {})
    assert offer.thread_ts is not None
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    await rig.workspace.delete_file(MARIA, rig.workspace.message(FINANCE, offer.thread_ts).files[0])
    await rig.pass_time(60, steps=6)
    assert shown(board(rig)) == snapshot("""\
:bar_chart: *3 payments, $60.50* · march.csv
*Check first*
:x: The file couldn't be checked. This file was deleted.
Requested by <@U0MARIA>. This check pays nothing.
:bar_chart: *3 payments, $60.50* · march.csv
*Check first*
:x: The file couldn't be checked. This file was deleted.
Requested by <@U0MARIA>. This check pays nothing.""")
    assert not board(rig).buttons


async def test_who_may_not_ask_for_payments_cannot_pay_a_checked_file(rig: Rig) -> None:
    found = await checked(rig)
    await rig.workspace.click(ZOE, FINANCE, found.ts, button(found, "Pay in bulk").action_id)
    await rig.workspace.until(lambda: rig.workspace.ephemerals(ZOE) or None)
    assert rig.workspace.modal(ZOE) is None
