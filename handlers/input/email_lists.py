"""The form that asks for the column of a list, for an uploaded and for a dropped file."""

from collections.abc import Mapping, Sequence

from bot.domain.content import Block
from bot.domain.files.marks import marks_of
from bot.presentation.emails import forms as email_forms
from bot.presentation.emails.forms import ROW_BY_ROW, WHOLE_FILE
from bot.presentation.files.table_words import read_as
from bot.presentation.reasons import file_trouble
from bot.workflows.emails.reading import EXAMPLE, look_at_list
from bot.workflows.slack.table_files import TROUBLE
from handlers.dependencies import Dependencies


async def next_form(deps: Dependencies, file_id: str, *, channel: str, thread_ts: str) -> tuple[Block, str]:
    """The form that asks for the column; or a notice with the problem, and the same as one sentence."""
    try:
        info, table, looks = await look_at_list(deps.ctx, file_id)
    except TROUBLE as trouble:
        words = file_trouble(trouble, example=EXAMPLE)
        return email_forms.unusable(words), words
    view = email_forms.list_form(
        looks,
        rows=len(table.rows),
        read_as=read_as(table),
        marks=marks_of(table.hidden, table.header),
        file=file_id,
        name=info.name,
        channel=channel,
        thread_ts=thread_ts,
        lacking=lacking_ways(deps),
    )
    return view, ""


def lacking_ways(deps: Dependencies) -> Mapping[str, Sequence[str]]:
    """The ways to process a list that are not configured, with the missing variables."""
    ways = {ROW_BY_ROW: deps.ctx.emails.missing_single, WHOLE_FILE: deps.ctx.emails.missing_files}
    return {way: missing for way, missing in ways.items() if missing}
