"""The checkout link as a picture, in the thread of the purchase's card, once.

Where the workspace takes no picture the link goes out alone: it must not hold back the news behind it.
"""

import asyncio

from bot.domain.payments.instruction import Instruction
from bot.presentation.blocks import qr
from bot.presentation.payments import purchases
from bot.slack.messenger import Posted
from bot.workflows.context import Context
from storage.rows import OutboxRow

PLAIN = "plain"
"""Key in an outbox row's payload: the workspace refused the picture."""

_TRIES = 4
"""Attempts at a picture before the link goes out without one."""
_LONGEST = 2_000
"""Characters that a QR code holds, with room for the error correction."""


async def post_link(
    ctx: Context, row: OutboxRow, instruction: Instruction, *, link: str, channel: str, thread_ts: str | None
) -> Posted:
    """Post the link with its picture. Whether it stands there already was looked up before.

    Raises:
        ServiceNow, OutcomeUnknown: see :func:`bot.slack.calls.call`.
        ServiceNever: the workspace takes no picture, or no message at all.
    """
    content = purchases.checkout(instruction, link=link)
    if row.payload.get(PLAIN) or row.attempts > _TRIES or len(link) > _LONGEST:
        return await ctx.messenger.post(channel=channel, content=content, marker=row.id, thread_ts=thread_ts)
    return await ctx.files.share(
        name=file_name(instruction),
        content=await asyncio.to_thread(qr.png, link),
        title=purchases.picture_title(instruction),
        alt=purchases.picture_in_words(instruction, link=link),
        comment=content.text,
        channel=channel,
        thread_ts=thread_ts,
    )


def names(instruction: Instruction) -> frozenset[str]:
    """By what the picture is found again."""
    return frozenset({file_name(instruction), purchases.picture_title(instruction)})


def file_name(instruction: Instruction) -> str:
    """One name a purchase, by which its picture is found again."""
    return f"{instruction.reference}.png"
