"""Answers to one person about requests, bulk payments and the freeze."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from types import MappingProxyType

from bot.domain.approvals import No, Refusal
from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, shown
from bot.domain.money import plain as digits
from bot.domain.overview import WaitingRequest
from bot.domain.payments.bulk import Tally
from bot.domain.payments.bulk_file import Checked
from bot.domain.payments.bulk_records import NOT_AGAIN, BulkJob, BulkRow, JobPage, JobStatus, PaidAgain
from bot.domain.payments.instruction import FINAL, Instruction, State, Vote
from bot.domain.payments.lookups import Lookup
from bot.domain.payments.names import names_fit
from bot.domain.payments.operation import OperationStatus
from bot.domain.policy import Frozen, Short
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation import answers
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import Cell, Column, Fact, actions, facts, listing, table, turns
from bot.presentation.files.columns import mark_lines
from bot.presentation.lists import csv_button
from bot.presentation.payments.bulk import ACCOUNTS_HEADER, account_cells, advice, some_rows
from bot.presentation.payments.cards import APPROVE, card, deciding, doubts, opening
from bot.presentation.payments.kinds import KINDS, headline, word_of
from bot.presentation.payments.wording import Stands, is_unusual
from bot.presentation.reasons import reason_of, short_of_people, worded
from bot.presentation.words import item_word, job_word, status_word

PREVIOUS = "bulk.previous"
NEXT = "bulk.next"
ITEMS = "items"
ITEMS_HEADER = (
    "row",
    "email",
    "amount",
    "currency",
    "note",
    "internal note",
    "user",
    "status",
    "why it failed",
    "hash",
    *ACCOUNTS_HEADER[2:],
)
HISTORY = "history"
JOBS_HEADER = (
    "created (UTC)",
    "reference",
    "provider id",
    "status",
    "provider status",
    "payments",
    "completed",
    "failed",
    "pending",
)
_LISTED = 15
_PURPOSE = 150
_NAME = 120
_WORD = 30
_PERSON = 120
_NAMED = 3
_ENDED = {
    "": "hasn't been processed yet",
    OperationStatus.COMPLETED: "was already paid",
    OperationStatus.FAILED: "already failed",
    OperationStatus.CANCELED: "was already canceled",
    OperationStatus.CREATED: "hasn't been processed yet",
    OperationStatus.COMMITTED: "is being paid now",
}
_ITEM_COLUMNS = (
    Column(title="Row", most=10, align="right"),
    Column(title="Recipient", most=_PERSON, wraps=True),
    Column(title="Amount", most=_WORD, align="right"),
    Column(title="Status", most=_WORD),
)
_FAILED_COLUMNS = (*_ITEM_COLUMNS[:3], Column(title="Why", most=200, wraps=True))
_UNSENT_COLUMNS = (*_ITEM_COLUMNS[:3], Column(title="Check", most=120, wraps=True))
_NAME_COLUMN = Column(title="Name", most=_PERSON, wraps=True)
_NOTE_COLUMNS = (
    (Column(title="Note", most=_PERSON, wraps=True), "note"),
    (Column(title="Internal note", most=60), "internal_note"),
    (Column(title="User", most=_WORD), "user_id"),
    (Column(title="Hash", most=80), "hash"),
)
"""Optional columns of payments, and the fields of their rows."""
_JOB_COLUMNS = (
    Column(title="Created", most=20),
    Column(title="Bulk payment", most=40),
    Column(title="Status", most=_WORD),
    Column(title="Payments", most=12, align="right"),
    Column(title="Paid", most=12, align="right"),
    Column(title="Failed", most=12, align="right"),
)
TEMPLATE_SENT = md.message(":page_facing_up: I sent you a template. Fill it in, drop it here and press *Pay in bulk*.")


def freezing(frozen: Frozen | None, *, changed: bool, asked_to_freeze: bool, needed: int) -> Content:
    if frozen is None:
        return md.message(":sunny: Payments are unfrozen." if changed else ":sunny: Payments aren't frozen.")
    if asked_to_freeze or frozen.is_restored:
        told = "Payments are frozen." if changed else describe(frozen)
        return md.message(f":snowflake: {told}")
    have = f"{len(frozen.lifting)} of {needed}"
    voted = "You voted to unfreeze" if changed else "You've already voted to unfreeze"
    return md.message(f":ballot_box_with_check: {voted} ({have}). Payments stay frozen until {needed} approvers have.")


def describe(frozen: Frozen) -> str:
    by = f" by {md.mention(frozen.by)}" if frozen.by else ""
    return f"Payments are frozen{by}: “{md.typed(worded(frozen.reason))}”."


def refused_while_frozen(frozen: Frozen) -> Content:
    after = "" if frozen.is_restored else " You can send requests again once an approver unfreezes them."
    return md.message(f":snowflake: {describe(frozen)}{after}")


def requested(instruction: Instruction, *, member: bool, over: Reason | None = None) -> Content:
    """Confirm a request that isn't sent yet. ``member`` means that the bot can post where it was requested.

    ``over`` is the reason if it exceeds the amount that may be sent today.
    """
    words, origin = KINDS[instruction.kind], instruction.origin_channel
    asked = Stands(words, instruction).say(words.requested)
    where = ""
    if not member and origin.startswith("D"):
        where = "\nI'm not in this conversation, so I'll message you."
    elif not member:
        where = f"\nI'm not in {md.channel(origin)}, so I'll message you. To add me: `/invite @Switchboard`"
    warned = f"\n:warning: {reason_of(over)}" if over is not None else ""
    return md.message(f":memo: {asked}{warned}{where}")


def line_says_it(instruction: Instruction, *, member: bool, over: Reason | None = None) -> bool:
    """Return whether the line in the original channel contains all of ``requested``, with its arguments."""
    return member and over is None and not is_unusual(instruction)


def refused(refusal: No | Refusal, instruction: Instruction) -> Content:
    """Explain why a click or command about a request had no effect, and who decided it if a person did."""
    if refusal is Refusal.DECIDED:
        # People set some of the states; the service sets the others after an approval.
        people = instruction.state in (State.APPROVED, State.REJECTED, State.WITHDRAWN, State.CLOSED)
        who = f"{'' if people else ', approved'} by {md.mention(instruction.decided_by)}"
        by = who if instruction.decided_by else ""
        at = f" at {md.moment(instruction.closed_at)}" if instruction.closed_at else ""
        final = f"{'already' if instruction.state in FINAL else 'now'} *{word_of(instruction)}*"
        about = f"{md.escape(headline(instruction))} ({instruction.reference})"
        return md.message(f":information_source: {about} is {final}{by}{at}.")
    told = answers.refused(refusal)
    if refusal is Refusal.EXPIRED:
        return md.message(f"{told.text} {KINDS[instruction.kind].nothing}")
    if refusal not in (Refusal.TOO_LATE, Refusal.STALE):
        return told
    return md.message(f"{told.text} Its status: *{word_of(instruction)}*.")


def never_approved(short: Short) -> Content:
    """Explain that nothing was requested because there are too few people to approve it."""
    return md.message(f":no_entry_sign: Not requested: {short_of_people(short)}; ask an admin to add an approver.")


def code_taken(holder: Instruction) -> str:
    """Explain why a code can't be chosen, worded as a rule for the argument."""
    return f"{holder.reference} already has this code ({word_of(holder)}); a code is used once"


