"""Wording of bulk payments and their cancellations: cards, counts by status, news, files."""

from collections.abc import Container, Sequence
from functools import partial
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, plain, shown
from bot.domain.payments.bulk import BulkItem, BulkPayload, BulkProgress, CancelPayload, Tally
from bot.domain.payments.bulk_records import PaidAgain, has_failed
from bot.domain.payments.deliverability import Doubt, doubt_of
from bot.domain.payments.instruction import FINAL, NOT_PAID, Instruction, State
from bot.domain.payments.lookups import Lookup, doubts
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, question
from bot.presentation.files.columns import mark_lines
from bot.presentation.payments.wording import (
    ALERTS,
    DECIDED,
    NEWS,
    Line,
    News,
    Stands,
    ThreadFile,
    Wording,
    is_unusual,
    policy_line,
)
from bot.presentation.reasons import worded
from bot.presentation.words import DO_NOT_PAY_AGAIN, IN_ESCROW, QUEUED, UNKNOWN, symbol

CANCEL: Final = "bulk.cancel"  # the button that cancels waiting payments
AGAIN: Final = "bulk.again"  # the button that retries failed payments
LIST: Final = "bulk.list"  # the button that lists the payments
VIEW_LIST: Final = "View list"
_TEXT_LIMIT: Final = md.SECTION_LIMIT + 900  # characters of a card's text about many payments
TEMPLATE_TITLE: Final = "Template for a bulk payment"
ACCOUNTS_HEADER: Final = (
    *("row", "email", "name", "registered name", "active", "verified", "primary", "country", "to check"),
)
TEMPLATE_HEADER: Final = ("email", "amount", "note")
TEMPLATE: Final = (("ana@example.com", "25.00", "March translation"), ("ben@example.com", "10.50", "Proofreading"))
_NAME = 120
_EMAILS = 3
_ROWS = 10
_TO_DECIDE = frozenset(
    {State.NEW, State.AWAITING, State.APPROVED, State.SENDING, State.COMMIT_UNKNOWN, State.NEEDS_HUMAN}
)


def payments_to(count: int, people: int) -> str:
    return f"{md.counted(count, 'payment')} to {md.counted(people, 'person', 'people')}"


def repeated(rows: Sequence[int], count: int) -> str:
    repeats = "repeats an earlier row" if count == 1 else "repeat earlier rows"
    return f"{md.capital(some_rows(rows, count))} {repeats} (same address and amount)"


def looking_up(progress: BulkProgress | None) -> str:
    """Show the progress of the look-ups; empty once they are done."""
    if progress is None or not progress.to_look_up:
        return "Checking the recipients…"
    if progress.looked_up < progress.to_look_up:
        bar = md.bar(progress.looked_up, progress.to_look_up)
        return f"Checking recipients: `{bar}` {progress.looked_up} of {progress.to_look_up}."
    return ""


def doubt_word(doubt: Doubt) -> str:
    return "can't receive money yet" if doubt is Doubt.NO_ACCOUNT else doubt.value


def account_warnings(progress: BulkProgress, named: Container[Doubt] = ()) -> list[str]:
    """Count concerns about the recipients' accounts, naming a few; kinds in ``named`` are listed by row elsewhere."""
    checked = progress.looked_up - progress.not_read
    unread = f" ({progress.not_read} not checked)" if progress.not_read else ""
    found = []
    if progress.inactive and Doubt.NO_ACCOUNT not in named:
        accounts = f"of the {md.counted(checked, 'account')} checked can't receive money yet"
        found.append(f"{progress.inactive} {accounts}{unread}{_few(progress.inactive, progress.inactive_emails)}")
    elif progress.not_read:
        found.append(f"{progress.not_read} of {md.counted(progress.looked_up, 'account')} couldn't be checked")
    for count, what, emails in (
        (progress.unverified, "not verified", progress.unverified_emails),
        (progress.other_names, "registered under another name", progress.other_name_emails),
    ):
        if count:
            found.append(f"{md.counted(count, 'account')} {what}{_few(count, emails)}")
    return found


def _few(count: int, emails: Sequence[str]) -> str:
    return f": {', '.join(md.quote(one, 130) for one in emails)}" if count == len(emails) <= _EMAILS else ""


