"""The forms of payments. They contain only the request's id; the server looks up everything else."""

import csv
import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Final

from bot.domain.approvals import needs_confirming
from bot.domain.content import Block
from bot.domain.money import plain as plain_amount
from bot.domain.money import shown
from bot.domain.payments.bulk import duplicates_in, people_in
from bot.domain.payments.bulk_file import (
    COLUMNS,
    REQUIRED,
    Checked,
    EarlierRequest,
    FormMetadata,
    Preview,
    references_of,
)
from bot.domain.payments.deliverability import LEFT_OUT, OF_STATUS, Choice, Doubt, DoubtfulRow
from bot.domain.payments.fields import CODE_LIMIT, DESCRIPTION_LIMIT, REASON_LIMIT
from bot.domain.payments.instruction import Instruction, Kind, Recipient
from bot.domain.policy import Short
from bot.presentation.blocks.elements import actions, button
from bot.presentation.blocks.text import (
    SECTION_LIMIT,
    capital,
    context,
    counted,
    escape,
    listed,
    moment,
    paragraph,
    paragraphs,
    plain,
    quote,
    section,
    series,
    shorten,
)
from bot.presentation.files.columns import MOST, column_names, column_option, mark_lines, option, select
from bot.presentation.payments.again import RESEND
from bot.presentation.payments.amounts import decimals_select
from bot.presentation.payments.bad_rows import bad_rows, good_label, problem_of
from bot.presentation.payments.bulk import account_warnings, doubt_word, payments_to, repeated, some_rows
from bot.presentation.payments.cards import APPROVE, CLOSE, REJECT, RELEASE, RETRY, warnings
from bot.presentation.payments.kinds import KINDS, headline, in_full, noun, word_of
from bot.presentation.payments.payouts import EDIT, asked_anyway
from bot.presentation.payments.wording import WITHDRAW, Stands
from bot.presentation.reasons import earlier_lines
from bot.presentation.views import View, email_input, field, form, text_input

UNFREEZE: Final = "payments.unfreeze"
UNFREEZE_TITLE: Final = "Unfreeze payments"
_LISTED: Final = 10
REQUEST = "payout.request"
ACCOUNT = "account.status"
COLLECT = "purchase.request"
BULK = "bulk.request"
REQUEST_APPROVAL: Final = "Request approval"
TEMPLATE = "bulk.template"  # the button for a template in the form of a bulk payment
GOOD: Final = "bulk.good"  # the button that leaves out rows of a file that cannot be paid
GOOD_TYPED: Final = "bulk.good_typed"  # like GOOD, for typed rows
AMOUNT = "amount"
REASON = "reason"
EMAIL = "email"
DESCRIPTION = "description"
ITEMS = "items"
CODE = "code"
FILE = "file"
ROWS = "rows"
OTHER_VERSION = "This form is out of date. Nothing was requested. Type the command again."
ITEMS_LIMIT = 2_000  # characters of all lines with items
ROWS_LIMIT = 3_000  # characters of all rows typed into a form (Slack's limit)
_REPEATS: Final = 3  # earlier requests listed in a form
_LEFT_OUT: Final = 25  # typed rows listed as left out
_AMOUNT_LIMIT = 20
ACCOUNT_TITLE = "Check an account"
BULK_TITLE = "Pay in bulk"
PAYOUT_TITLE = "New payout"
COLLECT_TITLE = "Request money"
NO_EFFECT_TITLE = "Not done"
CONFIRM: Final = "bulk.file"
CHANGED: Final = ":warning: *The file changed since you opened it.* Check the new total, then request it."
TAKEN: Final = ":arrows_counterclockwise: Updated for the rows you chose. Check the total, then request it."
ALL_TYPED_LEFT_OUT: Final = ":warning: *Every row is left out.*"
_TYPED_ANYWAY: Final = "To pay such a row anyway, add it here without its status or reference."
ALL_LEFT_OUT: Final = ":warning: *Every row is left out.* Choose the rows to pay anyway, or upload another file."
ANYWAY: Final = "anyway"  # the field with rows to include
_WORD: Final = "word:"  # prefix of an option that includes all rows with a status
_SAID: Final = 3  # statuses quoted in a line
_STATUSES: Final = 20  # offered for all their rows
WITHOUT: Final = "without"  # the field that leaves out rows without an account
OUT: Final = "out"
CHOSEN: Final = ":arrows_counterclockwise: Updated for the columns you chose. Check the total, then request it."
READ: Final = ":arrows_counterclockwise: Updated for how you read the amounts. Check the total, then request it."
SAME_COLUMN: Final = "Email and amount need different columns."
NEITHER: Final = "Add a file, or rows such as: ana@example.com, 25.00, March translation"
NOT_BOTH: Final = "Use a file or rows, not both."
NO_COLUMN: Final = "Choose a column, for example amount."
_LABELS: Final = {"email": "Email column", "amount": "Amount column", "note": "Note column", "name": "Name column"}
_NONE: Final = {"note": ("No note", "Pay without notes"), "name": ("No name", "Compare names with addresses")}
_CHOOSE: Final = ":mag: *Which column is which?* Choose them; you see the total before you request anything."
_NAME: Final = 120
_NOTHING_YET: Final = "Nothing is paid until it's approved."
_CHECKED_FIRST: Final = "This checks addresses and accounts. Nothing is requested yet."


