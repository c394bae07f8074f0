"""``--complete``: a run with skipped tests, or without tests of a required kind, fails.

It counts the reports of all workers, so that one process and several give the same result.
"""

from collections import Counter

import pytest

_KINDS = ("postgres", "browser")


class Complete:
    """Counts what ran, by marker, and what was skipped."""

    def __init__(self) -> None:
        self.ran: Counter[str] = Counter()
        self.skipped: list[str] = []

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped:
            self.skipped.append(report.nodeid)
        elif report.when == "call":
            self.ran.update(kind for kind in _KINDS if kind in report.keywords)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:  # a whole file that is skipped
            self.skipped.append(report.nodeid)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        missing = [f"no test of kind {kind!r} ran" for kind in _KINDS if not self.ran[kind]]
        missing += [f"skipped: {nodeid}" for nodeid in self.skipped]
        if not missing:
            return
        print()  # noqa: T201 - after the dots
        for line in missing:
            print(f"incomplete run: {line}")  # noqa: T201 - the reason of the exit code
        if session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED
