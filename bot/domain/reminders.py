"""Reminder times of approvers: after an eighth, a quarter and a half of the time they have."""

from datetime import datetime

_PARTS = (1 / 8, 1 / 4, 1 / 2)


def reminders_due(*, posted_at: datetime, expires_at: datetime, now: datetime) -> int:
    """How many reminders should have gone out by now."""
    span = expires_at - posted_at
    return sum(1 for part in _PARTS if posted_at + span * part <= now)


def next_look(*, posted_at: datetime, expires_at: datetime, now: datetime) -> datetime:
    """When a request that waits must be looked at again: its next reminder or its end."""
    span = expires_at - posted_at
    return min([posted_at + span * part for part in _PARTS if posted_at + span * part > now] + [expires_at])