def about(instruction: Instruction, *, channel: str, ts: str, seen: str = "") -> str:
    """Return a form's metadata; ``seen`` is the fingerprint of its other contents."""
    facts = {"id": instruction.id, "round": instruction.round, "channel": channel, "ts": ts}
    facts |= {"seen": seen} if seen else {}
    return json.dumps(facts, separators=(",", ":"))


def approve(instruction: Instruction, *, metadata: str, short: Short | None = None) -> View:
    """Build the form for an approval, in which warnings are confirmed and a large amount is typed."""
    doubtful = needs_confirming(instruction)
    asked = []
    if instruction.requirement.typed_amount or not doubtful:
        asked.append(_amount(f"To approve, type the amount: {plain_amount(instruction.cents)}"))
    submit = "Approve anyway" if doubtful else "Approve"
    return _decision(APPROVE, f"Approve a {noun(instruction)}", submit, instruction, metadata, *asked, short=short)


def unfreeze(held: Sequence[Instruction], *, votes: int, needed: int) -> View:
    """Show the requests that unfreezing will send; ``votes`` counts approvers including this one."""
    cents = sum(one.cents for one in held)
    sent = f"{counted(len(held), 'approved request')}, {shown(cents)} in all"
    first = f"This sends {sent}:" if votes >= needed else f"Vote {votes} of {needed}. The last vote sends {sent}:"
    lines = [f"• {quote(in_full(one))} · {one.reference}" for one in held[:_LISTED]]
    more = [f"… and {len(held) - _LISTED} more"] if len(held) > _LISTED else []
    return form(UNFREEZE, UNFREEZE_TITLE, "Unfreeze", {}, [paragraph("\n".join([first, *lines, *more]))])


def retry(instruction: Instruction, *, metadata: str, short: Short | None = None) -> View:
    words = KINDS[instruction.kind]
    warning = Stands(words, instruction).say(words.retry)
    asked = (paragraph(warning), _amount(f"Type the amount: {plain_amount(instruction.cents)}"))
    title = f"Retry a {words.noun}"
    return _decision(RETRY, title, "Approve new attempt", instruction, metadata, *asked, short=short)


def _with_reason(callback_id: str, about: Instruction, *, metadata: str, short: Short | None = None) -> View:
    words = KINDS[about.kind]
    submit, title, hint = {
        REJECT: ("Reject", f"Reject a {words.noun}", "Visible to everyone in this channel."),
        WITHDRAW: ("Withdraw", f"Withdraw a {words.noun}", "Visible to everyone; the requester is told."),
        CLOSE: ("Close", words.close_title, words.close_hint),
    }[callback_id]
    asked = field(REASON, "Reason", text_input(REASON, most=REASON_LIMIT, multiline=True), hint=hint)
    return _decision(callback_id, title, submit, about, metadata, asked, short=short)


