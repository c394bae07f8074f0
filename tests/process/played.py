"""The bot as ``python -m bot run`` starts it, with optional switches for tests.

``PLAY_SIGNAL=KILL``, ``PLAY_AT=write.after:claim_commit``, ``PLAY_NTH=1``: the process sends itself that signal
right before or after the commit of the named unit of work, an instant that cannot be hit from outside. With
``PLAY_FROM=write.before:request`` it counts from the first such instant, not from the start.

``PLAY_SKEW=-3600``: its clock is so many seconds ahead of the machine's (negative: behind).

``PLAY_LEVEL=DEBUG``: every logger of every library logs at this level.

``PLAY_HEAD=9001``: it is the later version of the program that needs this version of the database; its steps go to a
folder ``steps`` of its own.

``PLAY_SHOWN=1``: a post, with or without a file, counts as visible after so many seconds. The local workspace
shows it at once; the half minute for the real one would only be waiting.
"""

import logging
import os
import signal
import sys
from contextlib import ExitStack
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import bot.cli.main as program
from bot import logs
from bot.app import Switchboard
from bot.domain.clock import SystemClock
from bot.domain.policy import Policy
from bot.settings import LogFormat, Settings
from bot.wiring import services
from bot.wiring.surroundings import Surroundings
from bot.workflows.services import Calls
from bot.workflows.slack import outbox
from tests.support.later import later_program


class Signaller:
    """Probe that counts down to the chosen instant."""

    def __init__(self) -> None:
        self._at = os.environ.get("PLAY_AT", "")
        self._left = int(os.environ.get("PLAY_NTH", "1"))
        self._from = os.environ.get("PLAY_FROM", "")

    def __call__(self, name: str) -> None:
        """Called by the writer around each commit, in the thread that commits."""
        if name == self._from:
            self._from = ""
        if name == self._at and not self._from:
            self._left -= 1
            if self._left == 0:
                os.kill(os.getpid(), signal.Signals[f"SIG{os.environ['PLAY_SIGNAL']}"])


class Skewed(SystemClock):
    def __init__(self, seconds: float) -> None:
        self._ahead = timedelta(seconds=seconds)

    def now(self) -> datetime:
        return super().now() + self._ahead


def switchboard(*, settings: Settings, policy: Policy) -> Switchboard:
    clock = Skewed(float(os.environ.get("PLAY_SKEW", "0")))
    around = replace(Surroundings.real(), probe=Signaller(), clock=clock)
    return Switchboard(settings=settings, policy=policy, surroundings=around)


def talkative(settings: Settings) -> None:
    """Configure the program's own logs, with this level for every library."""
    level = logging.getLevelNamesMapping()[os.environ["PLAY_LEVEL"]]
    logs.configure_logs(as_json=settings.log_format is LogFormat.JSON, secrets=settings.secrets(), level=level)
    for name in list(logging.root.manager.loggerDict):
        logging.getLogger(name).setLevel(level)


def main() -> int:
    vars(program)["Switchboard"] = switchboard  # the name that `run` builds by
    stack = ExitStack()
    if "PLAY_HEAD" in os.environ:
        steps = Path("steps")
        steps.mkdir(exist_ok=True)
        stack.enter_context(later_program(steps.absolute(), os.environ["PLAY_HEAD"]))
    if "PLAY_LEVEL" in os.environ:
        program._logs = talkative
    if "PLAY_SHOWN" in os.environ:
        # the pauses before a conversation is searched for a post
        shown = float(os.environ["PLAY_SHOWN"])
        vars(outbox).update(dict.fromkeys(("SCAN_AFTER", "_FILE_SCAN_AFTER"), timedelta(seconds=shown)))
        vars(services)["Calls"] = partial(Calls, look_seconds=shown)
    with stack:
        return program.main(["run"])


if __name__ == "__main__":
    sys.exit(main())
