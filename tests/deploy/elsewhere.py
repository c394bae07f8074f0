"""A bot that is started by another command than ``python -m bot run``."""

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.process.bot_process import BotProcess


class Elsewhere(BotProcess):
    """Started as an operator's machine starts it.

    Args:
        command: what is executed.
        environment: every variable it gets, ``PATH`` and ``PYTHONPATH`` included.
        folder: its working directory.
    """

    def __init__(self, command: Sequence[str], *, environment: Mapping[str, str], folder: Path) -> None:
        super().__init__(environment=environment, folder=folder)
        self._command = tuple(command)

    async def start(self, **changed: str) -> None:
        assert not self.running
        self.starts += 1
        with (self.folder / "stdout.log").open("ab") as out, (self.folder / "stderr.log").open("ab") as err:
            self._process = await asyncio.create_subprocess_exec(
                *self._command,
                cwd=self.folder,
                env={**self.environment, **changed},
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=err,
            )
