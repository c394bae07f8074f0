"""Dependencies that tests replace: clocks, the id of this process, the probe around commits, time-outs."""

import asyncio
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from bot.clients.limiter import SendSlots
from bot.clients.transport import CONNECT_SECONDS
from bot.domain.clock import Clock, SystemClock
from bot.slack.pace import Pace
from bot.slack.people import STANDING_TOTAL
from bot.wiring.services import EXTENSIONS, Extension
from handlers.bolt import HANDLER_TOTAL, MOMENT
from handlers.files import FileAction
from handlers.registry import FILE_ACTIONS
from storage.batches import Probe
from storage.engine import LockPatience

_PATIENCE: Final = LockPatience(frozen=300.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    clock: Clock
    owner: str
    probe: Probe | None = None
    service_total: float = 30.0
    service_connect: float = CONNECT_SECONDS
    slack_total: float = 10.0
    people_total: float = STANDING_TOTAL
    """Seconds to look up a user in Slack."""
    handler_total: float = HANDLER_TOTAL
    """Seconds of Slack's three that a handler may take."""
    handler_moment: float = MOMENT
    """Seconds of them until the user gets an interim answer."""
    patience: LockPatience = _PATIENCE
    limiter: SendSlots | None = None
    pace: Pace | None = None
    server_now: Callable[[], datetime] | None = None
    """Replaces the clock of the database server; None for the real one."""
    sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
    """Waits for seconds of ``clock``."""
    anchors: Path | None = None
    """File for the audit's anchors; None for the configured one."""
    file_actions: Sequence[FileAction] = FILE_ACTIONS
    extensions: Sequence[Extension] = EXTENSIONS
    ticking: bool = True
    """If False, workers don't run by themselves; the test calls ``tests.support.settling.settle``."""

    @classmethod
    def real(cls) -> "Surroundings":
        return cls(clock=SystemClock(), owner=secrets.token_hex(8))
