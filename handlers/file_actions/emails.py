"""Actions on a table of addresses."""

from bot.domain.files.dropped import DroppedFile, FileKind
from bot.presentation.emails import forms as email_forms
from handlers.dependencies import Dependencies
from handlers.file_actions.file_action import FileAction
from handlers.incoming import Click
from handlers.input.admission import emails_for
from handlers.input.email_lists import next_form
from handlers.replies import Later, Open, Reply


async def process(deps: Dependencies, click: Click, file: DroppedFile) -> Reply:
    """Read the file and ask for the column; while a large file is read, a form shows that."""
    await emails_for(deps, click.user)

    async def read() -> Open:
        view, _ = await next_form(deps, file.id, channel=file.channel, thread_ts=file.thread_ts)
        return Open(view)

    return Later(read, meanwhile=Open(email_forms.reading(file.name)))


ACTIONS = (
    FileAction(
        name="emails",
        label="Process e-mails",
        fits=lambda file: file.kind is FileKind.TABLE,
        start=process,
        works=lambda ctx: ctx.emails.is_configured,
    ),
)
