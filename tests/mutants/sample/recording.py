"""Plugin of pytest that records which test executes which line; loaded in each worker of ``recorded.record``.

A record is one file of JSON for each test file: it is written when the last test of that file is over, so that an
interrupted recording goes on where it stopped, and only what changed is recorded again.
"""

import gzip
import hashlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import coverage
import pytest

FOLDER = "MUTANTS_RECORDS"
"""Variable that names the folder for the records."""
PACKAGES = "MUTANTS_PACKAGES"
"""Variable that names the packages to record, with commas."""


def fingerprint(text: bytes) -> str:
    """Short name of a version of a file."""
    return hashlib.sha256(text).hexdigest()[:16]


def record_of(folder: Path, test_file: str) -> Path:
    """Where the record of a test file lies."""
    return folder / f"{test_file.replace('/', '--')}.json.gz"


class Recorder:
    """Follows the tests of one process, a file at a time."""

    def __init__(self, root: Path, folder: Path, packages: list[str]) -> None:
        self._root = root
        self._folder = folder
        self._coverage = coverage.Coverage(
            data_file=None,
            config_file=False,
            source=[str(root / name) for name in packages],
            concurrency=["greenlet", "thread"],  # transactions run in greenlets, SQLite in threads
        )
        self._coverage.set_option("run:disable_warnings", ["no-data-collected", "module-not-measured"])
        self._seconds: dict[str, float] = {}
        self._failed: set[str] = set()
        self._coverage.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> Iterator[None]:
        self._coverage.switch_context(item.nodeid)
        started = time.process_time()
        result = yield
        self._seconds[item.nodeid] = time.process_time() - started
        self._coverage.switch_context("")
        if nextitem is None or nextitem.path != item.path:
            self._write(item.path)
        return result

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if not report.passed:
            self._failed.add(report.nodeid)

    def _write(self, path: Path) -> None:
        self._coverage.stop()
        tests = [one for one in self._seconds if one not in self._failed]
        bit = {name: 1 << n for n, name in enumerate(tests)}
        data = self._coverage.get_data()
        lines: dict[str, dict[str, list[int]]] = {}
        outside: dict[str, list[int]] = {}
        for name in sorted(data.measured_files()):
            file = Path(name).relative_to(self._root).as_posix()
            by_mask: dict[int, list[int]] = defaultdict(list)
            for line, contexts in data.contexts_by_lineno(name).items():
                if "" in contexts:
                    outside.setdefault(file, []).append(line)
                if mask := sum(bit.get(one, 0) for one in contexts):
                    by_mask[mask].append(line)
            if by_mask:
                lines[file] = {f"{mask:x}": sorted(found) for mask, found in by_mask.items()}
        test_file = path.relative_to(self._root).as_posix()
        record: dict[str, Any] = {
            "test_file": test_file,
            "version": fingerprint(path.read_bytes()),
            "tests": [[one, round(self._seconds[one], 3)] for one in tests],
            "versions": {file: self._keep(file) for file in {*lines, *outside}},
            "lines": lines,
            "outside": outside,
        }
        target = record_of(self._folder, test_file)
        whole = target.with_suffix(f".{os.getpid()}")
        whole.write_bytes(gzip.compress(json.dumps(record).encode(), 5))
        whole.rename(target)
        self._seconds.clear()
        self._coverage.erase()
        self._coverage.start()

    def _keep(self, file: str) -> str:
        """Keep the text that was recorded: line numbers mean something only in it."""
        text = (self._root / file).read_bytes()
        kept = self._folder / "sources" / fingerprint(text)
        if not kept.exists():
            kept.parent.mkdir(parents=True, exist_ok=True)
            kept.write_bytes(text)
        return kept.name


def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Begin before the first conftest is imported."""
    if "PYTEST_XDIST_WORKER" in os.environ:
        recorder = Recorder(early_config.rootpath, Path(os.environ[FOLDER]), os.environ[PACKAGES].split(","))
        early_config.pluginmanager.register(recorder)
