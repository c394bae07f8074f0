"""The database put back to each of its commits in turn, once everything was paid: nothing is paid twice.

The whole: ``pytest -m campaign tests/workflows/admin/test_restore_everywhere.py``.
"""

import sqlite3
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from bot.playground.workspace.errors import ImpossibleAct
from bot.presentation.payments import forms
from tests.laws.effects import amount
from tests.support.bulk import ask as ask_bulk
from tests.support.bulk import held, reference, submissions
from tests.support.clock import QUIET, ManualClock
from tests.support.rig import ADA, LIN, Rig, approve_card, press
from tests.workflows.looking import asked, newest
from tests.workflows.restoring import anchors, back_up, older, restore, resumed

KINDS = ("send", "now", "bulk", "cancel")
"""The last: a bulk payment of which what is pending is taken back."""


class History:
    """A copy of the database after each of its commits."""

    def __init__(self, url: str, folder: Path) -> None:
        self.copies: list[Path] = []
        self.is_over = False
        self._url = url
        self._folder = folder

    def probe(self, moment: str) -> None:
        if moment.startswith("write.after:") and not self.is_over:
            self.copies.append(back_up(self._url, self._folder / f"{len(self.copies)}.db"))


def head(copy: Path) -> int:
    connection = sqlite3.connect(copy)
    found = connection.execute("SELECT max(seq) FROM audit").fetchone()[0]
    connection.close()
    return int(found or 0)


def sends(rig: Rig) -> tuple[int, ...]:
    return *(asked(rig, what) for what in ("commit_payout", "one_step_payout", "cancel_bulk_items")), submissions(rig)


async def paid(rig: Rig, kind: str) -> None:
    """One request from its beginning to its end."""
    if kind == "bulk":
        await ask_bulk(rig)
    elif kind == "cancel":
        await held(rig)
        await rig.pay(f"bulk cancel {reference(rig)} all")
    else:
        await rig.pay(f"{kind} ana@example.com 25.00 rent")
    await rig.press("approve", user=ADA)
    for _ in range(4):
        await rig.payments.advance()
        await rig.pass_time(60)


async def press_again(rig: Rig) -> None:
    """Approvers press whatever is offered, without a look at the provider's dashboard."""
    for card in rig.cards():
        with suppress(ImpossibleAct):
            await approve_card(rig, card, LIN)
        with suppress(ImpossibleAct):
            await press(rig.workspace, card, "retry", user=LIN)
            await rig.workspace.submit(LIN, {forms.AMOUNT: amount(await newest(rig))})
    await rig.settle()


async def put_back_everywhere(url: str, folder: Path, kind: str, *, every: int) -> None:
    history = History(url, folder)
    rig = await Rig.open(database_url=url, clock=ManualClock(), around={"probe": history.probe})
    try:
        rig.payments.switches.accept_duplicate_codes = True
        await paid(rig, kind)
        history.is_over = True
        await rig.switchboard.stop()
        known, before = anchors(rig).path.read_bytes(), sends(rig)
        left = max(anchor.seq for anchor in anchors(rig).read().held if anchor.about)
        ledger = Counter((entry.code, entry.email, entry.cents) for entry in rig.payments.ledger.entries)
        assert sum(before) == (2 if kind == "cancel" else 1)
        await rig.start()
        for copy in history.copies[::every]:
            anchors(rig).path.write_bytes(known)
            await restore(rig, copy)
            noticed = await older(rig) is not None
            assert noticed or head(copy) >= left, f"{copy.name}: something left since, and nobody noticed"
            await press_again(rig)
            await rig.pass_time(120, steps=2)
            assert sends(rig) == before, f"{copy.name} of {kind}: sent again"
            if noticed:
                await resumed(rig)
                await press_again(rig)
                await rig.pass_time(5 * QUIET, steps=8)
                assert sends(rig) == before, f"{copy.name} of {kind}: sent again after resuming"
            moved = Counter((entry.code, entry.email, entry.cents) for entry in rig.payments.ledger.entries)
            assert moved == ledger, f"{copy.name} of {kind}: paid again"
    finally:
        await rig.close()


@pytest.mark.parametrize("kind", KINDS)
async def test_some_of_its_commits(sqlite_url: str, tmp_path: Path, kind: str) -> None:
    await put_back_everywhere(sqlite_url, tmp_path, kind, every=20)


@pytest.mark.campaign
@pytest.mark.parametrize("kind", KINDS)
async def test_every_one_of_its_commits(sqlite_url: str, tmp_path: Path, kind: str) -> None:
    await put_back_everywhere(sqlite_url, tmp_path, kind, every=1)
