"""The forms that request many payments at once: a file or rows, and a file with its sum."""

import json

from bot.domain.errors import PersonError
from bot.domain.files.tables import UNCLEAR, TableProblem
from bot.domain.payments.bulk_file import Carried
from bot.domain.payments.instruction import Kind
from bot.presentation import answers
from bot.presentation.payments import bulk_forms, forms
from bot.presentation.table_problems import table_problem
from bot.workflows.payments.bulk_reading import read_file, read_typed
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input.admission import payments_to_request
from handlers.input.bulk import request_bulk
from handlers.input.bulk_file import confirmed, file_form, waiting
from handlers.input.service_call import service_call
from handlers.replies import Answer, FieldErrors, MistakesError, Private, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[forms.BULK] = submit
    router.views[bulk_forms.CONFIRM] = confirm


async def submit(deps: Dependencies, form: Submission) -> Reply:
    """Read the file or the rows, and request the payments; the answer replaces the form."""
    await payments_to_request(deps, form.user, Kind.BULK, even_frozen=False)
    files, typed = form.files.get(forms.FILE, ()), form.values.get(forms.ROWS, "").strip()
    if bool(files) == bool(typed):
        return FieldErrors({forms.ROWS: bulk_forms.NOT_BOTH if files else bulk_forms.NEITHER})

    channel = str(json.loads(form.metadata)["channel"])
    carried = Carried(file=next(iter(files), ""), channel=channel, key=f"view:{form.view_id}")

    async def read() -> Answer:
        try:
            checked = await (read_file(deps.ctx, carried.file) if files else read_typed(typed))
        except TableProblem as problem:
            if files and problem.flaw in UNCLEAR:
                return Replace(await file_form(deps, form.user, carried))
            return Private(answers.trouble(table_problem(problem)))
        except PersonError as unusable:
            raise MistakesError([unusable]) from None
        return await request_bulk(deps, checked, user=form.user, channel=channel, source_key=carried.key)

    return service_call(read, meanwhile=Replace(waiting("")))


async def confirm(deps: Dependencies, form: Submission) -> Reply:
    """Request exactly what was shown; a file whose content or columns changed meanwhile is shown again instead."""
    await payments_to_request(deps, form.user, Kind.BULK, even_frozen=False)
    carried, chosen = Carried.load(form.metadata), bulk_forms.chosen(form.values)
    wrong = bulk_forms.errors(chosen)
    if wrong:
        return FieldErrors(wrong)

    async def read() -> Replace:
        return Replace(await confirmed(deps, form.user, carried, chosen))

    return service_call(read, meanwhile=Replace(waiting("")))
