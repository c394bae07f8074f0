"""``make affected``: run the tests that execute what changed since a commit, the nearest and quickest first.

Every test is recorded once with the lines that it executes, which takes about as long as ``make test``, and again when
its file changes. Tests of the page and of whole processes are not recorded.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.mutants.sample.choosing import Choosing
from tests.mutants.sample.recorded import Suite

ROOT = Path(__file__).resolve().parents[2]
ALWAYS = ("tests/presentation/test_reasons.py", "tests/words", "tests/test_documents.py", "tests/test_architecture.py")
"""Tests of what is declared; they read files more than they execute lines."""
_HUNK = re.compile(r"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.MULTILINE)


def affected(suite: Suite, base: str, *, patience: float) -> list[str]:
    """Tests of changed code, as many as take ``patience`` seconds of the processor per file, and changed tests."""
    found: dict[str, None] = {}
    code, tests = suite.code_files(), suite.test_files()
    choosing = Choosing(suite, suite.read(), code)
    for file, lines in _changed(suite.root, base):
        if file in tests:
            found[file] = None
        elif file in code:
            found |= dict.fromkeys(choosing.nearest(file, lines, patience=patience))
    return list(found)


def _changed(root: Path, base: str) -> Iterator[tuple[str, list[int]]]:
    """Files that differ from a commit, with the numbers of their changed lines; two lines around a deletion."""
    for file in _git(root, "diff", "--name-only", "--diff-filter=d", base).splitlines():
        hunks = _HUNK.findall(_git(root, "diff", "-U0", base, "--", file))
        spans = [range(int(first), int(first) + max(int(count or 1), 2)) for first, count in hunks]
        yield file, [line for span in spans for line in span]
    yield from ((file, []) for file in _git(root, "ls-files", "--others", "--exclude-standard").splitlines())


def _git(root: Path, *arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True).stdout


def main() -> int:
    """Record what is missing, then hand the affected tests to pytest; returns its exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("base", nargs="?", default="HEAD", help="the commit to compare with")
    parser.add_argument("--patience", type=float, default=40.0, help="seconds of tests for each changed file")
    given = parser.parse_args()
    suite = Suite(ROOT)
    suite.record(at_once=os.cpu_count() or 1)
    tests = [*ALWAYS, *affected(suite, given.base, patience=given.patience)]
    command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "--dist", "loadfile", *tests]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
