"""The card of a bulk payment and of a cancellation, its news and its files, and what failed, item by item."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bot.domain.content import Block, Content
from bot.domain.money import plain, shown
from bot.domain.payments.bulk import BulkPayload, BulkProgress, CancelPayload, Tally
from bot.domain.payments.bulk_records import BulkRow
from bot.domain.payments.instruction import Instruction, Kind, PayoutPayload, State
from bot.presentation.blocks.elements import button, question
from bot.presentation.blocks.text import (
    bar,
    counted,
    escape,
    header,
    labelled,
    mention,
    message,
    mrkdwn,
    quote,
    section,
    shorten,
)
from bot.presentation.files.columns import mark_lines
from bot.presentation.payments import bulk_words
from bot.presentation.payments.states import approved_by, became, because_of, headline
from bot.presentation.words import FINISHED, IN_ESCROW, nothing, noun, symbol, word

CANCEL = "bulk.cancel"
"""The button that cancels what is pending."""
RETURN = "payout.return"
"""The button that cancels a payout in escrow."""

_NAME = 120
_TO_DECIDE = frozenset(
    {State.NEW, State.AWAITING, State.APPROVED, State.SENDING, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN}
)
_CAN_CANCEL = frozenset({State.COMMITTED, State.PENDING_ESCROW})


def facts(instruction: Instruction, *, asker: str) -> list[Block]:
    """What the card says besides headline and state, as blocks. ``asker``: mrkdwn."""
    match instruction.payload:
        case BulkPayload() as payload:
            return _bulk_facts(instruction, payload, asker)
        case CancelPayload() as payload:
            asked = f"Asked by {asker}, reference {instruction.reference}"
            return [section(mrkdwn("\n".join([*_cancel_lines(payload), asked])))]
        case _:
            return []


def lines(instruction: Instruction) -> list[str]:
    """The same as lines of mrkdwn, for the text of a message."""
    match instruction.payload:
        case BulkPayload() as payload:
            return _bulk_lines(instruction, payload)
        case CancelPayload() as payload:
            return _cancel_lines(payload)
        case _:
            return []


def cancel_button(instruction: Instruction) -> list[Block]:
    """On the job's message, as long as something can be canceled."""
    progress = instruction.progress or BulkProgress()
    if not isinstance(instruction.payload, BulkPayload) or instruction.state not in _CAN_CANCEL:
        return []
    if not progress.tally.pending:
        return []
    text = (
        f"{bulk_words.payments(progress.tally.pending)} are pending. Approvers decide about exactly those that are "
        "pending now."
    )
    asked = question("Ask to cancel?", text, yes="Ask for approval", no="Leave them")
    return [button("Cancel pending", CANCEL, instruction.id, confirm=asked)]


def return_button(instruction: Instruction) -> list[Block]:
    """On the card of a payout that is held in escrow."""
    if not isinstance(instruction.payload, PayoutPayload) or instruction.state is not State.PENDING_ESCROW:
        return []
    text = f"{shorten(headline(instruction), _NAME)}. Nothing is canceled before people approve it."
    asked = question("Cancel and return the money?", text, yes="Ask for approval", no="Leave it")
    return [button("Cancel and return the money", RETURN, instruction.id, confirm=asked)]


def _bulk_facts(instruction: Instruction, payload: BulkPayload, asker: str) -> list[Block]:
    told = _bulk_lines(instruction, payload)
    known: list[Block] = [
        {
            "type": "section",
            "fields": [
                labelled("File", quote(payload.name, _NAME)),
                labelled("Reference", instruction.reference),
                labelled("Asked by", asker),
                labelled("Payments", _together(payload)),
            ],
        },
    ]
    return [*known, section(mrkdwn("\n".join(told[1:])))] if told[1:] else known


