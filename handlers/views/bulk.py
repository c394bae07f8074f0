"""The forms that ask for many payments at once: a file or rows, and a file with its sum."""

import json

from bot.domain.content import Block
from bot.domain.errors import PersonError
from bot.domain.files.tables import UNCLEAR, TableProblem
from bot.domain.payments.bulk_file import Preview
from bot.presentation import answers, views
from bot.presentation.files.table_problems import table_problem
from bot.presentation.payments import bulk_answers, bulk_forms
from bot.presentation.payments.bulk_forms import Carried
from bot.workflows.payments.bulk_reading import preview, read_file, read_typed
from bot.workflows.payments.bulk_request import asked_before
from bot.workflows.slack.table_files import TROUBLE, words_for
from handlers.commands.pay_bulk import admit_bulk, ask, problem_with
from handlers.commands.pay_reading import asking
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input.grammar import MistakesError
from handlers.replies import Answer, FieldErrors, Later, Open, Private, Replace, Reply
from handlers.router import Router


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[views.BULK] = submit
    router.views[bulk_forms.CONFIRM] = confirm


async def submit(deps: Dependencies, form: Submission) -> Reply:
    """Read the file or the rows, and ask for what is in them; the answer stands in the form."""
    payments = await admit_bulk(deps, form.user)
    if isinstance(payments, Private):
        return Replace(views.notice(views.BULK_TITLE, payments.content.text))
    files, typed = form.files.get(views.FILE, ()), form.values.get(views.ROWS, "").strip()
    if bool(files) == bool(typed):
        rule = "Give a file or rows, for example: ana@example.com, 25.00, March translation"
        return FieldErrors({views.ROWS: rule if not files else "Give a file or rows, not both."})

    channel = str(json.loads(form.metadata)["channel"])
    carried = Carried(file=next(iter(files), ""), channel=channel, key=f"view:{form.view_id}")

    async def read() -> Answer:
        try:
            checked = await (read_file(deps.ctx, carried.file) if files else read_typed(typed))
        except TableProblem as problem:
            if files and problem.flaw in UNCLEAR:
                return Replace(await _form(deps, form.user, carried))
            return Private(answers.trouble(table_problem(problem)))
        except PersonError as unusable:
            raise MistakesError([unusable]) from None
        return await ask(deps, checked, user=form.user, channel=channel, source_key=carried.key)

    return asking(read, meanwhile=Replace(_waiting("")))


def show_file(deps: Dependencies, user: str, carried: Carried, *, name: str) -> Later:
    """The form with the sum of a file; one that says that it is being read comes first where that takes long."""

    async def read() -> Open:
        return Open(await _form(deps, user, carried))

    return asking(read, meanwhile=Open(_waiting(name)))


async def confirm(deps: Dependencies, form: Submission) -> Reply:
    """Ask for exactly what was shown; what reads otherwise by now, or with other columns, is shown again instead."""
    payments = await admit_bulk(deps, form.user)
    if isinstance(payments, Private):
        return Replace(views.notice(views.BULK_TITLE, payments.content.text))
    carried, chosen = Carried.load(form.metadata), bulk_forms.chosen(form.values)
    wrong = bulk_forms.errors(chosen)
    if wrong:
        return FieldErrors(wrong)

    async def read() -> Replace:
        return Replace(await _asked_or_shown(deps, form.user, carried, chosen))

    return asking(read, meanwhile=Replace(_waiting("")))


async def _asked_or_shown(deps: Dependencies, user: str, carried: Carried, chosen: dict[str, int]) -> Block:
    seen = await _seen(deps, carried, chosen)
    if not isinstance(seen, Preview):
        return seen
    if seen.fingerprint != carried.seen:
        return await _shown(deps, user, seen, carried, note=bulk_forms.CHANGED)
    if not carried.counted or chosen != dict(carried.places) or seen.checked is None:
        return await _shown(deps, user, seen, carried, note=bulk_forms.CHOSEN if carried.counted else "")
    told = await ask(
        deps,
        seen.checked,
        user=user,
        channel=carried.channel,
        source_key=carried.key,
        thread_ts=carried.thread_ts,
    )
    return views.result(views.BULK_TITLE, told.content.blocks)


async def _form(deps: Dependencies, user: str, carried: Carried) -> Block:
    seen = await _seen(deps, carried, {})
    return await _shown(deps, user, seen, carried) if isinstance(seen, Preview) else seen


async def _seen(deps: Dependencies, carried: Carried, chosen: dict[str, int]) -> Preview | Block:
    """The file as it reads now; or what the form turns into where there is nothing to ask for."""
    known = await asked_before(deps.ctx, carried.key)
    if known is not None:
        return views.notice(views.BULK_TITLE, bulk_answers.asked_before(known).text)
    try:
        return await preview(deps.ctx, carried.file, chosen)
    except TROUBLE as trouble:
        return views.notice(views.BULK_TITLE, answers.trouble(words_for(trouble)).text)


async def _shown(deps: Dependencies, user: str, seen: Preview, carried: Carried, *, note: str = "") -> Block:
    problem = await problem_with(deps, seen.checked, user=user) if seen.checked is not None else None
    return bulk_forms.file_form(seen, carried, note=note, problem=problem.blocks if problem is not None else ())


def _waiting(name: str) -> Block:
    return views.notice(views.BULK_TITLE, bulk_answers.reading(name).text)
