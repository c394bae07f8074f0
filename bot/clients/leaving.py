"""The send guard: whether a request with an effect may leave, and the outcome of one that may not."""

from collections.abc import Awaitable, Callable
from typing import Final

from bot.domain.outcome import Failure, NotExecuted, Reply
from bot.domain.reasons import Exchange, Reason

MayLeave = Callable[[str], Awaitable[bool]]
"""Told what the request is about; False: it is not sent."""

HELD_BACK: Final = NotExecuted(again=True, reason=Reason(Exchange.SENDS_NOTHING), failure=Failure.NOT_SENT)

RESTS: Final = NotExecuted(again=True, reason=Reason(Exchange.RESTS), failure=Failure.NOT_SENT)


def not_asked(seconds: float) -> Reply:
    """What comes instead of an answer where the service is asked only after so many seconds."""
    return Reply(failure=Failure.NOT_ASKED, headers={"retry-after": f"{max(1.0, seconds):.3f}"})


async def always(_: str) -> bool:
    """Everything may leave."""
    return True
