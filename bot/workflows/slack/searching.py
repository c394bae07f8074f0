"""Progress of the search for a lost post, kept with its row: a busy channel takes hours at one call a minute."""

from collections.abc import Mapping
from datetime import datetime

from bot.slack.history import Stretch
from storage.rows import OutboxRow

_KEY = "search"
"""In the payload of a row."""
_CLOCK_SKEW = 60.0
"""Seconds that Slack's clock may differ from ours."""


def stretch_of(row: OutboxRow, *, channel: str, thread_ts: str | None, now: datetime) -> Stretch:
    """Where the message may be: posted between the row's creation and now. A search that was begun continues."""
    begun = row.payload.get(_KEY)
    oldest = row.created_at.timestamp() - _CLOCK_SKEW
    if isinstance(begun, Mapping) and begun["where"] == [channel, thread_ts]:
        return Stretch(
            channel=channel, thread_ts=thread_ts, oldest=oldest, latest=begun["latest"], cursor=begun["cursor"]
        )
    return Stretch(channel=channel, thread_ts=thread_ts, oldest=oldest, latest=now.timestamp() + _CLOCK_SKEW)


def has_come_further(row: OutboxRow, stretch: Stretch | None) -> bool:
    """Whether more has been read than the row has stored."""
    begun = row.payload.get(_KEY)
    known = begun["cursor"] if isinstance(begun, Mapping) else ""
    return stretch is not None and stretch.cursor not in ("", known)


def remembering(row: OutboxRow, stretch: Stretch | None) -> dict[str, object]:
    """The row's payload, with what has been read of the stretch."""
    if stretch is None or not stretch.cursor:
        return dict(row.payload)
    where = [stretch.channel, stretch.thread_ts]
    return {**row.payload, _KEY: {"where": where, "latest": stretch.latest, "cursor": stretch.cursor}}


def forgetting(row: OutboxRow) -> dict[str, object] | None:
    """The row's payload without a search; None where it holds none.

    To be stored before posting again: the new message lies outside every stretch read before.
    """
    if _KEY not in row.payload:
        return None
    return {key: value for key, value in row.payload.items() if key != _KEY}
