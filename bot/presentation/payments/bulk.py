"""What bulk payments and their cancellations say: the card, how many payments stand where, the news, the files."""

from collections.abc import Callable, Sequence
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, plain, shown
from bot.domain.payments.bulk import BulkItem, BulkPayload, BulkProgress, CancelPayload, Tally
from bot.domain.payments.bulk_records import PaidAgain, has_failed
from bot.domain.payments.deliverability import doubt_of
from bot.domain.payments.instruction import NOT_PAID, Instruction, State
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
    Sentence,
    Stands,
    ThreadFile,
    Wording,
    is_unusual,
    policy_line,
)
from bot.presentation.reasons import worded
from bot.presentation.words import FINISHED, IN_ESCROW, NOT_ACTIVE, QUEUED, UNKNOWN, symbol

CANCEL: Final = "bulk.cancel"  # the button that cancels what is pending
AGAIN: Final = "bulk.again"  # the button that pays again what failed
PAY_AGAIN: Final = "Pay the failed ones again"
_TEXT_LIMIT: Final = md.SECTION_LIMIT + 900  # characters of the text of a card about many payments
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
    to = f" to {md.counted(people, 'person', 'people')}" if people else ""  # an older request says none
    return f"{md.counted(count, 'payment')}{to}"


def repeated(rows: Sequence[int], count: int) -> str:
    repeats = "repeats an earlier row" if count == 1 else "repeat earlier rows"
    return f"{md.capital(some_rows(rows, count))} {repeats} (same address and amount)"


def accounts_line(progress: BulkProgress | None) -> str:
    if progress is None or not progress.to_look_up:
        return "Accounts: not looked up yet"
    if progress.looked_up < progress.to_look_up:
        figures = f"{progress.looked_up} of {progress.to_look_up} looked up"
        return f"Looking up accounts: `{md.bar(progress.looked_up, progress.to_look_up)}` {figures}"
    active = progress.looked_up - progress.not_read - progress.inactive
    unread = f", {progress.not_read} could not be read" if progress.not_read else ""
    return "\n".join(
        [f"Accounts looked up: {progress.looked_up}; {active} active{unread}", *account_warnings(progress)]
    )


def account_warnings(progress: BulkProgress) -> list[str]:
    """What is not fine about the recipients' accounts, by kind: how many, and the first of them."""
    found = [
        (progress.inactive, f"not active* ({NOT_ACTIVE})", progress.inactive_emails),
        (progress.unverified, "not verified*", progress.unverified_emails),
        (progress.other_names, "registered under another name*", progress.other_name_emails),
    ]
    return [
        f":warning: *{count} {what}: {md.series([md.quote(email, 130) for email in emails[:_EMAILS]], count)}"
        for count, what, emails in found
        if count
    ]


def account_cells(row: BulkItem, found: Lookup | None) -> tuple[str, ...]:
    """A row of the file with its account; what is not known is left empty."""
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


def _many(lines: Sequence[str], asker: str) -> list[str]:
    return [*map(md.as_said, lines), f"Requested by {asker}"]


def _payload(instruction: Instruction) -> BulkPayload:
    if not isinstance(instruction.payload, BulkPayload):
        raise TypeError(f"{instruction.reference} is no bulk payment")
    return instruction.payload


def _head(instruction: Instruction, asker: str) -> list[Block]:
    payload, (_, *more) = _payload(instruction), _lines(instruction)
    label, name = ("Pays again", f"what failed in {payload.again_of}") if payload.again_of else ("File", payload.name)
    about = [(label, md.quote(name, _NAME)), ("Requested by", asker)]
    head = md.fields(*about, ("Payments", _together(payload)))
    return [*head, md.paragraph("\n".join(more))] if more else head


def _lines(instruction: Instruction) -> list[str]:
    payload = _payload(instruction)
    file = f"“{md.quote(payload.name, _NAME)}”"
    what = f"Pays again what failed in {payload.again_of} ({file})" if payload.again_of else f"File {file}"
    first = f"{what}, {_together(payload)}"
    if instruction.state not in _TO_DECIDE:  # what was decided on stands in the files; it is about how far it is
        warned = account_warnings(instruction.progress or BulkProgress())
        return [first, *(warned if instruction.state not in NOT_PAID else [])]
    top = "\n".join(f"• {shown(one.cents)} to {md.escape(one.email)} (row {one.row})" for one in payload.largest)
    duplicates = "none"
    if 0 < payload.people < payload.count:
        duplicates = "no row repeats the address and the amount of another"
    if payload.duplicate_count:
        duplicates = repeated(payload.duplicates, payload.duplicate_count)
    which = f"{payload.same_rows} of these payments" if payload.same_rows else "The same payments"
    same = f":warning: *{which}* {'was' if payload.same_rows == 1 else 'were'} asked for as {payload.same_as}"
    return [
        first,
        f"*Largest*:\n{top}",
        f"*Duplicates*: {duplicates}",
        f"*Never paid before*: {md.counted(payload.new_count, 'recipient') if payload.new_count else 'nobody'}",
        *([same] if payload.same_as else []),
        *_left_out(payload),
        accounts_line(instruction.progress),
        *mark_lines(payload.marks),
        *([f"Read as: {md.quote(payload.read_as, 300)}"] if payload.read_as else []),
    ]


