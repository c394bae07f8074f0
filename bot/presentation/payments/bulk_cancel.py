"""What cancellations say: of payments of a bulk payment, or of one payout, that wait in escrow."""

from typing import Final

from bot.domain.content import Block
from bot.domain.money import plain, shown
from bot.domain.overview import What
from bot.domain.payments.bulk import CancelPayload, Tally
from bot.domain.payments.instruction import Instruction, State
from bot.presentation.blocks.text import counted, mrkdwn, quote, section
from bot.presentation.payments.bulk import MANY_LIMIT, many_text, many_title
from bot.presentation.payments.wording import ALERTS, DECIDED, NEWS, Line, Stands, ThreadFile, Wording
from bot.presentation.words import IN_ESCROW, UNKNOWN

_NAME = 120


def _payload(instruction: Instruction) -> CancelPayload:
    if not isinstance(instruction.payload, CancelPayload):
        raise TypeError(f"{instruction.reference} is no cancellation")
    return instruction.payload


def _headline(instruction: Instruction) -> str:
    payload = _payload(instruction)
    return f"{shown(payload.cents)} back from {counted(payload.count, 'payment')} still {IN_ESCROW}"


def _look_up(stands: Stands) -> str:
    payload = _payload(stands.instruction)
    if payload.payout_to:
        return f"The payout's id at the service: `{quote(payload.bulk_remote_id)}`"
    return "Its payments are named by their hashes in the file of the thread"


def _line(instruction: Instruction) -> str:
    payload = _payload(instruction)
    if payload.payout_to:
        return f"Payout {quote(payload.bulk, _NAME)} to {quote(payload.payout_to)}, which nobody has taken yet"
    which = "Everything that was pending when it was asked for" if payload.all_pending else "Named one by one"
    payments = counted(payload.count, "payment")
    return f"Of bulk payment {quote(payload.bulk, _NAME)}. {which}: {payments}, each by its hash"


def _head(instruction: Instruction, asker: str) -> list[Block]:
    asked = f"Asked by {asker}, reference {instruction.reference}"
    return [many_title(CANCELLATION, instruction), section(mrkdwn(f"{_line(instruction)}\n{asked}"))]


def _text(instruction: Instruction, asker: str) -> list[str]:
    return many_text(CANCELLATION, instruction, [_line(instruction)], asker)


def _commit_unknown(stands: Stands) -> str:
    lost = "the service did not say whether it canceled them. Switchboard is reading them again."
    return f"{lost}{stands.answered}"


def _needs_human(stands: Stands) -> str:
    """Why people have to decide: an answer that was lost, or approvals that were."""
    doubt = f"whether the service canceled them is *{UNKNOWN}*."
    if stands.instruction.unknown_since is None:
        doubt = "not all of them were sent to the service."
    return f"{doubt} {stands.reason}"


def _ended(stands: Stands) -> str:
    return f"{_canceled(stands.tally)} {stands.reason}"


def _ended_as(how: str) -> Line:
    return lambda told: f"{how}: {_canceled(told.tally)}{told.why}{told.approved}"


def _canceled(tally: Tally) -> str:
    """What it came to: canceled and returned, too late, and what still is pending."""
    late = tally.completed + tally.failed + tally.under_way
    cents = sum(tally.sums.values()) - tally.cents_of("canceled", "pending")
    canceled = f"{counted(tally.canceled, 'payment')} canceled"
    parts = [f"{canceled}, {shown(tally.cents_of('canceled'))} returned to the balance"]
    if late:
        parts.append(f"{late} too late ({shown(cents)}): {tally.completed} completed, {tally.failed} failed")
    if tally.pending:
        parts.append(f"{tally.pending} still {IN_ESCROW} ({shown(tally.cents_of('pending'))})")
    return "; ".join(parts) + "."


def _file(what: str) -> ThreadFile:
    return ThreadFile(
        title=f"{{reference}}: {what}",
        alt="A table of {payments} with their hashes",
        comment=f":page_facing_up: {{reference}}: {what} ({{payments}})",
        header=("email", "amount", "status", "hash"),
        row=lambda row: (row.email, plain(row.cents), row.status, row.hash),
    )


CANCELLATION: Final = Wording(
    what=What.BULK_CANCEL,
    noun="cancellation",
    headline=_headline,
    nothing="Nothing was canceled.",
    look_up=_look_up,
    head=_head,
    text=_text,
    text_limit=MANY_LIMIT,
    sentences={
        **DECIDED,
        State.NEW: "nothing is canceled before people approve it.",
        State.SENDING: "the request is on its way to the service; no answer yet.",
        State.COMMIT_UNKNOWN: _commit_unknown,
        State.NEEDS_HUMAN: _needs_human,
        State.COMMITTED: "everything was sent; the outcome of each payment is being read. {reason}",
        State.COMPLETED: _ended,
        State.FAILED: _ended,
        State.MISMATCH: "{after_colon} {words.nothing}",
    },
    news_lead="{noun} {instruction.reference}, {headline},",
    news={
        **NEWS,
        State.COMMIT_UNKNOWN: "{sent}",
        State.COMPLETED: _ended_as("is *completed*"),
        State.FAILED: _ended_as("has *failed*"),
        State.MISMATCH: "has *failed*: it was not sent. {words.nothing}{why}",
    },
    topics=ALERTS,
    retry=(
        "Only payments that still read as pending are named again. What was canceled already is canceled once only."
    ),
    closed_as="",
    close_title="Close a cancellation",
    close_hint="What became of the payments, and how do you know?",
    files={"request": _file("the payments to cancel"), "result": _file("outcome of each payment")},
)
