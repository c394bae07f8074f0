"""Put mistakes into copies of the tree, one at a time, and see whether the tests find them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from queue import SimpleQueue

from tests.mutants.mutant import ROOT, DoesNotApply, Mutant

_COPIED = ("bot", "handlers", "storage", "tests")
_NOT_COPIED = shutil.ignore_patterns("zz_*", ".hypothesis", "node_modules")
_PASSED, _FAILED = 0, 1
_SHOWN = 3_000


class Verdict(StrEnum):
    KILLED = "killed"
    SURVIVED = "SURVIVED"
    DOES_NOT_APPLY = "DOES NOT APPLY"
    TIMED_OUT = "TIMED OUT"
    """No verdict: a test that hangs says nothing, on a machine that may be busy."""
    NOT_RUN = "NOT RUN"
    """pytest did not get as far as a test."""


@dataclass(frozen=True, slots=True)
class Result:
    mutant: Mutant
    verdict: Verdict
    by: str = ""
    """The test that found it, or what went wrong."""
    seconds: float = 0.0


class Copy:
    """A copy of the tree in which files are changed and put back."""

    def __init__(self, folder: Path, *, timeout: float) -> None:
        self.folder = folder
        self._timeout = timeout
        for name in _COPIED:
            shutil.copytree(ROOT / name, folder / name, ignore=_NOT_COPIED)
        for path in ROOT.iterdir():
            if path.is_file():
                shutil.copy2(path, folder / path.name)

    def hunt(self, mutant: Mutant) -> Result:
        """Make the mistake, run the tests that are to find it, undo it."""
        started = time.monotonic()
        try:
            with self._changed(mutant):
                verdict, by = self._verdict(mutant.tests)
        except DoesNotApply as refusal:
            verdict, by = Verdict.DOES_NOT_APPLY, str(refusal)
        return Result(mutant, verdict, by, time.monotonic() - started)

    def passes(self, tests: Sequence[str], *, patience: int = 20) -> str:
        """Run tests on the tree as it is; what they say when they fail, otherwise empty."""
        done = self._pytest(tests, first_only=False, patience=patience)
        if done is None:
            return "no end"
        said = (done.stdout + done.stderr)[-_SHOWN:]
        return "" if done.returncode == _PASSED else said or f"exit status {done.returncode}"

    def _verdict(self, tests: Sequence[str]) -> tuple[Verdict, str]:
        done = self._pytest(tests, first_only=True)
        if done is None:
            return Verdict.TIMED_OUT, f"after {self._timeout:.0f} s"
        if done.returncode == _PASSED:
            return Verdict.SURVIVED, " ".join(tests)
        if done.returncode != _FAILED:
            return Verdict.NOT_RUN, (done.stdout + done.stderr)[-_SHOWN:]
        found = re.search(r"^(?:FAILED|ERROR) (\S+)", done.stdout, re.MULTILINE)
        return Verdict.KILLED, found[1] if found else "?"

    def _pytest(
        self, tests: Sequence[str], *, first_only: bool, patience: int = 1
    ) -> subprocess.CompletedProcess[str] | None:
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--tb=no", *tests]
        # What is changed must not leave anything compiled behind that outlives it.
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        try:
            return subprocess.run(
                [*command, "-x"] if first_only else command,
                cwd=self.folder,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=self._timeout * patience,
            )
        except subprocess.TimeoutExpired:
            return None

    @contextmanager
    def _changed(self, mutant: Mutant) -> Iterator[None]:
        path = self.folder / mutant.file
        text, stat = path.read_text(encoding="utf-8"), path.stat()
        path.write_text(mutant.changed(text), encoding="utf-8")
        try:
            yield
        finally:
            path.write_text(text, encoding="utf-8")
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # what was compiled of it before fits again


def hunt_all(mutants: Sequence[Mutant], *, at_once: int, timeout: float) -> Iterator[Result]:
    """Every mutant's result, in the order of the list."""
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        free: SimpleQueue[Copy] = SimpleQueue()
        for n in range(at_once):
            free.put(Copy(Path(folder) / str(n), timeout=timeout))

        def hunt(mutant: Mutant) -> Result:
            copy = free.get()
            try:
                return copy.hunt(mutant)
            finally:
                free.put(copy)

        with ThreadPoolExecutor(at_once) as pool:
            yield from pool.map(hunt, mutants)


def prove_clean(mutants: Sequence[Mutant], *, timeout: float) -> str:
    """Run every test that is to find something on the tree as it is; what they say when they fail."""
    tests = list(dict.fromkeys(path for mutant in mutants for path in mutant.paths))
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        return Copy(Path(folder) / "clean", timeout=timeout).passes(tests)
