"""Bulk payments on a rig: the form, the file, the stored rows and the service's records."""

import re
from collections.abc import Mapping
from typing import Any

from bot.domain.payments.bulk_records import BulkRow
from bot.domain.payments.instruction import Kind, State
from bot.playground.workspace import Message
from bot.playground.workspace.files import StoredFile
from bot.playground.workspace.model import Button
from storage import Tx
from tests.support.rig import ADA, FINANCE, MARIA, Rig
from tests.support.shown import shown

GOOD = b"email,amount,note\nana@example.com,25.00,March\nluis@example.com,10.50,Proofs\nANA@example.com,25.00,April\n"
ROWS = "ana@example.com, 25.00, March\nluis@example.com, 10.50, Proofs\nnobody@example.com, 4.25, Held"


async def ask(rig: Rig, rows: str = ROWS, *, user: str = MARIA, channel: str = FINANCE, repeats: bool = True) -> None:
    """Request typed rows; ``repeats``: also if they are shown again, because they were requested before."""
    rig.clock.advance(0.01)
    await rig.workspace.slash(user, channel, "/pay", "bulk")
    view = rig.form(user)
    assert view.callback_id == "bulk.request"
    await rig.workspace.submit(user, {"rows": rows})
    await rig.workspace.until(lambda: "Reading" not in (rig.workspace.modal(user) or view).plain or None)
    await rig.settle()
    shown_again = rig.workspace.modal(user)
    if repeats and shown_again is not None and "already requested" in shown_again.plain:
        await submit(rig, user=user)


async def run(rig: Rig, *, steps: int = 6) -> None:
    for _ in range(steps):
        await rig.payments.advance()
        await rig.pass_time(40)


async def approve(rig: Rig, *people: str) -> None:
    for person in people or (ADA,):
        await rig.press("approve", user=person)


async def finished(rig: Rig, rows: str = ROWS, *, steps: int = 6) -> None:
    """A bulk payment from its request to the end of what runs by itself."""
    await ask(rig, rows)
    await approve(rig)
    await run(rig, steps=steps)


def submissions(rig: Rig) -> int:
    return len(rig.payments.bulk_payments)


async def held(rig: Rig) -> None:
    """A bulk payment with three payments in escrow and one that was credited."""
    rows = "ana@example.com,1.00\nx1@example.com,2.00\nx2@example.com,3.00\nx3@example.com,4.00"
    await finished(rig, rows, steps=4)


def reference(rig: Rig) -> str:
    found = re.search(r"L-[0-9A-Z]{6}", rig.cards(FINANCE)[-1].plain)
    assert found is not None
    return found[0]


def stored(rig: Rig, file_id: str) -> StoredFile:
    found = rig.workspace.file(file_id)
    assert found is not None
    return found


async def press(rig: Rig, offer: Message, *, user: str = MARIA, label: str = "Pay in bulk") -> None:
    await rig.workspace.click(user, offer.channel, offer.ts, button(offer, label).action_id)
    await rig.workspace.until(lambda: "Reading" not in rig.form(user).plain or None)


async def submit(rig: Rig, values: Mapping[str, Any] | None = None, *, user: str = MARIA) -> None:
    """Submit the form with its initial values, except those given, and wait for the next form."""
    await rig.workspace.submit(user, dict(values or {}))
    await rig.workspace.until(lambda: "Reading" not in rig.form(user).plain or None)
    await rig.settle()


async def sent_list(rig: Rig, *, user: str = ADA) -> StoredFile:
    """The file that *Send as CSV* below *View list* sends to an approver."""
    card, heard = rig.cards()[-1], len(rig.workspace.ephemerals(user))
    await rig.workspace.click(user, card.channel, card.ts, button(card, "View list").action_id)
    listed = await rig.workspace.until(
        lambda: next((one for one in rig.workspace.ephemerals(user)[heard:] if one.buttons), None)
    )
    await rig.workspace.click(user, listed.channel, listed.ts, button(listed, "Send as CSV").action_id)
    direct = rig.workspace.open_dm(user).id
    message = await rig.workspace.until(lambda: next((m for m in rig.workspace.messages(direct) if m.files), None))
    return stored(rig, message.files[-1])


def everything(rig: Rig, channel: str) -> list[Message]:
    roots = rig.workspace.messages(channel)
    return [m for root in roots for m in [root, *rig.workspace.messages(channel, thread_ts=root.ts)]]


def button(message: Message, label: str) -> Button:
    return next(one for one in message.buttons if one.text == label)


async def stored_rows(rig: Rig) -> list[BulkRow]:
    def newest(tx: Tx) -> list[BulkRow]:
        found = [one for one in tx.instructions.awaiting(tuple(State)) if one.kind is Kind.BULK]
        return tx.bulk_items.rows(found[-1].id)

    return await rig.switchboard.context.store.read(newest)


async def offered(rig: Rig, content: bytes = GOOD, name: str = "march.csv") -> Message:
    """Drop a file; its offer."""
    await rig.workspace.drop(MARIA, FINANCE, name, content)
    await rig.settle()
    return next(one for one in reversed(everything(rig, FINANCE)) if one.buttons)


def dropped(rig: Rig, offer: Message) -> StoredFile:
    """The file that an offer is about."""
    return stored(rig, rig.workspace.message(offer.channel, offer.thread_ts).files[0])


def change(rig: Rig, offer: Message, content: bytes) -> None:
    """Let the file of an offer have another content."""
    files = rig.workspace._state.files
    files.keep(files.store(dropped(rig, offer), content))


async def pressed(rig: Rig, content: bytes = GOOD) -> Message:
    """Drop a file and press *Pay in bulk*; the offer."""
    offer = await offered(rig, content)
    await press(rig, offer)
    return offer


def told(rig: Rig) -> str:
    """The form above its columns, with the name of a link instead of its address."""
    return re.sub(r"<[^|>]*\|(.*?)>", r"\1", shown(rig.form()).partition("\nEmail column")[0])