def _bulk_lines(instruction: Instruction, payload: BulkPayload) -> list[str]:
    first = f"File “{quote(payload.name, _NAME)}”, {_together(payload)}"
    if instruction.state not in _TO_DECIDE:
        return [first]  # what was decided on stands in the file; from here on it is about how far it is
    top = "\n".join(f"• {shown(one.cents)} to {escape(one.email)} (row {one.row})" for one in payload.largest)
    found = [
        first,
        f"*Largest*:\n{top}",
        f"*Duplicates*: {_duplicates(payload)}",
        f"*Never paid before*: {counted(payload.new_count, 'recipient') if payload.new_count else 'nobody'}",
    ]
    if payload.same_as:
        found.append(f":warning: *The same payments* were asked for as {payload.same_as}")
    found.append(bulk_words.accounts_line(instruction.progress))
    found += mark_lines(payload.marks)
    if payload.read_as:
        found.append(f"Read as: {quote(payload.read_as, 300)}")
    return found


def _together(payload: BulkPayload) -> str:
    return f"{bulk_words.payments_to(payload.count, payload.people)}, {shown(payload.cents)} together"


def _duplicates(payload: BulkPayload) -> str:
    if not payload.duplicate_count:
        return "no row repeats the address and the amount of another" if _several_each(payload) else "none"
    return bulk_words.repeated(payload.duplicates, payload.duplicate_count)


def _several_each(payload: BulkPayload) -> bool:
    return 0 < payload.people < payload.count


def _cancel_lines(payload: CancelPayload) -> list[str]:
    if payload.payout_to:
        return [f"Payout {quote(payload.bulk, _NAME)} to {quote(payload.payout_to)}, which nobody has taken yet"]
    which = "Everything that was pending when it was asked for" if payload.all_pending else "Named one by one"
    return [
        f"Of bulk payment {quote(payload.bulk, _NAME)}. {which}: "
        f"{bulk_words.payments(payload.count)}, each by its hash",
    ]


# News


def news(instruction: Instruction, told: Mapping[str, Any], *, names: Mapping[str, str]) -> Content:
    """Its outcome, for the thread of its card; with a chart in the end, when payments were made."""
    state = State(str(told["state"]))
    tally = Tally.model_validate(told["tally"]) if told.get("tally") else Tally()
    lead = (
        f"{_symbol(instruction, state, tally)} {mention(instruction.requester)} "
        f"{escape(noun(instruction).capitalize())} "
        f"{instruction.reference}, {escape(headline(instruction))}, {_told(instruction, told, tally, names)}"
    )
    charted = isinstance(instruction.payload, BulkPayload) and state is not State.PENDING_ESCROW
    chart = _chart(instruction, tally) if charted and tally.total else None
    if chart is None:
        return message(lead)
    drawn = [section(mrkdwn(lead)), section(mrkdwn(_drawn(tally)))]
    return Content(text=lead, blocks=[section(mrkdwn(lead)), chart], plainer=drawn)


def _told(instruction: Instruction, told: Mapping[str, Any], tally: Tally, names: Mapping[str, str]) -> str:
    state = State(str(told["state"]))
    approved, because = approved_by(told, names), because_of(told)
    cancels = isinstance(instruction.payload, CancelPayload)
    match state:
        case State.COMPLETED | State.FAILED | State.CANCELED if cancels:
            return f"{_ended(state)}: {bulk_words.canceled(tally)}{because}{approved}"
        case State.PENDING_ESCROW:
            return f"{bulk_words.so_far(tally)}{approved}"
        case State.COMPLETED | State.FAILED | State.CANCELED | State.COMMITTED:
            return f"{_over(instruction, state, tally)}{approved}"
        case State.MISMATCH:
            return _not_sent(instruction, state, because)
        case _:
            return became(instruction, told, names)


def _not_sent(instruction: Instruction, state: State, because: str) -> str:
    return f"has *{word(state)}*: it was not sent. {nothing(instruction)}{because}"


def _symbol(instruction: Instruction, state: State, tally: Tally) -> str:
    """No green mark where some of the payments failed."""
    mixed = isinstance(instruction.payload, BulkPayload) and state is State.COMPLETED and tally.failed
    return ":warning:" if mixed else symbol(state)


def _over(instruction: Instruction, state: State, tally: Tally) -> str:
    approved = _approved(instruction)
    if state is State.COMPLETED and tally.failed:
        counted = bulk_words.summary(tally, approved, sums=False)
        return f"is *{FINISHED}*: {bulk_words.outcome(tally)}. *Summary*: {counted}"
    how = "is through at the service, *but not everything is accounted for*:"
    if state is not State.COMMITTED:
        how = f"{_ended(state)}. *Summary*:"
    return f"{how} {bulk_words.summary(tally, approved)}"