def account_cells(row: BulkItem, found: Lookup | None) -> tuple[str, ...]:
    """Return the cells for a row of the file and its account; unknown values are empty."""
    if found is None:
        return (str(row.row), row.email, row.name, "", "", "", "", "", "not looked up")
    account = found.recipient
    to_check = [concern.value for concern in doubts(account, row.email, [row.name])]
    if found.answer is not None and (against := doubt_of(found.answer)) is not None:
        to_check.insert(0, against[0].value)
    if account.problem is not None:
        to_check = [f"could not be read: {worded(account.problem)}"]
    facts = [{True: "yes", False: "no", None: ""}[fact] for fact in (account.active, account.verified, account.primary)]
    named = (account.full_name or "", *facts, account.country or "")
    return (str(row.row), row.email, row.name, *named, "; ".join(to_check))


def _payload(instruction: Instruction) -> BulkPayload:
    if not isinstance(instruction.payload, BulkPayload):
        raise TypeError(f"{instruction.reference} is no bulk payment")
    return instruction.payload


def _from(payload: BulkPayload) -> str:
    if payload.again_of:
        return f"Retries what failed in {payload.again_of}"
    return md.quote(payload.name, _NAME)


def _lines(instruction: Instruction, asker: str) -> list[str]:
    payload = _payload(instruction)
    return [_from(payload), md.counted(payload.people, "person", "people"), f"requested by {asker}"]


def _head(instruction: Instruction, asker: str) -> list[Block]:
    read_as = _payload(instruction).read_as
    notes = [md.context(f"{md.capital(md.quote(read_as, 300))}.")] if _decides(instruction) and read_as else []
    return [md.paragraph(" · ".join(_lines(instruction, asker))), *notes]


def _decides(instruction: Instruction) -> bool:
    """Return whether people can still decide about it."""
    return instruction.state in _TO_DECIDE


def _warnings(instruction: Instruction) -> list[str]:
    """Return warnings: about accounts until it ends, about the rest until it is decided."""
    payload, progress = _payload(instruction), instruction.progress or BulkProgress()
    accounts = account_warnings(progress) if not looking_up(progress) and instruction.state not in NOT_PAID else []
    if not _decides(instruction):
        return [f"{one}." for one in accounts]
    found = [*accounts]
    if payload.new_count:
        found.append(md.counted(payload.new_count, "first-time recipient"))
    if payload.duplicate_count:
        found.append(repeated(payload.duplicates, payload.duplicate_count))
    if payload.left_out_count:
        found.append(f"Left out of the file: {some_rows(payload.left_out, payload.left_out_count)}")
    if payload.anyway:
        found.append(f"Will be paid despite an undeliverable address: {some_rows(payload.anyway, len(payload.anyway))}")
    if payload.done_anyway:
        rows = [f"row {row} ({md.quote(said, _NAME)})" for row, said in payload.done_anyway.items()]
        found.append(f"Will be paid despite their status: {md.series(rows[:_ROWS], payload.done_anyway_count)}")
    hidden = [one.removeprefix(":warning: ") for one in mark_lines(payload.marks)]
    policy = [md.escape(policy_line(instruction))] if is_unusual(instruction) else []
    return [*policy, *(f"{one}." for one in found), *hidden]


def some_rows(rows: Sequence[int], count: int) -> str:
    return md.series([f"row {row}" for row in rows[:_ROWS]], count)


def _cancel_button(instruction: Instruction) -> list[Block]:
    tally = (instruction.progress or BulkProgress()).tally
    if instruction.state not in (State.COMMITTED, State.PENDING_ESCROW) or not tally.pending:
        return []
    waiting = md.counted(tally.pending, "waiting payment")
    text = f"{shown(tally.cents_of('pending'))} comes back once it's approved. Only what waits now is canceled."
    asked = question(f"Cancel {waiting}?", text, yes="Request approval", no="Keep them")
    return [button(f"Cancel {tally.pending} waiting", CANCEL, instruction.id, confirm=asked)]


def _list_button(instruction: Instruction) -> list[Block]:
    spoken = f"View the payments of {instruction.reference}"
    return [] if instruction.state in FINAL else [button(VIEW_LIST, LIST, instruction.id, spoken=spoken)]


def again_button(instruction: Instruction, again: PaidAgain) -> list[Block]:
    if again.count <= 0:
        return []
    label = "Retry the failed one" if again.count == 1 else f"Retry these {again.count}"
    text = f"{md.counted(again.count, 'payment')}, {shown(again.cents)}, as a new request that needs approval."
    asked = question(f"{label}?", text, yes="Request approval", no="Not now")
    return [button(label, AGAIN, instruction.id, confirm=asked)]


