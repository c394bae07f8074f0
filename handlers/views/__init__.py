"""Forms that were submitted."""

from handlers.router import Router
from handlers.views import account, collect, payout, verb


def register(router: Router) -> None:
    """Make every form known by its callback id."""
    payout.register(router)
    collect.register(router)
    account.register(router)
    verb.register(router)
