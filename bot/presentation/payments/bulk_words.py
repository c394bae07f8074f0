"""Sentences for each state of a bulk payment and of a cancellation, and where to look one up at the service."""

from collections.abc import Sequence

from bot.domain.money import shown
from bot.domain.payments.bulk import BulkPayload, BulkProgress, CancelPayload, Tally
from bot.domain.payments.bulk_state import has_failures
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import read_status
from bot.domain.reasons import Reason
from bot.presentation.blocks.text import as_said, bar, counted, quote, sentence_of
from bot.presentation.reasons import because_refused, reason_of, worded
from bot.presentation.words import DO_NOT_PAY_AGAIN, IN_ESCROW, NOT_ACTIVE, NOTHING_PAID, UNKNOWN, nothing

_ID_LIMIT = 200
_STATUS_LIMIT = 100


def look_up(instruction: Instruction) -> str:
    """The service's id where we know it; else what we gave it: a code, or of many payments the notes of their rows."""
    if instruction.remote_id:
        return f"The service's id: `{quote(instruction.remote_id.replace('`', ''), _ID_LIMIT)}`"
    match instruction.kind:
        case Kind.BULK:
            return f"Its payments carry notes such as `{instruction.reference}/2` at the service"
        case Kind.BULK_CANCEL if isinstance(instruction.payload, CancelPayload) and instruction.payload.payout_to:
            return f"The payout's id at the service: `{quote(instruction.payload.bulk_remote_id)}`"
        case Kind.BULK_CANCEL:
            return "Its payments are named by their hashes in the file of the thread"
        case _:
            return f"Our code at the service: `{instruction.code}`"


def said_raw(instruction: Instruction) -> str:
    """The service's own word for an unknown status: a sentence with a space before it. No decision depends on it."""
    said = instruction.remote_status
    if not said or read_status(said) is not None:
        return ""
    return f" The service calls this “{quote(said, _STATUS_LIMIT)}”, a status Switchboard does not know."


def checking(instruction: Instruction) -> str:
    """While the refusal is held against what the service shows; empty when there was none."""
    if not instruction.refusal:
        return ""
    why = because_refused(instruction.refusal)
    return f"the service refused it.{why} Switchboard is checking that it did not act all the same."


def in_doubt(instruction: Instruction, lost: str) -> str:
    """Whether a payment was executed is unknown. ``lost``: what is said where no refusal came."""
    said = f"{checking(instruction) or lost}{answered(instruction)}"
    return f"{said} *{DO_NOT_PAY_AGAIN}*{doubt(instruction)}"


def answered(instruction: Instruction) -> str:
    """What the service said while it left the outcome open; a sentence of its own with a space before it."""
    if instruction.refusal or instruction.suspect:
        return ""
    return _gave(instruction.reason)


def _gave(reason: Reason | None) -> str:
    return f" The service gave {as_said(quote(worded(reason)))}" if reason is not None and reason.quotes_answer else ""


def sent(refusal: Reason | None, reason: Reason | None) -> str:
    """The news of an unknown outcome: what the service answered, if it did."""
    said = f" The service answered with a refusal.{because_refused(refusal)}" if refusal else _gave(reason)
    return f"was sent, but its outcome is *{UNKNOWN}*.{said} Switchboard is finding out."


def believed(instruction: Instruction) -> str:
    """At the end: what agrees with the refusal."""
    return f"the service refused it{_agrees(instruction)}"


def _agrees(instruction: Instruction) -> str:
    if not instruction.commits:
        return f". {NOTHING_PAID}"
    if instruction.kind is Kind.BULK:
        return ", and its history does not show it: nothing was paid."
    if instruction.kind is Kind.ONE_STEP:
        return ", and its list does not show it: nothing was paid."
    return "; its record says it is not paid."


def doubt(instruction: Instruction) -> str:
    """What people should look at before anything is known; a sentence of its own with a space before it."""
    return f" {sentence_of(quote(worded(instruction.reason)))}" if instruction.suspect else ""


_EMAILS = 3
_ROWS = 10


