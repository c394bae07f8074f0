"""Bots forked from a process that has imported everything: a start takes a third of the processor time.

Each bot is an ordinary process to the kernel, the database and the network. Tests of the start itself give the bot an
interpreter of its own.
"""

import asyncio
import multiprocessing
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from multiprocessing.process import BaseProcess
from pathlib import Path

_SERVER = multiprocessing.get_context("forkserver")
_SERVER.set_forkserver_preload(["tests.process.played"])


class Forked:
    """A started process, with the interface of :class:`asyncio.subprocess.Process`.

    It runs ``main``, a function of a module, with these variables alone, in the folder; there its output goes to
    ``stdout.log`` and ``stderr.log``.
    """

    def __init__(self, main: Callable[[], int], *, environment: Mapping[str, str], folder: Path) -> None:
        # A daemon ends with the tests, however they end.
        self._process: BaseProcess = _SERVER.Process(target=_live, args=(main, dict(environment), folder), daemon=True)
        self._process.start()
        self._errors = folder / "stderr.log"
        assert self._process.pid is not None
        self.pid: int = self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        if self.returncode is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    async def wait(self) -> int:
        """Wait for its end; its exit code. Why it failed is shown with the test: its folder may be gone later."""
        loop, ended = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)
        self._process.join()
        assert self.returncode is not None
        if self.returncode > 0 and self._errors.exists():
            sys.stderr.write(self._errors.read_text(encoding="utf-8", errors="replace"))
        return self.returncode


def _live(main: Callable[[], int], environment: Mapping[str, str], folder: Path) -> None:
    """Set up the new process like one started by a shell in the folder, and run it."""
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for name, number in (("stdout.log", 1), ("stderr.log", 2)):
        opened = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - for as long as it lives
    sys.stderr = open(2, "w", encoding="utf-8", closefd=False, buffering=1)  # noqa: SIM115
    sys.exit(main())
