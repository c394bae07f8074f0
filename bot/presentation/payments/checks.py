"""Wording of *Check first*: the status card of a file's check, and the table of its recipients."""

from typing import Final

from bot.domain.content import Block, Content
from bot.domain.emails.lists import RunState
from bot.domain.money import Cents, shown
from bot.domain.payments.bulk import BulkItem
from bot.domain.payments.deliverability import LEFT_OUT, DoubtfulRow
from bot.domain.payments.lookups import FileCheck, Lookup
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import actions, button
from bot.presentation.payments.bulk import ACCOUNTS_HEADER, account_cells, account_warnings, doubt_word, some_rows
from bot.presentation.reasons import worded

PAY: Final = "bulk.pay_checked"
CHECK: Final = "Check first"
_NAME: Final = 120
STARTED: Final = ":mag: Checking the file. The result comes in its thread."
STARTED_BEFORE: Final = ":information_source: This file is already being checked; see its thread."
STALE: Final = ":information_source: I can't find this check any more. Press *Check first* again."
HEADER: Final = (*ACCOUNTS_HEADER, "e-mail check")


def board(check: FileCheck, *, named: bool = True) -> Content:
    """Build the status card; without ``named``, it is part of its file's message, which shows the file's name."""
    title = f"{CHECK}: {md.shorten(clean(check.file), _NAME)}" if named else CHECK
    lines = _lines(check)
    about = f"Requested by {md.mention(check.requester)}. This check pays nothing."
    head = md.header(title) if named else md.paragraph(f"*{title}*")
    blocks: list[Block] = [head, *md.paragraphs(lines), md.context(about)]
    if check.state is RunState.DONE:
        blocks += actions([button("Pay in bulk", PAY, check.id, style="primary")], f"check:{check.id}")
    return Content(text=md.fallback_text([f"*{md.escape(title)}*", *lines, about]), blocks=blocks)


def _lines(check: FileCheck) -> list[str]:
    if check.state is RunState.FAILED:
        return [f":x: The file couldn't be checked. {md.quote_sentence(worded(check.reason), 300)}"]
    if check.state is not RunState.DONE:
        figures = f"{check.done} of {check.total} addresses" if check.total else "Reading the file…"
        return [f":mag: `{md.bar(check.done, check.total)}` {figures}"]
    lines = []
    for doubt, (count, rows) in check.doubts.items():
        left = "left out" if doubt in LEFT_OUT else "paid unless you leave them out"
        lines.append(f":warning: *{count} {doubt_word(doubt)}*, {left}: {some_rows(rows, count)}")
    paid = f"*{shown(check.cents)}* · {md.counted(check.payments, 'payment')}"
    lacking = check.total - check.answered
    if lacking > 0:
        lines.append(f":grey_question: {md.counted(lacking, 'address', 'addresses')} not checked by the e-mail check")
    accounts = [f":warning: {one}" for one in account_warnings(check.accounts, check.doubts)]
    fine = [":white_check_mark: No problems found"] if not lines and not accounts else []
    return [paid, *lines, *accounts, *fine]


def about_file(check: FileCheck) -> tuple[str, str, str]:
    """Return title, alternative text and comment of the table."""
    name = md.shorten(clean(check.file), _NAME)
    alt = f"Table with the recipients of {name}"
    return (
        f"{name}: recipients",
        alt,
        f":bust_in_silhouette: The recipients in {md.quote(check.file, _NAME)}, with what to check",
    )


def cells(row: BulkItem | DoubtfulRow, found: Lookup | None) -> tuple[str, ...]:
    said = "" if found is None or found.answer is None else found.answer.result or found.answer.outcome.value
    item = row if isinstance(row, BulkItem) else BulkItem(row=row.row, email=row.email, cents=row.cents or Cents(0))
    return (*account_cells(item, found), said)