def release(instruction: Instruction, earlier: Sequence[Instruction], *, metadata: str) -> View:
    """Show an admin both requests and the warnings against sending the second, and ask for a reason to send it."""
    assert instruction.reason is not None
    found: Any = instruction.reason.facts["found"]
    words = KINDS[instruction.kind]
    before = [f"{in_full(one)} · {one.reference}, {word_of(one)}" for one in earlier]
    lines = [f":warning: {capital(line)}." for line in earlier_lines(found)]
    told = section(plain(shorten("\n".join(["Approved, not sent. Earlier requests:", *before]), SECTION_LIMIT)))
    hint = "How do you know that both should be paid? Visible in the audit log."
    asked = field(REASON, "Reason", text_input(REASON, most=REASON_LIMIT, multiline=True), hint=hint)
    title = f"Release a {words.noun}"
    return _decision(RELEASE, title, "Send it", instruction, metadata, told, *paragraphs(lines), asked, short=None)


def take_back(instruction: Instruction, *, metadata: str) -> View:
    """Build the requester's form to withdraw a request, without a reason."""
    words = KINDS[instruction.kind]
    asked = section(plain(words.withdrawing(instruction)))
    return form(WITHDRAW, f"Withdraw a {words.noun}", "Withdraw", metadata, [asked], close="Keep it")


reject, withdraw, close = (partial(_with_reason, decision) for decision in (REJECT, WITHDRAW, CLOSE))


def request(*, channel: str, kind: Kind) -> View:
    return form(REQUEST, PAYOUT_TITLE, "Request approval", {"channel": channel, "kind": kind.value}, _payout_fields())


def edit(instruction: Instruction) -> View:
    payload, recipient = instruction.payload, instruction.recipient or Recipient()
    fields = _payout_fields(
        recipient.instead or payload.email, plain_amount(payload.cents), payload.description, payload.code
    )
    asked = paragraph(asked_anyway(instruction))
    about = {"id": instruction.id, "round": instruction.round}
    about |= {"channel": instruction.origin_channel, "kind": instruction.kind.value}
    return form(EDIT, "Edit and resend", "Request approval", about, [asked, *fields])


def resend(instruction: Instruction) -> View:
    """Build a payout's form with the values of an earlier one, except a code that may be at the provider."""
    payload = instruction.payload
    code = payload.code if instruction.leaves_its_code else ""
    fields = _payout_fields(payload.email, plain_amount(payload.cents), payload.description, code)
    about = {"id": instruction.id, "channel": instruction.origin_channel, "kind": instruction.kind.value}
    return form(RESEND, "Edit and resend", REQUEST_APPROVAL, about, fields)


def _payout_fields(email: str = "", amount: str = "", purpose: str = "", code: str = "") -> list[Block]:
    return [
        field(EMAIL, "Recipient's e-mail address", email_input(EMAIL, email)),
        field(AMOUNT, "Amount in USD", text_input(AMOUNT, most=_AMOUNT_LIMIT, example="25.00", value=amount)),
        _purpose(purpose),
        _code(code),
    ]


def collect(*, channel: str) -> View:
    example = "Web design = 2 x 10.00\nHosting = 12 x 4.50"
    lines = text_input(ITEMS, most=ITEMS_LIMIT, example=example, multiline=True)
    blocks = [
        field(EMAIL, "Buyer's e-mail address", email_input(EMAIL)),
        _purpose(),
        field(ITEMS, "Items", lines, hint="One per line: item = quantity x price"),
        _code(),
    ]
    return form(COLLECT, COLLECT_TITLE, "Get the link", {"channel": channel}, blocks)


def account() -> View:
    return form(ACCOUNT, ACCOUNT_TITLE, "Check", "", [field(EMAIL, "E-mail address", email_input(EMAIL))])


