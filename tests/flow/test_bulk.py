"""Bulk payments through the whole product: from rows to a summary that adds up."""

from collections.abc import AsyncIterator
from decimal import Decimal

import pytest

from bot.playground.workspace import Message
from tests.support.clock import ManualClock
from tests.support.rig import ADA, FINANCE, MARIA, Rig

ROWS = "ana@example.com, 25.00, March\nluis@example.com, 10.50, Proofs\nnobody@example.com, 4.25, Held"
FAILED_ROWS = "\n".join(f"ana@example.com,{n}.00,row {n}" for n in range(1, 11))


@pytest.fixture
async def rig(database_url: str) -> AsyncIterator[Rig]:
    opened = await Rig.open(database_url=database_url, clock=ManualClock())
    try:
        yield opened
    finally:
        await opened.close()


async def ask(rig: Rig, rows: str = ROWS, *, user: str = MARIA, channel: str = FINANCE) -> None:
    assert rig.clock is not None
    rig.clock.advance(0.01)
    await rig.workspace.slash(user, channel, "/pay", "bulk")
    view = rig.workspace.modal(user)
    assert view is not None
    assert view.callback_id == "bulk.request"
    await rig.workspace.submit(user, {"rows": rows})
    await rig.workspace.until(lambda: "Reading" not in (rig.workspace.modal(user) or view).plain or None)
    await rig.settle()


async def run(rig: Rig, *, steps: int = 6) -> None:
    """Let the service and the polling go on until nothing moves any more."""
    for _ in range(steps):
        await rig.payments.advance()
        await rig.pass_time(40)


def plain(message: Message) -> str:
    return message.plain


def summaries(rig: Rig, channel: str = FINANCE) -> list[str]:
    return [m.plain for m in rig.news(channel) if "approved" in m.plain and "Bulk payment" in m.plain]


async def approve(rig: Rig, *people: str) -> None:
    for person in people or (ADA,):
        await rig.press("approve", user=person)


def submissions(rig: Rig) -> int:
    return len(rig.payments.bulk_payments)


async def test_from_rows_to_a_summary_that_adds_up(rig: Rig) -> None:
    await ask(rig)
    card = await rig.card()
    for words in (
        "39.75 USD in 3 payments",
        "25.00 USD to ana@example.com (row 1)",
        "Duplicates: none",
        "Never paid before: 3 recipients",
        "1 not active",
        "nobody@example.com",
    ):
        assert words in card.plain.replace("*", ""), words
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
    interim = next(m.plain for m in told if "what is pending is followed" in m.plain)
    assert "2 completed (35.50 USD), 0 failed (0.00 USD), 1 pending (4.25 USD)" in interim
    assert "all 3 payments that were approved" in interim
    rig.payments.add_account("nobody@example.com", full_name="Nora Body")
    await rig.pass_time(86_400 * 2, steps=4)
    final = [m for m in rig.news(FINANCE) if "is *completed*" in m.text]
    assert len(final) == 1
    assert "3 completed (39.75 USD), 0 failed (0.00 USD), 0 pending" in final[0].text
    assert "completed" in (await rig.card()).plain
    assert not (await rig.card()).buttons
    assert Decimal(rig.payments.ledger.paid_cents()) == 3975
