"""How long a stop of the bot takes at most, and seconds in the notations of the shipped files."""

import re

from bot.wiring import http
from bot.wiring import workers as wired
from bot.workflows import workers
from handlers import connections

LONGEST_STOP = (
    connections.NEW_SECONDS
    + http._SHUTDOWN_SECONDS
    + http._LINGERING_SECONDS
    + wired._STOP_SECONDS
    + workers.STOP_SECONDS
)
"""Seconds, where each of its steps uses up its limit. After that only the database is closed."""


def seconds(text: str) -> float:
    """``30s``, ``5min``, ``1m`` or ``30``."""
    (found,) = re.findall(r"^(\d+)(s|m|min)?$", text)
    return float(found[0]) * (60 if found[1].startswith("m") else 1)
