"""The Makefile, with programs that say how they were called: a venv that fails, an old Python, a path with spaces."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TARGETS = sorted(set(re.findall(r"^([a-z]+):.* ##", (ROOT / "Makefile").read_text(), re.MULTILINE)) - {"clean"})
TOLD = 'printf "%s|" "$0" "PYTHONPATH=$PYTHONPATH" "SCREENSHOTS=$SCREENSHOTS" "$@" >&2; echo >&2\n'


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with spaces in its name that has the Makefile and the locks."""
    folder = tmp_path / "a folder of mine"
    for name in ("Makefile", "requirements.txt", "requirements-dev.txt", "bot/playground/requirements.txt"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    (folder / "docs/deploy").mkdir(parents=True)
    (folder / "tests/benchmarks").mkdir(parents=True)
    (folder / "tests/benchmarks/bench_one.py").touch()
    (folder / "pyproject.toml").touch()
    return folder


def program(path: Path, script: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}")
    path.chmod(0o755)
    return path


def make(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """make in a folder; what the make above these tests tells its children is left out."""
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C"}
    return subprocess.run(
        ["make", *arguments], check=False, cwd=folder, env=environment, capture_output=True, text=True
    )


def test_broken_venv_is_removed(checkout: Path) -> None:
    hint = "The virtual environment was not created successfully because ensurepip is not available."
    python = program(
        checkout / "python-without-venv",
        f'[ "$1" = -c ] && exit 0\nmkdir -p .venv/bin; touch .venv/bin/python; echo "{hint}"; exit 1\n',
    )
    for _ in range(2):
        ran = make(checkout, "test", f"PYTHON=./{python.name}")
        assert ran.returncode != 0
        assert hint in ran.stdout
        assert not (checkout / ".venv").exists()


def test_old_python_stops_make_early(checkout: Path) -> None:
    code = "import sys; sys.version_info = (3, 10, 13); exec(sys.argv[1])"
    python = program(checkout / "old-python", f"exec '{sys.executable}' -c '{code}' \"$2\"\n")
    ran = make(checkout, "test", f"PYTHON=./{python.name}")
    assert ran.returncode != 0
    assert ran.stderr.splitlines()[0] == (
        "This is Python 3.10; Switchboard needs 3.11 or later. Example: make test PYTHON=python3.12"
    )
    assert not (checkout / ".venv").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_each_target_runs_in_a_folder_whose_name_has_spaces(checkout: Path, target: str) -> None:
    for name in ("python", "ruff", "mypy", "lint-imports", "uv"):
        program(checkout / ".venv/bin" / name, TOLD)
    ran = make(checkout, target)
    assert ran.returncode == 0, ran.stderr
    for line in ran.stderr.splitlines():
        path, shots = re.findall(r"PYTHONPATH=(.*?)\|SCREENSHOTS=(.*?)\|", line)[0]
        assert path in ("", str(checkout)), line
        assert shots in ("", f"{checkout}/screenshots"), line
    assert target == "help" or ran.stderr
