"""Ids and time stamps in Slack's form. Random, so that two runs of a workspace never share an event or a trigger."""

import secrets
import string
from collections.abc import Callable

_ALPHABET = string.ascii_uppercase + string.digits


def new_id(prefix: str) -> str:
    """An id such as ``V7KQ2M9XW4TZ``."""
    return prefix + "".join(secrets.choice(_ALPHABET) for _ in range(10))


def new_block_id() -> str:
    """Id that Slack gives to a block without one."""
    return secrets.token_urlsafe(4)[:5]


def new_trigger_id() -> str:
    """A trigger id such as ``7741908432.1183920475.0f3c…``."""
    return f"{secrets.randbelow(10**10)}.{secrets.randbelow(10**10)}.{secrets.token_hex(16)}"


class Stamps:
    """Message timestamps, strictly increasing even if the clock is stopped."""

    def __init__(self, *, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._last = 0

    def next(self) -> str:
        """The next ``"1700000000.000100"``; unique within the workspace."""
        now = int(self._clock() * 1_000_000)
        self._last = max(now, self._last + 100)
        return f"{self._last // 1_000_000}.{self._last % 1_000_000:06d}"
