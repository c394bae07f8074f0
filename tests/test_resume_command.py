"""``switchboard resume``: beside the running bot, on both databases."""

import asyncio
import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from inline_snapshot import snapshot

from bot.cli.main import main
from bot.domain.anchors import Anchor
from bot.domain.clock import SystemClock
from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, Reason
from bot.domain.recovery import LastSearch, Seen
from bot.domain.references import derived_key
from bot.settings import Settings, load_policy
from bot.workflows.admin.audit import HighWater
from bot.workflows.context import Unit
from bot.workflows.reading_only import note, reading_only
from storage import Store, migrate
from storage.anchors import AnchorFile, anchors_path
from tests.storage.factories import instruction
from tests.support.audited import KEY, SECRET, audit
from tests.support.operator import at_home
from tests.support.rows import audit_rows
from tests.support.shown import shown


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

    async def looked(self) -> None:
        over = LastSearch(seen=Seen.ABSENT, reason=Reason(OfRequest.LIST_LACKS, listed="payout"), again_at=None)
        await self.store.write(lambda tx: note(Unit(tx, now=SystemClock().now()), self.asked.id, over))


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


async def test_it_waits_for_every_look_and_then_goes_on(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    assert (await resume(capsys)).endswith("There is nothing to resume.\nexit code 0")
    await bot.lose()
    assert not await bot.high_water.may_leave("payments.one_step_payout x")
    assert await resume(capsys) == snapshot("""\
Read-only since …: the anchor file lists audit rows that this database doesn't have.
  P-······: not checked yet
Sent before, and not in this database; check it in the provider's dashboard:
  payments.one_step_payout lost
switchboard cannot go on:
Reconciliation isn't finished. Nothing was changed.
→ let the bot run until reconciliation is finished (it waits QUIET_SECONDS, as the last requests may still be on \
their way), or check the providers' dashboards and run `switchboard resume --force --reason "…"`
exit code 1""")
    assert await bot.store.read(reading_only) is not None
    await bot.looked()
    looked = await resume(capsys, "--look")
    assert "  P-······: absent: the list of payouts doesn't have it\n" in looked
    assert await bot.store.read(reading_only) is not None
    found, _, resumed = (await resume(capsys)).partition("The anchors up to now are kept as …\n")
    assert found == looked.removesuffix("exit code 0")
    assert resumed == snapshot("""\
Switchboard sends again.
Approved or voted on before, so it needs approval again: P-······
exit code 0""")
    after, head = await bot.store.read(lambda tx: (tx.instructions.get(bot.asked.id), tx.audit.head()))
    assert after is not None
    assert (after.state, after.round) == (State.AWAITING, bot.asked.round + 1)
    # The process that ran all the time continues, and anchors written from now on are valid.
    first = await asyncio.to_thread(bot.file.last)
    assert first is not None
    assert (first.seq, first.head) == (head.seq, head.hash)
    assert await bot.high_water.may_leave("payments.one_step_payout x")
    checked = audit("verify", url=str(Settings().database_url))
    assert (checked.code, "The audit holds" in checked.out) == (0, True)
    await bot.beside(bot.file).compare()
    assert await bot.store.read(reading_only) is None


async def test_by_force_with_a_reason_that_the_audit_keeps(bot: Bot, capsys: pytest.CaptureFixture[str]) -> None:
    await bot.lose()
    refused = await resume(capsys, "--force")
    assert ("--force needs a reason" in refused, refused.endswith("exit code 1")) == (True, True)
    assert (await resume(capsys, "--force", "--reason", "looked at the dashboard")).endswith("exit code 0")
    rows = await bot.store.read(audit_rows)
    last = [row.entry for row in rows if row.entry.action == "resumed"][-1]
    assert (last.actor, last.detail["reason"], last.detail["forced"]) == ("operator", "looked at the dashboard", True)


async def test_a_host_whose_own_anchors_are_from_before_sets_them_aside(bot: Bot, tmp_path: Path) -> None:
    """On PostgreSQL the operator resumes on one host, while the others have anchors of their own."""
    await bot.lose()
    elsewhere = AnchorFile(tmp_path / "elsewhere.anchors", key=derived_key(SECRET, "anchor"))
    elsewhere.append(Anchor(at=SystemClock().now(), seq=51, head="e" * 64))
    await asyncio.to_thread(main, ["resume", "--force", "--reason", "looked"])
    await bot.beside(elsewhere).compare()
    assert await bot.store.read(reading_only) is None
    assert not elsewhere.path.exists()
    assert len(await asyncio.to_thread(lambda: list(tmp_path.glob("elsewhere.anchors.*")))) == 1


async def test_a_database_that_goes_back_while_the_process_runs_is_noticed(bot: Bot, tmp_path: Path) -> None:
    """A replica that lacks the last writes takes over."""
    await bot.store.write(lambda tx: tx.instructions.insert(bot.asked, actor="U1"))
    assert await bot.high_water.may_leave("payments.commit_payout a")
    behind = bot.beside(AnchorFile(tmp_path / "more.anchors", key=derived_key(SECRET, "anchor")))
    behind._file.append(Anchor(at=SystemClock().now(), seq=1, head="0" * 64))
    behind._last = behind._file.last()  # the anchor of its last send, before the replica took over
    assert not await behind.may_leave("payments.commit_payout b")
    assert await bot.store.read(reading_only) is not None
    assert not await bot.high_water.may_leave("payments.commit_payout c")
