"""What the recorded runs say: which tests execute a line of today's sources, and how long each takes."""

import difflib
import gzip
import json
import os
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.mutants.sample.recording import FOLDER, PACKAGES, fingerprint, record_of

NOT_RECORDED = (
    "benchmarks", "browser", "campaigns", "deploy", "mutants", "playground", "process", "world",
    "test_architecture.py",
)  # fmt: skip
"""Rooms and files of tests whose bots are processes of their own, that take minutes, or that run no production code."""
MARKED = "not campaign and not twin and not browser"


@dataclass(slots=True)
class Recorded:
    """All records of a tree."""

    root: Path
    seconds: dict[str, float] = field(default_factory=dict)
    """Of the processor, by test."""
    outside: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """By file, lines that ran while no test did: when modules were imported and tests collected."""
    _executing: dict[str, dict[int, set[str]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set)), init=False
    )

    def executing(self, file: str, lines: Sequence[int]) -> set[str]:
        found: set[str] = set()
        for line in lines:
            found |= self._executing[file].get(line, set())
        return found

    def executing_any(self, file: str) -> set[str]:
        """Tests that execute any line of a file after it was imported."""
        return set().union(*self._executing[file].values())

    def add(self, record: dict[str, Any], today: "Today") -> None:
        names = [name for name, _ in record["tests"]]
        self.seconds.update(record["tests"])
        for file, by_mask in record["lines"].items():
            now = today.lines(file, record["versions"][file])
            executing = self._executing[file]
            for mask, lines in by_mask.items():
                bits = int(mask, 16)
                tests = [name for n, name in enumerate(names) if bits >> n & 1]
                for line in lines:
                    if line in now:
                        executing[now[line]].update(tests)
        for file, lines in record["outside"].items():
            now = today.lines(file, record["versions"][file])
            self.outside[file].update(now[line] for line in lines if line in now)


class Today:
    """Line numbers of recorded versions of files, as they are today."""

    def __init__(self, root: Path, sources: Path) -> None:
        self._root = root
        self._sources = sources
        self._known: dict[tuple[str, str], dict[int, int]] = {}

    def lines(self, file: str, version: str) -> dict[int, int]:
        """Number today by recorded number; a changed line counts as the one whose place it took."""
        if (file, version) not in self._known:
            self._known[file, version] = self._compared(file, version)
        return self._known[file, version]

    def _compared(self, file: str, version: str) -> dict[int, int]:
        path, kept = self._root / file, self._sources / version
        if not path.exists() or not kept.exists():
            return {}
        before, after = kept.read_bytes(), path.read_bytes()
        old, new = before.splitlines(), after.splitlines()
        if before == after:
            return {n: n for n in range(1, len(new) + 1)}
        mapped: dict[int, int] = {}
        for _, i1, i2, j1, j2 in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            for n in range(i1, i2):
                if j2 > j1:
                    mapped[n + 1] = min(j1 + n - i1, j2 - 1) + 1
        return mapped


@dataclass(frozen=True, slots=True)
class Suite:
    """Where the code, the tests and their records are."""

    root: Path
    packages: tuple[str, ...] = ("bot", "handlers", "storage")
    tests: str = "tests"
    left_out: tuple[str, ...] = NOT_RECORDED
    marked: str = MARKED
    opened: tuple[str, ...] = ("storage/migrations/",)
    """Code that runs when a session opens what its tests share: a warm process has run it."""
    whole: tuple[tuple[str, str], ...] = (
        ("storage/tables/", "tests/storage/test_migrations.py"),
        ("storage/migrations/", "tests/storage/test_migrations.py"),
        ("storage/migrations/", "tests/storage/test_audit.py"),
        ("storage/migrations/", "tests/storage/test_instructions.py"),
    )
    """Code whose tables and triggers are tried as a whole, and the tests that do it: they name none of them."""
    beside: tuple[str, ...] = ("docs", ".ci")
    """Folders that tests read, and that nothing is planted in."""

    @property
    def records(self) -> Path:
        return self.root / ".mutants" / "records"

    def code_files(self) -> list[str]:
        """Production code: everything but the playground."""
        every = (path for name in self.packages for path in sorted((self.root / name).rglob("*.py")))
        return [name for path in every if "/playground/" not in (name := path.relative_to(self.root).as_posix())]

    def test_files(self) -> list[str]:
        rooms = {f"{self.tests}/{name}" if name.endswith(".py") else f"{self.tests}/{name}/" for name in self.left_out}
        every = (path.relative_to(self.root).as_posix() for path in sorted((self.root / self.tests).rglob("test_*.py")))
        return [one for one in every if not one.startswith(tuple(rooms))] if rooms else list(every)

    def not_recorded(self) -> list[str]:
        """Files of tests without a record, or that changed since."""
        return [one for one in self.test_files() if not self._is_recorded(one)]

    def record(self, *, at_once: int) -> None:
        """Run the tests that have no record and record them; what fails has none."""
        self.records.mkdir(parents=True, exist_ok=True)
        missing = self.not_recorded()
        if not missing:
            return
        environment = {
            **os.environ,
            FOLDER: str(self.records),
            PACKAGES: ",".join(self.packages),
            "CI": "true",
            "PYTHONPATH": os.pathsep.join([str(self.root), *sys.path]),
        }
        command = ["pytest", "-q", "--tb=no", "-p", "no:cacheprovider", "-n", str(at_once), "--dist", "loadfile"]
        subprocess.run(
            [sys.executable, "-m", *command, "-p", "tests.mutants.sample.recording", "-m", self.marked, *missing],
            cwd=self.root,
            env=environment,
            check=False,
        )

    def read(self) -> Recorded:
        """Everything recorded so far, in the line numbers of today."""
        today = Today(self.root, self.records / "sources")
        recorded = Recorded(self.root)
        for path in sorted(self.records.glob("*.json.gz")):
            record = json.loads(gzip.decompress(path.read_bytes()))
            if (self.root / record["test_file"]).exists():
                recorded.add(record, today)
        return recorded

    def _is_recorded(self, test_file: str) -> bool:
        path = record_of(self.records, test_file)
        if not path.exists():
            return False
        record = json.loads(gzip.decompress(path.read_bytes()))
        return bool(record["version"] == fingerprint((self.root / test_file).read_bytes()))
