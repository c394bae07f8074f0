"""What is done because it is due, and what has a board: the parts of the workflows that run by themselves."""

from bot.workflows import bulk_follow, clocks, intake, localization, purchase
from bot.workflows.advance import advance_bulk_due, advance_cancels_due, advance_due
from bot.workflows.boards import refresh_boards
from bot.workflows.bookings import due as deliveries
from bot.workflows.bookings.subject import BookingSubject, StoreSubject
from bot.workflows.callbacks import verify_due
from bot.workflows.context import Context
from bot.workflows.deliver import deliver_due
from bot.workflows.denials import tell_denials
from bot.workflows.emails.ask import SUBJECT as EMAIL_LISTS
from bot.workflows.emails.subject import EmailList
from bot.workflows.follow import poll_due
from bot.workflows.orphans import watch_due
from bot.workflows.recover import recover_claims
from bot.workflows.recovery import look_due
from bot.workflows.refresh import refresh_due
from bot.workflows.silence import watch_services
from bot.workflows.subjects import Subject
from bot.workflows.survey import survey_due


async def _edits(ctx: Context) -> int:
    """Cards before progress: what somebody waits for has the first of the workspace's edits."""
    return await refresh_due(ctx) + await refresh_boards(ctx)


async def _leftovers(ctx: Context) -> int:
    await recover_claims(ctx)
    return 0


async def _clock(ctx: Context) -> int:
    return await clocks.look_again(ctx)


async def _anchor(ctx: Context) -> int:
    return await ctx.anchoring.due()


async def _lists(ctx: Context) -> int:
    return await ctx.emails.drain(ctx)


async def _unread(ctx: Context) -> int:
    return await ctx.unread.flush()


async def _prune(ctx: Context) -> int:
    return await ctx.retention.prune_due(ctx)


SUBJECTS: dict[str, Subject] = {
    intake.SUBJECT: intake.FileOffers(),
    "booking": BookingSubject(),
    "store": StoreSubject(),
    "localization": localization.LocalizationSubject(),
    EMAIL_LISTS: EmailList(),
}
"""What has a board, by the word before the colon."""

DRAINS = {
    "instructions": advance_due,
    "bulk": advance_bulk_due,
    "cancellations": advance_cancels_due,
    "callbacks": verify_due,
    "polls": poll_due,
    "bulk polls": bulk_follow.poll_due,
    "purchases": purchase.poll_due,
    "orphans": watch_due,
    "files": intake.offer_due,
    **deliveries.DRAINS,
    "localizations": localization.run_due,
    "denials": tell_denials,
    "outbox": deliver_due,
    "cards": _edits,
    "leftovers": _leftovers,
    "lost": look_due,
    "survey": survey_due,
    "anchors": _anchor,
    "clock": _clock,
    "silence": watch_services,
    "lists": _lists,
    "unread": _unread,
    "retention": _prune,
}
"""Everything that is done because it is due, by name."""

BY_THE_CLOCK = frozenset({"leftovers", "anchors", "lost", "survey", "clock", "unread"})
"""Of them, what becomes due by time alone: no news makes it worth a look before the next tick."""


async def settle(ctx: Context, *, rounds: int = 200) -> None:
    """Do what is due now until nothing is: what the ticks do, for a test that holds the clock."""
    for _ in range(rounds):
        if not sum([await drain(ctx) for drain in DRAINS.values()]):
            return
    raise RuntimeError("there is no end of what is due")
