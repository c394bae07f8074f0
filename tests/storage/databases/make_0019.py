"""Make the two databases of version 0019, with what stands in Slack and at the services: run it with that version.

    git worktree add /tmp/then 9036726
    cd /tmp/then && PYTHONPATH=$PWD python .../tests/storage/databases/make_0019.py .../tests/storage/databases

It writes ``0019`` (everything under way, with a reason where there can be one) and ``0019-reading-only`` (a database
that was put back to an earlier moment). It imports nothing but what that version has.
"""

import asyncio
import json
import sqlite3
import sys
import tempfile
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from bot.playground.faults import Fault, FaultKind
from bot.playground.workspace import Message
from bot.presentation.bookings import forms as booking_forms
from bot.presentation.payments import forms
from tests.storage.databases.make import form
from tests.support.bulk import ask as ask_for_many
from tests.support.bulk import run
from tests.support.deliveries import CENTRO, DELIVERIES, ask_price, book, deliver, open_rig, service_of
from tests.support.rig import ADA, ALERTS, APPROVALS, FINANCE, LIN, MARIA, OLGA, TOM, Rig
from tests.workflows.looking import newest
from tests.workflows.restoring import back_up, restore

LONG = "A sentence that is long enough. " * 10
STORE = {
    booking_forms.NAME: "Harbour",
    booking_forms.EMAIL: "harbour@example.com",
    booking_forms.PHONE: "+593 2 234 5678",
    booking_forms.ADDRESS: "9 Quay",
    booking_forms.POSITION: "-0.2000, -78.4900",
    booking_forms.PLACE_REFERENCE: "Beside the crane",
}
PEOPLE = (
    "awaiting",
    "lost",
    "undone",
    "refused",
    "vanished",
    "held",
    "odd",
    "silent",
    "answered",
    "untold",
    "rejected",
)


async def money(rig: Rig) -> None:
    """Requests in their states, each for an address of its own; two bulk payments of which one waits for the other."""
    rig.add_payees(*(f"{name}@example.com" for name in PEOPLE))
    await rig.pay("collect ben@example.com campaign web=2x10.00")
    await ask_for_many(rig, "ana@example.com,1.00,a\nx1@example.com,2.00,b\nx2@example.com,3.00,c")
    await rig.press("approve")
    await run(rig, steps=4)
    await rig.pay(f"bulk cancel {(await newest(rig)).reference} all")
    await ask_for_many(rig, "\n".join(f"ana@example.com,{n}.50,under way {n}" for n in range(1, 6)))
    await rig.press("approve")
    rig.payments.switches.bulk_items_a_step = 2
    await run(rig, steps=2)
    rig.payments.switches.bulk_stuck = True
    await rig.pay("send awaiting@example.com 2000.00 awaiting")
    await rig.press("approve")
    await rig.submit(ADA, {forms.AMOUNT: "2000.00"})
    await rig.pay("send held@example.com 26.00 held", user=TOM)
    await approve_at_once(rig, ADA)
    rig.workspace.set_user(TOM, restricted=True)
    await rig.pass_time(61)
    await rig.pay("send odd@example.com 27.00 odd")
    await rig.pay("send rejected@example.com 12.00 rejected")
    await rig.pay("send silent@example.com 28.00 silent")
    await rig.pay("send untold@example.com 30.00 untold")


async def approve_at_once(rig: Rig, user: str) -> None:
    """Press the newest card's button; nothing is done about it yet."""
    card = await rig.card()
    await rig.workspace.click(user, APPROVALS, card.ts, "payout.approve")


async def lost_answers(rig: Rig) -> None:
    """Commits, a request in one step and a submission whose outcome no read tells yet."""
    faults = rig.payments.faults
    for name, kind in (
        ("lost", FaultKind.DONE_500),
        ("undone", FaultKind.ERROR_500),
        ("refused", FaultKind.DONE_REFUSED),
    ):
        faults.clear()
        faults.arm(Fault(kind, "commit_payout"))
        faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None, skip=1))  # it is read before the commit
        await rig.pay(f"send {name}@example.com 31.00 {name}")
        await rig.press("approve")
    faults.clear()
    await rig.pay("send answered@example.com 29.00 answered")
    faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await rig.press("approve")
    faults.clear()
    faults.arm(Fault(FaultKind.REFUSED, "one_step_payout"))
    await rig.pay("now vanished@example.com 32.00 vanished")
    faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None))
    await rig.press("approve")
    await ask_for_many(rig, "luis@example.com,3.00,lost one\nluis@example.com,4.00,lost two")
    faults.arm(Fault(FaultKind.DONE_DROPPED, "create_bulk_payment"))
    faults.arm(Fault(FaultKind.ERROR_500, "list_bulk_payments", times=None, skip=1))  # noted before it is submitted
    await rig.press("approve")
    await ask_for_many(rig, "luis@example.com,5.00,waits one\nluis@example.com,6.00,waits two")
    await rig.press("approve")


