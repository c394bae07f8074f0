"""The form that asks for many payments at once."""

import json

from bot.presentation import bulk_answers, views
from bot.workflows.bulk_reading import Checked, read_file, read_typed
from handlers.commands.pay_bulk import admit_bulk, ask_in_bulk
from handlers.desk import Desk
from handlers.incoming import Submission
from handlers.replies import FieldErrors, Private, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """The form by its callback id."""
    router.views[views.BULK] = submit


async def submit(desk: Desk, form: Submission) -> Reply:
    """Read the file or the rows, and ask for what is in them; the answer stands in the form."""
    payments = await admit_bulk(desk, form.user)
    if isinstance(payments, Private):
        return Replace(views.notice(views.BULK_TITLE, payments.content.text))
    files, typed = form.files.get(views.FILE, ()), form.values.get(views.ROWS, "").strip()
    if bool(files) == bool(typed):
        rule = "Give a file or rows, for example: ana@example.com, 25.00, March translation"
        return FieldErrors({views.ROWS: rule if not files else "Give a file or rows, not both."})

    async def read() -> Checked:
        return await (read_file(desk.ctx, files[0]) if files else read_typed(typed))

    later = ask_in_bulk(
        desk,
        user=form.user,
        channel=str(json.loads(form.metadata)["channel"]),
        read=read,
        name="",
        source_key=f"view:{form.view_id}",
    )
    waiting = views.notice(views.BULK_TITLE, bulk_answers.reading("").text)
    return type(later)(later.work, Replace(waiting))