def headline(instruction: Instruction) -> str | None:
    """Amount first, then how many; None when it is about a single payment."""
    payload = instruction.payload
    match payload:
        case BulkPayload():
            return f"{shown(payload.cents)} in {payments(payload.count)}"
        case CancelPayload():
            return f"{shown(payload.cents)} back from {payments(payload.count)} still {IN_ESCROW}"
        case _:
            return None


def payments(count: int) -> str:
    """So many payments."""
    return counted(count, "payment")


def payments_to(count: int, people: int) -> str:
    """So many payments, and to how many people: somebody may be paid more than once."""
    if not people:
        return payments(count)  # an older request does not say
    return f"{payments(count)} to {counted(people, 'person', 'people')}"


def repeated(rows: Sequence[int], count: int) -> str:
    """Rows that repeat an earlier one; ``count`` is how many there are altogether."""
    named = ", ".join(f"row {row}" for row in rows[:_ROWS])
    more = count - len(rows[:_ROWS])
    return f"{named}{f' and {more} more' if more > 0 else ''} (same address and amount as an earlier row)"


def counts(tally: Tally) -> str:
    """Completed, failed and pending always, the others when there are any; together they are all there is."""
    parts = [
        f"{tally.completed} completed ({shown(tally.cents_of('completed'))})",
        f"{tally.failed} failed ({shown(tally.cents_of('failed'))})",
        f"{tally.pending} {IN_ESCROW} ({shown(tally.cents_of('pending'))})",
    ]
    if tally.canceled:
        parts.append(f"{tally.canceled} canceled ({shown(tally.cents_of('canceled'))})")
    if tally.under_way:
        parts.append(f"{tally.under_way} under way")
    if tally.unaccounted:
        parts.append(f"{tally.unaccounted} not reported yet")
    return ", ".join(parts)


def outcome(tally: Tally) -> str:
    """What came of a bulk payment that is over, when not all of it was paid."""
    parts = [
        f"{tally.completed} paid ({shown(tally.cents_of('completed'))})",
        f"{tally.failed} failed ({shown(tally.cents_of('failed'))})",
    ]
    if tally.canceled:
        parts.append(f"{tally.canceled} canceled ({shown(tally.cents_of('canceled'))})")
    return ", ".join(parts)


def summary(tally: Tally, approved: int, *, sums: bool = True) -> str:
    """The counts, and that they add up to what was approved, or what is missing; without ``sums`` where they stand."""
    if not sums:
        plain_counts = f"{tally.completed} completed, {tally.failed} failed, {tally.pending} {IN_ESCROW}"
        canceled_too = f", {tally.canceled} canceled" if tally.canceled else ""
        return f"{plain_counts}{canceled_too}. That is all {payments(approved)} that were approved."
    if tally.unaccounted:
        return f"{counts(tally)}. *Unaccounted: {tally.unaccounted}* of {payments(approved)} approved."
    return f"{counts(tally)}. That is all {payments(approved)} that were approved."


def so_far(tally: Tally) -> str:
    """Between the service's *done* and the end: what still can change, and that more will be said."""
    return (
        f"is not finished: so far {counts(tally)}. What is pending is followed; the summary comes when every payment "
        "is final."
    )


def progress_line(progress: BulkProgress) -> str:
    """How far the service is."""
    tally = progress.tally
    if not tally.total or tally.unaccounted == tally.total:
        return f"`{bar(0, 1)}` no payment reported yet."
    return f"`{bar(tally.final, tally.total)}` {counts(tally)}."


def accounts_line(progress: BulkProgress | None) -> str:
    """What the accounts of the recipients say, as far as they were looked up."""
    if progress is None or not progress.to_look_up:
        return "Accounts: not looked up yet"
    if progress.looked_up < progress.to_look_up:
        return f"Looking up accounts: `{bar(progress.looked_up, progress.to_look_up)}`"
    read = progress.looked_up - progress.not_read
    parts = [f"{read - progress.inactive} active"]
    if progress.inactive:
        names = ", ".join(quote(email, 130) for email in progress.inactive_emails[:_EMAILS])
        more = progress.inactive - min(_EMAILS, len(progress.inactive_emails))
        parts.append(
            f":warning: *{progress.inactive} not active* ({NOT_ACTIVE}): {names}"
            + (f" and {more} more" if more > 0 else "")
        )
    if progress.not_read:
        parts.append(f"{progress.not_read} could not be read")
    return f"Accounts looked up: {progress.looked_up}; {', '.join(parts)}"


