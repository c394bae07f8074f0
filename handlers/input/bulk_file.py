"""The form of a bulk payment file: opened for a dropped file or an upload, and shown again."""

from typing import Final

from bot.domain.content import Block
from bot.domain.payments.bulk_file import Carried, Preview
from bot.domain.payments.instruction import Instruction
from bot.presentation import answers, views
from bot.presentation.payments import bulk_answers, bulk_forms, forms
from bot.presentation.reasons import file_trouble
from bot.workflows.payments.bulk_confirm import ShownAgain, Why, confirm, look
from bot.workflows.slack.table_files import TROUBLE
from handlers.dependencies import Dependencies
from handlers.input.bulk import problem_with, request_bulk
from handlers.input.service_call import service_call
from handlers.replies import Later, Open

_NOTES: Final = {Why.NOT_COUNTED: "", Why.CHANGED: bulk_forms.CHANGED, Why.CHOSEN: bulk_forms.CHOSEN}


def show_file(deps: Dependencies, user: str, carried: Carried, *, name: str) -> Later:
    """The form with the sum of a file; while a large file is read, a form shows that."""

    async def read() -> Open:
        return Open(await file_form(deps, user, carried))

    return service_call(read, meanwhile=Open(waiting(name)))


async def file_form(deps: Dependencies, user: str, carried: Carried) -> Block:
    """The form with the file as read now; or a notice where there is nothing to request."""
    try:
        found = await look(deps.ctx, carried, {})
    except TROUBLE as trouble:
        return _notice(answers.trouble(file_trouble(trouble)).text)
    return _before(found) if isinstance(found, Instruction) else await _shown(deps, user, found, carried)


async def confirmed(deps: Dependencies, user: str, carried: Carried, chosen: dict[str, int]) -> Block:
    """The view after the confirmation: the answer to the request, or the form again."""
    try:
        found = await confirm(deps.ctx, carried, chosen)
    except TROUBLE as trouble:
        return _notice(answers.trouble(file_trouble(trouble)).text)
    match found:
        case Instruction():
            return _before(found)
        case ShownAgain():
            return await _shown(deps, user, found.preview, carried, note=_NOTES[found.why])
    told = await request_bulk(
        deps, found, user=user, channel=carried.channel, source_key=carried.key, thread_ts=carried.thread_ts
    )
    return views.result(forms.BULK_TITLE, told.content.blocks)


async def _shown(deps: Dependencies, user: str, seen: Preview, carried: Carried, *, note: str = "") -> Block:
    problem = await problem_with(deps, seen.checked, user=user) if seen.checked is not None else None
    return bulk_forms.file_form(seen, carried, note=note, problem=problem.blocks if problem is not None else ())


def _before(known: Instruction) -> Block:
    return _notice(bulk_answers.asked_before(known).text)


def waiting(name: str) -> Block:
    """The form while the file is being read."""
    return _notice(bulk_answers.reading(name).text)


def _notice(text: str) -> Block:
    return views.notice(forms.BULK_TITLE, text)