def shown_to(
    instruction: Instruction,
    votes: Sequence[Vote],
    *,
    approvals_channel: str,
    link: str = "",
    again: PaidAgain = NOT_AGAIN,
) -> Content:
    """Return a request's current card without buttons; ``link`` is a purchase's checkout address."""
    if (own := KINDS[instruction.kind].card) is not None:
        return own(instruction, link=link, buttons=False)
    return card(instruction, votes, for_approvers=True, approvals_channel=approvals_channel, buttons=False, again=again)


def waiting(found: Sequence[WaitingRequest]) -> Content:
    if not found:
        return md.message(":tada: You're all caught up. Nothing waits for approval.")
    mine = sum(1 for one in found if one.mine)
    others = sum(1 for one in found if not one.is_over) - mine
    lead = f"Nothing for you. *{md.counted(others, 'request')} {'waits' if others == 1 else 'wait'} for others.*"
    if mine:
        more = f" {others} more {'waits' if others == 1 else 'wait'} for others." if others else ""
        lead = f"*{mine} {'needs' if mine == 1 else 'need'} you.*{more}"
    blocks: list[Block] = [md.paragraph(lead)]
    texts = [lead]
    laid = " ".join(one.instruction.id for one in found[:_LISTED])
    for one in found[:_LISTED]:
        line, purpose = waiting_line(one), one.instruction.payload.description
        small = md.plain(f"For: {md.shorten(clean(purpose), _PURPOSE)}")
        warned = doubts(one.instruction, one.short)
        decide = [
            {**press, "value": f"{press['value']}|{laid}"} if press["action_id"] == APPROVE else press
            for press in (deciding(one.instruction) if one.mine else [])
        ]
        pressed = actions([*decide, *opening(one.link)])
        if one.is_settled:  # as high as its buttons, so that another row doesn't move under the finger
            pressed = [md.paragraph(f"*{md.capital(word_of(one.instruction))}*")]
        about: Block = {"type": "context", "elements": [small]}
        blocks += [md.paragraph("\n".join([line, *warned])), about, *pressed]
        texts.append(" · ".join([line, f"For: {md.typed(purpose, _PURPOSE)}", *warned]))
    if len(found) > _LISTED:
        more = f"and {len(found) - _LISTED} more"
        blocks.append(md.context(more))
        texts.append(more)
    return Content(text=md.fallback_text(texts), blocks=blocks)