BEFORE_DECIDING = "Look it up at the service before you decide; a new attempt needs a new approval"


def bulk(instruction: Instruction) -> str | None:  # noqa: PLR0911 - one arm a state
    """What follows the word of a bulk payment's state, in mrkdwn; None: what every request says."""
    progress = instruction.progress or BulkProgress()
    approved = instruction.payload.count if isinstance(instruction.payload, BulkPayload) else 0
    match instruction.state:
        case State.NEW:
            return "the recipients are being looked up; no money moves before people approve it."
        case State.SENDING:
            return "the payments are on their way to the service; no answer yet."
        case State.COMMIT_UNKNOWN:
            lost = (
                "the service did not say whether it took the payments. Switchboard is finding out from the service's "
                "history."
            )
            return in_doubt(instruction, lost)
        case State.NEEDS_HUMAN:
            return (
                f"the outcome is *{UNKNOWN}*. {BEFORE_DECIDING}, and no other bulk payment is sent until you have "
                f"decided. {look_up(instruction)}. {reason_of(instruction.reason)}"
            )
        case State.COMMITTED:
            return f"the service has the payments.\n{progress_line(progress)}"
        case State.PENDING_ESCROW:
            return f"the service has gone through all of them; what is pending is followed.\n{progress_line(progress)}"
        case State.COMPLETED if has_failures(instruction):
            return (
                f"{outcome(progress.tally)}; every payment is accounted for.\nThe failed ones are listed in the thread."
            )
        case State.COMPLETED | State.FAILED | State.CANCELED:
            return f"every payment is accounted for.\n{summary(progress.tally, approved)}"
        case State.MISMATCH:
            return f"not sent. {reason_of(instruction.reason)}"
        case _:
            return None


def cancellation(instruction: Instruction) -> str | None:  # noqa: PLR0911 - one arm a state
    """The same of a cancellation."""
    progress = instruction.progress or BulkProgress()
    match instruction.state:
        case State.NEW:
            return "nothing is canceled before people approve it."
        case State.SENDING:
            return "the request is on its way to the service; no answer yet."
        case State.COMMIT_UNKNOWN:
            lost = "the service did not say whether it canceled them. Switchboard is reading them again."
            return f"{lost}{answered(instruction)}"
        case State.NEEDS_HUMAN:
            return f"{_with_people(instruction)} {reason_of(instruction.reason)}"
        case State.COMMITTED:
            return f"everything was sent; the outcome of each payment is being read. {reason_of(instruction.reason)}"
        case State.COMPLETED | State.FAILED:
            return f"{canceled(progress.tally)} {reason_of(instruction.reason)}"
        case State.MISMATCH:
            return f"{reason_of(instruction.reason, after_colon=True)} {nothing(instruction)}"
        case _:
            return None


def _with_people(instruction: Instruction) -> str:
    """Why people have to decide on a cancellation: an answer that was lost, or approvals that were."""
    if instruction.unknown_since is None:
        return "not all of them were sent to the service."
    return f"whether the service canceled them is *{UNKNOWN}*."


def canceled(tally: Tally) -> str:
    """What a cancellation came to: canceled and returned, too late, and what still is pending."""
    late = tally.completed + tally.failed + tally.under_way
    cents = sum(tally.sums.values()) - tally.cents_of("canceled", "pending")
    parts = [f"{payments(tally.canceled)} canceled, {shown(tally.cents_of('canceled'))} returned to the balance"]
    if late:
        parts.append(f"{late} too late ({shown(cents)}): {tally.completed} completed, {tally.failed} failed")
    if tally.pending:
        parts.append(f"{tally.pending} still {IN_ESCROW} ({shown(tally.cents_of('pending'))})")
    return "; ".join(parts) + "."
