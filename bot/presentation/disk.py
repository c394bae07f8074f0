"""Notices about the disk of the database: almost full, full, room again."""

from collections.abc import Mapping
from typing import Any

TOPICS = frozenset({"disk_low", "disk_full", "disk_enough"})
"""Notices of this module."""

_MEGABYTE = 1_000_000


def notice(facts: Mapping[str, Any]) -> str:
    """For the alerts channel, in mrkdwn."""
    match facts["topic"]:
        case "disk_low":
            free, whole = int(facts["free"]) // _MEGABYTE, int(facts["whole"]) // _MEGABYTE
            return (
                f":warning: *The disk of the database is almost full*: {free:,} of {whole:,} MB are free. No new "
                "request is taken; what is under way goes on. The operator should make room; no restart is needed."
            )
        case "disk_full":
            return (
                ":rotating_light: *The disk of the database is full.* Nothing can be stored, so nothing is taken and "
                "nothing is sent. The operator has to make room; no restart is needed."
            )
        case _:
            return ":sunny: *The disk of the database has room again.* What waited goes on by itself."
