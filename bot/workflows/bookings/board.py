"""Posts about a booking, queued for Slack in the transaction of the change."""

from collections.abc import Mapping

from bot.domain.bookings.booking import Booking
from bot.domain.policy import Policy
from bot.workflows.context import Unit
from bot.workflows.slack.boards import post_board, post_line, show_board
from storage.repositories.bookings import folded

STORE = "store"
"""Kind of the subject that stands for a store: it has lines in its channel and no board."""


def store_channel(policy: Policy, store: str) -> str:
    """Channel for news of a store's bookings that were not requested here."""
    wanted = folded(store)
    own = next((channel for name, channel in policy.channels.stores.items() if folded(name) == wanted), "")
    return own or policy.channels.bookings or policy.channels.approvals


def post_card(uow: Unit, booking: Booking) -> None:
    """Queue the card, once."""
    post_board(uow, subject=booking.subject, channel=booking.channel, thread_ts=None, requester=booking.requester)


def show_card(uow: Unit, booking: Booking, *, progress: bool = False) -> None:
    """Queue an edit of the card, before others where the booking is over."""
    show_board(uow, booking.subject, progress=progress, last=booking.closed_at is not None)


def tell(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object], *, key: str = "") -> None:
    """Queue a line for the thread of the card, once for each ``key`` (the topic)."""
    facts, over = {"topic": topic, **payload}, booking.closed_at is not None
    post_line(uow, subject=booking.subject, key=key or topic, payload=facts, last=over)


def alarm(uow: Unit, booking: Booking, topic: str, payload: Mapping[str, object]) -> None:
    """Queue a message to the alerts channel, once for each topic."""
    facts = {"topic": topic, **payload}
    post_line(uow, subject=booking.subject, key=f"alert:{topic}", payload=facts, channel=uow.policy.alerts)
