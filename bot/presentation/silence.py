"""Alerts about a service that does not answer: one when it stops answering, one when it answers again."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from bot.presentation.blocks.text import duration, moment

TOPICS = frozenset({"silent", "answers"})
"""Notices of this module."""


def notice(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    since, service = datetime.fromisoformat(facts["since"]), str(facts["service"])
    if facts["topic"] == "silent":
        return (
            f":electric_plug: *The {service} service has not answered* since {moment(since)}. Nothing is sent to it, "
            "so that no outcome becomes unknown; one request at a time finds out when it answers, and then what waits "
            "goes on by itself."
        )
    return (
        f":sunny: *The {service} service answers again.* It had not since {moment(since)}, for "
        f"{duration(float(facts['seconds']))}. What waited goes on by itself."
    )