def _counts(tally: Tally) -> str:
    """Count the payments that were paid, and any others; the counts add up to all of them."""
    held = f"{tally.pending} {IN_ESCROW} ({shown(tally.cents_of('pending'))})"
    told = (
        (tally.failed, f"{tally.failed} failed"),
        (tally.pending, held),
        (tally.canceled, f"{tally.canceled} canceled"),
        (tally.queued, f"{tally.queued} {QUEUED}"),
        (moving := tally.under_way - tally.queued, f"{moving} in progress"),
        (tally.unaccounted, f"{tally.unaccounted} not reported yet"),
    )
    return ", ".join([f"{tally.completed} paid", *(words for count, words in told if count)])


def _summary(tally: Tally) -> str:
    """Count paid, failed and pending payments with their sums, and any others."""
    told = [_count(tally, "completed", "paid"), _count(tally, "failed"), _count(tally, "pending")]
    told += [_count(tally, "canceled")] if tally.canceled else []
    told += [f"{tally.under_way} in progress"] if tally.under_way else []
    told += [f"*{tally.unaccounted} not reported*"] if tally.unaccounted else []
    return ", ".join(told)


def _count(tally: Tally, status: str, word: str = "") -> str:
    count = tally.of(status)
    return f"{count} {word or status}{f' ({shown(tally.cents_of(status))})' if count else ''}"


def _ended(instruction: Instruction) -> str:
    """Summarize the payments once all have ended (*all 3 paid*); empty before, and if none was sent."""
    tally = (instruction.progress or BulkProgress()).tally
    if instruction.state not in (State.COMPLETED, State.FAILED, State.CANCELED) or not tally.is_settled:
        return ""
    counts = ((tally.completed, "paid"), (tally.failed, "failed"), (tally.canceled, "canceled"))
    some = [(count, word) for count, word in counts if count]
    if len(some) == 1:
        (count, word), *_ = some
        return word if count == 1 else f"{'both' if count == 2 else f'all {count}'} {word}"  # noqa: PLR2004
    return ", ".join(f"{count} {word}" for count, word in some)


def _progress_line(tally: Tally) -> str:
    if tally.unaccounted == tally.total:
        return f"`{md.bar(0, 1)}` Nothing reported yet."
    return f"`{md.bar(tally.final, tally.total)}` {_counts(tally)}."


def _broke(instruction: Instruction) -> str:
    """Return why the provider's record of the bulk payment is failed."""
    why = (instruction.progress or BulkProgress()).why
    return md.quote_sentence(why, 300) if why else "The provider gave no reason."


def advice(tally: Tally) -> str:
    """Tell which payments of a failed bulk payment may be retried and which must not."""
    moving = tally.pending + tally.under_way + tally.unaccounted
    told = []
    if tally.failed:
        told.append(f"You can retry the {'one' if tally.failed == 1 else tally.failed} that failed.")
    if moving:
        them = "it" if moving == 1 else "them"
        told.append(f"{md.counted(moving, 'payment')} may still arrive: *don't send {them} again*.")
    return " ".join(told) or DO_NOT_PAY_AGAIN


def _failed(stands: Stands) -> str:
    return f"{_broke(stands.instruction)}\n{_progress_line(stands.tally)}\n{advice(stands.tally)}"


def _followed(stands: Stands) -> str:
    return _failed(stands) if has_failed(stands.instruction) else _progress_line(stands.tally)


def _over(stands: Stands) -> str:
    if has_failed(stands.instruction):
        return _failed(stands)
    return "" if _ended(stands.instruction) else f"{_counts(stands.tally)}."


def _told(how: Line) -> Line:
    """Put ``how`` before the counts, unless the provider's record is failed."""

    def say(told: News) -> str:
        counts, approved = f"{_summary(told.tally)}.", told["approved"]
        if has_failed(told.instruction):
            what = f"*Failed*: {told['what']}. {_broke(told.instruction)}"
            return f"{what} {counts} {advice(told.tally)}{approved}"
        return f"{told.say(how)} {counts}{approved}"

    return say


def _completed(told: News) -> str:
    ended = md.capital(_ended(told.instruction)) or "Paid"
    return f"*{ended}* · {told['what']}."


