"""The shortcut *Use this file*: a form with the actions on the files of a message.

A form is always visible to the requester: a private message may appear below other messages, or in a thread that is
not open.
"""

import asyncio

from bot.domain.content import Block
from bot.domain.errors import ServiceNow
from bot.domain.files.dropped import DroppedFile, Share, UnusableFile
from bot.presentation import answers
from bot.presentation.files import offers
from bot.presentation.reasons import worded
from bot.workflows.slack.dropped_files import still_there
from bot.workflows.slack.file_actions import fitting
from handlers.dependencies import Dependencies
from handlers.incoming import Shortcut
from handlers.input.presence import can_post
from handlers.replies import Later, Open, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """The shortcut by its callback id."""
    router.shortcuts[offers.SHORTCUT] = use_file


async def use_file(deps: Dependencies, used: Shortcut) -> Reply:
    """Offer actions on each file of the message; where the bot is no member, explain how to invite it."""
    if not used.files:
        return Open(offers.told(offers.no_file()))

    async def look() -> Open:
        return Open(await _look(deps, used))

    return Later(look, meanwhile=Open(offers.told(offers.looking())))


async def _look(deps: Dependencies, used: Shortcut) -> Block:
    """The form, or the reason why there is nothing to choose."""
    try:
        if not await can_post(deps.messenger, used.channel):
            direct = used.channel.startswith(("D", "G"))
            return offers.told(offers.not_in_direct_messages() if direct else offers.not_here())
        share = Share(channel=used.channel, ts=used.ts, thread_ts=used.thread_ts)
        looked = await asyncio.gather(*(_examine(deps, file_id, share) for file_id in used.files))
    except ServiceNow as silent:
        return offers.told(answers.try_again(f"{silent.service} {worded(silent.reason)}."))
    found = [(file, fitting(deps.ctx, file)) for file in looked if isinstance(file, DroppedFile)]
    troubles = [trouble for trouble in looked if isinstance(trouble, UnusableFile)]
    return offers.several(found, troubles, channel=used.channel)


async def _examine(deps: Dependencies, file_id: str, share: Share) -> DroppedFile | UnusableFile:
    try:
        return await still_there(deps.ctx, file_id, share, vouched=True)
    except UnusableFile as unusable:
        return unusable