async def bookings(rig: Rig) -> None:
    """One that is followed, one whose answer was lost, one that is put off; a store whose answer was lost."""
    faults = service_of(rig).faults
    await book(rig)
    faults.arm(Fault(FaultKind.DONE_DROPPED, "create_booking"))
    faults.arm(Fault(FaultKind.ERROR_500, "get_booking", times=None))
    await book(rig)
    await rig.pass_time(6)
    await ask_price(rig)
    faults.arm(Fault(FaultKind.TOO_MANY, "create_booking", times=None, wait="900"))
    await rig.submit(MARIA, {})
    await rig.settle()
    await rig.workspace.close(MARIA)
    faults.arm(Fault(FaultKind.DONE_DROPPED, "create_store"))
    faults.arm(Fault(FaultKind.ERROR_500, "list_stores", times=None))
    await deliver(rig, "store add", user=OLGA)
    await rig.workspace.submit(OLGA, STORE)
    await rig.workspace.until(lambda: service_of(rig).calls_of("create_store") or None)
    await rig.settle()
    await rig.workspace.close(OLGA)


async def lists(rig: Rig) -> None:
    """Two lists that are paused, because the service refused our key."""
    key, rig.emails.api_key = rig.emails.api_key, "another"
    for name in ("half", "paused"):
        content = "email\r\n" + "".join(f"{name}{n}@example.com\r\n" for n in range(8))
        dropped = await rig.workspace.drop(MARIA, FINANCE, f"{name}.csv", content.encode())
        await rig.settle()
        offer = next(one for one in rig.workspace.messages(FINANCE, thread_ts=dropped.ts) if one.bot_id and one.buttons)
        button = next(one for one in offer.buttons if one.text == "Process e-mails")
        await rig.workspace.click(MARIA, FINANCE, offer.ts, button.action_id)
        await rig.workspace.until(lambda: "email" in form(rig) or None)
        await rig.submit(MARIA, {"concurrent": "2"})
        await rig.settle()
    rig.emails.api_key = key


async def calls(rig: Rig) -> None:
    """A call that was refused, one whose answer was lost, and one that is under way. They are made beside the clock."""
    for kind, words in ((FaultKind.REFUSED, "paraphrase It is so."), (FaultKind.DONE_DROPPED, "emotion I am so glad")):
        rig.localization.faults.arm(Fault(kind))
        await rig.workspace.slash(MARIA, FINANCE, "/localize", words)
        await rig.settle()
        await rig.switchboard.context.localization.calls.idle()  # type: ignore[attr-defined] # of that version
        await rig.settle()
    rig.localization.work_seconds["*"] = 3_600.0
    before = len(rig.localization.calls)
    await rig.workspace.slash(MARIA, FINANCE, "/localize", f"summarize {LONG}")
    await rig.settle()
    await rig.localization.until(lambda: len(rig.localization.calls) > before)


async def unsent(rig: Rig) -> None:
    """News and alerts with their reasons that Slack does not take any more, while its edits arrive."""
    await press(rig, "rejected@", "reject")
    rig.workspace.faults.arm(Fault(FaultKind.TOO_MANY, "chat.postMessage", times=None))
    await rig.submit(ADA, {"reason": "no, _not_ this one"})
    forged = "INSERT INTO vote SELECT id, round, ?, 'approve', created_at, 0 FROM instruction WHERE payee_email = ?"
    await rig.switchboard.context.store.write(
        lambda tx: tx._connection.exec_driver_sql(forged, (LIN, "odd@example.com"))
    )
    await press(rig, "odd@", "approve")
    rig.payments.faults.clear()
    rig.payments.faults.arm(Fault(FaultKind.DONE_500, "commit_payout"))
    rig.payments.faults.arm(Fault(FaultKind.ERROR_500, "get_operation", times=None, skip=1))
    await press(rig, "untold@", "approve")
    await rig.settle()


