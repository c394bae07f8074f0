"""Records of the payments service: the list of operations, one operation, its event log, accounts."""

from collections.abc import Mapping, Sequence

from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, Cents, shown
from bot.domain.money import plain as digits
from bot.domain.payments.bulk_operations import Known, OwnRow
from bot.domain.payments.instruction import Recipient, State
from bot.domain.payments.operation import (
    AccountStatus,
    Operation,
    OperationPage,
    OperationStatus,
    Partner,
    PayoutEvent,
    Purchase,
)
from bot.domain.payments.taken import NotTaken
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation.blocks import elements
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import (
    NOTHING,
    Cell,
    Column,
    Fact,
    actions,
    button,
    facts,
    lines_under,
    question,
    table,
    turns,
)
from bot.presentation.countries import country
from bot.presentation.lists import csv_button
from bot.presentation.payments.payouts import TAKE_IN, account_line
from bot.presentation.payments.purchases import CHECKOUT
from bot.presentation.reasons import worded
from bot.presentation.words import item_word, status_word, word

PREVIOUS = "operations.previous"
NEXT = "operations.next"
_NOT_SAID = "unknown"
_NOW = "Provider record"
_TAKEN = "It was made elsewhere. Nothing is paid until it's approved here."
_PERSON_LIMIT = 120
_REFERENCE_LIMIT = 64
_WORD_LIMIT = 30
_COLUMNS = (
    Column(title="Created", most=20),
    Column(title="Type", most=_WORD_LIMIT),
    Column(title="Amount", most=_WORD_LIMIT, align="right"),
    Column(title="Person", most=_PERSON_LIMIT, wraps=True),
    Column(title="Status", most=_WORD_LIMIT),
    Column(title="Provider status", most=_WORD_LIMIT),
    Column(title="Reference", most=_REFERENCE_LIMIT),
)
CSV_HEADER = (
    "created (UTC)",
    "changed (UTC)",
    "type",
    "amount",
    "currency",
    "email",
    "description",
    "status",
    "provider status",
    "reference",
    "code",
    "provider id",
    "hash",
    "failure reason",
)
LIST = "operations"
_EVENT_CHARACTERS = 3_500  # of all lines: Slack advises against texts of more than 4,000
_REST_LIMIT = 1_000  # characters of an event's other fields, under the service's names


def listing(
    page: OperationPage,
    ours: Mapping[str, Known],
    *,
    operation_type: str | None,
    command: str,
    per_page: int = 10,
) -> Content:
    """Show a page; ``ours`` maps the service's ids to our records, and ``operation_type`` is None for both types."""
    what = f"{operation_type.capitalize()}s" if operation_type else "Operations"
    whole = csv_button(LIST, operation_type or "all")
    pager = turns(f"{operation_type or ''}@{per_page}", page.page, page.last_page, whole, back=PREVIOUS, on=NEXT)
    if not page.operations and page.page <= 1:
        return md.message(f":open_file_folder: No {what.lower()} yet.")
    if not page.operations:
        only = "is only 1 page" if page.last_page == 1 else f"are only {page.last_page} pages"
        text = f":open_file_folder: There {only} of {what.lower()}."
        return Content(text=text, blocks=[md.paragraph(text), *pager])
    shown_here = [one for one in page.operations[:per_page] if _is_readable(one, ours)]
    span = f" {page.first} to {page.last} of {page.total}" if page.first and page.last else f", {page.total} in all"
    span = f"{span}, page {page.page} of {page.last_page}" if page.last_page > 1 else span
    lead = f"*{what}*{span}"
    rows, lines = list[list[Cell]](), []
    for one in shown_here:
        amount = _amount(one)
        reference, stands, raw = _stands(one, ours.get(one.id))
        line_stands = md.quote(stands, _WORD_LIMIT)
        if raw:
            line_stands = f"{stands} (provider: {md.quote(raw, _WORD_LIMIT)})"
        rows.append([one.created_at, one.operation_type, amount, one.email or "", stands, raw, reference])
        parts = [
            md.moment(one.created_at) if one.created_at else "",
            md.quote(one.operation_type, _WORD_LIMIT),
            md.escape(amount),
            md.quote(one.email or "", _PERSON_LIMIT),
            line_stands,
            md.quote(reference, _REFERENCE_LIMIT),
        ]
        lines.append("• " + " · ".join(part or NOTHING for part in parts))
    notes = [f"Details: `{command} show` and the reference"]
    if len(page.operations) > per_page:
        notes.insert(0, f"Showing {per_page} of {len(page.operations)}.")
    if unread := min(len(page.operations), per_page) - len(shown_here):
        notes.insert(0, f":warning: {md.counted(unread, 'row')} can't be read: see the alerts channel.")
    small = md.context(" ".join(notes))
    return elements.listing(lead, table(_COLUMNS, rows), lines, small, *pager, notes=notes)


