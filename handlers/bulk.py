"""``/pay bulk``: request many payments with a file or typed rows, and retry failed ones."""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import Final

import structlog

from bot.domain.approvals import Refusal
from bot.domain.content import Block, Content
from bot.domain.errors import PersonError, ServiceTrouble
from bot.domain.files.dropped import DroppedFile
from bot.domain.files.sniffing import FileKind
from bot.domain.files.tables import UNCLEAR, TableProblem
from bot.domain.money import Cents
from bot.domain.payments import fields
from bot.domain.payments.bulk_file import LEAST_COLUMNS, Checked, EarlierRequest, FormMetadata, Preview
from bot.domain.payments.instruction import Instruction, Kind
from bot.presentation import answers, views
from bot.presentation.blocks.text import message
from bot.presentation.payments import amounts, checks, forms
from bot.presentation.payments import answers as payment_answers
from bot.presentation.payments import bulk as bulk_files
from bot.presentation.payments.bad_rows import about_bad, bad_rows, bad_table
from bot.presentation.reasons import file_trouble
from bot.presentation.table_problems import table_problem
from bot.tables.delimited import write_csv
from bot.workflows.payments import bulk_request
from bot.workflows.payments.bulk_again import failed_now, request_again
from bot.workflows.payments.bulk_check import carried_by, request_check
from bot.workflows.payments.bulk_request import OF_FILE, ShownAgain, ShownBecause, confirm, look, request_bulk
from bot.workflows.requests.decide import shown_as
from bot.workflows.slack.dropped_files import TROUBLE
from handlers import bulk_sent
from handlers.files import FileAction
from handlers.grammar.admission import (
    for_requester,
    opens,
    payments_to_request,
    send_file,
    service_call,
    then,
)
from handlers.grammar.arguments import Values
from handlers.grammar.verbs import Verb
from handlers.incoming import Click, Command, Submission
from handlers.replies import (
    Answer,
    FieldErrors,
    MistakesError,
    Nothing,
    Open,
    Private,
    Replace,
    Reply,
)
from handlers.router import ClickHandler, Dependencies, SubmissionHandler

log = structlog.get_logger(__name__)

_NOTES: Final = {
    ShownBecause.NOT_COUNTED: "",
    ShownBecause.CHANGED: forms.CHANGED,
    ShownBecause.CHOSEN: forms.CHOSEN,
    ShownBecause.TAKEN: forms.TAKEN,
    ShownBecause.READ: forms.READ,
    ShownBecause.REPEATED: "",
}


async def submit(deps: Dependencies, form: Submission) -> Reply:
    """Read the file or typed rows and request the payments; the answer replaces the form."""
    await payments_to_request(deps, form.user, Kind.BULK, even_frozen=False)
    files, typed = form.files.get(forms.FILE, ()), form.values.get(forms.ROWS, "").strip()
    if bool(files) == bool(typed):
        return FieldErrors({forms.ROWS: forms.NOT_BOTH if files else forms.NEITHER})
    carried = FormMetadata(file=next(iter(files), ""), channel=form.channel, key=form.source_key)
    decimals = form.values.get(amounts.DECIMALS, "")

    async def read() -> Answer | Open:
        try:
            checked = await (
                bulk_request.read_file(deps.ctx, carried.file)
                if files
                else bulk_request.read_typed(typed, decimals, ctx=deps.ctx)
            )
        except TableProblem as problem:
            if files and problem.flaw in UNCLEAR:
                return Replace(await _file_form(deps, form.user, carried))
            return Private(answers.trouble(table_problem(problem)))
        except PersonError as unusable:
            raise MistakesError([unusable]) from None
        repeats = await bulk_request.repeated(deps.ctx, checked)
        shown = form.about.get("repeats", "").split()
        # A request made by this same form isn't a repeat.
        is_known = all(one.first.reference in shown or one.first.source_key == carried.key for one in repeats)
        # Omit rows only after the user has seen which ones.
        if files and (checked.doubtful or checked.bad or checked.unread or not is_known):
            return Replace(await _file_form(deps, form.user, carried))
        if checked.bad or checked.asks or checked.unread or checked.left_out or not is_known:
            return Replace(await _typed_form(deps, form.user, carried.channel, checked, typed, decimals, repeats))
        return await _request(deps, checked, form.user, carried)

    return service_call(read, meanwhile=Replace(_notice(payment_answers.reading(""))))


