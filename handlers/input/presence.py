"""Whether the bot can post where a command was typed."""

import asyncio

from bot.domain.errors import SwitchboardError
from bot.slack.messenger import Messenger

_MEMBERSHIP_SECONDS = 0.7


async def can_post(messenger: Messenger, channel: str) -> bool:
    """Whether the bot is a member here. The request is stored already, so a failed check is no error."""
    try:
        async with asyncio.timeout(_MEMBERSHIP_SECONDS):
            return await messenger.is_member(channel)
    except (SwitchboardError, TimeoutError):
        return True