def waiting_line(one: WaitingRequest) -> str:
    instruction = one.instruction
    until = f" · expires {md.moment(instruction.expires_at)}" if instruction.expires_at else ""
    voted = [vote.person for vote in one.votes]
    votes = f" · approved by {md.mentions(voted)}" if voted else ""
    mark = ":point_right:" if one.mine else ":hourglass_flowing_sand:"
    stands = f"{len(voted)} of {instruction.requirement.quorum} approvals"
    if instruction.state is State.NEEDS_HUMAN:
        stands, until = "needs a decision: retry or close", ""
    return (
        f"{mark} *{md.escape(headline(instruction))}* · {stands}{votes}{until} · requested by "
        f"{md.mention(instruction.requester)} · {instruction.reference}"
    )


def asked(instruction: Instruction, read: Checked, *, member: bool, over: Reason | None = None) -> Content:
    """Confirm a file's request, with anything unexpected in the file: left out rows, hidden content."""
    left = read.left_out
    left_out = [f"Left out: {some_rows(left, len(left))}."] if left else []
    how = [f"{md.capital(md.quote(read.read_as, 300))}."] if read.read_as else []
    lines = [requested(instruction, member=member, over=over).text, *how, *left_out, *mark_lines(read.marks)]
    return md.message("\n".join(lines))


def asked_before(instruction: Instruction, what: str = "file") -> Content:
    return md.message(
        f":information_source: This {what} was already requested as {instruction.reference}: "
        f"{md.escape(headline(instruction))}, *{word_of(instruction)}*."
    )


def reading(name: str) -> Content:
    return md.message(
        f":hourglass_flowing_sand: Reading “{md.quote(name, _NAME)}”…" if name else ":hourglass: Reading…"
    )


def items(
    name: str,
    rows: Sequence[BulkRow],
    *,
    page: int,
    pages: int,
    total: int,
    failed: bool,
    read_at: datetime | None,
    known: Mapping[str, Lookup] = MappingProxyType({}),
) -> Content:
    """List payments; ``known`` are the look-ups of recipients before sending, by address in lower case."""
    what = "Failed payments" if failed else "Payments"
    whose = md.quote(name, _NAME)
    which = f"{'failed' if failed else 'items'}:{name}"
    pager = turns(which, page, pages, csv_button(ITEMS, which), back=PREVIOUS, on=NEXT)
    if not rows:
        text = f"*{what} of {whose}*: none" + (f" on page {page} of {pages}" if page > 1 else "")
        return Content(text=text, blocks=[md.paragraph(text), *pager])
    cells, lines = [], []
    # The internal note of our rows begins with their reference and number, which are already shown.
    rows = [replace(one, internal_note=one.internal_note.removeprefix(f"{name}/{one.row}")) for one in rows]
    names = [_name(one, known.get(one.email.casefold())) for one in rows]
    noted = [(column, field) for column, field in _NOTE_COLUMNS if any(getattr(one, field) for one in rows)]
    is_sent = any(one.status for one in rows)
    drawn = _FAILED_COLUMNS if failed else _UNSENT_COLUMNS if known and not is_sent else _ITEM_COLUMNS
    for one, whom in zip(rows, names, strict=True):
        stood = one.error or "No reason given" if failed else item_word(one.status) or "Not reported"
        if drawn is _UNSENT_COLUMNS:
            stood = account_cells(one, known.get(one.email.casefold()))[-1]
        number = str(one.row or "")  # a payment only in the list of failures has no number
        notes = [(column.title, str(getattr(one, field))) for column, field in noted]
        named = [whom] if any(names) else []
        cells.append([number, one.email, *named, shown(one.cents), stood, *(text for _, text in notes)])
        told = [f"row {number}"] if number else []
        told += [md.quote(text, _PERSON) for text in (one.email, whom) if text]
        told += [md.escape(shown(one.cents)), *([md.quote(stood, 200)] if stood else [])]
        told += [f"{title.lower()} {md.quote(text, _PERSON)}" for title, text in notes if text]
        lines.append(f"• {' · '.join(told)}")
    lead = f"*{what} of {whose}*: {total}, page {page} of {pages}"
    after: list[Block] = [md.context(f"Checked {md.moment(read_at)}")] if read_at else []
    columns = [*drawn[:2], *([_NAME_COLUMN] if any(names) else []), *drawn[2:], *(column for column, _ in noted)]
    return listing(lead, table(columns, cells), lines, *after, *pager)


