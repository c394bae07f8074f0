"""Buttons."""

from handlers.actions import booking, bulk, emails, localize, paging, payout, stopped
from handlers.router import Router


def register(router: Router) -> None:
    """Register every button by its action id."""
    payout.register(router)
    paging.register(router)
    emails.register(router)
    bulk.register(router)
    booking.register(router)
    localize.register(router)
    stopped.register(router)
