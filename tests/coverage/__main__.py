"""``make coverage``: break every point of the documents, one after another; a test of its row has to fail.

``ARGS="2.2 3A.4.1"`` runs these parts or rows. Exits with 1 if a break is found by no test.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Sequence
from contextlib import redirect_stdout
from io import StringIO

import pytest

from tests.coverage.breaking import broken
from tests.coverage.rows import Row, rows

LEFT_OUT = "not campaign and not postgres and not browser"
SECONDS = 20
"""Added to twice the time that a row's tests take unbroken. A row that takes longer is red: its test waits in vain."""
RESULTS = ("green", "untouched", "red", "failing")


class Breaker:
    """A pytest plugin that runs the tests of each row while its point is broken."""

    def __init__(self, chosen: Sequence[Row]) -> None:
        self._chosen = chosen
        self._failed = False
        self._seconds: dict[str, float] = {}
        self._failing_unbroken: set[str] = set()
        self._out = os.fdopen(os.dup(1), "w")  # pytest captures the other one
        self.found: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        named = {name for row in self._chosen for name in row.tests}
        for item in [one for one in session.items if _name(one) in named]:
            began = time.monotonic()
            if self._fails(item, session):
                self._failing_unbroken.add(_name(item))
            self._seconds[item.nodeid] = time.monotonic() - began
        for row in self._chosen:
            items = [one for one in session.items if _name(one) in row.tests]
            said = "failing" if self._failing_unbroken.intersection(row.tests) else self._run(row, items, session)
            self.found[said] += 1
            print(f"{said:9} {row.number:8} {row.point[:60]:60} {'; '.join(row.breaks)}", file=self._out, flush=True)
        return True

    def _run(self, row: Row, items: list[pytest.Item], session: pytest.Session) -> str:
        """Run the tests of a row in a process of its own, so that a hang or leftovers can't affect other rows."""
        child = os.fork()
        if not child:
            try:
                with broken(row.breaks) as was_applied:
                    is_red = any(self._fails(item, session) for item in items)
                    os._exit(RESULTS.index("red" if is_red else "green" if was_applied() else "untouched"))
            except BaseException:  # noqa: BLE001 - whatever it is, the child ends here
                traceback.print_exc(file=self._out)
                os._exit(RESULTS.index("failing"))
        until = time.monotonic() + SECONDS + 2 * sum(self._seconds[item.nodeid] for item in items)
        while time.monotonic() < until:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return RESULTS[os.waitstatus_to_exitcode(status)]
            time.sleep(0.05)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "red"

    def _fails(self, item: pytest.Item, session: pytest.Session) -> bool:
        self._failed = False
        # The session as what comes next: its own fixtures stay, those of modules and packages end.
        item.ihook.pytest_runtest_protocol(item=item, nextitem=session)
        return self._failed


def _name(item: pytest.Item) -> str:
    return item.nodeid.partition("[")[0]


def run(chosen: Sequence[Row]) -> Counter[str]:
    """Count the rows by result: red, green, untouched (the breaks changed no exchange), failing (without a break)."""
    paths = sorted({path.partition("::")[0] for row in chosen for path in row.tests})
    breaker = Breaker(chosen)
    with tempfile.TemporaryDirectory() as folder, redirect_stdout(StringIO()) as said:
        os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = folder
        options = ["-n", "0", "-m", LEFT_OUT]
        code = pytest.main([*options, *paths], plugins=[breaker])
    if sum(breaker.found.values()) < len(chosen):
        sys.exit(f"pytest stopped with {code} before every row was run\n{said.getvalue()[-3000:]}")
    return breaker.found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("numbers", nargs="*", help="parts or rows, for example 2.2 or 3A.4.1")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the rows")
    parser.add_argument("--share", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    wanted = [f"{number}." for number in given.numbers]
    chosen = [one for one in rows() if one.breaks and (not wanted or f"{one.number}.".startswith(tuple(wanted)))]
    if given.jobs > 1 and not given.alone:
        again = [sys.executable, "-m", "tests.coverage", *given.numbers, "--jobs", str(given.jobs), "--alone"]
        running = [subprocess.Popen([*again, "--share", str(one)]) for one in range(given.jobs)]
        return max([process.wait() for process in running])
    found = run(chosen[given.share :: given.jobs])
    sys.stdout.write((", ".join(f"{count} {said}" for said, count in found.items()) or "no rows") + "\n")
    return 0 if set(found) <= {"red"} else 1


if __name__ == "__main__":
    sys.exit(main())
