"""File descriptors of this process: as many as it needs, a warning of too few, and quiet where none is left.

At the limit asyncio tries to accept each waiting connection many times a second, and logs each failure with its
traceback. Nothing is lost by waiting: the connections stay in the kernel's queue.
"""

import errno
import resource
from asyncio import AbstractEventLoop
from collections.abc import Callable
from typing import Any, Final

import structlog

log = structlog.get_logger(__name__)

_ENOUGH: Final = 400
"""Twice the connections that may be silent at a time (``handlers.connections``)."""
_PLENTY: Final = 4_096
"""Twice the unverified connections that are kept at most. Systems often begin with 1,024, and allow far more."""
_SECONDS_BETWEEN: Final = 60.0
_NONE_LEFT: Final = frozenset({errno.EMFILE, errno.ENFILE})


def limit() -> int:
    """How many descriptors this process may open."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _PLENTY if soft == resource.RLIM_INFINITY else soft


def allow_plenty() -> None:
    """Raise the limit to 4,096, or as far as the system lets this user go. One that is higher stays."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = _PLENTY if hard == resource.RLIM_INFINITY else min(_PLENTY, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


def too_few() -> tuple[str, str] | None:
    """What the operator should know of the limit, and the fix; None where it is high enough."""
    allowed = limit()
    if allowed >= _ENOUGH:
        return None
    what = f"this process may open {allowed} files and connections, and needs {_ENOUGH} when many connect at once"
    return what, "raise the limit. Example: LimitNOFILE=4096 of systemd, or ulimit -n 4096"


class Exhaustion:
    """Exception handler of the event loop: one line a minute while no descriptor is left, all else as ever."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        """``monotonic``: seconds of a clock that only goes forward."""
        self._monotonic = monotonic
        self._said = float("-inf")

    def __call__(self, loop: AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what a callback of the loop raised."""
        raised = context.get("exception")
        if not isinstance(raised, OSError) or raised.errno not in _NONE_LEFT:
            loop.default_exception_handler(context)
            return
        now = self._monotonic()
        if now - self._said >= _SECONDS_BETWEEN:
            self._said = now
            log.error(
                "no file descriptor is left, so new connections wait",
                limit=limit(),
                mend="raise the limit, e.g. LimitNOFILE=4096 of systemd",
            )
