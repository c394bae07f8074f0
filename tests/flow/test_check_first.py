"""*Check first*: addresses and accounts of a payment file before the request, and what the request then leaves out."""

import pytest

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from tests.support.bulk import dropped, everything, offered, press, stored, stored_rows, submit, told
from tests.support.rig import FINANCE, MARIA, Rig
from tests.support.shown import lacking
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
    await press(rig, offer, label="Check first")
    assert rig.form().submit == "Check first"
    await submit(rig)
    assert "The result comes in its thread." in rig.form().plain
    return board(rig)


def board(rig: Rig) -> Message:
    return next(one for one in everything(rig, FINANCE) if "This check pays nothing." in one.plain)


def asked(rig: Rig) -> list[str]:
    return [str(call.query["email"]) for call in rig.payments.calls_of("account_status")]


async def test_file_is_checked_before_the_form(rig: Rig) -> None:
    rig.payments.add_account("bounce2@example.com", full_name="Bo Unce")
    found = await checked(rig)
    assert await requests(rig) == []
    assert not lacking(
        found.plain,
        "*$33.00* · 4 payments",
        "paid unless you leave them out: row 4",
        "*2 undeliverable*, left out: row 3, row 6",
    )
    assert [button.text for button in found.buttons] == ["Pay in bulk"]
    files = [stored(rig, file) for message in everything(rig, FINANCE) for file in message.files]
    file = next(one for one in files if one.name.startswith("recipients-"))
    checks = [line.split(",", 3)[-1].split(",")[-2:] for line in file.content.decode("utf-8-sig").splitlines()]
    assert checks == [
        *(["to check", "e-mail check"], ["", "deliverable"], ["undeliverable; no account", "undeliverable"]),
        *(["not active", "risky"], ["not verified; registered under another name", "risky"]),
        *(["undeliverable", "undeliverable"], ["", "deliverable"]),
    ]
    before = len(asked(rig))
    assert before == 5, "each address once"
    await press(rig, found)
    assert not lacking(
        told(rig),
        "*$33.00* · 4 payments to 3 people",
        "will be paid: row 4",
        "Leave out 1 row that can't receive money yet",
    )
    await submit(rig, {"anyway": ["6"], "without": ["out"]})
    assert "*$31.00* · 4 payments to 3 people" in told(rig)
    await submit(rig)
    one = await newest(rig)
    assert (one.state, one.cents) == (State.AWAITING, 3100)
    assert [row.row for row in await stored_rows(rig)] == [2, 5, 6, 7]
    assert len(asked(rig)) == before, "what was found out is used again"
    card = rig.cards()[-1].plain
    assert not lacking(
        card, "1 account not verified", "Left out of the file: row 3, row 4.", "an undeliverable address: row 6."
    )


async def test_doctor_reports_silent_services(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    rig.emails.faults.arm(Fault(FaultKind.GARBAGE, times=None))
    await checked(rig)
    await rig.pass_time(120, steps=12)
    assert "5 addresses not checked by the e-mail check" in board(rig).plain
    assert "5 of 5 accounts couldn't be checked" in board(rig).plain
    rig.payments.faults.clear()
    await press(rig, board(rig))
    await submit(rig)
    assert (await newest(rig)).cents == 4500


async def test_check_resumes_where_it_was_interrupted(rig: Rig) -> None:
    people = [f"p{n}@example.com" for n in range(25)]
    rig.add_payees(*people)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", skip=10, times=20))
    content = "email,amount\n" + "".join(f"{email},1.00\n" for email in people)
    assert "10 of 25 addresses" in (await checked(rig, content.encode())).plain
    await rig.start_again()
    await rig.pass_time(180, steps=6)
    assert "$25.00" in board(rig).plain
    assert len(asked(rig)) == 25 + 20
    assert len(set(asked(rig))) == 25


async def test_missing_file_is_reported(rig: Rig) -> None:
    offer = await offered(rig)
    await press(rig, offer, label="Check first")
    rig.workspace.faults.arm(Fault(FaultKind.ERROR_500, "files.info", skip=1, times=1))
    await rig.workspace.submit(MARIA, {})
    await rig.workspace.until(lambda: "Reading" not in rig.form().plain or None)
    await rig.workspace.delete_file(MARIA, dropped(rig, offer).id)
    await rig.pass_time(60, steps=6)
    assert "This file was deleted." in board(rig).plain
    assert not board(rig).buttons
