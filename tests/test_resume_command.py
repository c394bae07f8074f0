"""``switchboard resume``: beside the running bot, on both databases."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.cli.main import main
from bot.domain.anchors import Anchor
from bot.domain.clock import SystemClock
from bot.domain.payments.instruction import State
from bot.domain.references import derived_key
from bot.settings import Settings, load_policy
from bot.workflows.admin.anchoring import HighWater
from bot.workflows.restored import restored
from storage import Store, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import instruction
from tests.support.audited import KEY, SECRET, audit
from tests.support.operator import at_home
from tests.support.rows import audit_rows
from tests.support.shown import shown
from tests.workflows.looking import there


class Bot:
    """Files of a running bot: its database with one approved request, and its anchors."""

    def __init__(self, store: Store, file: AnchorFile) -> None:
        self.store = store
        self.file = file
        self.high_water = self.beside(file)
        self.asked = instruction(state=State.APPROVED, created_at=SystemClock().now())

    def beside(self, file: AnchorFile) -> HighWater:
        """The guard of a process with this file of anchors."""
        return HighWater(store=self.store, file=file, clock=SystemClock(), policy=load_policy(Path("policy.toml")))

    async def lose(self) -> None:
        """Store a request and an anchor that the database does not know, then compare."""
        await self.store.write(lambda tx: tx.instructions.insert(self.asked, actor="U1"))
        self.file.append(Anchor(at=SystemClock().now(), seq=50, head="f" * 64, about="payments.one_step_payout lost"))
        await self.high_water.compare()


@pytest.fixture
async def bot(database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Bot]:
    at_home(monkeypatch, tmp_path, DATABASE_URL=database_url, SECRET_KEY=SECRET)
    await migrate(database_url)
    store = await Store.open(database_url, audit_key=KEY)
    yield Bot(store, AnchorFile(anchors_path(database_url), key=derived_key(SECRET, "anchor")))
    await store.close()


async def resume(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What the operator reads, without times and paths, and the exit code."""
    capsys.readouterr()
    code = await asyncio.to_thread(main, ["resume", *arguments])
    said = re.sub("(?<=since ).* UTC|(?<=kept as ).*", "…", "".join(capsys.readouterr()))
    return f"{shown(said)}exit code {code}"


async def test_without_a_reason_it_shows_and_with_one_it_resumes(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    assert (await resume(capsys)).endswith("There is nothing to resume.\nexit code 0")
    await bot.lose()
    assert not await bot.high_water.may_leave("payments.one_step_payout x")
    assert await resume(capsys) == snapshot("""\
Frozen since …: the database is older than what was sent.
Sent before, and not in this database; check it in the provider's dashboard:
  payments.one_step_payout lost
Nothing was changed. Check at the provider, then run `switchboard resume --reason "..."`. What was approved or may \
have been sent then needs a decision of approvers.
exit code 0\
""")
    assert await bot.store.read(restored) is not None
    found, _, resumed = (await resume(capsys, "--reason", "looked")).partition("The anchors up to now are kept as …\n")
    assert "payments.one_step_payout lost" in found
    assert resumed == snapshot("""\
Payments are unfrozen.
Check at the provider, then decide on each in Slack: P-······
exit code 0\
""")
    after, head = await bot.store.read(lambda tx: (tx.instructions.get(bot.asked.id), tx.audit.head()))
    assert after is not None
    assert (after.state, after.round) == (State.NEEDS_HUMAN, bot.asked.round + 1)
    rows = await bot.store.read(audit_rows)
    last = [row.entry for row in rows if row.entry.action == "resumed"][-1]
    assert (last.actor, last.detail["reason"]) == ("operator", "looked")
    # The process that ran all the time continues, and anchors written from now on are valid.
    first = await asyncio.to_thread(bot.file.last)
    assert first is not None
    assert (first.seq, first.head) == (head.seq, head.hash)
    assert await bot.high_water.may_leave("payments.one_step_payout x")
    checked = audit("verify", url=str(Settings().database_url))
    assert (checked.code, "The audit holds" in checked.out) == (0, True)
    await bot.beside(bot.file).compare()
    assert await bot.store.read(restored) is None


async def test_request_that_is_being_sent_is_waited_for(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    bot.asked = replace(bot.asked, state=State.SENDING)
    await bot.lose()
    refused = await resume(capsys, "--reason", "looked")
    assert ("a request is still being sent" in refused, refused[-1]) == (True, "1")
    assert await bot.store.read(restored) is not None


@pytest.mark.parametrize("tells_before", [True, False])
async def test_resume_accounts_for_each_host(bot: Bot, tmp_path: Path, tells_before: bool) -> None:
    """On PostgreSQL the operator resumes on one host, while the others have anchors of their own."""
    await bot.lose()
    elsewhere = AnchorFile(tmp_path / "elsewhere.anchors", key=derived_key(SECRET, "anchor"))
    elsewhere.append(Anchor(at=SystemClock().now(), seq=51, head="e" * 64, about="payments.one_step_payout there"))
    if tells_before:
        await bot.beside(elsewhere).compare()
    await asyncio.to_thread(main, ["resume", "--reason", "looked"])
    await bot.beside(elsewhere).compare()
    found = await bot.store.read(restored)
    assert found is None if tells_before else there(found).sent == ("payments.one_step_payout there",)
    assert elsewhere.path.exists() is not tells_before
    await asyncio.to_thread(main, ["resume", "--reason", "looked"])
    await bot.beside(elsewhere).compare()
    assert await bot.store.read(restored) is None
    assert len(await asyncio.to_thread(lambda: list(tmp_path.glob("elsewhere.anchors.*")))) == 1


async def test_database_rollback_during_a_run_is_noticed(bot: Bot, tmp_path: Path) -> None:
    """A replica that lacks the last writes takes over: each process adds all that it sent since."""
    await bot.store.write(lambda tx: tx.instructions.insert(bot.asked, actor="U1"))
    assert await bot.high_water.may_leave("payments.commit_payout a")
    for name in ("more", "most"):
        file = AnchorFile(tmp_path / f"{name}.anchors", key=derived_key(SECRET, "anchor"))
        for seq in (1, 2):
            file.append(Anchor(at=SystemClock().now(), seq=seq, head="0" * 64, about=f"payments.x {name}{seq}"))
        behind = bot.beside(file)
        behind._last = file.last()  # the anchor of its last send, before the replica took over
        assert not await behind.may_leave("payments.commit_payout b")
        assert not await behind.is_sound()
    found = there(await bot.store.read(restored))
    assert found.sent == tuple(f"payments.x {name}" for name in ("more1", "more2", "most1", "most2"))
    assert not await bot.high_water.may_leave("payments.commit_payout c")