def _with_chart(told: News, text: str) -> Content:
    """Add a pie chart of all payments at the end, or bars of characters if Slack doesn't show charts."""
    tally = told.tally
    counts = {
        "Paid": tally.completed,
        "Failed": tally.failed,
        IN_ESCROW.capitalize(): tally.pending,
        "Canceled": tally.canceled,
        QUEUED.capitalize(): tally.queued,
        "In progress": tally.under_way - tally.queued,
        "Not reported": tally.unaccounted,
    }
    pieces = [{"label": label, "value": count} for label, count in counts.items() if count > 0]
    if told.state is State.PENDING_ESCROW or not pieces:
        return md.message(text)
    chart = {"type": "pie", "segments": pieces}
    title = md.shorten(f"Payments of {told.instruction.reference}", 50)
    drawn = [f"`{md.bar(count, tally.total)}` {label} ({count})" for label, count in counts.items() if count > 0]
    return Content(
        text=text,
        blocks=[md.paragraph(text), {"type": "data_visualization", "title": title, "chart": chart}],
        plainer=[md.paragraph(text), md.paragraph("\n".join(drawn))],
    )


BULK: Final[Wording] = Wording(
    noun="bulk payment",
    headline=lambda one: f"{shown(one.cents)} · {md.counted(_payload(one).count, 'payment')}",
    in_full=lambda one: f"{shown(one.cents)} · {payments_to(_payload(one).count, _payload(one).people)}",
    title=lambda one: " · ".join(
        [
            f"{shown(one.cents)} {CURRENCY}",
            *([] if _ended(one) else [md.counted(_payload(one).count, "payment")]),
        ]
    ),
    ended=_ended,
    look_up="notes such as `{instruction.reference}/2`",
    head=_head,
    facts=_lines,
    text=lambda one, asker: [f"{_from(_payload(one))}, requested by {asker}"],
    warnings=_warnings,
    text_limit=_TEXT_LIMIT,
    buttons=_cancel_button,
    look=_list_button,
    sentences={
        **DECIDED,
        State.NEW: lambda stands: (
            stands["reason"] or looking_up(stands.instruction.progress) or "Checking the recipients…"
        ),
        State.SENDING: "",
        State.COMMIT_UNKNOWN: lambda stands: stands.in_doubt("We're checking with the provider."),
        State.NEEDS_HUMAN: (
            "We couldn't confirm this bulk payment.{why} Check the provider's dashboard ({look_up}), then retry or "
            "close it as not paid. No other bulk payment is sent until you decide."
        ),
        State.COMMITTED: _followed,
        State.PENDING_ESCROW: _followed,
        State.COMPLETED: _over,
        State.FAILED: _over,
        State.CANCELED: _over,
        State.MISMATCH: "Not sent.{why}",
    },
    news={
        **NEWS,
        State.COMMITTED: _told("The provider is done with {what}, *but not every payment is reported*:"),
        # Some payments failed, so action is needed before the others have ended.
        State.PENDING_ESCROW: _told("*Some failed*: {what}."),
        State.COMPLETED: _told(_completed),
        State.FAILED: _told(_completed),
        State.CANCELED: _told(_completed),
        State.MISMATCH: "*Failed*: {what} wasn't sent. {words.nothing}{why}",
    },
    # No check mark if any payment failed.
    news_symbol=lambda told: (
        symbol(State.FAILED)
        if has_failed(told.instruction)
        else ":warning:"
        if told.state in (State.COMPLETED, State.PENDING_ESCROW) and told.tally.failed
        else symbol(told.state)
    ),
    news_content=_with_chart,
    topics=ALERTS,
    files={
        "failed": ThreadFile(
            title="{reference}: failed payments",
            comment=":page_facing_up: {payments} failed. To change them, fix the rows and upload this file. To send "
            "them as they are, press *Retry*.",
            header=(*TEMPLATE_HEADER, "error", "internal note"),
            row=lambda row: (row.email, plain(row.cents), row.note, row.error, row.internal_note),
        ),
    },
)


def _canceling(instruction: Instruction) -> CancelPayload:
    if not isinstance(instruction.payload, CancelPayload):
        raise TypeError(f"{instruction.reference} is no cancellation")
    return instruction.payload


def _cancel_line(instruction: Instruction) -> str:
    payload = _canceling(instruction)
    if payload.payout_to:
        return f"Payout {md.quote(payload.bulk, _NAME)} to {md.quote(payload.payout_to)}, who hasn't signed up yet"
    which = "all that were waiting" if payload.all_pending else md.counted(payload.count, "payment")
    return f"From {md.quote(payload.bulk, _NAME)}: {which}"


