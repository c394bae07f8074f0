"""Buttons."""

from collections.abc import Sequence

from handlers.actions import booking, bulk, emails, localize, offers, paging, payout, purchase, stopped
from handlers.file_actions.use import Use
from handlers.router import Router


def register(router: Router, *, uses: Sequence[Use] = ()) -> None:
    """Make every button known by its action id; ``uses``: what can be done with files."""
    payout.register(router)
    paging.register(router)
    emails.register(router)
    purchase.register(router)
    bulk.register(router)
    offers.register(router, uses)
    booking.register(router)
    localize.register(router)
    stopped.register(router)
