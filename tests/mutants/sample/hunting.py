"""Plants mistakes in copies of the tree and has warm processes run the tests that are to find them."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

from tests.mutants.sample.channel import PIPES
from tests.mutants.sample.choosing import Choosing
from tests.mutants.sample.planting import Planted
from tests.mutants.sample.recorded import Suite

STARTS = 900.0
_TICKS = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds that tests may take."""

    patience: float = 25.0
    """Of the processor for all tests of one mistake, as they were recorded."""
    loops: float = 40.0
    """Of the processor in one test, beyond ten times what was recorded, from which it is in a loop."""
    waits: float = 60.0
    """In which a test neither uses the processor nor asks for it: it waits for what does not come."""


class Verdict(StrEnum):
    FOUND = "found"
    LOOPS = "found, in a loop"
    SURVIVED = "SURVIVED"
    WAITS = "found, waits"
    """A test waits for what does not come, and does not without the mistake: in the suite it ends after its limit."""
    NO_TEST = "NO TEST"
    """No test executes the line, and none names what is around it."""

    @property
    def is_found(self) -> bool:
        return self in {Verdict.FOUND, Verdict.LOOPS, Verdict.WAITS}


@dataclass(frozen=True, slots=True)
class Result:
    """One mistake, and what the tests said: found by one, after some ran in this order, of so many that could."""

    planted: Planted
    verdict: Verdict
    by: str = ""
    why: str = ""
    ran: tuple[str, ...] = ()
    of: int = 0
    seconds: float = 0.0


@dataclass(slots=True)
class _Run:
    failed: str = ""
    why: str = ""
    swapped: int | None = None
    broken: str = ""
    loops: bool = False
    waits: bool = False
    running: str = ""


class Helper:
    """A process that runs tests in forks of itself."""

    def __init__(self, folder: Path, command: Sequence[str], limits: Limits) -> None:
        self._limits = limits
        to_us, from_it = os.pipe()
        to_it, from_us = os.pipe()
        environment = {
            **os.environ,
            PIPES: f"{to_it},{from_it}",
            "CI": "true",
            "PYTHONPATH": os.pathsep.join([str(folder), *sys.path]),
        }
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self._log = folder / f"{command[0].rpartition('.')[2]}.log"
        with self._log.open("w") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *command],
                cwd=folder,
                env=environment,
                pass_fds=(to_it, from_it),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        os.close(to_it)
        os.close(from_it)
        self._reading, self._writing = to_us, from_us
        self._rest = b""

    def ask(self, **request: object) -> None:
        os.write(self._writing, f"{json.dumps(request)}\n".encode())

    def answer(self, *, seconds: float) -> dict[str, Any] | None:
        """The next line; None when there is none within the time."""
        while b"\n" not in self._rest:
            if not select.select([self._reading], [], [], seconds)[0]:
                return None
            got = os.read(self._reading, 1 << 16)
            if not got:
                raise RuntimeError(f"The process that runs the tests ended:\n{self._log.read_text()[-3000:]}")
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\n")
        found: dict[str, Any] = json.loads(line)
        return found

    def ready(self) -> dict[str, Any]:
        found = self.answer(seconds=STARTS)
        if found is None:
            raise RuntimeError("The process that runs the tests did not start in time.")
        return found

    def run(self, seconds_of: dict[str, float], **request: object) -> _Run:
        """Have a fork run tests until one fails; one that loops or waits is ended."""
        self.ask(**request)
        run, pid = _Run(), 0
        begun = last = time.monotonic(), 0.0
        while True:
            said = self.answer(seconds=1.0)
            used, wants = _processor(pid)
            now = time.monotonic(), used
            match said:
                case {"ended": _}:
                    return run
                case {"pid": pid}:
                    pass
                case {"begins": str(name)}:
                    run.running, begun, last = name, now, now
                case {"failed": str(name), "why": str(why)}:
                    run.failed, run.why = run.failed or name, run.why or why
                case {"swapped": int(number)}:
                    run.swapped = number
                case {"broken": str(why)}:
                    run.broken = why
            if wants or now[1] - last[1] >= 1.0:
                last = now
            run.loops = run.loops or now[1] - begun[1] > self._limits.loops + 10 * seconds_of.get(run.running, 0.0)
            run.waits = run.waits or now[0] - last[0] > self._limits.waits
            if pid and (run.loops or run.waits):
                with suppress(ProcessLookupError):
                    os.killpg(pid, signal.SIGKILL)

    def close(self) -> None:
        os.close(self._writing)
        os.close(self._reading)
        try:
            self._process.wait(30)
        except subprocess.TimeoutExpired:
            self._process.terminate()
            self._process.wait()