def _canceled(tally: Tally) -> str:
    parts = [f"{md.counted(tally.canceled, 'payment')} canceled, {shown(tally.cents_of('canceled'))} returned"]
    for count, what, cents in (
        (tally.completed, "already paid", tally.cents_of("completed")),
        (tally.failed, "already failed", tally.cents_of("failed")),
        (tally.under_way, "too late", sum(tally.sums.values()) - tally.cents_of(*_KNOWN)),
        (tally.pending, f"still {IN_ESCROW}", tally.cents_of("pending")),
    ):
        if count:
            parts.append(f"{count} {what} ({shown(cents)})")
    return "; ".join(parts) + "."


def _told_canceled(told: News, how: str) -> str:
    which = told.instruction.reference
    return f"{how} ({which}): {_canceled(told.tally)}{told['why']}{told['approved']}"


_KNOWN: Final = ("completed", "failed", "pending", "canceled", "")


def _what(instruction: Instruction, *, doing: str = "") -> str:
    """Describe the action; ``doing`` is the verb's ending."""
    if _canceling(instruction).payout_to:
        return f"return{doing} {shown(instruction.cents)}"
    return f"cancel{doing} {md.counted(_canceling(instruction).count, 'waiting payment')} ({shown(instruction.cents)})"


CANCELLATION: Final[Wording] = Wording(
    noun="cancellation",
    headline=_what,
    in_full=partial(_what, doing="ing"),
    title=lambda one: md.capital(_what(one)),
    states={State.COMPLETED: "done"},
    requested="Requested: {headline} · {instruction.reference}. {needs}",
    nothing="Nothing was canceled.",
    look_up=lambda stands: (
        f"`{md.quote(_canceling(stands.instruction).bulk_remote_id)}`"
        if _canceling(stands.instruction).payout_to
        else "the hashes in the file of the thread"
    ),
    head=lambda one, asker: [md.paragraph(f"{_cancel_line(one)} · requested by {asker}")],
    facts=lambda one, asker: [_cancel_line(one), f"requested by {asker}"],
    text=lambda one, asker: [f"{_cancel_line(one)}, requested by {asker}"],
    text_limit=_TEXT_LIMIT,
    warnings=lambda one: [md.escape(policy_line(one))] if is_unusual(one) else [],
    look=lambda one: [] if _canceling(one).payout_to else _list_button(one),
    sentences={
        **DECIDED,
        State.NEW: "Nothing is canceled until it's approved.{why}",
        State.SENDING: "",
        State.COMMIT_UNKNOWN: "We're checking with the provider whether they were canceled.{answered}",
        # Either an answer was lost, or the approvals were.
        State.NEEDS_HUMAN: lambda stands: (
            f"Not all of them were sent to the provider.{stands['why']}"
            if stands.instruction.unknown_since is None
            else f"We couldn't confirm whether they were canceled.{stands['why']}"
        ),
        State.COMMITTED: "Reading the outcome of each payment.{why}",
        State.COMPLETED: lambda stands: f"{_canceled(stands.tally)}{stands['why']}",
        State.FAILED: lambda stands: f"{_canceled(stands.tally)}{stands['why']}",
        State.MISMATCH: "{reason} {nothing}",
    },
    news={
        **NEWS,
        State.COMMIT_UNKNOWN: f"*{md.capital(UNKNOWN)}*: {{what}}. {{checking}}",
        State.COMPLETED: lambda told: _told_canceled(told, "*Done*"),
        State.FAILED: lambda told: _told_canceled(told, "*Failed*"),
        State.MISMATCH: "*Failed*: {what} wasn't sent. {words.nothing}{why}",
    },
    topics=ALERTS,
    retry=("Only payments that still wait are canceled; what was canceled before stays as it is."),
    closed_as="",
    close_title="Close a cancellation",
    close_hint="What happened to the payments, and how do you know?",
    files={
        name: ThreadFile(
            title=f"{{reference}}: {what}",
            comment=f":page_facing_up: {what.capitalize()} ({{rows}})",
            header=("email", "amount", "status", "hash"),
            row=lambda row: (row.email, plain(row.cents), row.status, row.hash),
        )
        for name, what in (("request", "payments to cancel"), ("result", "result of each payment"))
    },
)
