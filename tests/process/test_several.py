"""Two processes on one PostgreSQL: either answers at once, and a rolling upgrade loses no click."""

import asyncio
import random
from collections.abc import AsyncIterator
from functools import partial
from pathlib import Path

import psycopg
import pytest

from bot.playground.simulators.ledger import Entry, EntryKind
from bot.playground.workspace import Ack
from storage import leases
from tests.process.bot_process import BotProcess
from tests.process.fleet import Fleet, open_fleet
from tests.process.scene import Scene
from tests.support.answers import is_accepted
from tests.support.later import BESIDE
from tests.support.rig import ACK_SECONDS, ADA, APPROVALS, LIN, TOM

pytestmark = pytest.mark.postgres

PATIENCE = 60.0
TAKEN_OVER = 45.0
"""Time limit in seconds, on a busy machine, for what takes two."""


@pytest.fixture
async def pair(tmp_path: Path, postgres_url: str) -> AsyncIterator[Fleet]:
    patience = {"ack_seconds": ACK_SECONDS, "trigger_seconds": ACK_SECONDS}
    chance = random.Random(1)  # noqa: S311 - repeatable on purpose
    async with open_fleet(
        tmp_path, postgres_url, chance=chance, workspace=patience, simulator={"rate_limit": None}
    ) as fleet:
        for bot in (fleet.add(), fleet.add()):
            fleet.rotation.clear()
            await join(fleet, bot)
            for _ in range(20):  # first answers on a busy machine are slow, which is not tested here
                if (await fleet.pay("approvals")).seconds < 1:
                    break
        fleet.bot, fleet.rotation[:] = fleet.bots[0], fleet.bots
        yield fleet
        for bot in fleet.bots:
            await bot.discard()
            assert bot.stderr == ""
            assert "Traceback" not in bot.stdout, bot.stdout


async def join(fleet: Fleet, bot: BotProcess, **changed: str) -> None:
    await bot.start(**changed)
    await bot.ready(timeout=PATIENCE)
    fleet.rotation.append(bot)


async def test_click_is_answered_by_each_process_while_one_holds_the_row(pair: Fleet) -> None:
    """The commit hangs in one of them, which holds the row's lease; the card still has its buttons."""
    committing = pair.payments_gate.hold("commit_payout", after_effect=False)
    edits = [pair.slack_gate.hold("chat.update", after_effect=False) for _ in range(8)]
    await pair.pay()
    assert (await pair.press("approve")).ok
    await committing.arrival()
    for bot in pair.bots:
        pair.rotation[:] = [bot]
        heard = len(pair.ephemerals(LIN))
        ack = await pair.press("approve", user=LIN)
        assert ack.ok
        assert ack.seconds < 3
        news = partial(lambda since: pair.ephemerals(LIN)[since:] or None, heard)
        said: list[str] = await pair.workspace.until(news, timeout=PATIENCE)
        assert "*sending*" in said[0]
    committing.release()
    for edit in edits:
        edit.release()
    await pair.completed_once()


async def test_killed_process_is_taken_over_long_before_its_lease_ends(pair: Fleet) -> None:
    """The commit was executed without an answer; the survivor reads it as soon as it notices the death."""
    killed, alive = pair.bots
    pair.rotation.remove(alive)
    committing = pair.payments_gate.hold("commit_payout", after_effect=True)
    await pair.pay()
    assert (await pair.press("approve")).ok
    await committing.arrival()
    pair.rotation[:] = [alive]
    await killed.kill()
    committing.release()
    pair.bot = alive
    assert leases.LEASE_SECONDS == 60  # nobody waits for its end
    assert TAKEN_OVER < 60
    await pair.told("paid", patience=TAKEN_OVER)
    assert list(pair.executions().values()) == [1]


async def test_rolling_upgrade_loses_no_click(pair: Fleet) -> None:
    """Every acknowledged click has a visible effect or an answer; no request met an error or a refused connection.

    The first process that starts again is a later version, which changes the database while the other one works on.
    """
    over = asyncio.Event()
    acks: list[Ack] = []
    approved: list[int] = []

    async def ask_and_approve(user: str, first: int) -> None:
        for dollars in range(first, first + 90):
            if over.is_set():
                return
            acks.append(await pair.pay(f'send ana@example.com {dollars}.00 "No {dollars}"'))
            if not is_accepted(acks[-1]):
                assert "may still go through" in str(acks[-1].body)
                continue
            await pair.workspace.until(partial(_waiting, pair, dollars), timeout=PATIENCE)
            while (ts := _waiting(pair, dollars)) is not None:
                heard = len(pair.ephemerals(user))
                acks.append(await pair.workspace.click(user, APPROVALS, ts, "payout.approve"))
                await pair.workspace.until(partial(_answered, pair, dollars, user, heard), timeout=PATIENCE)
            approved.append(dollars)

    async with asyncio.TaskGroup() as people:  # when one fails the others end with it
        for n, user in enumerate((ADA, LIN, TOM), 1):
            people.create_task(ask_and_approve(user, 100 * n))
        for bot in pair.bots:
            assert await bot.stop(timeout=PATIENCE) == 0
            pair.rotation.remove(bot)
            await join(pair, bot, PLAY_HEAD=BESIDE)
        over.set()
    assert [(ack.status, ack.error) for ack in acks if not ack.ok] == []
    assert approved
    expected = {100 * dollars for dollars in approved}
    await pair.payments.until(lambda: {one.cents for one in _paid(pair)} >= expected or None, timeout=PATIENCE)
    await pair.settled(timeout=PATIENCE)
    assert set(pair.executions().values()) == {1}
    assert len(_paid(pair)) == len(pair.executions())
    with psycopg.connect(pair.bot.environment["DATABASE_URL"]) as connection:
        assert connection.execute("SELECT version_num FROM alembic_version").fetchone() == (BESIDE,)


def _paid(scene: Scene) -> list[Entry]:
    return [entry for entry in scene.payments.ledger.entries if entry.kind is EntryKind.PAYOUT]


def _waiting(scene: Scene, dollars: int) -> str | None:
    for card in scene.cards(APPROVALS):
        if f"${dollars}.00" in card.text and any(one.action_id == "payout.approve" for one in card.buttons):
            return card.ts
    return None


def _answered(scene: Scene, dollars: int, user: str, heard: int) -> bool | None:
    """Whether a click has a visible effect: on the card, or as an answer to the person."""
    return _waiting(scene, dollars) is None or len(scene.ephemerals(user)) > heard or None
