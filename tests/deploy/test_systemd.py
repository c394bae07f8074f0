"""The systemd unit: systemd understands it, it leaves little open, and it waits for a stop to end."""

import re
import subprocess
import sysconfig
from pathlib import Path

import pytest

from tests.deploy.machine import found, needs
from tests.deploy.proxies import SHIPPED, fitted
from tests.deploy.stopping import LONGEST_STOP, seconds

UNIT = "switchboard.service"
PROGRAM = "/opt/switchboard/bin/switchboard"
LARGEST_EXPOSURE = 3.0
with_systemd = needs("systemd-analyze", package="systemd")


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """The unit with the program of the tests' own venv, because it looks whether there is one."""
    path = tmp_path / UNIT
    path.write_text(fitted(UNIT, {PROGRAM: f'"{sysconfig.get_path("scripts")}/switchboard"'}), encoding="utf-8")
    return path


def _analyze(*arguments: str | Path) -> tuple[int, str]:
    program = found("systemd-analyze")
    assert program is not None
    ran = subprocess.run([program, *arguments], capture_output=True, text=True, check=False)
    return ran.returncode, ran.stdout + ran.stderr


@with_systemd
def test_systemd_accepts_the_unit(unit: Path) -> None:
    assert _analyze("verify", "--man=no", unit) == (0, "")


@with_systemd
def test_it_leaves_little_open(unit: Path) -> None:
    code, said = _analyze("security", "--offline=true", f"--threshold={LARGEST_EXPOSURE * 10:.0f}", unit)
    (exposure,) = re.findall(r"Overall exposure level for switchboard\.service: ([\d.]+)", said)
    assert (code, float(exposure) < LARGEST_EXPOSURE) == (0, True), said


def test_unit_writes_only_its_state_directory() -> None:
    text = (SHIPPED / UNIT).read_text(encoding="utf-8")
    settings = dict(re.findall(r"^(\w+)=(.*)$", text, re.MULTILINE))
    assert settings["WorkingDirectory"] == f"/var/lib/{settings['StateDirectory']}"
    assert settings["ProtectSystem"] == "strict"
    assert settings["Restart"] == "on-failure"
    assert 2 * LONGEST_STOP > seconds(settings["TimeoutStopSec"]) > 1.5 * LONGEST_STOP
