"""The real bot as a child process; only the addresses differ from production."""

import asyncio
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from itertools import chain

_STOP_SECONDS = 15.0
_RESTART_SECONDS = 0.5
_PORTS = range(20_000, 32_768)
"""Ports below the range that Linux uses for outgoing connections."""


class BotProcess:
    """Runs ``python -m bot run``, and restarts it if it ends unexpectedly.

    Args:
        environment: the settings; those of the surrounding shell are ignored.
        directory: working directory, so that no ``.env`` of the user is read.
        ended: called after each unexpected end with the exit code (negative for a signal).
    """

    def __init__(
        self, *, environment: Mapping[str, str], directory: str, ended: Callable[[int], None] = lambda _: None
    ) -> None:
        self._environment = dict(environment)
        self._directory = directory
        self._ended = ended
        self._process: asyncio.subprocess.Process | None = None
        self._watching: asyncio.Task[None] | None = None
        self.starts = 0

    @property
    def pid(self) -> int | None:
        """Process id of the bot that runs now."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def start(self) -> None:
        """Start it and keep it running."""
        await self._spawn()
        self._watching = asyncio.create_task(self._watch(), name="watch the bot")

    async def stop(self) -> None:
        """Terminate it; kill it when that takes too long."""
        if self._watching is not None:
            self._watching.cancel()
            await asyncio.gather(self._watching, return_exceptions=True)
        process = self._process
        if process is None or process.returncode is not None:
            return
        with suppress(ProcessLookupError):  # it may end between the check and the signal
            process.terminate()
        try:
            async with asyncio.timeout(_STOP_SECONDS):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    def kill(self) -> bool:
        """``kill -9``, like a power cut; it is restarted. False when it is not running."""
        if self._process is None or self._process.returncode is not None:
            return False
        self._process.send_signal(signal.SIGKILL)
        return True

    def restart(self) -> None:
        """End it as an operator does, so that it restarts with the current contents of its files."""
        if self._process is not None and self._process.returncode is None:
            self._process.terminate()

    async def _spawn(self) -> None:
        inherited = {name: value for name, value in os.environ.items() if name in _KEPT}
        path = os.pathsep.join(entry for entry in sys.path if entry)
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "bot",
            "run",
            cwd=self._directory,
            env={**inherited, "PYTHONPATH": path, **self._environment},
        )
        self.starts += 1

    async def _watch(self) -> None:
        while True:
            assert self._process is not None
            self._ended(await self._process.wait())
            await asyncio.sleep(_RESTART_SECONDS)
            await self._spawn()


_KEPT = frozenset({"PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TERM", "NO_COLOR"})
"""Variables of the surrounding shell that the bot may see."""


def free_port() -> int:
    """Free port for a process that is about to start, outside the range of outgoing connections.

    A port chosen by the system comes from that range, so an outgoing connection could take it before the
    process listens.
    """
    first = secrets.randbelow(len(_PORTS))
    for port in chain(_PORTS[first:], _PORTS[:first]):
        with socket.socket() as probe, suppress(OSError):
            probe.bind(("127.0.0.1", port))  # without SO_REUSEADDR: a port that a stopped bot holds counts as taken
            return port
    raise OSError(f"every port from {_PORTS.start} to {_PORTS.stop - 1} is taken")
