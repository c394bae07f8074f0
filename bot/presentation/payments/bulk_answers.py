"""What one person is told about bulk payments: a file that cannot be paid, lists page by page, what was asked for."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from bot.domain.content import Block, Content
from bot.domain.money import shown
from bot.domain.payments.bulk_account import BulkRow
from bot.domain.payments.bulk_file import BadRow, Checked
from bot.domain.payments.bulk_records import BulkJob, JobPage
from bot.domain.payments.instruction import Instruction
from bot.presentation.blocks.buttons import turns
from bot.presentation.blocks.facts import facts
from bot.presentation.blocks.tables import Column, listing, table
from bot.presentation.blocks.text import (
    context,
    escape,
    message,
    moment,
    mrkdwn,
    paragraphs,
    quote,
    section,
    sentence_of,
    spoken,
    typed,
)
from bot.presentation.files.mark_words import mark_lines
from bot.presentation.payments.answers import requested
from bot.presentation.payments.states import headline, word_of
from bot.presentation.words import job_word, status_word

PREVIOUS = "bulk.previous"
NEXT = "bulk.next"
BAD_HEADER = ("row", "column", "problem", "given")

_SHOWN_BAD = 25
_GIVEN = 60
_NAME = 120
_WORD = 30
_PERSON = 120
_ITEM_COLUMNS = (
    Column(title="Row", most=10, align="right"),
    Column(title="Recipient", most=_PERSON, wraps=True),
    Column(title="Amount", most=_WORD, align="right"),
    Column(title="Status", most=_WORD),
    Column(title="Hash", most=70, wraps=True),
)
_FAILED_COLUMNS = (*_ITEM_COLUMNS[:3], Column(title="Why", most=200, wraps=True))
_JOB_COLUMNS = (
    Column(title="Created (UTC)", most=20),
    Column(title="Bulk payment", most=40),
    Column(title="Status", most=_WORD),
    Column(title="Payments", most=12, align="right"),
    Column(title="Completed", most=12, align="right"),
    Column(title="Failed", most=12, align="right"),
)


NOT_SENT = "it has not been sent, so nothing of it can be pending; withdraw it on its card"
"""The rule that a cancellation breaks whose bulk payment the service does not have yet."""


def bad_rows(name: str, bad: Sequence[BadRow], *, rows: int) -> Content:
    """Every bad row with its number and reason; of very many the first, and the rest is in a file."""
    count = len({one.row for one in bad})
    which = "The only row" if rows == 1 else f"{count} of {rows} rows"
    lead = (
        f":pencil2: *Nothing was requested.* {which} in “{quote(name, _NAME)}” cannot be paid. "
        f"Mend {'it' if count == 1 else 'them'} and drop the file again."
    )
    lines = [_bad(one) for one in bad[:_SHOWN_BAD]]
    if len(bad) > _SHOWN_BAD:
        lines.append(f"… and {len(bad) - _SHOWN_BAD} more; all of them are in the file that I send you directly.")
    lines.append("A right row: `ana@example.com,25.00,March translation`")
    return Content(text=spoken([lead, *lines]), blocks=paragraphs([lead, *lines]))


def needs_file(bad: Sequence[BadRow]) -> bool:
    """Whether not all of them fit into a message."""
    return len(bad) > _SHOWN_BAD


def bad_lines(bad: Sequence[BadRow]) -> list[Sequence[str]]:
    """All of them, for a file."""
    return [(str(one.row), one.column, sentence_of(one.rule), one.given) for one in bad]


def _bad(one: BadRow) -> str:
    given = f" It says: {typed(one.given, _GIVEN)}" if one.given else ""
    rule = sentence_of(quote(one.rule, 200))
    return f"• *row {one.row}*, {one.column}: {rule[:1].lower()}{rule[1:]}{given}"


def asked(instruction: Instruction, read: Checked, *, member: bool) -> Content:
    """The request is stored; how the file was read, so that a wrong column or a hidden row is noticed at once."""
    first = requested(instruction, member=member)
    if not read.read_as:
        return first
    said = f"I read “{quote(read.name, _NAME)}” as {quote(read.read_as, 300)}."
    return message("\n".join([first.text, said, *mark_lines(read.marks)]))


def asked_before(instruction: Instruction) -> Content:
    """The same file was asked for already, and that request stands."""
    return message(
        f":information_source: This file was asked for already, as {instruction.reference}: "
        f"{escape(headline(instruction))}, *{word_of(instruction)}*. Nothing was asked for again."
    )


def reading(name: str) -> Content:
    """A file is being read."""
    return message(f":hourglass_flowing_sand: Reading “{quote(name, _NAME)}”…" if name else ":hourglass: Reading…")


def template_sent() -> Content:
    """The template is on its way."""
    return message(":page_facing_up: I sent you a template directly. Fill it in, drop it here, choose *Pay in bulk*.")


def items(
    name: str,
    rows: Sequence[BulkRow],
    *,
    page: int,
    pages: int,
    total: int,
    failed: bool,
    read_at: datetime | None,
) -> Content:
    """One page of items, as a table and as lines."""
    what = "Failed payments" if failed else "Payments"
    whose = quote(name, _NAME)
    if not rows:
        text = f":open_file_folder: *{what} of {whose}*: none" + (f" on page {page} of {pages}." if page > 1 else ".")
        return Content(text=text, blocks=[section(mrkdwn(text)), *_turns(_of(name, failed), page, pages)])
    lead = f"*{what} of {whose}*: {total}, page {page} of {pages}"
    lines = [_item(one, failed=failed) for one in rows]
    after: list[Block] = [context(f"As the service said {moment(read_at)}.")] if read_at else []
    after += _turns(_of(name, failed), page, pages)
    cells = [_cells(one, failed=failed) for one in rows]
    drawn = table(_FAILED_COLUMNS if failed else _ITEM_COLUMNS, cells)
    return listing(lead, drawn, lines, *after)


def history(page: JobPage, ours: Mapping[str, Instruction], *, command: str) -> Content:
    """One page of all bulk payments of the account."""
    if not page.jobs:
        return message(":open_file_folder: The service has no bulk payments" + ("." if page.page <= 1 else " here."))
    lead = f"*Bulk payments*, page {page.page} of {max(1, page.pages)}"
    lines = ["• " + " · ".join(_named(_job(one, ours.get(one.id)))) for one in page.jobs]
    after: list[Block] = [
        context(f"`{command} bulk show` with the reference or id tells more about one."),
        *_turns("history", page.page, page.pages),
    ]
    drawn = table(_JOB_COLUMNS, [_job(one, ours.get(one.id)) for one in page.jobs[:50]])
    return listing(lead, drawn, lines, *after)


def job(found: BulkJob) -> Content:
    """A bulk payment that was not asked for through Switchboard."""
    return facts(
        f"Bulk payment {found.id}",
        [
            ("Status", job_word(found)),
            ("Payments", _number(found.count)),
            ("Pending in escrow", _number(found.pending)),
            ("Completed", _number(found.completed)),
            ("Failed", _number(found.failed)),
        ],
        notes=["This is the service's record. Switchboard did not ask for it."],
    )


def not_returned(reference: str, status: str) -> Content:
    """A payout is not in escrow any more, so nothing was asked for. ``status``: the service's."""
    return message(
        f":information_source: {reference} can't be canceled any more. It is *{quote(status_word(status))}*."
    )


