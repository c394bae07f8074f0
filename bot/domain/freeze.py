"""The freeze: all sending is stopped."""

from dataclasses import dataclass

from bot.domain.reasons import Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Frozen:
    """Who stopped all sending, when (ISO 8601) and why; ``lifting`` are those who want to start again."""

    by: str
    reason: Reason
    at: str
    lifting: tuple[str, ...] = ()
