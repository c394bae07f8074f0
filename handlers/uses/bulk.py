"""Pay in bulk: a dropped table becomes one request for many payments."""

from bot.domain.files import DroppedFile, FileKind
from bot.workflows.bulk_reading import read_file
from bot.workflows.bulk_request import OF_FILE
from bot.workflows.context import Context
from handlers.commands.pay_bulk import admit_bulk, ask_in_bulk
from handlers.desk import Desk
from handlers.incoming import Click
from handlers.replies import Private, Reply
from handlers.uses.use import Use


def _fits(file: DroppedFile) -> bool:
    return file.kind is FileKind.TABLE


def _works(ctx: Context) -> bool:
    return ctx.payments is not None


async def _start(desk: Desk, click: Click, file: DroppedFile) -> Reply:
    payments = await admit_bulk(desk, click.user)
    if isinstance(payments, Private):
        return payments
    return ask_in_bulk(
        desk,
        user=click.user,
        channel=file.channel or click.channel,
        read=lambda: read_file(desk.ctx, file.id),
        name=file.name,
        source_key=f"{OF_FILE}{file.id}",
        thread_ts=file.thread_ts or "",
    )


USES = (Use(name="bulk", label="Pay in bulk", fits=_fits, start=_start, works=_works),)