async def _typed_form(
    deps: Dependencies,
    user: str,
    channel: str,
    checked: Checked,
    typed: str,
    decimals: str,
    repeats: Sequence[EarlierRequest],
    *,
    good: bool = False,
) -> Block:
    """Return the form again, with a question or with the rows as they were read."""
    await bulk_request.keep_decimals(deps.ctx, user, decimals)
    usual = decimals or await bulk_request.usual_decimals(deps.ctx, user)
    if checked.unread:
        told = amounts.unread(checked.unread).blocks
        return forms.bulk(channel=channel, rows=typed, problem=told, asks=checked.asks, decimals=usual)
    return forms.typed_form(checked, typed, channel=channel, repeats=repeats, good=good, decimals=usual)


async def pay_file(deps: Dependencies, click: Click, file: DroppedFile, *, checks: bool = False) -> Reply:
    """Show the sum of a dropped table in a form, after an interim form for a large file.

    ``checks``: the form offers to check the file first.
    """
    await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    carried = FormMetadata(
        file=file.id,
        channel=file.channel or click.channel,
        key=f"{OF_FILE}{file.id}",
        thread_ts=file.thread_ts or "",
        checks=checks,
    )

    meanwhile = Open(_notice(payment_answers.reading(file.name)))
    return service_call(then(lambda: _file_form(deps, click.user, carried), Open), meanwhile=meanwhile)


async def pay_checked(deps: Dependencies, click: Click) -> Reply:
    """Show the sum of a checked file without the rows that failed the check."""
    await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    found = await carried_by(deps.ctx, click.value)
    if found is None:
        return Private(message(checks.STALE))
    carried, places = found
    meanwhile = Open(_notice(payment_answers.reading("")))
    return service_call(then(lambda: _file_form(deps, click.user, carried, places), Open), meanwhile=meanwhile)


async def good_rows(deps: Dependencies, click: Click) -> Reply:
    """Show the form without the rows that can't be paid, without requesting anything."""
    await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    try:
        carried = FormMetadata.load(click.value)
    except (ValueError, TypeError):
        return Private(answers.refused(Refusal.STALE))
    now = replace(carried, good=True, counted=False)
    turn = Replace if click.view_id else Open
    return service_call(
        then(lambda: _file_form(deps, click.user, now, carried.places, seen=carried.seen), turn), meanwhile=Nothing()
    )


async def good_typed(deps: Dependencies, click: Click) -> Reply:
    """Show the form with the typed rows that can be paid and their sum, without requesting anything."""
    await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    typed, decimals = click.values.get(forms.ROWS, "").strip(), click.values.get(amounts.DECIMALS, "")
    if not typed:
        return Private(answers.refused(Refusal.STALE))

    async def read() -> Answer:
        try:
            checked = await bulk_request.read_typed(typed, decimals, ctx=deps.ctx)
        except TableProblem as problem:
            return Private(answers.trouble(table_problem(problem)))
        repeats = await bulk_request.repeated(deps.ctx, checked)
        return Replace(await _typed_form(deps, click.user, click.value, checked, typed, decimals, repeats, good=True))

    return service_call(read, meanwhile=Nothing())