def bulk(
    *,
    channel: str,
    rows: str = "",
    problem: Sequence[Block] = (),
    good: str = "",
    asks: Sequence[str] = (),
    decimals: str = "",
    repeats: str = "",
) -> View:
    """Build the form of a bulk payment with typed ``rows`` and their ``problem``; ``good`` requests the valid ones.

    ``asks`` are amounts with two readings, of which ``decimals`` is selected. ``repeats`` are references of the earlier
    requests for the same payments that the form lists.
    """
    file = {"type": "file_input", "action_id": FILE, "filetypes": ["csv", "xlsx", "txt", "tsv"], "max_files": 1}
    example = "ana@example.com, 25.00, March translation\nben@example.com, 10.50, Proofreading"
    of = f".{hashlib.sha256(rows.encode()).hexdigest()[:8]}" if rows else ""  # Slack keeps text typed under one id
    typed = text_input(f"{ROWS}{of}", most=ROWS_LIMIT, example=example, multiline=True, value=rows)
    hint = "One payment per line: email, amount, note. You can paste from a spreadsheet."
    lead = f"A file with the columns *email*, *amount* (USD) and *note*. {_NOTHING_YET}"
    blocks: list[Block] = [
        *(problem or [{**paragraph(lead), "accessory": button("Send me a template", TEMPLATE, channel)}]),
        *(actions([button(good, GOOD_TYPED, channel)]) if good else []),
        *([decimals_select(asks, decimals, of=of)] if asks else []),
        *([] if rows else [field(FILE, "CSV or XLSX file", file, optional=True)]),
        field(ROWS, "Rows" if rows else "… or rows", typed, optional=True, hint=hint),
    ]
    about = {"channel": channel} | ({"repeats": repeats} if repeats else {})
    return form(BULK, BULK_TITLE, REQUEST_APPROVAL, about, blocks)


def typed_form(
    checked: Checked,
    typed: str,
    *,
    channel: str,
    repeats: Sequence[EarlierRequest] = (),
    good: bool = False,
    decimals: str = "",
) -> View:
    """Show the typed rows again before they are requested: errors, left out rows, earlier requests.

    ``good`` leaves out rows that cannot be paid. ``decimals`` is the reading of the amounts to preselect.
    """
    doubts = [*doubt_lines(checked), *([_TYPED_ANYWAY] if checked.left_out else [])]
    if checked.bad and not (good and checked.items):
        told = [*bad_rows(checked, typed=True).blocks, *(paragraphs(doubts) if doubts else [])]
        label = good_label(len(checked.items)) if checked.items else ""
        return bulk(channel=channel, rows=typed, problem=told, good=label, asks=checked.asks, decimals=decimals)
    if not checked.items:
        return bulk(channel=channel, rows=typed, problem=paragraphs([ALL_TYPED_LEFT_OUT, *doubts]))
    bad = [f":no_entry_sign: Left out: {problem_of(one)}" for one in checked.bad]
    rows = _rewritten(checked) if checked.bad or checked.left_out or checked.asks else typed
    told = paragraphs(listed([_total(checked), *repeat_lines(repeats), *doubts, *bad], _LEFT_OUT))
    return bulk(channel=channel, rows=rows, problem=told, repeats=references_of(repeats))


def _rewritten(checked: Checked) -> str:
    """Format the payments as typed rows."""
    named = any(item.name for item in checked.items)
    lines = [["email", "amount", "note", "name"]] if named else []
    lines += [
        [item.email, plain_amount(item.cents), item.note, *([item.name] if named else [])] for item in checked.items
    ]
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerows(lines)
    return written.getvalue()


def repeat_lines(repeats: Sequence[EarlierRequest]) -> list[str]:
    """List the first earlier requests for the same payments, with state and time, and count the rest."""
    lines = []
    for one in repeats[:_REPEATS]:
        first, rows = one.first, one.rows
        which = f"{rows} of these payments" if rows else "The same payments"
        lines.append(
            f":warning: *{which} {'was' if rows == 1 else 'were'} already requested* {moment(first.created_at)} as "
            f"{first.reference}: {escape(headline(first))}, *{word_of(first)}*."
        )
    if more := len(repeats) - len(lines):
        lines.append(f"… and {counted(more, 'more earlier request')}.")
    return [*lines[:-1], *(f"{last} Needs one more approver." for last in lines[-1:])]


def _total(checked: Checked) -> str:
    items = checked.items
    return f"*{shown(sum(item.cents for item in items))}* · {payments_to(len(items), people_in(items))}"


