"""What is asked before a request that changes something leaves, and the outcome of one that must not."""

from collections.abc import Awaitable, Callable
from typing import Final

from bot.domain.outcome import Failure, NotExecuted

MayLeave = Callable[[str], Awaitable[bool]]
"""Told what the request is about; False: it is not sent."""

HELD_BACK: Final = NotExecuted(again=True, reason="Switchboard sends nothing at the moment", failure=Failure.NOT_SENT)


async def always(_: str) -> bool:
    """Everything may leave."""
    return True
