"""Programs in processes of their own, each with a pipe to the benchmark that started it."""

import asyncio
import contextlib
import logging
import multiprocessing
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from aiohttp import web

from bot.app import Switchboard
from bot.cli.main import start
from bot.logs import configure_logs
from bot.settings import load_policy

Serving = Callable[[Connection], Any]
"""A coroutine function: it sends a word when it is ready, and ends when it is told to."""

_ENOUGH = 60.0


class Spawned:
    """One process; what it sends first is ``told``."""

    def __init__(self, serving: Serving, *first: object) -> None:
        self.pipe, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("spawn").Process(target=_run, args=(serving, theirs), daemon=True)
        self._process.start()
        for word in first:
            self.pipe.send(word)
        self.told = self.heard()

    def heard(self) -> Any:
        if not self.pipe.poll(_ENOUGH):
            raise TimeoutError("a server did not start")
        return self.pipe.recv()

    def ask(self, word: object) -> Any:
        self.pipe.send(word)
        return self.heard()

    @property
    def cpu(self) -> float:
        return processor(self._process.pid)

    def stop(self) -> None:
        self.pipe.send("stop")
        self._process.join(10)


async def said(pipe: Connection) -> Any:
    return await asyncio.get_running_loop().run_in_executor(None, pipe.recv)


def quiet() -> None:
    """Say little: lines cost time that nobody measures."""
    configure_logs(as_json=False, secrets=(), level=logging.ERROR)


@contextlib.asynccontextmanager
async def web_server(app: web.Application) -> AsyncIterator[str]:
    """Serve it; its address."""
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


async def switchboard(pipe: Connection) -> None:
    """The complete application, started as ``bot run`` does, with the settings that are said first."""
    quiet()
    settings = await said(pipe)
    # What it keeps beside a PostgreSQL it keeps in its working directory.
    with tempfile.TemporaryDirectory(prefix="switchboard-bench-") as folder, contextlib.chdir(folder):
        whole = Switchboard(settings=settings, policy=load_policy(settings.policy_file))
        await start(whole)
        pipe.send(whole.url)
        await said(pipe)
        await whole.stop()


def processor(pid: int | None) -> float:
    """Seconds of the processor that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int | str, name: str = "VmRSS") -> float:
    """MiB, now (``VmRSS``) or at the most so far (``VmHWM``)."""
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.startswith(name)).split()[1]) / 1024


def _run(serving: Serving, pipe: Connection) -> None:
    asyncio.run(serving(pipe))
