"""Whom a bulk payment goes to: every account is looked up, counted on the card, and listed for the approvers."""

from typing import Any

import pytest
from inline_snapshot import snapshot

from bot.domain.payments.instruction import State
from bot.playground.faults import Fault, FaultKind
from tests.support.bulk import approve, ask, pressed, run, sent_list, submit
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, MARIA, Rig
from tests.workflows.looking import newest, votes

pytestmark = pytest.mark.rig(on="both")

NAMED = b"""email,amount,note,full name
ana@example.com,25.00,March,Ana Lopez
luis@example.com,10.50,Proofs,Luis Andrade
joana.silva@example.com,4.00,x,Pedro Costa
mia@example.com,3.00,x,Mia Keller
ANA@example.com,2.00,y,Ana M. Lopez
nobody@example.com,1.00,z,
"""


def asked_about(rig: Rig) -> list[str]:
    return [str(call.query.get("email")) for call in rig.payments.calls_of("account_status")]


def accounts_line(rig: Rig, channel: str = APPROVALS) -> str:
    lines = [part for block in rig.cards(channel)[-1].blocks for part in block_texts(block)]
    return "\n".join(line for line in lines if line.startswith(("Checking recipients", ":warning:")))


def block_texts(block: dict[str, Any]) -> list[str]:
    """The lines of a paragraph or of small print."""
    return [line for part in [block, *block.get("elements", [])] for line in texts_of(part).splitlines()]


def texts_of(part: dict[str, Any]) -> str:
    text = part.get("text", "")
    return str(text.get("text", "")) if isinstance(text, dict) else str(text)


async def test_mismatched_names_and_accounts_are_reported(rig: Rig) -> None:
    await pressed(rig, NAMED)
    chosen = [block["element"]["initial_option"]["text"]["text"] for block in rig.form().blocks[2:6]]
    assert chosen == ["email", "amount", "note", "full name"]
    await submit(rig)
    names = ("ana", "joana.silva", "luis", "mia", "nobody")
    assert sorted(email.casefold() for email in asked_about(rig)) == [f"{name}@example.com" for name in names]
    warned = accounts_line(rig)
    assert "2 of the 5 accounts checked can't receive money yet" in warned
    assert "registered under another name: joana.silva@example.com" in warned
    listed = (await sent_list(rig)).content.decode("utf-8-sig").splitlines()
    assert [line.rpartition(",")[2] for line in listed] == [
        *("to check", "", "not verified", "not the primary address; registered under another name"),
        *("not active", "", "no account"),
    ]
    assert "Pedro Costa,Joana Silva,yes,yes,no,BRA" in listed[3]
    await approve(rig)
    await run(rig)
    assert accounts_line(rig).splitlines() == warned.splitlines()[:3], "nobody is new any more"
    sent = [item.order.note for item in rig.payments.bulk_payments[0].items]
    assert sent == ["March", "Proofs", "x", "x", "y", "z"], "no name is sent"


@pytest.mark.parametrize("restarts", [False, True])
async def test_each_account_of_a_bulk_payment_is_looked_up_once(rig: Rig, restarts: bool) -> None:
    people = [f"p{n}@example.com" for n in range(38)]
    rig.add_payees(*people)
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", skip=20, times=80))
    await ask(rig, "\n".join(f"{email},1.00" for email in people))
    assert (await newest(rig)).state is State.NEW
    rig.clock.advance(5)
    await rig.settle()
    assert accounts_line(rig, FINANCE) == snapshot("")
    assert not rig.cards()
    if restarts:
        await rig.start_again()
    await rig.pass_time(30, steps=6)
    assert (await newest(rig)).state is State.AWAITING
    assert accounts_line(rig) == snapshot(":warning: 38 first-time recipients.")
    asked = asked_about(rig)
    assert len(set(asked)) == 38
    assert len(asked) == 38 + 80, "those that nothing answered for, and no others"


async def test_silent_service_does_not_block_approval(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    await ask(rig)
    assert not rig.cards()
    await rig.pass_time(6)
    assert "Payments is having problems." in rig.cards(FINANCE)[0].plain
    await rig.pass_time(120, steps=12)
    assert "3 of 3 accounts couldn't be checked" in accounts_line(rig)
    assert len(asked_about(rig)) == 24, "three addresses, four times, each twice"
    await approve(rig, ADA)
    assert len(rig.payments.bulk_payments) == 1
    assert not rig.workspace.messages(ALERTS)


async def test_it_can_be_withdrawn_while_it_is_looked_up(rig: Rig) -> None:
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "account_status", times=None))
    await ask(rig)
    await rig.pass_time(6)
    await rig.press("withdraw", user=MARIA, channel=FINANCE)
    rig.payments.faults.clear()
    await rig.pass_time(120, steps=12)
    assert (await newest(rig)).state is State.WITHDRAWN
    assert not rig.cards()


async def test_every_place_to_approve_shows_the_warnings_of_the_card(rig: Rig) -> None:
    await pressed(rig, NAMED)
    await submit(rig)
    told = accounts_line(rig).splitlines()
    assert len(told) == 4
    await rig.workspace.open_home(ADA)
    assert all(line in str(rig.workspace.home(ADA)) for line in told)
    for at_home in (True, False):
        if at_home:
            await rig.workspace.click_in_view(ADA, "payout.approve", home=True)
        else:
            await rig.press("approve", confirm=False)
        assert all(line in str(rig.form(ADA).blocks) for line in told)
        assert await votes(rig) == []
        await rig.workspace.close(ADA)
    await rig.press("reject", confirm=False)
    assert all(line in str(rig.form(ADA).blocks) for line in told)
    await approve(rig)
    assert [vote.person for vote in await votes(rig)] == [ADA]


@pytest.mark.rig(on="sqlite")
async def test_list_of_a_card_shows_names_and_registered_ones_that_differ(rig: Rig) -> None:
    await pressed(rig, NAMED)
    await submit(rig)
    await rig.workspace.click(ADA, APPROVALS, rig.cards()[0].ts, "bulk.list")
    found = await rig.workspace.until(lambda: next(one for one in rig.workspace.ephemerals(ADA) if "row 2" in one.text))
    names = [line.split(" · ")[2] for line in found.text.splitlines() if line.startswith("• ")]
    assert names == snapshot(
        ["Ana Lopez", "Luis Andrade", "Pedro Costa (registered: Joana Silva)", "Mia Keller", "Ana M. Lopez", "$1.00"]
    )
    assert "Pedro Costa (registered: Joana Silva)" in str(found.blocks)