def csv_row(one: Operation, ours: Mapping[str, Known]) -> list[str]:
    """Return one operation as a row below ``CSV_HEADER``; times in UTC, amounts with a decimal point."""
    reference, stands, raw = _stands(one, ours.get(one.id))
    if not _is_readable(one, ours):
        stands, raw = "can't be read: see the alerts channel", one.status
    return [
        *(at.isoformat(timespec="seconds") if at else "" for at in (one.created_at, one.updated_at)),
        one.operation_type,
        digits(one.cents) if one.cents is not None else "",
        CURRENCY,
        one.email or "",
        one.description,
        stands,
        raw or one.status,
        reference if ours.get(one.id) is not None else "",
        one.code or "",
        one.id,
        one.svc_hash or "",
        one.failure_reason or "",
    ]


def _is_readable(one: Operation, ours: Mapping[str, Known]) -> bool:
    return one.id not in ours or ours[one.id] is not None


def _stands(one: Operation, known: Known) -> tuple[str, str, str]:
    """Return name and status of an operation, and the service's word if it is shown beside ours."""
    if known is None:
        return one.id, status(one), ""
    if isinstance(known, OwnRow):
        named = f"{known.reference} row {known.row}"
        return (named, item_word(one.status), "") if known.is_certain else (f"{one.id}, maybe {named}", status(one), "")
    # The service's own word explains nothing, but it shows the status there.
    return known.reference, word(known.state), one.state.value if one.state else one.status


def record(
    operation: Operation, *, link: str = "", takeable: bool = False, more: int = 0, row: OwnRow | None = None
) -> Content:
    """Show an operation requested elsewhere, with its checkout ``link``; a ``takeable`` one may be committed here.

    ``more`` is the number of other operations with this code. ``row`` is the bulk payment's row that it is or may be.
    """
    title = _title(operation)
    notes = ["Not requested here. This is the provider's record."]
    known = _known_there(operation)
    if row is not None:
        be, so = ("is", "") if row.is_certain else ("may be", ", so it can't be imported")
        whose = f"It {be} row {row.row} of the bulk payment {row.reference}{so}."
        notes = [f"{whose} This is the provider's record."]
        known[0] = ("Status", item_word(operation.status))
    if more:
        notes.append(f"{md.counted(more, 'more operation')} {'has' if more == 1 else 'have'} this code.")
    told = facts(
        title,
        [("Type", operation.operation_type), *known],
        about=f"For: {operation.description}" if clean(operation.description) else "",
        notes=notes,
    )
    pressed = []
    if link:
        pressed.append(button("Open checkout", CHECKOUT, url=link, spoken=f"Open checkout of {title}"))
    if takeable:
        asked = question(
            "Send this payout from here?", f"{md.shorten(title, 150)}. {_TAKEN}", yes="Request approval", no="Cancel"
        )
        pressed.append(button("Import payout", TAKE_IN, operation.id, spoken=f"Import {title}", confirm=asked))
    text = f"{told.text}\nCheckout: {md.linked(link)}" if link else told.text
    return _below(Content(text=text, blocks=told.blocks), *_items(operation), after=actions(pressed))


def with_record(card: Content, operation: Operation, *, takeable: bool = False) -> Content:
    known = _known_there(operation)
    if operation.state is None and f"“{md.quote(operation.status)}”" in card.text:
        known = known[1:]  # the card already quotes the service's word
    again = [button("Import again", TAKE_IN, operation.id, spoken=f"Import {_title(operation)} again")]
    return _below(card, facts(_NOW, known), *_items(operation), after=actions(again if takeable else []))


def with_facts(card: Content, known: Sequence[Fact]) -> Content:
    return _below(card, facts(_NOW, known))


def without_record(card: Content, said: str) -> Content:
    """Show a card like `with_record` if the service didn't answer; ``said`` is the reason, a foreign sentence."""
    why = f":warning: {md.quote(said)} Above is the last known state."
    return _below(card, md.message(why))


def taken_in(why: NotTaken, operation: Operation, reason: Reason | None = None) -> Content:
    """Explain why a payout cannot be imported; ``reason`` shows that it was made here."""
    now = md.quote(status_word(operation.status))
    told = {
        NotTaken.NO_PAYOUT: "It isn't a payout.",
        NotTaken.NOT_CREATED: f"It is *{now}* already.",
        NotTaken.NO_AMOUNT: "Its record has no amount.",
        NotTaken.NO_RECIPIENT: "Its record has no recipient we can show.",
        NotTaken.LONG: "Its description is too long.",
        NotTaken.ABOVE_LIMIT: f"{shown(operation.cents or 0)} is over everyone's daily limit.",
        NotTaken.MADE_HERE: md.quote(f"{md.capital(worded(reason))}."),
    }[why]
    return md.message(f":information_source: {md.quote(operation.id)} can't be imported. {told}")


