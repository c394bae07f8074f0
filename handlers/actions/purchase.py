"""The button of a purchase's card."""

from bot.presentation.payments import purchases
from handlers.dependencies import Dependencies
from handlers.incoming import Click
from handlers.replies import Nothing, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Open checkout."""
    router.actions[purchases.CHECKOUT] = opened


async def opened(_deps: Dependencies, _click: Click) -> Reply:
    """Do nothing: the browser opens the link itself, and Slack needs only the ack."""
    return Nothing()
