"""``python -m bot run`` as a child process that a test can kill, stop, continue and start again."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import aiohttp

from tests.process import played
from tests.process.forked import Forked

RUN = ("-m", "bot", "run")

_LOOK_AGAIN = 0.02


class Ended(AssertionError):
    """The process ended unexpectedly; shows its output."""


class BotProcess:
    """One bot at a time, on one port; the output of all starts goes to the same two files.

    It gets the environment with ``PATH`` and ``PYTHONPATH``, in a folder without a ``.env``. ``program``: arguments of
    Python; without them it is forked and has the switches of :mod:`tests.process.played`. ``installed``: path of an
    installed ``switchboard``, instead.
    """

    def __init__(
        self, *, environment: Mapping[str, str], folder: Path, program: Sequence[str] = (), installed: str = ""
    ) -> None:
        checkout = {} if installed else {"PYTHONPATH": str(Path(__file__).parents[2])}
        self.environment = {"PATH": os.environ["PATH"], **checkout, **environment}
        self.program = tuple(program)
        self.installed = installed
        self.starts = 0
        self.folder = folder
        self._process: asyncio.subprocess.Process | Forked | None = None
        # Keeps other servers off the port while the bot is stopped. The bot can listen: both sockets set SO_REUSEADDR.
        self._held = socket.socket()
        self._held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._held.bind((self.environment.get("HOST", "127.0.0.1"), int(self.environment["PORT"])))

    @property
    def url(self) -> str:
        return f"http://{self.environment.get('HOST', '127.0.0.1')}:{self.environment['PORT']}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.returncode is None

    @property
    def stdout(self) -> str:
        return _text(self.folder / "stdout.log")

    @property
    def stderr(self) -> str:
        return _text(self.folder / "stderr.log")

    async def start(self, **changed: str) -> None:
        """Start it; ``changed`` variables are for this start only. Returns before it is ready."""
        assert not self.running
        self.starts += 1
        if not self.program and not self.installed:
            self._process = Forked(played.main, environment={**self.environment, **changed}, folder=self.folder)
            return
        with (self.folder / "stdout.log").open("ab") as out, (self.folder / "stderr.log").open("ab") as err:
            self._process = await asyncio.create_subprocess_exec(
                *([self.installed, "run"] if self.installed else [sys.executable, *self.program]),
                cwd=self.folder,
                env={**self.environment, **changed},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )

    async def ready(self, *, status: int = 200, path: str = "/readyz", timeout: float = 20.0) -> None:
        """Wait, within the contract's limit, until ``/readyz`` answers with this status; the process must not end."""
        async with aiohttp.ClientSession() as session:
            try:
                async with asyncio.timeout(timeout):
                    while await _status(session, self.url + path) != status:
                        if not self.running:
                            raise Ended(f"{self.stdout}\n{self.stderr}")
                        await asyncio.sleep(_LOOK_AGAIN)  # another process offers nothing to await
            except TimeoutError:
                raise TimeoutError(f"no {status} from {path} within {timeout} s:\n{self.stdout}") from None

    async def kill(self) -> None:
        self._signal(signal.SIGKILL)
        await self.ended()

    def pause(self) -> None:
        """``kill -STOP``: the process is paused, as in a frozen virtual machine."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    async def paused(self, *, timeout: float = 10.0) -> None:
        async with asyncio.timeout(timeout):
            while " T " not in Path(f"/proc/{self.pid}/stat").read_text():  # noqa: ASYNC240 - no disk
                assert self.running, self.stdout
                await asyncio.sleep(_LOOK_AGAIN)

    async def stop(self, number: signal.Signals = signal.SIGTERM, *, timeout: float = 15.0) -> int:
        self._signal(number)
        return await self.ended(timeout=timeout)

    async def ended(self, *, timeout: float = 15.0) -> int:
        assert self._process is not None
        try:
            async with asyncio.timeout(timeout):
                return await self._process.wait()
        except TimeoutError:
            raise TimeoutError(f"still running after {timeout} s:\n{self.stdout}") from None

    async def refusing(self, *, timeout: float = 10.0) -> None:
        async with asyncio.timeout(timeout), aiohttp.ClientSession() as session:
            while True:
                if not await _status(session, f"{self.url}/healthz"):
                    return
                await asyncio.sleep(_LOOK_AGAIN)

    async def discard(self) -> None:
        if self.running:
            await self.kill()
        self._held.close()

    def _signal(self, number: int) -> None:
        assert self._process is not None
        self._process.send_signal(number)


async def _status(session: aiohttp.ClientSession, url: str) -> int:
    try:
        async with session.get(url) as answer:
            return answer.status
    except aiohttp.ClientError:
        return 0


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
