"""The forms for a list of addresses: which file, which column, how."""

import json
from collections.abc import Mapping, Sequence

from bot.domain.content import Block
from bot.domain.emails.lists import CONCURRENCY, CONCURRENCY_LIMIT
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails.forms import COLUMN, CONCURRENT, FILE, HOW, ROW_BY_ROW, WHOLE_FILE
from bot.presentation.files.table_words import read_as
from bot.presentation.views import notice
from bot.workflows.emails.reading import EXAMPLE, look_at_list
from bot.workflows.emails.request import AskedToProcess, ask_to_process
from bot.workflows.slack.table_files import TROUBLE, words_for
from handlers.commands.email import admitted
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.replies import FieldErrors, Later, Private, Replace, Reply
from handlers.router import Router

_LEAST_PERCENT = 50


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[email_forms.FILE_FORM] = choose_file
    router.views[email_forms.LIST_FORM] = start


async def choose_file(deps: Dependencies, form: Submission) -> Reply:
    """The file is there: read it and ask for the column."""
    client = await admitted(deps, form.user)
    if isinstance(client, Private):
        return client
    files = form.files.get(FILE, ())
    if not files:
        return FieldErrors({FILE: email_forms.NO_FILE})
    channel = str(json.loads(form.metadata)["channel"])

    async def read() -> Replace | FieldErrors:
        view, mistake = await next_form(deps, files[0], channel=channel, thread_ts="")
        return FieldErrors({FILE: mistake}) if mistake else Replace(view)

    return Later(read, meanwhile=Replace(email_forms.reading("the file")))


async def next_form(deps: Dependencies, file_id: str, *, channel: str, thread_ts: str) -> tuple[Block, str]:
    """The form that asks for the column; or a notice why there is none, and the same as one sentence."""
    try:
        info, table, looks = await look_at_list(deps.ctx, file_id)
    except TROUBLE as trouble:
        words = words_for(trouble, example=EXAMPLE)
        return email_forms.unusable(words), words
    view = email_forms.list_form(
        looks,
        rows=len(table.rows),
        read_as=read_as(table),
        file=file_id,
        name=info.name,
        channel=channel,
        thread_ts=thread_ts,
        lacking=_lacking(deps),
    )
    return view, ""


def _lacking(deps: Dependencies) -> Mapping[str, Sequence[str]]:
    """The ways to process a list that are not configured here, and the variables that they lack."""
    ways = {ROW_BY_ROW: deps.ctx.emails.missing_single, WHOLE_FILE: deps.ctx.emails.missing_files}
    return {way: missing for way, missing in ways.items() if missing}


async def start(deps: Dependencies, form: Submission) -> Reply:
    """Column and manner are chosen: begin."""
    client = await admitted(deps, form.user)
    if isinstance(client, Private):
        return client
    errors: dict[str, str] = {}
    concurrency = _concurrency(form.values.get(CONCURRENT, ""))
    if concurrency is None:
        errors[CONCURRENT] = email_forms.NO_NUMBER
    column, percent, name = email_forms.chosen(form.values[COLUMN])
    if percent < _LEAST_PERCENT:
        errors[COLUMN] = email_forms.hardly_addresses(name, percent)
    way = WHOLE_FILE if form.values.get(HOW) == WHOLE_FILE else ROW_BY_ROW
    lacking = _lacking(deps).get(way)
    if lacking:
        errors[HOW] = email_forms.not_configured(way, lacking)
    if errors or concurrency is None:
        return FieldErrors(errors)
    about = json.loads(form.metadata)
    added = await ask_to_process(
        deps.ctx,
        AskedToProcess(
            requester=form.user,
            channel=about["channel"],
            thread_ts=about["thread"] or None,
            file_id=about["file"],
            file_name=about["name"],
            column=column,
            column_name=name,
            whole=way == WHOLE_FILE,
            concurrency=concurrency,
            source_key=f"view:{form.view_id}",
        ),
    )
    return Replace(notice(email_forms.TITLE, email_forms.STARTED if added else email_forms.ASKED_BEFORE))


def _concurrency(text: str) -> int | None:
    digits = text.strip()
    if not digits:
        return CONCURRENCY
    valid = digits.isascii() and digits.isdigit() and len(digits) <= len(str(CONCURRENCY_LIMIT))
    return int(digits) if valid and 1 <= int(digits) <= CONCURRENCY_LIMIT else None