async def silence(rig: Rig) -> None:
    """The payments service drops every connection; what is approved then waits for it."""
    rig.payments.faults.clear()
    rig.payments.faults.arm(Fault(FaultKind.LOST, "*", times=None))
    client = rig.switchboard.context.payments.client
    assert client is not None
    for _ in range(3):
        client.circuit.silent(client.circuit.mark())
    await rig.settle()
    for words in ("silent@", "Cancellation"):
        if await press(rig, words, "approve"):
            await rig.workspace.submit(ADA, {})
        await rig.settle()


async def press(rig: Rig, words: str, action: str) -> bool:
    """Press a button of the approvers' card with these words; whether a form opened."""
    card = next(one for one in rig.cards(APPROVALS) if words in one.text)
    await rig.workspace.click(ADA, APPROVALS, card.ts, f"payout.{action}")
    return rig.workspace.modal(ADA) is not None


async def half_a_list(rig: Rig) -> None:
    """A list goes on until half of it is answered, and the process ends in an orderly way."""
    rig.emails.faults.arm(Fault(FaultKind.ERROR_500, "check", times=6))
    board = next(one for one in rig.workspace.messages(FINANCE) if "half.csv" in one.text and "Paused" in one.text)
    await rig.workspace.click(MARIA, FINANCE, board.ts, "email.resume")
    rig.emails.manners.latency = 0.1
    working = asyncio.create_task(rig.settle())
    await rig.emails.until(lambda: len(rig.emails.asked) >= 3)
    await rig.switchboard.stop()
    await asyncio.gather(working, return_exceptions=True)


async def everything(rig: Rig) -> None:
    """All that can be under way."""
    await money(rig)
    await bookings(rig)
    await lists(rig)
    await calls(rig)
    await lost_answers(rig)
    await unsent(rig)
    await silence(rig)
    await half_a_list(rig)


async def put_back(rig: Rig) -> None:
    """A payout waits, another one was paid since the database was as it is now."""
    rig.add_payees("waits@example.com", "paid@example.com")
    await rig.pay("send waits@example.com 21.00 waits")
    await rig.pay("send paid@example.com 22.00 paid")
    kept = back_up(rig.settings.database_url, Path(rig.settings.database_url.partition("///")[2]).with_name("kept.db"))
    await rig.press("approve")
    await restore(rig, kept)
    await rig.pass_time(5)
    await rig.switchboard.stop()


def _kept(message: Message) -> dict[str, Any]:
    """A message without what is empty. Of its blocks, those by which a card is known and pressed, to save space."""
    blocks = [block for block in message.blocks if block["type"] in ("header", "actions")]
    return {name: value for name, value in _given(replace(message, blocks=blocks)).items() if value}


def _given(record: Any) -> dict[str, Any]:
    """A record's fields, without those that are None."""
    return {name: value for name, value in asdict(record).items() if value is not None}


def outside(rig: Rig) -> dict[str, Any]:
    """What stands in Slack and at the services."""
    direct = rig.workspace.open_dm(MARIA).id
    delivery = service_of(rig)
    return {
        "now": rig.clock.now().isoformat(),
        "direct": direct,
        "messages": [
            _kept(message)
            for channel in (FINANCE, APPROVALS, ALERTS, "C0MONEY", DELIVERIES, CENTRO, direct)
            for message in rig.workspace.messages(channel)
            if not message.ephemeral_to
        ],
        "people": {TOM: {"restricted": rig.workspace._state.directory.users[TOM].restricted}},
        "operations": [_given(record) for record in rig.payments.operations.values()],
        "accounts": [_given(account) for account in rig.payments.accounts.values()],
        "bulk": [{**asdict(job), "by_hash": {}} for job in rig.payments.bulk_payments],
        "ledger": [asdict(entry) for entry in rig.payments.ledger.entries],
        "stores": [asdict(store) for store in delivery.stores],
        "bookings": [{**_given(one), "store": one.store.token} for one in delivery.bookings],
        "asked": dict(rig.emails.asked),
    }


async def make(name: Path, live: Callable[[Rig], Awaitable[None]]) -> None:
    """Write ``name.sql`` and ``name.json``."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "switchboard.db"
        rig = await open_rig(f"sqlite:///{path}")
        await live(rig)
        found = outside(rig)
        await rig.close()
        with closing(sqlite3.connect(path)) as database:
            dump = "\n".join(database.iterdump())
    name.with_suffix(".sql").write_text(dump + "\n")
    name.with_suffix(".json").write_text(json.dumps(found, separators=(",", ":")) + "\n")


async def make_both(folder: Path) -> None:
    """Both databases."""
    await make(folder / "0019", everything)
    await make(folder / "0019-reading-only", put_back)


if __name__ == "__main__":
    asyncio.run(make_both(Path(sys.argv[1])))
