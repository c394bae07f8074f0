"""Faults at each kind of request of a bulk payment and its cancellation: paid once, told once, nothing lost.

The service executes every submission that reaches it, so a second one would be a second payment of every row.
"""

import os
import random
import secrets
import sys
from collections import Counter
from itertools import combinations
from pathlib import Path

import pytest

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.ledger import EntryKind
from tests.support.clock import ManualClock
from tests.support.rig import ADA, APPROVALS, FINANCE, MARIA, Rig, is_confirmation

ROWS = "ana@example.com,1.00\nluis@example.com,2.00\nx1@example.com,3.00\nx2@example.com,4.00"
AT_SERVICE = (
    "account_status",
    "list_bulk_payments",
    "create_bulk_payment",
    "get_bulk_payment",
    "list_bulk_items",
    "list_bulk_failures",
    "cancel_bulk_items",
)
AT_SLACK = ("chat.postMessage", "chat.update", "files.getUploadURLExternal", "files.completeUploadExternal")
KINDS = (
    FaultKind.LOST,
    FaultKind.DONE_DROPPED,
    FaultKind.DONE_500,
    FaultKind.ERROR_500,
    FaultKind.TOO_MANY,
    FaultKind.GARBAGE,
    FaultKind.DONE_REFUSED,
    FaultKind.NO_CODES,
)
Planned = tuple[str, FaultKind, int]
"""Where, what, and how many requests it lets pass before."""
MOVING_MONEY = {"create_bulk_payment", "cancel_bulk_items"}
_PAIRS = 60
ALWAYS = {
    ("create_bulk_payment", FaultKind.DONE_DROPPED, 0),
    ("create_bulk_payment", FaultKind.LOST, 0),
    ("create_bulk_payment", FaultKind.DONE_REFUSED, 0),
    ("cancel_bulk_items", FaultKind.DONE_REFUSED, 0),
    ("cancel_bulk_items", FaultKind.DONE_500, 0),
    ("list_bulk_items", FaultKind.GARBAGE, 1),
    ("list_bulk_failures", FaultKind.GARBAGE, 0),
    ("files.completeUploadExternal", FaultKind.DONE_DROPPED, 0),
}
"""The faults of every test run; the others are for the campaign."""
PLANS = [
    pytest.param(name, kind, skip, marks=() if (name, kind, skip) in ALWAYS else pytest.mark.campaign)
    for name in (*AT_SERVICE, *AT_SLACK)
    for kind in (KINDS if name in AT_SERVICE else KINDS[:4])
    for skip in (0, 1)
]


async def people(rig: Rig) -> None:
    """Ada decides whatever waits for her; Maria asks once to cancel what is pending."""
    for card in rig.cards(APPROVALS):
        offered = {button.action_id for button in card.buttons}
        action = next((one for one in ("payout.approve", "payout.retry") if one in offered), None)
        if action is None:
            continue
        await rig.workspace.click(ADA, APPROVALS, card.ts, action)
        if (view := rig.workspace.modal(ADA)) is not None:
            amount = card.text.split("$", 1)[1].split()[0].rstrip(").,")
            await rig.workspace.submit(ADA, {} if is_confirmation(view) else {"amount": amount})
            if rig.workspace.modal(ADA) is not None:
                await rig.workspace.close(ADA)
    if not any("X-" in card.text for card in rig.cards(FINANCE)):
        for card in rig.cards(FINANCE):
            if any(button.action_id == "bulk.cancel" for button in card.buttons):
                await rig.workspace.click(MARIA, FINANCE, card.ts, "bulk.cancel")


def is_over(rig: Rig) -> bool:
    told = [m.text for m in rig.news(FINANCE)]
    return any("2 paid (" in text for text in told) and any("canceled, " in text for text in told)


@pytest.mark.parametrize(("name", "kind", "skip"), PLANS)
async def test_one_fault(sqlite_url: str, name: str, kind: FaultKind, skip: int) -> None:
    await from_rows_to_the_end(sqlite_url, (name, kind, skip))


def pairs() -> tuple[int, list[tuple[Planned, Planned]]]:
    """A seed and as many pairs as are wanted, of which one at least hits a request that moves money."""
    seed = int(os.environ.get("CHAOS_SEED") or secrets.randbelow(2**32))
    single = [(name, kind, skip) for name in AT_SERVICE for kind in KINDS for skip in (0, 1)]
    every = [
        (one, other)
        for one, other in combinations(single, 2)
        if one[::2] != other[::2] and {one[0], other[0]} & MOVING_MONEY
    ]
    wanted = int(os.environ.get("CHAOS_BULK_PAIRS") or _PAIRS)
    return seed, random.Random(seed).sample(every, min(wanted, len(every)))  # noqa: S311 - it is to be repeatable


@pytest.mark.campaign
@pytest.mark.timeout(3600)
async def test_two_faults(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seed, drawn = pairs()
    wrong = {}
    for n, pair in enumerate(drawn):
        try:
            await from_rows_to_the_end(f"sqlite+aiosqlite:///{tmp_path / f'{n}.db'}", *pair)
        except AssertionError as broken:
            wrong[pair] = broken
    with capsys.disabled():
        sys.stdout.write(f"\n{len(drawn)} pairs of bulk faults, CHAOS_SEED={seed}: {len(wrong)} violations\n")
    assert not wrong


async def from_rows_to_the_end(url: str, *plans: Planned) -> None:
    rig = await Rig.open(database_url=url, clock=ManualClock())
    try:
        for name, kind, skip in plans:
            faults = rig.payments.faults if name in AT_SERVICE else rig.workspace.faults
            faults.arm(Fault(kind, operation=name, skip=skip))
        await rig.workspace.slash(MARIA, FINANCE, "/pay", "bulk")
        await rig.workspace.submit(MARIA, {"rows": ROWS})
        for _ in range(60):
            await rig.settle()
            await people(rig)
            await rig.payments.advance()
            await rig.pass_time(90, steps=3)
            if is_over(rig):
                break
        await rig.pass_time(600, steps=6)
        check(rig)
    finally:
        await rig.close()


def check(rig: Rig) -> None:
    assert is_over(rig), rig.workspace.picture()
    (job,) = rig.payments.bulk_payments
    left = Counter(entry.code for entry in rig.payments.ledger.entries if entry.kind is EntryKind.PAYOUT)
    assert set(left.values()) == {1}
    assert len(left) == 4
    assert [item.status for item in job.items] == ["completed", "completed", "canceled", "canceled"]
    assert job.canceled_all == 0
    told = [m.text for m in rig.news(FINANCE)]
    assert len([text for text in told if "2 paid (" in text]) == 1
    assert len([text for text in told if "2 payments canceled, $7.00 returned" in text]) == 1
    names = Counter(
        found.name for m in rig.news(FINANCE) for one in m.files if (found := rig.workspace.file(one)) is not None
    )
    assert all(count == 1 for count in names.values()), names