class Place:
    def __init__(self, suite: Suite, folder: Path, choosing: Choosing, limits: Limits) -> None:
        self._folder = folder
        self._choosing = choosing
        self._limits = limits
        self._seconds = choosing.seconds
        self._options = ["-q", "--tb=short", "-p", "no:cacheprovider", "-m", suite.marked]
        for name in (*suite.packages, suite.tests):
            shutil.copytree(suite.root / name, folder / name, ignore=shutil.ignore_patterns(".hypothesis", "zz_*"))
        for path in suite.root.iterdir():
            if path.is_file():
                shutil.copy2(path, folder / path.name)
        for name in suite.beside:
            if (suite.root / name).is_dir():
                (folder / name).symlink_to(suite.root / name)
        self._proved: dict[str, bool] = {}
        warm = ["pytest", *self._options, "-p", "tests.mutants.sample.warm", *suite.test_files()]
        self._warm = Helper(folder, warm, limits)
        self._cold = Helper(folder, ["tests.mutants.sample.cold"], limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._warm.close()
        self._cold.close()

    def begin(self, shared: Sequence[str]) -> None:
        """Wait until both are warm. What the session of these tests shares is opened once, for all that follow."""
        libraries = self._warm.ready()["libraries"]
        self._cold.ask(libraries=libraries)
        self._warm.ask(stay=True, tests=list(shared))
        self._cold.ready()
        self._warm.ready()

    def hunt(self, planted: Planted) -> Result:
        """Make the mistake, run the tests that are to find it, undo it."""
        started = time.monotonic()
        tests, of = self._choosing.tests(planted, patience=self._limits.patience)
        verdict, by, why, ran = Verdict.NO_TEST if not tests else Verdict.SURVIVED, "", "", list(tests)
        while tests:
            with self._changed(planted):
                run = self._run(planted, tests)
            if run.broken:
                raise RuntimeError(f"{planted.file}:{planted.line}: {run.broken}")
            if not (run.failed or run.loops or run.waits):
                break
            by, why = run.failed or run.running, run.why
            if self._passes_without(by):
                verdict = Verdict.FOUND if run.failed else Verdict.LOOPS if run.loops else Verdict.WAITS
                break
            tests = tests[tests.index(by) + 1 :] if by in tests else []
        if verdict is Verdict.SURVIVED:
            by, why = "", ""
        return Result(planted, verdict, by, why, tuple(ran), of, round(time.monotonic() - started, 1))

    def _run(self, planted: Planted, tests: list[str]) -> _Run:
        recorded = all(one in self._seconds for one in tests)
        if recorded and not self._choosing.is_imported(planted):
            run = self._warm.run(self._seconds, tests=tests, file=planted.file, scope=planted.scope)
            if run.swapped and not run.broken:  # else what pytest stumbled over may be what the fork inherited
                return run
        return self._cold.run(self._seconds, tests=tests, options=self._options)

    def _passes_without(self, test: str) -> bool:
        """Whether a test that failed does not without the mistake; one that does proves nothing."""
        if test not in self._seconds:
            return True  # a file that cannot be imported, or a test of a file that has no record
        if test not in self._proved:
            run = self._warm.run(self._seconds, tests=[test])
            self._proved[test] = not (run.failed or run.loops or run.waits)
        return self._proved[test]

    @contextmanager
    def _changed(self, planted: Planted) -> Iterator[None]:
        path = self._folder / planted.file
        source, stat = path.read_bytes(), path.stat()
        path.write_bytes(planted.changed(source))
        try:
            yield
        finally:
            path.write_bytes(source)
            os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))  # what was compiled of it before fits again


def hunt_all(
    suite: Suite, choosing: Choosing, planted: Sequence[Planted], *, folder: Path, at_once: int, limits: Limits
) -> Iterator[Result]:
    """The result of each mistake, as they come."""
    places = [Place(suite, folder / str(n), choosing, limits) for n in range(min(at_once, len(planted)))]
    results: SimpleQueue[Result | BaseException] = SimpleQueue()
    waiting: SimpleQueue[Planted] = SimpleQueue()
    for one in planted:
        waiting.put(one)

    def work(place: Place) -> None:
        try:
            with place:
                place.begin(choosing.shared())
                with suppress(Empty):
                    while True:
                        results.put(place.hunt(waiting.get_nowait()))
        except BaseException as problem:  # noqa: BLE001 - said by whoever waits for the results
            results.put(problem)

    with ThreadPoolExecutor(max(1, len(places))) as pool:
        for place in places:
            pool.submit(work, place)
        for _ in planted:
            result = results.get()
            if isinstance(result, BaseException):
                with suppress(Empty):
                    while True:
                        waiting.get_nowait()
                raise result
            yield result


def _processor(pid: int) -> tuple[float, bool]:
    """Seconds of the processor that a process has used so far, and whether it wants more of it just now."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    except OSError:
        return 0.0, False
    return (int(fields[11]) + int(fields[12])) / _TICKS, fields[0] == "R"
