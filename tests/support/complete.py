"""What a run left out, said last; with ``--complete`` that, or a required kind without a test, fails the run.

It counts the reports of all workers, so that one process and several give the same result.
"""

from collections import Counter

import pytest
from _pytest.terminal import TerminalReporter

_KINDS = ("postgres", "browser")
_SKIPPED = "Skipped: "


def left_out(what: str, *, why: str, mend: str) -> str:
    """Reason of a skip, e.g. ``tests of the page: there is no Chromium. → apt-get install …``."""
    return f"{what}: {why}. → {mend}"


class Complete:
    """Counts what ran, by marker, and what was skipped; ``required``: a run that left something out fails."""

    def __init__(self, *, required: bool) -> None:
        self._required = required
        self._passed = 0
        self._ran: Counter[str] = Counter()
        self._skipped: list[str] = []
        self._why: Counter[str] = Counter()

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self._left_out(report)
        elif report.when == "call":
            self._passed += report.passed
            self._ran.update(kind for kind in _KINDS if kind in report.keywords)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:  # a whole file that is skipped
            self._left_out(report)

    def _left_out(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        self._skipped.append(report.nodeid)
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        self._why[reason.removeprefix(_SKIPPED)] += 1

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if not self._required:
            return
        missing = [f"no test of kind {kind!r} ran" for kind in _KINDS if not self._ran[kind]]
        missing += [f"skipped: {nodeid}" for nodeid in self._skipped]
        if not missing:
            return
        print()  # noqa: T201 - after the dots
        for line in missing:
            print(f"incomplete run: {line}")  # noqa: T201 - the reason of the exit code
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """The last line of a run that left something out, after pytest's own."""
        if not self._why:
            return
        reporter = config.pluginmanager.get_plugin("terminalreporter")
        assert isinstance(reporter, TerminalReporter)
        reasons = [f"{count} {reason}" for reason, count in self._why.items()]
        between = " " if len(reasons) == 1 else "\n  "
        reporter.write_line(between.join([f"{self._passed:,} passed. Not run here:", *reasons]))