def _left_out(payload: BulkPayload) -> list[str]:
    told = []
    if payload.left_out_count:
        told.append(f":warning: *Left out of the file*: {some_rows(payload.left_out, payload.left_out_count)}")
    if payload.anyway:
        told.append(f":warning: *Paid although undeliverable*: {some_rows(payload.anyway, len(payload.anyway))}")
    return told


def some_rows(rows: Sequence[int], count: int) -> str:
    return md.series([f"row {row}" for row in rows[:_ROWS]], count)


def _together(payload: BulkPayload) -> str:
    return f"{payments_to(payload.count, payload.people)}, {shown(payload.cents)} together"


def _cancel_button(instruction: Instruction) -> list[Block]:
    progress = instruction.progress or BulkProgress()
    if instruction.state not in (State.COMMITTED, State.PENDING_ESCROW) or not progress.tally.pending:
        return []
    pending = md.counted(progress.tally.pending, "payment")
    text = f"{pending} are pending. Approvers decide about exactly those that are pending now."
    asked = question("Ask to cancel?", text, yes="Ask for approval", no="Leave them")
    return [button("Cancel pending", CANCEL, instruction.id, confirm=asked)]


def again_button(instruction: Instruction, again: PaidAgain) -> list[Block]:
    if again.count <= 0:
        return []
    text = f"{md.counted(again.count, 'payment')}, {shown(again.cents)} together, as a new request that needs approval."
    asked = question(f"{PAY_AGAIN}?", text, yes="Ask for approval", no="Not now")
    return [button(PAY_AGAIN, AGAIN, instruction.id, confirm=asked)]


def _counts(tally: Tally) -> str:
    """Completed, failed and pending always, the others when there are any; together they are all there is."""
    counts = [_count(tally, "completed"), _count(tally, "failed"), _count(tally, "pending", IN_ESCROW)]
    counts += [_count(tally, "canceled")] if tally.canceled else []
    counts += [f"{tally.queued} {QUEUED}"] if tally.queued else []
    counts += [f"{moving} under way"] if (moving := tally.under_way - tally.queued) else []
    counts += [f"{tally.unaccounted} not reported yet"] if tally.unaccounted else []
    return ", ".join(counts)


def _count(tally: Tally, status: str, word: str = "") -> str:
    return f"{tally.of(status)} {word or status} ({shown(tally.cents_of(status))})"


def _outcome(tally: Tally) -> str:
    """What came of a bulk payment that is over, when not all of it was paid."""
    canceled = f", {_count(tally, 'canceled')}" if tally.canceled else ""
    return f"{_count(tally, 'completed', 'paid')}, {_count(tally, 'failed')}{canceled}"


def _summary(tally: Tally, instruction: Instruction) -> str:
    """The counts, and that they add up to what was approved, or what is missing."""
    payments = md.counted(_payload(instruction).count, "payment")
    if tally.unaccounted:
        return f"{_counts(tally)}. *Unaccounted: {tally.unaccounted}* of {payments} approved."
    return f"{_counts(tally)}. That is all {payments} that were approved."


def _progress_line(tally: Tally) -> str:
    if tally.unaccounted == tally.total:
        return f"`{md.bar(0, 1)}` no payment reported yet."
    return f"`{md.bar(tally.final, tally.total)}` {_counts(tally)}."


def _broke(instruction: Instruction) -> str:
    """That the provider's own record of a bulk payment is failed, and why."""
    why = (instruction.progress or BulkProgress()).why
    return md.quote_sentence(why, 300) if why else "The provider gave no reason."


def advice(tally: Tally) -> str:
    """What to do about the payments of a bulk payment that failed: which may be paid again, and which must not."""
    moving = tally.pending + tally.under_way + tally.unaccounted
    told = []
    if tally.failed:
        which = "one" if tally.failed == 1 else f"{tally.failed}"
        told.append(f"Only the {which} that failed can be paid again.")
    if moving:
        them = "it" if moving == 1 else "them"
        told.append(f"{md.counted(moving, 'payment')} may still arrive: *don't pay {them} again*.")
    return " ".join(told) or "Don't pay any of them again."


def _failed(stands: Stands) -> str:
    return f"{_broke(stands.instruction)}\n{_progress_line(stands.tally)}\n{advice(stands.tally)}"


