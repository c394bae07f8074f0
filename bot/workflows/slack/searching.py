"""Progress of the search for a lost post, kept with its row: a busy channel takes hours at one call a minute."""

from collections.abc import Mapping
from datetime import datetime

from bot.domain.audit import CLOCK_SET, on_any_clock
from bot.slack.messenger import Stretch
from bot.workflows.context import Context
from storage.rows import OutboxRow

_KEY = "search"
"""In the payload of a row."""
_CLOCK_SKEW = 60.0
"""Seconds that Slack's clock may differ from ours."""


async def posted_between(ctx: Context, begun: datetime) -> tuple[float, float]:
    """When, by Slack's clock, something may have been posted since ``begun``: the first and the last second since 1970.

    Our clock may have been set since, and nobody says whether it was right before or is right now.
    """
    steps = await ctx.read(lambda uow: uow.audit.every(CLOCK_SET))
    earliest, latest = on_any_clock(begun, ctx.clock.now(), steps)
    return earliest.timestamp() - _CLOCK_SKEW, latest.timestamp() + _CLOCK_SKEW


async def stretch_of(ctx: Context, row: OutboxRow, *, channel: str, thread_ts: str | None) -> Stretch:
    """Where the message may be: posted between the row's creation and now. A search that was begun continues."""
    begun = row.payload.get(_KEY)
    oldest, latest = await posted_between(ctx, row.created_at)
    if isinstance(begun, Mapping) and begun["where"] == [channel, thread_ts]:
        return Stretch(
            channel=channel,
            thread_ts=thread_ts,
            oldest=begun.get("oldest", oldest),  # older versions did not store it
            latest=begun["latest"],
            cursor=begun["cursor"],
        )
    return Stretch(channel=channel, thread_ts=thread_ts, oldest=oldest, latest=latest)


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
    found = {"where": where, "oldest": stretch.oldest, "latest": stretch.latest, "cursor": stretch.cursor}
    return {**row.payload, _KEY: found}


def forgetting(row: OutboxRow) -> dict[str, object] | None:
    """The row's payload without a search; None where it holds none.

    To be stored before posting again: the new message lies outside every stretch read before.
    """
    if _KEY not in row.payload:
        return None
    return {key: value for key, value in row.payload.items() if key != _KEY}
