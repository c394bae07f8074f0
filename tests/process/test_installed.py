"""The installed program, with the settings of docs/install.md alone, where the playground stands for the world."""

import asyncio
import re
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.process.conftest import Opening
from tests.support.rig import APPROVALS

ROOT = Path(__file__).parents[2]
SETTINGS = (ROOT / "docs" / "install.md").read_text().partition("## Settings")[2].partition("\n## ")[0]
CONFIRMED = "".join(
    f"[payments.{name}]\nconfirmed = true\n"
    for name in ("commit_payout", "one_step_payout", "create_bulk_payment", "cancel_bulk_items")
)
"""What production wants an operator to vouch for."""
STRONG_KEY = "Zb7xQ2mW9sK4vT8nR1yL6pC3dF5gH0jA-eUoIiMNBq"


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A venv with the wheel. The tests' environment lends it the dependencies; nothing of the checkout is imported."""
    folder = tmp_path_factory.mktemp("installed")
    wheels, made = folder / "wheels", folder / "venv"
    _run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels))
    (wheel,) = wheels.glob("*.whl")
    venv.create(made, with_pip=False)
    # A folder, not its own .pth files: they would lead to the checkout.
    (_packages(made) / "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    pip = (sys.executable, "-m", "pip", "--python", str(made))
    _run(*pip, "install", "-q", "--no-deps", "--no-index", str(wheel))
    return made


def _packages(made: Path) -> Path:
    return Path(sysconfig.get_path("purelib", vars={"base": str(made), "platbase": str(made)}))


def _run(*command: str) -> None:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


def program(made: Path) -> str:
    return str(made / "bin" / "switchboard")


async def typed(made: Path, *arguments: str, env: Mapping[str, str], folder: Path) -> tuple[int, str]:
    """What an operator reads on the terminal, standard error last, and the exit code."""
    known = {name for name in env if name not in ("PATH", "PGPASSWORD") and f"`{name}`" not in SETTINGS}
    assert not known, "settings that docs/install.md does not have"
    process = await asyncio.create_subprocess_exec(
        program(made),
        *arguments,
        cwd=folder,
        env=dict(env),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await asyncio.wait_for(process.communicate(), 60)
    return process.returncode or 0, (out + err).decode()


def test_installed_program_uses_nothing_of_the_checkout(installed: Path, tmp_path: Path) -> None:
    code = "import bot, handlers, storage; print(bot.__file__, handlers.__file__, storage.__file__)"
    python = str(installed / "bin" / "python")
    files = subprocess.check_output([python, "-c", code], cwd=tmp_path, env={}, text=True).split()
    assert all(file.startswith(str(_packages(installed))) for file in files), files


async def test_socket_mode_in_production_without_an_address(open_scene: Opening, installed: Path) -> None:
    """Slack comes over the socket, the services cannot call back, polling finds out: paid, and told."""
    scene = await open_scene(
        installed=program(installed),
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
    open_scene: Opening, installed: Path, new_postgres_url: str
) -> None:
    scene = await open_scene(installed=program(installed))
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