def _decision(
    callback_id: str, title: str, submit: str, about: Instruction, metadata: str, *asked: Block, short: Short | None
) -> View:
    facts = section(plain(f"{in_full(about)} · {about.reference}"))
    return form(callback_id, title, submit, metadata, [facts, *paragraphs(warnings(about, short)), *asked])


def _purpose(value: str = "") -> Block:
    element = text_input(DESCRIPTION, most=DESCRIPTION_LIMIT, example="March translation", value=value)
    return field(DESCRIPTION, "What is it for?", element)


def _code(value: str = "") -> Block:
    element = text_input(CODE, most=CODE_LIMIT, example="INV-2026-17", value=value)
    return field(
        CODE, "Your reference", element, optional=True, hint="For example an invoice number. Each can be used once."
    )


def _amount(label: str) -> Block:
    return field(AMOUNT, label, text_input(AMOUNT, most=_AMOUNT_LIMIT))


def file_form(
    seen: Preview, carried: FormMetadata, *, note: str = "", problem: Sequence[Block] = (), usual: str = ""
) -> View:
    """Build the form of a file, ready to request unless there is a ``problem``; ``note`` is why it is shown again.

    ``usual`` is the decimal sign that is selected until one is chosen.
    """
    is_counted = seen.checked is not None and not problem
    blocks: list[Block] = [paragraph(note)] if note else []
    if seen.checked is None or problem:
        blocks += problem or [paragraph(_CHOOSE)]
        if seen.checked is not None and seen.checked.doubtful:
            blocks.append(paragraph("\n".join(doubt_lines(seen.checked))))
    else:
        blocks.append(paragraph("\n".join(_counted_lines(seen.checked, seen.repeats))))
    if is_counted or seen.how:
        blocks.append(context(", ".join(quote(one, _NAME) for one in (seen.name, seen.how) if one)))
    held = replace(carried, seen=seen.fingerprint, places=dict(seen.places), counted=is_counted, repeats=seen.repeated)
    if seen.checked is not None and seen.checked.bad and seen.checked.items:
        label = good_label(len(seen.checked.items))
        blocks += actions([button(label, GOOD, held.dump(), style="primary")])
    if seen.checked is not None and seen.checked.asks:
        of = f".{seen.fingerprint[:8]}"
        blocks.append(decimals_select(seen.checked.asks, carried.decimals or usual, of=of))
    if seen.checked is not None:
        blocks += _choices(seen, carried)
    blocks += _columns(seen)
    if is_counted:
        safe = _CHECKED_FIRST if carried.checks else _NOTHING_YET
        blocks.append(context(safe))
    elif problem:
        blocks.append(context("Wrong column? Choose another one and press Go on."))
    submit = ("Check first" if carried.checks else REQUEST_APPROVAL) if is_counted else "Go on"
    return form(CONFIRM, BULK_TITLE, submit, held.dump(), blocks)


def _columns(seen: Preview) -> list[Block]:
    looks, blocks = seen.looks[: MOST - 1], list[Block]()
    names = column_names(looks)
    for name, label in _LABELS.items():
        options = [column_option(names[at], look, value=str(at)) for at, look in enumerate(looks)]
        place = seen.places.get(name)
        if name not in REQUIRED:
            options.append(option("none", *_NONE[name]))
            place = len(options) - 1 if place is None else place
        blocks.append(select(name, label, options, initial=place, of=f".{seen.fingerprint[:8]}"))
    return blocks


def _counted_lines(checked: Checked, repeats: Sequence[EarlierRequest]) -> list[str]:
    """Return the total, the numbers of payments and people, left out rows and warnings, in this order."""
    doubles, skipped = duplicates_in(checked.items), sorted({one.row for one in checked.skipped})
    lines = [_total(checked), *repeat_lines(repeats)]
    if skipped:
        lines.append(f":no_entry_sign: {counted(len(skipped), 'row')} left out: {some_rows(skipped, len(skipped))}")
    if doubles:
        lines.append(f":warning: {repeated(doubles, len(doubles))}. Needs one more approver.")
    return [*lines, *doubt_lines(checked), *mark_lines(checked.marks)]


