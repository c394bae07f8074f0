"""The installed program, with the settings of docs/install.md alone, where the playground stands for the world."""

import asyncio
import re
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

from bot.playground.process import free_port
from bot.playground.simulators.ledger import EntryKind
from tests.process.bot_process import BotProcess
from tests.process.conftest import Opening
from tests.process.installed import ROOT, Installed
from tests.support.later import BESIDE
from tests.support.rig import APPROVALS

SETTINGS = (ROOT / "docs" / "install.md").read_text().partition("## Settings")[2].partition("\n## ")[0]
CONFIRMED = "".join(
    f"[payments.{name}]\nconfirmed = true\n"
    for name in ("commit_payout", "one_step_payout", "create_bulk_payment", "cancel_bulk_items")
)
"""What production wants an operator to vouch for."""
STRONG_KEY = "Zb7xQ2mW9sK4vT8nR1yL6pC3dF5gH0jA-eUoIiMNBq"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    return Installed.build(tmp_path_factory.mktemp("installed"))


async def typed(program: Installed, *arguments: str, env: Mapping[str, str], folder: Path) -> tuple[int, str]:
    """What an operator reads on the terminal, standard error last, and the exit code."""
    known = {name for name in env if name not in ("PATH", "PGPASSWORD") and f"`{name}`" not in SETTINGS}
    assert not known, "settings that docs/install.md does not have"
    process = await asyncio.create_subprocess_exec(
        program.program,
        *arguments,
        cwd=folder,
        env=dict(env),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, (out + err).decode()


def test_installed_program_uses_nothing_of_the_checkout(installed: Installed, tmp_path: Path) -> None:
    code = "import bot, handlers, storage; print(bot.__file__, handlers.__file__, storage.__file__)"
    python = str(installed.folder / "bin" / "python")
    files = subprocess.check_output([python, "-c", code], cwd=tmp_path, env={}, text=True).split()
    assert all(file.startswith(str(installed.packages)) for file in files), files


async def test_socket_mode_in_production_without_an_address(open_scene: Opening, installed: Installed) -> None:
    """Slack comes over the socket, the services cannot call back, polling finds out: paid, and told."""
    scene = await open_scene(
        installed=installed.program,
        socket_mode=True,
        start=False,
        ENVIRONMENT="production",
        SECRET_KEY=STRONG_KEY,
        SERVICES_FILE="services.toml",
        LOG_LEVEL="INFO",
    )
    (scene.folder / "services.toml").write_text(CONFIRMED)
    env, folder = scene.bot.environment, scene.folder
    code, said = await typed(installed, "doctor", env=env, folder=folder)
    assert code == 0, said
    assert {line[:7] for line in said.splitlines() if "PUBLIC_URL" in line} == {"warning"}
    await scene.start()
    await scene.pay_and_approve()
    await scene.completed_once()
    assert {re.sub(r"/[^/]+$", "", address) for address in scene.callback_addresses().values()} == {
        "https://switchboard.invalid/callbacks/payments"
    }
    assert await scene.bot.stop() == 0
    (starting,) = [line for line in scene.bot.stdout.splitlines() if "starting" in line]
    assert "environment=production" in starting
    assert "transport='Socket Mode'" in starting
    code, said = await typed(installed, "audit", "verify", env=env, folder=folder)
    assert code == 0, said


@pytest.mark.postgres
async def test_payout_that_waits_is_copied_to_postgresql_and_paid(
    open_scene: Opening, installed: Installed, new_postgres_url: str
) -> None:
    scene = await open_scene(installed=installed.program)
    env, folder = scene.bot.environment, scene.folder
    await scene.pay()
    await scene.workspace.until(lambda: scene.cards(APPROVALS) or None)
    await scene.settled()
    assert await scene.bot.stop() == 0
    code, said = await typed(installed, "copy-to", new_postgres_url, env=env, folder=folder)
    assert code == 0, said
    assert "The audit is complete there: 3 rows." in said
    scene.bot.environment["DATABASE_URL"] = new_postgres_url
    await scene.start()
    await scene.press("approve")
    await scene.completed_once()
    assert await scene.bot.stop() == 0
    code, said = await typed(installed, "audit", "verify", env=scene.bot.environment, folder=folder)
    assert (code, said.splitlines()[0].startswith("The audit holds")) == (0, True), said


@pytest.mark.campaign  # with forked bots in every run: test_several.py::test_rolling_upgrade_loses_no_click
@pytest.mark.postgres
async def test_two_versions_work_side_by_side_for_a_release(
    open_scene: Opening, installed: Installed, new_postgres_url: str, tmp_path: Path
) -> None:
    """The Procfile's release runs while the earlier version works; that one goes on, and may start again."""
    scene = await open_scene(installed=installed.program, DATABASE_URL=new_postgres_url)
    later = installed.later(tmp_path / "later", BESIDE)
    env = {**scene.bot.environment, "PORT": str(free_port())}
    assert await typed(later, "migrate", env=env, folder=tmp_path) == (0, "The database is up to date.\n")
    (tmp_path / "beside").mkdir()
    second = BotProcess(environment=env, folder=tmp_path / "beside", installed=later.program)
    await second.start()
    try:
        await second.ready()
        await scene.restart()  # by the platform, before the release is over
        for n, url in enumerate((scene.slack_url, f"{second.url}/slack/events"), 1):
            scene.workspace.deliver_to(url)
            await scene.pay(f'send ana@example.com {n}.00 "By version {n}"')
            await scene.workspace.until(lambda: len(scene.cards(APPROVALS)) == n or None)  # noqa: B023 - at once
            other = (f"{second.url}/slack/events", scene.slack_url)[n - 1]
            scene.workspace.deliver_to(other)
            assert (await scene.press("approve")).ok
            await scene.told("paid", times=n)
        assert sorted(one.cents for one in scene.payments.ledger.entries if one.kind is EntryKind.PAYOUT) == [100, 200]
    finally:
        await second.discard()