def _name(row: BulkRow, found: Lookup | None) -> str:
    """Return the recipient's name in the file, with the registered name if it differs."""
    registered = clean(found.recipient.full_name or "") if found is not None else ""
    given = clean(row.name)
    if not given or not registered or names_fit(registered, given):
        return given or registered
    return f"{given} (registered: {registered})"


def history(page: JobPage, ours: Mapping[str, Instruction], *, command: str) -> Content:
    if not page.jobs:
        return md.message(
            "No bulk payments yet." if page.page <= 1 else f"There are no bulk payments on page {page.page}."
        )
    lead = f"*Bulk payments*, page {page.page} of {max(1, page.pages)}"
    rows = list[list[Cell]]()
    for one in page.jobs:
        known = ours.get(one.id)
        called = [one.id, job_word(one)] if known is None else [known.reference, word_of(known)]
        rows.append([one.created_at, *called, *map(_number, (one.count, one.completed, one.failed))])
    counts = [column.title.lower() if column.align == "right" else "" for column in _JOB_COLUMNS]
    lines = []
    for row in rows:  # non-empty cells, and numbers with their nouns
        named = [
            (
                md.moment(cell) if isinstance(cell, datetime) else md.escape(cell or ""),
                what.removesuffix("s" if cell == "1" else ""),
            )
            for cell, what in zip(row, counts, strict=True)
        ]
        lines.append("• " + " · ".join(f"{cell} {what}".rstrip() for cell, what in named if cell))
    after: list[Block] = [
        md.context(f"Details: `{command} bulk show L-…`"),
        *turns("history", page.page, page.pages, csv_button(HISTORY), back=PREVIOUS, on=NEXT),
    ]
    return listing(lead, table(_JOB_COLUMNS, rows[:50]), lines, *after)


def job_row(one: BulkJob, known: Instruction | None) -> list[str]:
    """Return a bulk payment as a row of the history file, by ``JOBS_HEADER``."""
    return [
        one.created_at.isoformat(timespec="seconds") if one.created_at else "",
        known.reference if known is not None else "",
        one.id,
        word_of(known) if known is not None else job_word(one),
        one.status,
        *map(_number, (one.count, one.completed, one.failed, one.pending)),
    ]


def item_row(one: BulkRow, known: Mapping[str, Lookup] = MappingProxyType({})) -> list[str]:
    """Return a payment as a row of the items file, by ``ITEMS_HEADER``; ``known`` is as in ``items``."""
    amount = [digits(one.cents), CURRENCY]
    notes = [one.note, one.internal_note, one.user_id]
    said = [item_word(one.status), one.error, one.hash]
    account = account_cells(one, known.get(one.email.casefold())) if known else [""] * len(ACCOUNTS_HEADER)
    return [str(one.row or ""), one.email, *amount, *notes, *said, *account[2:]]


def job(found: BulkJob, counted: Tally | None = None) -> Content:
    """Show a bulk payment; ``counted`` are its payments, or None if they couldn't be read."""
    notes = ["Created outside Switchboard."]
    if found.state is JobStatus.FAILED and counted is not None:
        notes.insert(0, advice(counted))
    return facts(f"Bulk payment {found.id}", job_facts(found, counted)[1:], notes=notes)