async def confirm_file(deps: Dependencies, form: Submission) -> Reply:
    """Request exactly what was shown; if the file or the chosen columns changed since, show it again instead."""
    await payments_to_request(deps, form.user, Kind.BULK, even_frozen=False)
    carried, chosen = FormMetadata.load(form.metadata), forms.chosen(form.values)
    decimals = form.values.get(amounts.DECIMALS, "")
    choice = replace(forms.taken(form.choices), good=carried.good, decimals=decimals)
    wrong = forms.errors(chosen)
    if wrong:
        return FieldErrors(wrong)

    async def read() -> Replace:
        try:
            await bulk_request.keep_decimals(deps.ctx, form.user, decimals)
            found = await confirm(deps.ctx, carried, chosen, choice)
        except TROUBLE as trouble:
            return Replace(_notice(answers.trouble(file_trouble(trouble))))
        match found:
            case Instruction():
                return Replace(_notice(payment_answers.asked_before(found)))
            case ShownAgain():
                now = carried.choosing(choice)
                return Replace(await _shown(deps, form.user, found.preview, now, note=_NOTES[found.why]))
        if carried.checks and (problem := _problem_with(deps, found)) is None:
            by = {"requester": form.user, "source_key": form.source_key}
            begun = await request_check(deps.ctx, found, replace(carried, places=chosen), **by)
            return Replace(views.notice(checks.CHECK, checks.STARTED if begun else checks.STARTED_BEFORE))
        if carried.checks and problem is not None:
            return Replace(_notice(problem))
        told = await _request(deps, found, form.user, carried)
        return Replace(views.result(forms.BULK_TITLE, told.content.blocks))

    return service_call(read, meanwhile=Replace(_notice(payment_answers.reading(""))))


async def _file_form(
    deps: Dependencies,
    user: str,
    carried: FormMetadata,
    places: Mapping[str, int] = MappingProxyType({}),
    *,
    seen: str = "",
) -> Block:
    """Read the file and return its form, or a notice if there is nothing to request.

    ``seen``: fingerprint of the file when it was last shown, if it was.
    """
    try:
        found = await look(deps.ctx, carried, places)
    except TROUBLE as trouble:
        return _notice(answers.trouble(file_trouble(trouble)))
    if isinstance(found, Instruction):
        return _notice(payment_answers.asked_before(found))
    changed = bool(seen) and seen != found.fingerprint
    return await _shown(deps, user, found, carried, note=forms.CHANGED if changed else "")


async def _shown(deps: Dependencies, user: str, seen: Preview, carried: FormMetadata, *, note: str = "") -> Block:
    """Return the form of a read file, and send rows that can't be paid to the user as a file."""
    checked = seen.checked
    sent = await _sent(deps, user, checked) if checked is not None and checked.bad else None
    problem = _problem_with(deps, checked, sent=sent) if checked is not None else None
    asks = checked is not None and checked.asks and not carried.decimals
    usual = await bulk_request.usual_decimals(deps.ctx, user) if asks else ""
    blocks = problem.blocks if problem is not None else ()
    return forms.file_form(seen, carried, note=note, problem=blocks, usual=usual)


def _notice(content: Content) -> Block:
    return views.notice(forms.BULK_TITLE, content.text)


async def _request(deps: Dependencies, checked: Checked, user: str, carried: FormMetadata) -> Private:
    problem = _problem_with(deps, checked)
    if problem is not None:
        return Private(problem)
    instruction = await request_bulk(deps.ctx, checked, carried, requester=user)
    return Private(
        payment_answers.asked(instruction, checked, **await for_requester(deps, instruction, carried.channel))
    )


async def _sent(deps: Dependencies, user: str, checked: Checked) -> str | None:
    """Send the rows that can't be paid to the user once, in the format of their file, and return the message's link.

    The link is empty if it is unknown, None if Slack refused the file.
    """
    write = partial(write_csv, encoding=checked.encoding, delimiter=checked.delimiter)
    content = await asyncio.to_thread(write, *bad_table(checked))
    title, comment = about_bad(checked)
    of = hashlib.sha256(content).hexdigest()
    link = await bulk_request.rows_to_fix(deps.ctx, user, of)
    if link is not None:
        return link
    try:
        posted = await send_file(deps, user, content, name="rows-to-fix.csv", title=title, alt=title, comment=comment)
    except ServiceTrouble as silent:
        log.warning("rows to fix not sent", reason=str(silent))
        return None
    link = ""
    with suppress(ServiceTrouble):
        link = await deps.messenger.permalink(posted) if posted.ts else ""
    await bulk_request.keep_rows_to_fix(deps.ctx, user, of, link)
    return link


