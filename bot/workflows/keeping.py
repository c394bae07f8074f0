"""Store outcomes even if the database is locked or unreachable at first.

The answer to a request with an effect exists only in this process until it is stored. A temporarily unreachable
database must not turn it into an unknown outcome.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import structlog

from bot.workflows.context import Context, Unit
from storage.errors import Conflict, StorageBusy, StorageClosed, StorageError

T = TypeVar("T")

log = structlog.get_logger(__name__)

_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
"""Seconds of the machine's clock: a lock ends by that clock, not by the application's."""
_AT_START: Final = 60.0
"""Seconds that a start waits for a lock. A process that froze in a transaction loses it after 10 s."""


async def keep(ctx: Context, work: Callable[[Unit], T], *, name: str) -> T:
    """Store the outcome of a request, retrying until it is stored; return the result of ``work``.

    ``work`` must be idempotent, changing only unchanged rows: a commit of unknown outcome is retried.

    Raises:
        StorageClosed: the process is stopping; the next process reads the outcome of the request.
        Conflict: the work violated a constraint of the schema, which no retry fixes.
    """
    pause = _FIRST_PAUSE
    while True:
        try:
            return await ctx.write(work, name=name, wakes=False)
        except (StorageClosed, Conflict):
            raise
        except StorageError as error:
            log.warning("answer not stored yet, retrying", unit=name, reason=str(error))
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


async def at_start(step: Callable[[], Awaitable[T]], *, seconds: float = _AT_START) -> T:
    """Run a startup step, retrying for up to ``seconds`` while the database is locked or unreachable."""
    loop = asyncio.get_running_loop()
    began, pause = loop.time(), _FIRST_PAUSE
    while True:
        try:
            return await step()
        except StorageBusy as busy:
            if isinstance(busy, StorageClosed) or loop.time() - began >= seconds:
                raise
            log.warning("startup waiting for the database", reason=str(busy))
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)