def _followed(otherwise: str) -> Sentence:
    """How far it is; ``otherwise``: what is said unless the provider's record is failed."""
    return lambda stands: (
        _failed(stands)
        if has_failed(stands.instruction)
        else "\n".join(part for part in (otherwise, _progress_line(stands.tally)) if part)
    )


def _over(stands: Stands) -> str:
    if has_failed(stands.instruction):
        return _failed(stands)
    if stands.instruction.state is State.COMPLETED and stands.tally.failed:
        return f"{_outcome(stands.tally)}. The failed ones are listed in the thread."
    return _summary(stands.tally, stands.instruction)


def _ended(how: str) -> Line:
    return _unless_failed(lambda told: f"{told.say(how)} {_summary(told.tally, told.instruction)}{told['approved']}")


def _unless_failed(otherwise: Callable[[News], str]) -> Line:
    def say(told: News) -> str:
        if not has_failed(told.instruction):
            return otherwise(told)
        tally = told.tally
        stand = _summary(tally, told.instruction) if tally.is_settled else f"{_counts(tally)}."
        return f"*Failed*: {told['what']}. {_broke(told.instruction)} {stand} {advice(tally)}{told['approved']}"

    return say


def _completed(told: News) -> str:
    tally = told.tally
    if not tally.failed:
        return f"*Paid*: {told['what']}. {_summary(tally, told.instruction)}{told['approved']}"
    counts = f"{tally.completed} completed, {tally.failed} failed, {tally.pending} {IN_ESCROW}"
    counts += f", {tally.canceled} canceled" if tally.canceled else ""
    payments = md.counted(_payload(told.instruction).count, "payment")
    summary = f"{counts}. That is all {payments} that were approved."
    return f"*{FINISHED.capitalize()}*: {told['what']}, {_outcome(tally)}. {summary}{told['approved']}"


