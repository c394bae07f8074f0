"""Alerts about clocks."""

from collections.abc import Mapping
from typing import Any

from bot.presentation.blocks.text import duration

TOPICS = frozenset({"clock_skew", "clock_set"})
"""Notices of this module."""


def notice(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    seconds = int(facts["seconds"])
    if facts["topic"] == "clock_set":
        return (
            f":alarm_clock: *The clock was set {'forward' if seconds > 0 else 'back'} by {duration(abs(seconds))}.* "
            "Everything that waits was moved along, so nothing stands still and no deadline is lost. The operator "
            "should have the machine's clock kept by NTP."
        )
    where = "ahead of" if seconds > 0 else "behind"
    return (
        f":alarm_clock: *The clock of a machine is {abs(seconds)} s {where} the database server's.* "
        "Switchboard goes by the server's, so nothing is lost. The operator should set the machine's clock."
    )
