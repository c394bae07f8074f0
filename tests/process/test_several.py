"""Two processes on one PostgreSQL: either answers at once, and a rolling upgrade loses no click."""

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from functools import partial
from pathlib import Path

import psycopg
import pytest
from inline_snapshot import snapshot

from bot.playground.process import free_port
from bot.playground.simulators.ledger import Entry, EntryKind
from bot.playground.workspace import Ack
from storage import leases
from tests.process.balancer import Balancer
from tests.process.bot_process import BotProcess
from tests.process.scene import Scene
from tests.support.answers import is_accepted
from tests.support.later import BESIDE
from tests.support.rig import ACK_SECONDS, ADA, APPROVALS, LIN, TOM
from tests.support.shown import shown

pytestmark = pytest.mark.postgres

PATIENCE = 60.0
TAKEN_OVER = 45.0
"""Time limit in seconds, on a busy machine, for what takes two."""


class Pair(Scene):
    """A scene with two bots behind a balancer; ``bot`` is the first of them."""

    bots: Sequence[BotProcess] = ()

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.rotation: list[BotProcess] = []
        """Processes that get requests: each from the time it was ready, even while it ends."""

    async def join(self, bot: BotProcess, **changed: str) -> None:
        await bot.start(**changed)
        await bot.ready(timeout=PATIENCE)
        self.rotation.append(bot)

    async def warm_up(self) -> None:
        """Let each process answer once: first answers on a busy machine are slow, which is not tested here."""
        for bot in self.bots:
            self.ask_only(bot)
            for _ in range(20):
                if (await self.pay("approvals")).seconds < 1:
                    break

    async def start_both(self) -> None:
        folder = self.folder / "second"
        folder.mkdir()
        environment = {**self.bot.environment, "PORT": str(free_port())}
        self.bots = (self.bot, BotProcess(environment=environment, folder=folder))
        self._stack.push_async_callback(self.bots[1].discard)
        for bot in self.bots:
            await self.join(bot)

    def ask_only(self, bot: BotProcess) -> None:
        self.workspace.deliver_to(f"{bot.url}/slack/events")


@pytest.fixture
async def pair(tmp_path: Path, postgres_url: str) -> AsyncIterator[Pair]:
    scene: Pair | None = None

    def urls() -> list[str]:
        return [] if scene is None else [bot.url for bot in scene.rotation]

    async with Balancer(urls, chance=random.Random(1)) as balancer:  # noqa: S311 - repeatable on purpose
        scene = await Pair.open(
            tmp_path,
            start=False,
            workspace={"ack_seconds": ACK_SECONDS, "trigger_seconds": ACK_SECONDS},
            simulator={"rate_limit": None},
            DATABASE_URL=postgres_url,
            PUBLIC_URL=balancer.url,
        )
        await scene.start_both()
        await scene.warm_up()
        scene.workspace.deliver_to(f"{balancer.url}/slack/events")
        yield scene
        await scene.close()
    assert scene.bots[1].stderr == ""
    assert "Traceback" not in scene.bots[1].stdout


async def test_a_click_on_either_process_is_answered_at_once_while_one_holds_the_row(pair: Pair) -> None:
    """The commit hangs in one of them, which holds the row's lease; the card still has its buttons."""
    committing = pair.payments_gate.hold("commit_payout", after_effect=False)
    edits = [pair.slack_gate.hold("chat.update", after_effect=False) for _ in range(8)]
    await pair.pay()
    assert (await pair.press("approve")).ok
    await committing.arrival()
    for bot in pair.bots:
        pair.ask_only(bot)
        heard = len(pair.ephemerals(LIN))
        ack = await pair.press("approve", user=LIN)
        assert ack.ok
        assert ack.seconds < 3
        news = partial(lambda since: pair.ephemerals(LIN)[since:] or None, heard)
        said: list[str] = await pair.workspace.until(news, timeout=PATIENCE)
        assert shown(said[0]) == snapshot("""\
:information_source: $25.00 to Ana Maria Lopez (P-······) is now *sending*, approved by <@U0ADA>.""")
    committing.release()
    for edit in edits:
        edit.release()
    await pair.completed_once()


async def test_what_a_killed_process_worked_on_goes_on_in_the_other_long_before_its_lease_is_over(pair: Pair) -> None:
    """The commit was executed without an answer; the survivor reads it as soon as it notices the death."""
    killed, alive = pair.bots
    pair.ask_only(killed)
    committing = pair.payments_gate.hold("commit_payout", after_effect=True)
    await pair.pay()
    assert (await pair.press("approve")).ok
    await committing.arrival()
    pair.ask_only(alive)
    await killed.kill()
    pair.rotation.remove(killed)
    committing.release()
    pair.bot = alive
    assert leases.LEASE_SECONDS == 60  # nobody waits for its end
    assert TAKEN_OVER < 60
    await pair.told("paid", patience=TAKEN_OVER)
    assert list(pair.executions().values()) == [1]


async def test_a_rolling_upgrade_loses_no_click(pair: Pair) -> None:
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
            await pair.join(bot, PLAY_HEAD=BESIDE)
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