def _ended(state: State) -> str:
    verb = {State.FAILED: "has", State.CANCELED: "was"}.get(state, "is")
    return f"{verb} *{word(state)}*"


def _approved(instruction: Instruction) -> int:
    return instruction.payload.count if isinstance(instruction.payload, BulkPayload) else 0


def _chart(instruction: Instruction, tally: Tally) -> Block | None:
    """A pie with a piece for everything there is."""
    pieces = [{"label": label, "value": count} for label, count in _pieces(tally)]
    if not pieces:
        return None
    title = shorten(f"Payments of {instruction.reference}", 50)
    return {"type": "data_visualization", "title": title, "chart": {"type": "pie", "segments": pieces}}


def _drawn(tally: Tally) -> str:
    """The same with letters, for a workspace that draws no charts."""
    return "\n".join(f"`{bar(count, tally.total)}` {label} ({count})" for label, count in _pieces(tally))


def _pieces(tally: Tally) -> list[tuple[str, int]]:
    found = (
        ("Completed", tally.completed),
        ("Failed", tally.failed),
        (IN_ESCROW.capitalize(), tally.pending),
        ("Canceled", tally.canceled),
        ("Under way", tally.under_way),
        ("Unaccounted", tally.unaccounted),
    )
    return [(label, count) for label, count in found if count > 0]


def title(instruction: Instruction) -> Block:
    """The headline of the card."""
    return header(f"{noun(instruction).capitalize()}: {headline(instruction)}")


REQUEST_HEADER = ("email", "amount", "note")
FAILED_HEADER = ("email", "amount", "note", "error")
"""The first three are what a new request reads, so that it can be dropped again after mending."""
ITEMS_HEADER = ("row", "email", "amount", "note", "status", "hash", "error")
CANCEL_HEADER = ("email", "amount", "status", "hash")
TEMPLATE_TITLE = "Template for a bulk payment"
BAD_ROWS_TITLE = "Rows to mend"
TEMPLATE = (("ana@example.com", "25.00", "March translation"), ("ben@example.com", "10.50", "Proofreading"))

_NOT_REPORTED = "not reported"


@dataclass(frozen=True, slots=True)
class Told:
    """Title, alternative text and comment of a file."""

    title: str
    alt: str
    comment: str


def request_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """What is to be paid."""
    return [(row.email, plain(row.cents), row.note) for row in rows]


def failed_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """What failed, with the service's words."""
    return [(row.email, plain(row.cents), row.note, row.error) for row in rows]


def item_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """Every item, with its hash."""
    return [
        (str(row.row), row.email, plain(row.cents), row.note, row.status or _NOT_REPORTED, row.hash, row.error)
        for row in rows
    ]


def cancel_lines(rows: Iterable[BulkRow]) -> list[Sequence[str]]:
    """The items to cancel, or their outcomes."""
    return [(row.email, plain(row.cents), row.status, row.hash) for row in rows]


def about(instruction: Instruction, *, kind: str, count: int) -> Told:
    """Title, the same in words, and the message."""
    reference = instruction.reference
    payments = counted(count, "payment")
    if instruction.kind is Kind.BULK_CANCEL:
        title = f"{reference}: the payments to cancel" if kind == "request" else f"{reference}: outcome of each payment"
        return Told(title, f"A table of {payments} with their hashes", f":page_facing_up: {escape(title)} ({payments})")
    match kind:
        case "failed":
            title = f"{reference}: failed payments"
            comment = (
                f":page_facing_up: The {payments} that failed, with the reasons. Mend the rows, drop the file here "
                "again and choose *Pay in bulk*."
            )
        case "items":
            title = f"{reference}: every payment"
            what = "The payment with its" if count == 1 else f"All {payments} with their"
            comment = f":page_facing_up: {what} final state and hash."
        case _:
            title = f"{reference}: what is to be paid"
            comment = f":page_facing_up: The file behind {reference}: {payments}, exactly as they would be sent."
    return Told(title, f"A table of {payments}", comment)
