"""References: the letter tells what it is of; one given before the letters did works wherever it can be typed."""

import pytest

from bot.domain.payments.instruction import Kind
from bot.domain.references import Letter, reference
from bot.workflows.requests import request as requesting
from tests.support.answers import ask as told
from tests.support.bulk import finished
from tests.support.deliveries import book, open_rig, prebook
from tests.support.rig import FINANCE, MARIA, OLGA, Rig
from tests.workflows.looking import newest, requests

BEFORE = {Letter.BULK: "B", Letter.CANCELLATION: "C", Letter.PREBOOKING: "B"}
"""Letters that were shared."""
PENDING = "ana@example.com,1.00\nx1@example.com,2.00\nx2@example.com,3.00"

pytestmark = pytest.mark.rig(opened_by=open_rig)


async def paid_in_bulk(rig: Rig) -> str:
    await finished(rig, PENDING, steps=4)
    return (await newest(rig)).reference


async def canceled(rig: Rig, bulk: str) -> str:
    await told(rig, f"bulk cancel {bulk} all")
    await rig.settle()
    found = await newest(rig)
    assert found.kind is Kind.BULK_CANCEL
    return found.reference


async def bookings(rig: Rig) -> list[str]:
    rows = await rig.switchboard.context.store.read(lambda tx: tx.bookings.open(limit=20))
    return [row.reference for row in rows]


async def test_every_kind_of_request_has_its_letter(rig: Rig) -> None:
    await rig.pay("send ana@example.com 25.00 rent")
    await rig.pay("now ana@example.com 30.00 rent")
    await rig.pay("collect ben@example.com campaign web=1x10.00")
    await canceled(rig, await paid_in_bulk(rig))
    letters = {one.kind: one.reference[0] for one in await requests(rig)}
    assert letters == {Kind.PAYOUT: "P", Kind.ONE_STEP: "P", Kind.PURCHASE: "C", Kind.BULK: "L", Kind.BULK_CANCEL: "X"}
    await book(rig)
    await prebook(rig)
    assert sorted(one[:2] for one in await bookings(rig)) == ["B-", "V-"]


async def test_earlier_reference_works_in_every_command(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    def as_before(letter: Letter) -> str:
        return f"{BEFORE.get(letter, letter)}{reference(letter)[1:]}"

    monkeypatch.setattr(requesting, "reference", as_before)
    bulk = await paid_in_bulk(rig)
    cancellation = await canceled(rig, bulk)
    await prebook(rig)
    (prebooking,) = await bookings(rig)
    monkeypatch.undo()
    assert (bulk[:2], cancellation[:2], prebooking[:2]) == ("B-", "C-", "B-")
    for command in ("show {}", "bulk show {}", "bulk items {}"):
        assert bulk in (await told(rig, command.format(bulk.lower()))).text
    assert cancellation in (await told(rig, f"show {cancellation}")).text
    for typed in (bulk, cancellation, prebooking):
        seen = len(rig.workspace.ephemerals(OLGA))
        await rig.workspace.slash(OLGA, FINANCE, "/switchboard", f"audit {typed}")
        answers = await rig.workspace.until(lambda: rig.workspace.ephemerals(OLGA)[seen:])  # noqa: B023
        assert answers[-1].text.startswith(f"*Audit of {typed}")
    await rig.workspace.slash(MARIA, FINANCE, "/deliver", f"prebook show {prebooking.lower()}")
    assert await rig.workspace.until(lambda: prebooking in str(rig.workspace.ephemerals(MARIA)[-1].blocks) or None)