def _with_chart(told: News, text: str) -> Content:
    """In the end, with a pie that has a piece for everything there is; drawn with letters where Slack shows none."""
    tally = told.tally
    counts = {
        "Completed": tally.completed,
        "Failed": tally.failed,
        IN_ESCROW.capitalize(): tally.pending,
        "Canceled": tally.canceled,
        QUEUED.capitalize(): tally.queued,
        "Under way": tally.under_way - tally.queued,
        "Unaccounted": tally.unaccounted,
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


def _headline(instruction: Instruction) -> str:
    return f"{shown(instruction.cents)} in {md.counted(_payload(instruction).count, 'payment')}"


BULK: Final[Wording] = Wording(
    noun="bulk payment",
    headline=_headline,
    in_full=_headline,
    title=lambda one: f"{shown(one.cents)} {CURRENCY} in {md.counted(_payload(one).count, 'payment')}",
    look_up="notes such as `{instruction.reference}/2`",
    head=_head,
    facts=lambda one, asker: [*_lines(one)[:1], f"requested by {asker}"],
    text=lambda one, asker: _many(_lines(one), asker),
    warnings=lambda one: [md.escape(policy_line(one))] if is_unusual(one) else [],
    text_limit=_TEXT_LIMIT,
    buttons=_cancel_button,
    sentences={
        **DECIDED,
        State.NEW: "Checking the recipients. Nothing is paid until it's approved.{why}",
        State.SENDING: "",
        State.COMMIT_UNKNOWN: lambda stands: stands.in_doubt("We're checking with the provider."),
        State.NEEDS_HUMAN: (
            "We couldn't confirm this bulk payment.{why} Check the provider's dashboard ({look_up}), then retry or "
            "close it as not paid. No other bulk payment is sent until you decide."
        ),
        State.COMMITTED: _followed(""),
        State.PENDING_ESCROW: _followed(""),
        State.COMPLETED: _over,
        State.FAILED: _over,
        State.CANCELED: _over,
        State.MISMATCH: "Not sent.{why}",
    },
    news={
        **NEWS,
        State.COMMITTED: _ended("*Not everything is accounted for*: {what} is done at the provider."),
        # Between the service's *done* and the end: what still can change, and that more will be said.
        State.PENDING_ESCROW: _unless_failed(
            lambda told: f"{told['what']}: {_counts(told.tally)}. A summary follows when all are done."
        ),
        State.COMPLETED: _unless_failed(_completed),
        State.FAILED: _ended("*Failed*: {what}."),
        State.CANCELED: _ended("*Canceled*: {what}."),
        State.MISMATCH: "*Failed*: {what} wasn't sent. {words.nothing}{why}",
    },
    # No green mark where some of the payments failed.
    news_symbol=lambda told: (
        symbol(State.FAILED)
        if has_failed(told.instruction)
        else ":warning:"
        if told.state is State.COMPLETED and told.tally.failed
        else symbol(told.state)
    ),
    news_content=_with_chart,
    topics=ALERTS,
    files={
        "request": ThreadFile(
            title="{reference}: what is to be paid",
            comment=":page_facing_up: The file behind {reference}: {payments}, exactly as they would be sent.",
            header=TEMPLATE_HEADER,
            row=lambda row: (row.email, plain(row.cents), row.note),
        ),
        "accounts": ThreadFile(
            title="{reference}: recipients",
            comment=":bust_in_silhouette: Whom the {payments} of {reference} go to, and what is not fine.",
            header=ACCOUNTS_HEADER,
            row=account_cells,
        ),
        # Its first columns are what a new request reads, so that it can be dropped again after mending.
        "failed": ThreadFile(
            title="{reference}: failed payments",
            comment=(
                ":page_facing_up: The {payments} that failed, with the reasons. Mend the rows, drop the file here "
                "again and choose *Pay in bulk*. To pay them unchanged, press *Pay the failed ones again* on the card."
            ),
            header=(*TEMPLATE_HEADER, "error"),
            row=lambda row: (row.email, plain(row.cents), row.note, row.error),
        ),
        "items": ThreadFile(
            title="{reference}: every payment",
            comment=":page_facing_up: {all} final state and hash.",
            header=("row", "email", "amount", "note", "status", "hash", "error"),
            row=lambda row: (
                *(str(row.row), row.email, plain(row.cents), row.note),
                *(row.status or "not reported", row.hash, row.error),
            ),
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
    which = "All that were waiting" if payload.all_pending else "Named one by one"
    payments = md.counted(payload.count, "payment")
    return f"From {md.quote(payload.bulk, _NAME)}. {which}: {payments}"


def _canceled(tally: Tally) -> str:
    canceled = f"{md.counted(tally.canceled, 'payment')} canceled"
    parts = [f"{canceled}, {shown(tally.cents_of('canceled'))} returned to the balance"]
    if late := tally.completed + tally.failed + tally.under_way:
        cents = sum(tally.sums.values()) - tally.cents_of("canceled", "pending")
        parts.append(f"{late} too late ({shown(cents)}): {tally.completed} completed, {tally.failed} failed")
    if tally.pending:
        parts.append(_count(tally, "pending", f"still {IN_ESCROW}"))
    return "; ".join(parts) + "."


def _back(instruction: Instruction) -> str:
    payments = md.counted(_canceling(instruction).count, "payment")
    return f"{shown(instruction.cents)} back from {payments} {IN_ESCROW}"


CANCELLATION: Final[Wording] = Wording(
    noun="cancellation",
    headline=_back,
    in_full=_back,
    title=lambda one: f"Cancel: {_back(one)}",
    states={State.COMPLETED: "done"},
    nothing="Nothing was canceled.",
    look_up=lambda stands: (
        f"`{md.quote(_canceling(stands.instruction).bulk_remote_id)}`"
        if _canceling(stands.instruction).payout_to
        else "the hashes in the file of the thread"
    ),
    head=lambda one, asker: [md.paragraph(f"{_cancel_line(one)} · requested by {asker}")],
    facts=lambda one, asker: [_cancel_line(one), f"requested by {asker}"],
    text=lambda one, asker: _many([_cancel_line(one)], asker),
    text_limit=_TEXT_LIMIT,
    warnings=lambda one: [md.escape(policy_line(one))] if is_unusual(one) else [],
    sentences={
        **DECIDED,
        State.NEW: "Nothing is canceled until it's approved.",
        State.SENDING: "",
        State.COMMIT_UNKNOWN: "We're checking with the provider whether they were canceled.{answered}",
        # People have to decide as an answer was lost, or as approvals were.
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
        State.COMPLETED: lambda told: f"*Done*: {told['what']}. {_canceled(told.tally)}{told['why']}{told['approved']}",
        State.FAILED: lambda told: f"*Failed*: {told['what']}. {_canceled(told.tally)}{told['why']}{told['approved']}",
        State.MISMATCH: "*Failed*: {what} wasn't sent. {words.nothing}{why}",
    },
    topics=ALERTS,
    retry=(
        "Only payments that still read as pending are named again. What was canceled already is canceled once only."
    ),
    closed_as="",
    close_title="Close a cancellation",
    close_hint="What became of the payments, and how do you know?",
    files={
        name: ThreadFile(
            title=f"{{reference}}: {what}",
            alt="A table of {payments} with their hashes",
            comment=f":page_facing_up: {{reference}}: {what} ({{payments}})",
            header=("email", "amount", "status", "hash"),
            row=lambda row: (row.email, plain(row.cents), row.status, row.hash),
        )
        for name, what in (("request", "the payments to cancel"), ("result", "outcome of each payment"))
    },
)
