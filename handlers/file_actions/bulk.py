"""Pay in bulk: a dropped table becomes one request for many payments, once its sum was confirmed."""

from bot.domain.files.dropped import DroppedFile, FileKind
from bot.domain.payments.bulk_file import LEAST_COLUMNS, Carried
from bot.domain.payments.instruction import Kind
from bot.workflows.context import Context
from bot.workflows.payments.bulk_reading import can_be_paid
from bot.workflows.payments.bulk_request import OF_FILE
from handlers.dependencies import Dependencies
from handlers.file_actions.file_action import FileAction
from handlers.incoming import Click
from handlers.input.admission import payments_to_request
from handlers.input.bulk_file import show_file
from handlers.replies import Reply


def _fits(file: DroppedFile) -> bool:
    return file.kind is FileKind.TABLE and (file.header is None or len(file.header) >= LEAST_COLUMNS)


def _suggested(file: DroppedFile) -> bool:
    return file.header is None or can_be_paid(file.header)


def _works(ctx: Context) -> bool:
    return ctx.payments.is_configured


async def _start(deps: Dependencies, click: Click, file: DroppedFile) -> Reply:
    await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    carried = Carried(
        file=file.id,
        channel=file.channel or click.channel,
        key=f"{OF_FILE}{file.id}",
        thread_ts=file.thread_ts or "",
    )
    return show_file(deps, click.user, carried, name=file.name)


ACTIONS = (FileAction(name="bulk", label="Pay in bulk", fits=_fits, suggested=_suggested, start=_start, works=_works),)
