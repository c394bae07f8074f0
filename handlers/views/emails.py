"""The forms for a list of addresses: which file, which column, how."""

import json

from bot.domain.emails.lists import CONCURRENCY, CONCURRENCY_LIMIT
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails.forms import COLUMN, CONCURRENT, FILE, HOW, ROW_BY_ROW, WHOLE_FILE
from bot.presentation.views import notice
from bot.workflows.emails.request import RequestedList, request_list
from handlers.dependencies import Dependencies
from handlers.incoming import Submission
from handlers.input.admission import emails_for
from handlers.input.email_lists import lacking_ways, next_form
from handlers.replies import FieldErrors, Later, Replace, Reply
from handlers.router import Router

_LEAST_PERCENT = 50


def register(router: Router) -> None:
    """Both forms by their callback ids."""
    router.views[email_forms.FILE_FORM] = choose_file
    router.views[email_forms.LIST_FORM] = start


async def choose_file(deps: Dependencies, form: Submission) -> Reply:
    """Read the uploaded file and ask for the column."""
    await emails_for(deps, form.user)
    files = form.files.get(FILE, ())
    if not files:
        return FieldErrors({FILE: email_forms.NO_FILE})
    channel = str(json.loads(form.metadata)["channel"])

    async def read() -> Replace | FieldErrors:
        view, mistake = await next_form(deps, files[0], channel=channel, thread_ts="")
        return FieldErrors({FILE: mistake}) if mistake else Replace(view)

    return Later(read, meanwhile=Replace(email_forms.reading("the file")))


async def start(deps: Dependencies, form: Submission) -> Reply:
    """Start the list with the chosen column and way of processing."""
    await emails_for(deps, form.user)
    errors: dict[str, str] = {}
    concurrency = _concurrency(form.values.get(CONCURRENT, ""))
    if concurrency is None:
        errors[CONCURRENT] = email_forms.NO_NUMBER
    column, percent, name = email_forms.chosen(form.values[COLUMN])
    if percent < _LEAST_PERCENT:
        errors[COLUMN] = email_forms.hardly_addresses(name, percent)
    way = WHOLE_FILE if form.values.get(HOW) == WHOLE_FILE else ROW_BY_ROW
    lacking = lacking_ways(deps).get(way)
    if lacking:
        errors[HOW] = email_forms.not_configured(way, lacking)
    if errors or concurrency is None:
        return FieldErrors(errors)
    about = json.loads(form.metadata)
    added = await request_list(
        deps.ctx,
        RequestedList(
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
