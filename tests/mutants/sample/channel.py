"""What a hunter and the process that runs tests for it say to each other: lines of JSON through two pipes."""

import json
import os
import signal
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest

PIPES = "MUTANTS_PIPES"
"""Variable that names the descriptors: the one to read requests from and the one to write answers to."""


class Channel:
    """The end of the process that runs the tests."""

    def __init__(self) -> None:
        reading, writing = os.environ[PIPES].split(",")
        self._requests = os.fdopen(int(reading), encoding="utf-8")
        self._writing = int(writing)

    def requests(self) -> Iterator[dict[str, Any]]:
        """Until the hunter is gone."""
        for line in self._requests:
            yield json.loads(line)

    def say(self, **said: object) -> None:
        """One line in one piece: a process and its child write to the same pipe."""
        os.write(self._writing, f"{json.dumps(said)}\n".encode())

    def in_a_child(self, run: Callable[[], object]) -> None:
        """Run something in a fork of this process; it may end whenever it likes."""
        pid = os.fork()
        if pid:
            self.say(pid=pid)
            _, status = os.waitpid(pid, 0)
            self.say(ended=os.waitstatus_to_exitcode(status))
            return
        code = 1
        try:
            os.setsid()
            nowhere = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(nowhere, descriptor)
            run()
            code = 0
        except BaseException as problem:  # noqa: BLE001 - a child never goes on as its parent would
            self.say(broken=f"{type(problem).__name__}: {problem}"[:500])
        finally:
            _end(code)


class Listening:
    """Plugin of pytest that says which test runs, and ends the process after the first that fails."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._has_failed = False

    @pytest.hookimpl
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._channel.say(begins=nodeid)

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            self._failed(report.nodeid, report.longreprtext)
        if self._has_failed and report.when == "teardown":  # a test that failed takes away what it made
            _end(0)

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self._failed(report.nodeid or "collection", report.longreprtext)
            _end(0)

    def _failed(self, nodeid: str, text: str) -> None:
        why = [line for line in text.splitlines() if line.startswith("E ")] or text.splitlines()[-1:]
        self._channel.say(failed=nodeid, why=" ".join(why)[:300])
        self._has_failed = True


def _end(code: int) -> NoReturn:
    """End without tearing down what is shared with the parent, with every process that was started."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(0, signal.SIGTERM)
    os._exit(code)
