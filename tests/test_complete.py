"""``--complete`` fails a run in which something was skipped or missing, in one process and in several."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OPTIONS = "--complete -q -p no:cacheprovider -p xdist"
CONFTEST = """
from tests.support.complete import Complete

def pytest_addoption(parser):
    parser.addoption("--complete", action="store_true")

def pytest_configure(config):
    for kind in ("postgres", "browser"):
        config.addinivalue_line("markers", kind)
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Complete(required=config.getoption("--complete")))
"""
BOTH = """
import pytest

@pytest.mark.postgres
def test_one(): pass

@pytest.mark.browser
def test_two(): pass
"""
SKIPPED = "\n@pytest.mark.skip\ndef test_three(): pass\n"
STEPS_ASIDE = "import pytest\npytest.importorskip('no_such_module')\n\ndef test_four(): pass\n"


def run(folder: Path, workers: str, **files: str) -> tuple[int, str]:
    (folder / "conftest.py").write_text(CONFTEST)
    (folder / "pytest.ini").write_text("[pytest]\n")
    for name, text in files.items():
        (folder / f"test_{name}.py").write_text(text)
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", *OPTIONS.split(), "-n", workers, "--dist", "loadfile"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "yes"},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


def test_complete_run_passes(tmp_path: Path) -> None:
    code, said = run(tmp_path, "2", both=BOTH)
    assert (code, "incomplete" in said) == (0, False)


@pytest.mark.parametrize("workers", ["0", "2"])
def test_incomplete_run_fails_and_names_the_gap(tmp_path: Path, workers: str) -> None:
    code, said = run(tmp_path, workers, one=BOTH.replace("@pytest.mark.browser", "") + SKIPPED, aside=STEPS_ASIDE)
    assert code == 1
    assert sorted(re.findall(r"^incomplete run: (.*)$", said, re.MULTILINE)) == [
        "no test of kind 'browser' ran",
        "skipped: test_aside.py",
        "skipped: test_one.py::test_three",
    ]
