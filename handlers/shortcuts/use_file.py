"""The shortcut *Use this file*: what can be done with the files of a message, for the eyes of who asks."""

import asyncio

from bot.domain.files import DroppedFile, Share, UnusableFile
from bot.presentation import offers
from bot.workflows.intake import still_there
from bot.workflows.usable import fitting
from handlers.commands.presence import can_post
from handlers.desk import Desk
from handlers.incoming import Shortcut
from handlers.replies import Answer, Later, Private, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """The shortcut by its callback id."""
    router.shortcuts[offers.SHORTCUT] = use_file


async def use_file(desk: Desk, used: Shortcut) -> Reply:
    """Offer each file of the message; where the bot is no member, say how to invite it."""
    if not used.files:
        return Private(offers.no_file())
    return Later(lambda: _look(desk, used), meanwhile=Private(offers.looking()))


async def _look(desk: Desk, used: Shortcut) -> Answer:
    if not await can_post(desk.messenger, used.channel):
        direct = used.channel.startswith(("D", "G"))
        return Private(offers.not_in_direct_messages() if direct else offers.not_here())
    share = Share(channel=used.channel, ts=used.ts, thread_ts=used.thread_ts)
    looked = await asyncio.gather(*(_examine(desk, file_id, share) for file_id in used.files))
    found = [(file, fitting(desk.ctx, file)) for file in looked if isinstance(file, DroppedFile)]
    return Private(offers.several(found, [trouble for trouble in looked if isinstance(trouble, UnusableFile)]))


async def _examine(desk: Desk, file_id: str, share: Share) -> DroppedFile | UnusableFile:
    try:
        return await still_there(desk.ctx, file_id, share, vouched=True)
    except UnusableFile as unusable:
        return unusable
