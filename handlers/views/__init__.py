"""Submitted forms."""

from handlers.router import Router
from handlers.views import account, booking, bulk, collect, emails, localize, payout, store


def register(router: Router) -> None:
    """Register every form by its callback id."""
    payout.register(router)
    collect.register(router)
    bulk.register(router)
    account.register(router)
    booking.register(router)
    store.register(router)
    localize.register(router)
    emails.register(router)
