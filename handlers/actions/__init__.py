"""Buttons."""

from handlers.actions import paging, payout, purchase
from handlers.router import Router


def register(router: Router) -> None:
    """Make every button known by its action id."""
    payout.register(router)
    paging.register(router)
    purchase.register(router)
