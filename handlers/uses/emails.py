"""What can be done with a table of addresses."""

import asyncio

from bot.domain.errors import SwitchboardError
from bot.domain.files import DroppedFile, FileKind
from bot.presentation import email_forms
from handlers.commands.email import admitted
from handlers.desk import Desk
from handlers.incoming import Click
from handlers.replies import Answer, Later, Nothing, Open, Private, Replace, Reply
from handlers.uses.use import Use
from handlers.views.emails import next_form

_SOON = 1.0
"""Seconds that a form may wait for the file: its trigger lives three, and the database and Slack need some."""


async def process(desk: Desk, click: Click, file: DroppedFile) -> Reply:
    """Read the file and ask for the column; a large one shows that it is being read."""
    client = await admitted(desk, click.user)
    if isinstance(client, Private):
        return client
    reading = desk.whispers.begin(next_form(desk, file.id, channel=file.channel, thread_ts=file.thread_ts))
    done, _ = await asyncio.wait({reading}, timeout=_SOON)
    if done:
        return Open(reading.result()[0])
    if not click.trigger_id:  # a form is open already, and turns into the next one

        async def later() -> Answer:
            return Replace((await reading)[0])

        return Later(later, meanwhile=Replace(email_forms.reading(file.name)))
    view_id = await desk.messenger.open_view(trigger_id=click.trigger_id, view=email_forms.reading(file.name))

    async def turn() -> None:
        view, _ = await reading
        try:
            await desk.messenger.update_view(view_id=view_id, view=view)
        except SwitchboardError:
            return  # whoever closed the form does not wait for it

    desk.whispers.begin(turn())
    return Nothing()


USES = (
    Use(
        name="emails",
        label="Process e-mails",
        fits=lambda file: file.kind is FileKind.TABLE,
        start=process,
        works=lambda ctx: ctx.emails.client is not None,
    ),
)