def _items(operation: Operation) -> list[Content]:
    """List a purchase's items from the service's record, with a warning if they don't add up to the total."""
    found = operation.items if isinstance(operation, Purchase) else ()
    if not found:
        return []
    lines = []
    for one in found:
        parts = [
            md.quote(one.description, _PERSON_LIMIT) or NOTHING,
            f"quantity {_NOT_SAID if one.quantity is None else one.quantity}",
            f"each {_NOT_SAID if one.unit_cents is None else digits(one.unit_cents)}",
            f"together {_NOT_SAID if one.line_cents is None else digits(one.line_cents)}",
        ]
        lines.append("• " + " · ".join(parts))
    lines.append(f"Total: {md.escape(_amount(operation))}")
    sums = [one.line_cents for one in found if one.line_cents is not None]
    if operation.cents is not None and len(sums) == len(found) and sum(sums) != operation.cents:
        lines.append(f":warning: The items add up to {digits(Cents(sum(sums)))}, not to the total.")
    return [lines_under(f"*{md.counted(len(found), 'item')}*", lines)]


def _title(operation: Operation) -> str:
    person = clean(operation.email or "")
    towards = {"payout": "to", "purchase": "from"}.get(operation.operation_type, "·")
    return f"{_amount(operation)} {towards} {person}" if person else _amount(operation)


def _below(card: Content, *more: Content, after: Sequence[Block] = ()) -> Content:
    below = [block for one in more for block in ({"type": "divider"}, *one.blocks)]
    whole = "\n".join([card.text, *(one.text for one in more)])
    return Content(text=whole, blocks=[*card.blocks, *below, *after])


def _known_there(operation: Operation) -> list[Fact]:
    return [
        ("Status", status(operation)),
        ("Provider ID", operation.id),
        ("Code", operation.code or ""),
        ("Created", operation.created_at),
        ("Changed", operation.updated_at),
        ("Hash", operation.svc_hash or ""),
        ("Platform operation", operation.operation_id or ""),
        ("Platform user", operation.user_id or ""),
        ("Partner", operation.partner_id or ""),
        ("Why it failed", operation.failure_reason or ""),
    ]


def events(named: str, found: Sequence[PayoutEvent]) -> Content:
    """Show the service's log of its calls to us about a payout; ``named`` is foreign text."""
    whose = md.quote(named, _PERSON_LIMIT)
    if not found:
        return md.message(f":mailbox_with_no_mail: No webhooks delivered for {whose} yet.")
    told = []
    for one in found:
        known = [
            md.quote(one.kind.removesuffix("_uri"), _WORD_LIMIT),
            f"to {md.quote(one.host, _PERSON_LIMIT)}" if one.host else "",
            f"answered {md.quote(one.status, _WORD_LIMIT)}" if one.status else "",
        ]
        rest = md.quote(", ".join(f"{name}: {value}" for name, value in one.rest), _REST_LIMIT)
        parts = [part for part in (*known, rest) if part]
        told.append("• " + " · ".join([*([md.moment(one.at)] if one.at else []), *parts]))
    kept: list[str] = []
    room = _EVENT_CHARACTERS
    while told and len(told[-1]) < room:
        room -= len(told[-1]) + 1
        kept.insert(0, told.pop())
    lead = f"*{md.counted(len(found), 'webhook')} delivered for {whose}*"
    if told:
        lead += f", the last {len(kept)}"
    return Content(text=md.fallback_text([lead, *kept]), blocks=md.paragraphs([lead, *kept]))


def not_created(named: str) -> Content:
    whose = md.quote(named, _PERSON_LIMIT)
    return md.message(f":mailbox_with_no_mail: {whose} isn't created at the provider yet, so no webhooks.")


def account(email: str, found: AccountStatus) -> Content:
    recipient = Recipient(active=found.active, verified=found.verified, primary=found.primary)
    raw = found.status if found.active is None else ""
    return facts(
        email,
        [
            ("Registered name", md.name_of(found.full_name)),
            ("Account", account_line(recipient)),
            ("Provider status", raw),
            ("Country", country(found.country) or _NOT_SAID),
        ],
    )


def partner(found: Partner) -> Content:
    balance = digits(found.balance) if found.balance is not None else found.balance_text
    currency = found.currency or ""
    return facts(
        md.name_of(found.name) if clean(found.name) else "Our account",
        [
            ("Balance", f"{balance} {currency}" if balance else _NOT_SAID),
            ("Currency", "" if balance and currency else currency or _NOT_SAID),
            ("E-mail", found.email or _NOT_SAID),
            ("Id", found.id or _NOT_SAID),
            *found.rest,
        ],
        notes=["Only approvers and admins see this."],
    )


def status(operation: Operation) -> str:
    """Return our word for a known status, else the service's own."""
    if operation.operation_type == "purchase" and operation.state is OperationStatus.CREATED:
        return word(State.OPEN)
    return status_word(operation.status)


def _amount(operation: Operation) -> str:
    return shown(operation.cents) if operation.cents is not None else "unknown amount"