def job_facts(found: BulkJob, counted: Tally | None = None) -> list[Fact]:
    """Return the service's facts about a bulk payment, its id first."""
    more: dict[str, int] = {}
    if counted is not None:
        moving = counted.under_way - counted.queued
        more = {"Canceled": counted.canceled, "Queued": counted.queued, "In progress": moving}
    return [
        ("Provider ID", found.id),
        ("Status", job_word(found)),
        ("Why", found.why),
        ("Payments", _number(found.count)),
        ("Waiting for sign-up", _number(counted.pending if counted is not None else found.pending)),
        ("Paid", _number(found.completed)),
        ("Failed", _number(found.failed)),
        *((what, str(count)) for what, count in more.items() if count),
        ("Created", found.created_at),
    ]


def asked_again_before(first: Instruction, before: Instruction) -> Content:
    return md.message(
        f":information_source: The failed payments of {first.reference} were already requested again as "
        f"{before.reference}: {md.escape(headline(before))}, *{word_of(before)}*."
    )


def none_to_pay_again(first: Instruction, doubtful: int) -> Content:
    """Explain why nothing is retried: ``doubtful`` rows aren't confirmed as failed now, or none is left if 0."""
    if not doubtful:
        return md.message(f":information_source: {first.reference} has no failed payments left to retry.")
    return md.message(
        f":warning: Not requested: {_not_confirmed(doubtful)}. Try again in a few minutes. The failed payments: "
        f"`bulk failed {first.reference}`"
    )


def again(
    asked_for: Instruction, first: Instruction, doubtful: int, *, member: bool, over: Reason | None = None
) -> Content:
    told = f"{requested(asked_for, member=member, over=over).text} It retries what failed in {first.reference}."
    return md.message(f"{told} :warning: Left out: {_not_confirmed(doubtful)}." if doubtful else told)


def _not_confirmed(doubtful: int) -> str:
    return f"the provider doesn't confirm now that {md.counted(doubtful, 'payment')} failed"


def not_returned(reference: str, status: str) -> Content:
    """Explain that a payout isn't in escrow any more, with the service's ``status``."""
    now = md.quote(status_word(status))
    return md.message(f":information_source: {reference} can't be canceled any more. It is *{now}*.")


def not_sent(bulk: str) -> Content:
    return md.message(f":pencil2: {bulk} wasn't sent yet, so there's nothing to cancel. Withdraw it on its card.")


def cannot_cancel(
    why: str, typed: Sequence[str], items: Sequence[BulkRow] = (), *, bulk: str, rows: tuple[int, int] = (0, 0)
) -> Content:
    """Explain why nothing was requested for the ``typed`` names; ``items`` match, ``rows`` are first and last row."""
    named = md.series([f"`{md.quote(one.replace('`', ''), 70)}`" for one in typed[:_NAMED]], len(typed))
    match why:
        case "nothing pending":
            told = f"No payment of {bulk} is waiting now, so there's nothing to cancel."
        case "unknown hash" if all(one.isdecimal() for one in typed) and rows[1]:
            told = f"There's no row {md.series(typed[:_NAMED], len(typed))}; {bulk} has rows {rows[0]}–{rows[1]}."
        case "unknown hash":
            told = f"{bulk} has no payment {named}. Use row numbers, or the first eight digits of a hash."
        case "ambiguous":
            told = f"{named} fits several payments of {bulk}. Use row numbers, or more digits of the hash."
        case "not pending":
            told = "\n".join(md.listed([_not_waiting(one) for one in items[:_NAMED]], _NAMED, of=len(items)))
        case _:
            told = f"The provider doesn't give the amount of {named}, so this can't be approved."
    return md.message(f":pencil2: {told}")


def _not_waiting(one: BulkRow) -> str:
    who = md.quote(one.email, _PERSON)
    which = f"Row {one.row}{f' ({who})' if who else ''}" if one.row else f"The payment to {who}"
    stands = _ENDED.get(one.status, f"is {md.quote(item_word(one.status), _WORD)}, not waiting")
    return f"{which} {stands}, so it can't be canceled."


def _number(count: int | None) -> str:
    return "" if count is None else str(count)