def _problem_with(deps: Dependencies, checked: Checked, *, sent: str | None = None) -> Content | None:
    """Return the problem that prevents the request, or None. ``sent``: link of the file with the bad rows."""
    if checked.unread is not None:
        return amounts.unread(checked.unread)
    if checked.bad:
        return bad_rows(checked, sent=sent)
    if not checked.items:
        return message(forms.ALL_LEFT_OUT)
    try:
        fields.within_limit(Cents(sum(item.cents for item in checked.items)), deps.ctx.policy)
    except PersonError as broken:
        return answers.mistakes([PersonError(argument="sum", rule=broken.rule, example="", given=broken.given)])
    return None


async def template(deps: Dependencies, asked: Command | Click, _values: Values | None = None) -> Reply:
    await payments_to_request(deps, asked.user)

    async def work() -> Answer:
        content = write_csv(bulk_files.TEMPLATE_HEADER, bulk_files.TEMPLATE)
        name, title = "switchboard-bulk-template.csv", bulk_files.TEMPLATE_TITLE
        await send_file(deps, asked.user, content, name=name, title=title, alt=title, comment=title)
        inside = isinstance(asked, Click) and asked.view_id  # the form stays as it is
        return Nothing() if inside else Private(payment_answers.TEMPLATE_SENT)

    return service_call(work, meanwhile=Nothing())


async def again(deps: Dependencies, click: Click) -> Reply:
    """Request the payments of this card again that the service now reports as failed."""
    payments = await payments_to_request(deps, click.user, Kind.BULK, even_frozen=False)
    found = await shown_as(deps.ctx, click.value, channel=click.channel, ts=click.ts)
    if found is None:
        return Private(answers.refused(Refusal.STALE))
    first, _ = found

    async def work() -> Answer:
        failed = await failed_now(deps.ctx, payments, first)
        if not failed.rows and (failed.doubtful or failed.before is None):
            return Private(payment_answers.none_to_pay_again(first, failed.doubtful))
        if not failed.rows and failed.before is not None:
            return Private(payment_answers.asked_again_before(first, failed.before))
        items = [row.item for row in failed.rows]
        checked = Checked(name=first.payload.description, items=items, bad=(), rows=len(items), read_as="")
        problem = _problem_with(deps, checked)
        if problem is not None:
            return Private(problem)
        asked, is_new = await request_again(deps.ctx, first, checked, requester=click.user, channel=click.channel)
        if not is_new:
            return Private(payment_answers.asked_again_before(first, asked))
        facts = await for_requester(deps, asked, click.channel)
        return Private(payment_answers.again(asked, first, failed.doubtful, **facts))

    return service_call(work)


_FORM = Verb(
    "bulk",
    "request many payments with a file or typed rows",
    opens(
        partial(payments_to_request, kind=Kind.BULK, even_frozen=False),
        lambda command: forms.bulk(channel=command.channel),
    ),
)
_TEMPLATE = Verb("bulk template", "get a file to fill in", template)

VERBS = (_FORM, *bulk_sent.VERBS, _TEMPLATE)
"""In the order of the help text."""
BUTTONS: dict[str, ClickHandler] = {
    bulk_files.AGAIN: again,
    forms.TEMPLATE: template,
    forms.GOOD: good_rows,
    forms.GOOD_TYPED: good_typed,
    checks.PAY: pay_checked,
}
FORMS: dict[str, SubmissionHandler] = {forms.BULK: submit, forms.CONFIRM: confirm_file}
FILE_ACTIONS = (
    FileAction(
        name="bulk",
        label="Pay in bulk",
        fits=lambda file: file.kind is FileKind.TABLE and (file.header is None or len(file.header) >= LEAST_COLUMNS),
        suggested=lambda file: file.header is None or bulk_request.can_be_paid(file.header),
        total=bulk_request.total_of,
        start=pay_file,
        works=lambda ctx: ctx.payments.is_configured,
    ),
    FileAction(
        name="check",
        label=checks.CHECK,
        fits=lambda file: file.kind is FileKind.TABLE and (file.header is None or len(file.header) >= LEAST_COLUMNS),
        suggested=lambda file: file.header is not None and bulk_request.can_be_paid(file.header),
        start=partial(pay_file, checks=True),
        works=lambda ctx: ctx.payments.is_configured,
    ),
)
