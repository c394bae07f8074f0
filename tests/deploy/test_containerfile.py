"""The Dockerfile: what it copies, what the image promises, and its steps that need no network.

``test_image.py`` builds the image.
"""

import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path
from typing import Any

from bot.settings import Settings
from tests.deploy.containerfile import PROGRAM, ROOT, VOLUME, shipped
from tests.process.bot_process import BotProcess
from tests.process.scene import Scene
from tests.support.rig import APPROVALS, GivenSettings

FILE = shipped()
OF_THE_SYSTEM = {"PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_image_copies_tracked_and_complete_files() -> None:
    copied = [source for one in FILE.of("COPY", stage=0) for source in one.words[:-1]]
    for source in copied:
        kept = subprocess.run(["git", "ls-files", "--", source], cwd=ROOT, capture_output=True, check=True).stdout
        assert kept, source
    assert not [source for source in copied if source in (".", "..") or source.startswith("/")]
    assert {PROJECT["readme"], *PROJECT["license-files"]} <= set(copied)


def test_image_runs_unprivileged_on_a_fixed_python() -> None:
    user, _, group = FILE.only("USER").rest.partition(":")
    assert (int(user), int(group)) == (10001, 10001)
    (base,) = FILE.of("ARG", stage=-1)
    (chosen,) = re.findall(r"^BASE=python:3\.(\d+)-slim$", base.rest)
    assert int(chosen) >= int(PROJECT["requires-python"].removeprefix(">=3."))
    assert [one.rest for one in (FILE.only("FROM", stage=0), FILE.only("FROM"))] == ["${BASE} AS build", "${BASE}"]


def test_image_starts_stops_and_reports_health_without_a_shell() -> None:
    command = FILE.only("CMD")
    assert command.rest.startswith("[")
    assert command.words[0] in PROJECT["scripts"]
    assert FILE.only("STOPSIGNAL").rest == "SIGTERM"
    assert FILE.health[0] == "python"
    assert "/healthz" in FILE.health[-1]
    port = FILE.environment["PORT"]
    assert [FILE.only("EXPOSE").rest, str(Settings.model_fields["port"].default)] == [port, port]


def test_everything_it_writes_is_on_the_volume() -> None:
    environment = FILE.environment
    assert {name.lower() for name in environment.keys() - OF_THE_SYSTEM} <= set(Settings.model_fields)
    assert FILE.only("VOLUME").rest == FILE.only("WORKDIR").rest == environment["TMPDIR"] == str(VOLUME)
    files = GivenSettings(**{name.lower(): value for name, value in environment.items()})  # type: ignore[arg-type]
    assert files.anchors_file is not None
    assert files.anchors_file.parent == VOLUME
    assert files.database_url == f"sqlite+aiosqlite:///{VOLUME}/switchboard.db"
    assert not files.policy_file.is_relative_to(VOLUME)


def test_every_package_it_installs_is_known_by_its_hash() -> None:
    installs = [one.rest for one in FILE.of("RUN", stage=0) if re.search(r"\bpip\b.* install ", one.rest)]
    assert len(installs) == 3
    assert all("--require-hashes -r " in line or "--no-deps --no-index " in line for line in installs)
    ours, tests = (_pins(ROOT / path) for path in ("docs/deploy/build-requirements.txt", "requirements-dev.txt"))
    assert ours <= tests, "run make lock"


def _pins(lock: Path) -> set[str]:
    return set(re.findall(r"^([\w.-]+==\S+)", lock.read_text(encoding="utf-8"), re.MULTILINE))


async def test_built_package_runs_like_the_image(tmp_path: Path) -> None:
    """Its own steps, with the dependencies of the tests instead of those that it would fetch."""
    program, volume = tmp_path / "program", tmp_path / "volume"
    volume.mkdir()
    _build(tmp_path / "build", program)
    image = {name: value.replace(str(VOLUME), str(volume)) for name, value in FILE.environment.items()}
    ours: dict[str, Any] = {
        **{name: image[name] for name in ("DATABASE_URL", "ANCHORS_FILE", "TMPDIR", "LOG_FORMAT")},
        "HOST": "127.0.0.1",
        "PATH": f"{program}/bin:/usr/bin:/bin",
        "PYTHONPATH": sysconfig.get_path("purelib"),
    }
    command, *arguments = FILE.only("CMD").words
    assert arguments == ["run"]
    scene = await Scene.open(tmp_path, start=False, installed=f"{program}/bin/{command}", **ours)
    bot = scene.bot
    try:
        assert _run("python", "-c", "import bot; print(bot.__file__)", of=bot).startswith(str(program))
        await scene.start()
        assert (await scene.pay()).ok
        await scene.press("approve")
        await scene.workspace.until(lambda: scene.cards(APPROVALS)[0].text.startswith("Paid: "))
        _run(*FILE.health, of=bot)
        assert await bot.stop() == 0
    finally:
        await scene.close()
    assert {path.name for path in volume.iterdir()} >= {"switchboard.db", "switchboard.anchors"}


def _build(folder: Path, program: Path) -> None:
    (folder / "tools/bin").mkdir(parents=True)
    pip = folder / "tools/bin/pip"
    pip.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pip --quiet --disable-pip-version-check "$@"\n')
    pip.chmod(0o755)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", program], check=True)
    for one in FILE.of("COPY", stage=0):
        *sources, target = one.words
        for source in sources:
            if (ROOT / source).is_dir():
                shutil.copytree(ROOT / source, folder / target, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(ROOT / source, folder / target)
    steps = [one.rest for one in FILE.of("RUN", stage=0) if "--no-deps" in one.rest]
    assert len(steps) == 2
    for step in steps:
        subprocess.run(["sh", "-c", step.replace(PROGRAM, str(program))], cwd=folder, check=True)


def _run(*command: str, of: BotProcess) -> str:
    """What a command prints in the environment of a bot; it has to succeed."""
    program = shutil.which(command[0], path=of.environment["PATH"])
    assert program is not None
    ran = subprocess.run(
        [program, *command[1:]], env=of.environment, cwd=of.folder, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    return ran.stdout
