"""``/email``: check addresses, or process a list of them; the list's forms, and the buttons of its board."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

from bot.domain.content import Block
from bot.domain.emails.lists import ADDRESS_RULE, RUN, WHOLE, addresses, concurrency
from bot.domain.files.columns import ColumnSummary, summarize
from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind
from bot.domain.files.tables import Marks, Table, marks_of, with_lost_letters
from bot.domain.services import EMAILS
from bot.presentation import answers, emails
from bot.presentation.blocks.text import message
from bot.presentation.emails import COLUMN, CONCURRENT, FILE, HOW, ROW_BY_ROW, WHOLE_FILE
from bot.presentation.files.columns import unusual
from bot.presentation.reasons import file_trouble
from bot.presentation.views import notice
from bot.workflows.emails import lists
from bot.workflows.emails.subject import progress_of
from bot.workflows.presets import remembered
from bot.workflows.services import check_addresses
from bot.workflows.slack.dropped_files import TROUBLE
from handlers.files import FileAction
from handlers.grammar.admission import can_post, emails_for, opens, service_call, then
from handlers.grammar.arguments import Argument, Values, wrong
from handlers.grammar.verbs import SlashCommand, Verb
from handlers.incoming import Click, Command, Submission
from handlers.replies import FieldErrors, Later, Nothing, Open, Private, Replace, Reply
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

NAME: Final = "email"
MOST: Final = 20
"""Maximum of addresses in one command."""
_LEAST_PERCENT: Final = 50


async def _check(deps: Dependencies, command: Command, values: Values) -> Reply:
    client = await emails_for(deps, command.user)
    if deps.ctx.emails.missing_single:
        return Private(answers.not_configured(emails.SINGLE_ADDRESSES, deps.ctx.emails.missing_single))
    asked: list[str] = list(dict.fromkeys(one for few in values["address"] for one in few))
    if len(asked) > MOST:
        rule = emails.too_many(MOST, len(asked), command=deps.spelled(NAME))
        raise wrong(deps, NAME, _CHECK.example, argument="address", rule=rule)
    ask = partial(check_addresses, client, asked)
    return service_call(then(ask, lambda found: Private(emails.checked(found))), service=EMAILS)


async def process(deps: Dependencies, click: Click, file: DroppedFile) -> Reply:
    await emails_for(deps, click.user)

    async def read() -> Open:
        view, _ = await _next_form(deps, file.id, channel=file.channel, thread_ts=file.thread_ts)
        return Open(view)

    return Later(read, meanwhile=Open(emails.reading(file.name)))


async def choose_file(deps: Dependencies, form: Submission) -> Reply:
    await emails_for(deps, form.user)
    files = form.files.get(FILE, ())
    if not files:
        return FieldErrors({FILE: emails.NO_FILE})

    async def read() -> Replace | FieldErrors:
        view, mistake = await _next_form(deps, files[0], channel=form.channel, thread_ts="")
        return FieldErrors({FILE: mistake}) if mistake else Replace(view)

    return Later(read, meanwhile=Replace(emails.reading("the file")))


def _look(table: Table) -> tuple[Table, tuple[ColumnSummary, ...], Marks]:
    """Summarize a table; run it in a thread, because a table may have a million rows."""
    looks = summarize(table.header, (row.cells for row in table.rows))
    return table, looks, with_lost_letters(marks_of(table.hidden, table.header), table.rows)


async def _next_form(deps: Dependencies, file_id: str, *, channel: str, thread_ts: str) -> tuple[Block, str]:
    """Return the form that asks for the column and ""; or a notice with the problem, and the problem as a sentence."""
    try:
        info, (table, looks, marks) = await lists.read_list(deps.ctx, file_id, _look)
    except TROUBLE as trouble:
        words = file_trouble(trouble, example=lists.EXAMPLE)
        return emails.unusable(words), words
    view = emails.list_form(
        looks,
        rows=len(table.rows),
        marks=marks,
        file=file_id,
        name=info.name,
        channel=channel,
        thread_ts=thread_ts,
        lacking=_lacking_ways(deps),
        read_as=unusual(table),
        before=await _before(deps, channel),
    )
    return view, ""


async def _before(deps: Dependencies, channel: str) -> dict[str, str]:
    """Return the way and the column of the last list in this channel."""
    found = await deps.ctx.read(lambda uow: remembered(uow, channel, lists.SUBJECT))
    way = {RUN: ROW_BY_ROW, WHOLE: WHOLE_FILE}.get(found.get("how", ""), "")
    return {HOW: way, COLUMN: found.get("column", "")}


def _lacking_ways(deps: Dependencies) -> Mapping[str, Sequence[str]]:
    ways = {ROW_BY_ROW: deps.ctx.emails.missing_single, WHOLE_FILE: deps.ctx.emails.missing_files}
    return {way: missing for way, missing in ways.items() if missing}


async def start(deps: Dependencies, form: Submission) -> Reply:
    await emails_for(deps, form.user)
    errors: dict[str, str] = {}
    at_a_time = concurrency(form.values.get(CONCURRENT, ""))
    if at_a_time is None:
        errors[CONCURRENT] = emails.NO_NUMBER
    column, percent, name = emails.chosen(form.values[COLUMN])
    if percent < _LEAST_PERCENT:
        errors[COLUMN] = emails.hardly_addresses(name, percent)
    way = WHOLE_FILE if form.values.get(HOW) == WHOLE_FILE else ROW_BY_ROW
    lacking = _lacking_ways(deps).get(way)
    if lacking:
        errors[HOW] = emails.not_configured(way, lacking)
    if errors or at_a_time is None:
        return FieldErrors(errors)
    about = form.about
    await lists.request_list(
        deps.ctx,
        by=form.user,
        channel=about["channel"],
        thread_ts=about["thread"] or None,
        file_id=about["file"],
        file_name=about["name"],
        column=column,
        column_name=name,
        whole=way == WHOLE_FILE,
        concurrency=at_a_time,
        source_key=form.source_key,
    )
    if await can_post(deps.messenger, about["channel"]):
        return Nothing()  # its message is visible there
    return Replace(notice(emails.TITLE, emails.NOT_A_MEMBER))


async def press_board(deps: Dependencies, click: Click, *, what: lists.Press) -> Reply:
    came, state = await lists.press(deps.ctx, click.value, what, person=click.user)
    if came is lists.Pressed.DONE:
        return Nothing()
    if came is lists.Pressed.NOT_YOURS:
        return Private(message(f":no_entry_sign: {emails.NOT_YOURS}"))
    return Private(message(emails.refused_press(state)))


async def show_details(deps: Dependencies, click: Click) -> Reply:
    await emails_for(deps, click.user)
    found = await deps.ctx.read(lambda uow: progress_of(uow, click.value))
    return Private(message(emails.OUT_OF_DATE)) if found is None else Open(emails.details(found))


_CHECK = Verb(
    "check",
    "check one or several addresses",
    _check,
    example="check ana@example.com bo@example.com",
    arguments=(Argument(name="address", typed="<address…>", rule=ADDRESS_RULE, read=addresses, each=True),),
)
_FILE = Verb(
    "file",
    "check a list from a file",
    opens(emails_for, lambda command: emails.file_form(channel=command.channel)),
)

_STARTS = (("Check addresses", "check"), ("Check a file", "file"))
COMMAND = SlashCommand(NAME, "Check e-mail addresses, one by one or as a list", (_CHECK, _FILE), _STARTS)
BUTTONS: dict[str, ClickHandler] = {
    emails.PAUSE: partial(press_board, what=lists.Press.PAUSE),
    emails.RESUME: partial(press_board, what=lists.Press.RESUME),
    emails.STOP: partial(press_board, what=lists.Press.STOP),
    emails.DETAILS: show_details,
}
FORMS: dict[str, SubmissionHandler] = {emails.FILE_FORM: choose_file, emails.LIST_FORM: start}
FILE_ACTIONS = (
    FileAction(
        name="emails",
        label="Process e-mails",
        fits=lambda file: file.kind is FileKind.TABLE,
        start=process,
        works=lambda ctx: ctx.emails.is_configured,
    ),
)
