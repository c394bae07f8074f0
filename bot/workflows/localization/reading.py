"""Reads the text of a Slack file or message for operations on texts."""

import asyncio
from dataclasses import replace
from typing import Final

from bot.domain.files.dropped import FileTrouble, UnusableFile
from bot.domain.files.tables import MEBIBYTE
from bot.domain.localization.detection import load
from bot.domain.localization.pieces import SUBTITLES, form_of, has_times
from bot.domain.localization.request import Request, message_of
from bot.domain.text import unescape, without_links
from bot.tables.apart import read_document
from bot.workflows.context import Context

_MOST: Final = 10 * MEBIBYTE
_ARCHIVE: Final = b"PK"


async def read_text(ctx: Context, asked: Request) -> Request:
    """Return the request with the text instead of its file, defaults filled in and the language detected.

    Raises:
        UnusableFile: the file is gone, inaccessible, or contains no usable text.
        ServiceNow: Slack can't deliver it now.
    """
    text = await _text(ctx, asked.file) if asked.file else asked.text
    await asyncio.to_thread(load)
    return replace(asked, text=text, file="").complete()


async def _text(ctx: Context, file: str) -> str:
    message = message_of(file)
    if message is not None:
        channel, ts, thread_ts = message
        said = await ctx.messenger.said(channel=channel, ts=ts, thread_ts=thread_ts)
        if not said:
            raise UnusableFile(FileTrouble.NO_MESSAGE)
        return unescape(without_links(said))
    info, content = await ctx.downloads.info(file), bytearray()
    async with ctx.downloads.open(info, limit=_MOST) as body:
        async for chunk in body:
            content += chunk
    form = "docx" if content.startswith(_ARCHIVE) else "txt"
    text = await read_document(bytes(content), name=info.name, form=form)
    if form_of(info.name) in SUBTITLES and not has_times(text):
        raise UnusableFile(FileTrouble.NO_TIMES, name=info.name)
    return text