def doubt_lines(checked: Checked) -> list[str]:
    """Describe doubts about rows, whether they are left out or paid, and concerns about their accounts."""
    lines = []
    for doubt in Doubt:
        for left_out, words in ((True, "left out"), (False, "will be paid")):
            found = [one for one in checked.doubtful if one.kind is doubt and one.is_left_out is left_out]
            if found:
                rows = [one.row for one in found]
                why = _statuses(found) if doubt in OF_STATUS else ""
                lines.append(f":warning: *{len(rows)} {doubt_word(doubt)}*{why}, {words}: {some_rows(rows, len(rows))}")
    if checked.unchecked:
        lines.append(f":grey_question: {counted(checked.unchecked, 'address', 'addresses')} not checked")
    named = {one.kind for one in checked.doubtful}
    accounts = account_warnings(checked.accounts, named) if checked.accounts is not None else []
    return [*lines, *(f":warning: {one}" for one in accounts)]


def _statuses(rows: Sequence[DoubtfulRow]) -> str:
    words = list({one.said.casefold(): quote(one.said, _NAME) for one in rows}.values())
    return f" ({series(words[:_SAID], len(words))})"


def _choices(seen: Preview, carried: FormMetadata) -> list[Block]:
    """Offer to include doubtful rows one by one, and to leave out rows without an account."""
    assert seen.checked is not None
    doubtful, version = seen.checked.doubtful, f".{seen.fingerprint[:8]}"
    blocks: list[Block] = []
    options = _takeable([one for one in doubtful if one.kind in LEFT_OUT and one.cents is not None])
    if options:
        chosen_before = {*map(str, carried.anyway), *(f"{_WORD}{one}" for one in carried.words)}
        taken = [made for made in options[:MOST] if made["value"] in chosen_before]
        element: Block = {"type": "multi_static_select", "action_id": f"{ANYWAY}{version}", "options": options[:MOST]}
        hint = f"Only the first {MOST} are listed here." if len(options) > MOST else ""
        with_taken = {**element, "initial_options": taken} if taken else element
        blocks.append(field(ANYWAY, "Pay these rows anyway", with_taken, optional=True, hint=hint))
    without = [one.row for one in doubtful if one.kind not in LEFT_OUT]
    if without:
        label = f"Leave out {counted(len(without), 'row')} that can't receive money yet"
        offered = [option(OUT, label, some_rows(without, len(without)))]
        box: Block = {"type": "checkboxes", "action_id": f"{WITHOUT}{version}", "options": offered}
        box |= {} if carried.without_account else {"initial_options": offered}
        blocks.append(field(WITHOUT, "Their money waits until they sign up", box, optional=True))
    return blocks


def _takeable(rows: Sequence[DoubtfulRow]) -> list[Block]:
    """Offer one option for all rows of a status with several rows, then one per row."""
    together: dict[str, list[DoubtfulRow]] = {}
    for one in rows:
        together.setdefault(one.word, []).append(one)
    several = [(word, same) for word, same in together.items() if word and len(same) > 1]
    return [
        *(
            option(
                f"{_WORD}{word}", f"All {len(same)} rows: {same[0].said}", shown(sum(one.cents or 0 for one in same))
            )
            for word, same in several[:_STATUSES]
        ),
        *(
            option(str(one.row), f"Row {one.row}: {shown(one.cents or 0)} to {one.email}", one.said or one.kind.value)
            for one in rows
        ),
    ]


def taken(choices: Mapping[str, Sequence[str]]) -> Choice:
    anyway = choices.get(ANYWAY, ())
    rows = frozenset(int(one) for one in anyway if one.isdecimal())
    words = frozenset(one.removeprefix(_WORD) for one in anyway if one.startswith(_WORD))
    return Choice(anyway=rows, words=words, without_account=OUT not in choices.get(WITHOUT, ()))


def chosen(values: Mapping[str, str]) -> dict[str, int]:
    """Return the chosen index per column of ours, ignoring values that aren't ours."""
    return {name: int(values[name]) for name in COLUMNS if values.get(name, "").isdecimal()}


def errors(places: Mapping[str, int]) -> dict[str, str]:
    missing = {name: NO_COLUMN for name in REQUIRED if name not in places}
    return missing or ({"amount": SAME_COLUMN} if len({places[name] for name in REQUIRED}) < len(REQUIRED) else {})