def cannot_cancel(why: str, hashes: Sequence[str], statuses: Sequence[str], *, bulk: str) -> str:
    """Why nothing was asked for, as a rule for the argument."""
    named = ", ".join(hashes[:3]) + (f" and {len(hashes) - 3} more" if len(hashes) > 3 else "")  # noqa: PLR2004
    match why:
        case "nothing pending":
            return f"nothing of {bulk} is pending now, so there is nothing to cancel"
        case "unknown hash":
            return f"{bulk} has no payment with the hash or row {named}"
        case "ambiguous":
            return f"{named} may be one of several payments of {bulk}; give more digits of the hash"
        case "not pending":
            told = f" ({', '.join(sorted(set(statuses)))})" if statuses else ""
            return f"{named} is not pending any more{told}; only pending payments can be canceled"
        case _:
            return f"the service does not say how much {named} is, so nobody could approve it"


def _of(name: str, failed: bool) -> str:
    return f"{'failed' if failed else 'items'}:{name}"


def _turns(what: str, page: int, pages: int) -> list[Block]:
    return turns(what, page, pages, back=PREVIOUS, on=NEXT)


def _stands(one: BulkRow) -> str:
    return status_word(one.status) or "not reported"


def _cells(one: BulkRow, *, failed: bool) -> list[str]:
    first = [str(one.row), one.email, shown(one.cents)]
    return [*first, one.error or "not said"] if failed else [*first, _stands(one), one.hash]


def _item(one: BulkRow, *, failed: bool) -> str:
    parts = [f"row {one.row}", quote(one.email, _PERSON), escape(shown(one.cents))]
    last = [quote(one.error or "not said", 200)] if failed else [quote(_stands(one), _WORD)]
    if not failed and one.hash:
        last.append(f"`{quote(one.hash.replace('`', ''), 70)}`")
    return "• " + " · ".join([*parts, *last])


def _job(one: BulkJob, ours: Instruction | None) -> list[str]:
    return [
        f"{one.created_at:%Y-%m-%d %H:%M}" if one.created_at else "",
        ours.reference if ours is not None else one.id,
        word_of(ours) if ours is not None else job_word(one),
        _number(one.count),
        _number(one.completed),
        _number(one.failed),
    ]


def _named(cells: list[str]) -> list[str]:
    """The cells that hold something, numbers with what they count."""
    titles = [f" {column.title.lower()}" if column.align == "right" else "" for column in _JOB_COLUMNS]
    named = [title.removesuffix("s") if cell == "1" else title for cell, title in zip(cells, titles, strict=True)]
    return [escape(cell) + title for cell, title in zip(cells, named, strict=True) if cell]


def _number(count: int | None) -> str:
    return "" if count is None else str(count)
