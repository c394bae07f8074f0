"""Records of the payments service: the list of operations, one operation, its event log, accounts."""

from collections.abc import Mapping, Sequence

from bot.domain.content import Content
from bot.domain.money import plain as digits
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction, Recipient, State
from bot.domain.payments.operation import AccountStatus, Operation, OperationPage, OperationStatus, Partner, PayoutEvent
from bot.domain.text import clean
from bot.presentation.blocks import elements
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import NOTHING, Column, Fact, facts, table, turns
from bot.presentation.payments.payouts import account_line
from bot.presentation.words import status_word, word

PREVIOUS = "operations.previous"
NEXT = "operations.next"
_NOT_SAID = "not said"
_MOST_ROWS = 10
_PERSON_LIMIT = 120
_REFERENCE_LIMIT = 64
_WORD_LIMIT = 30
_COLUMNS = (
    Column(title="Created (UTC)", most=20),
    Column(title="Type", most=_WORD_LIMIT),
    Column(title="Amount", most=_WORD_LIMIT, align="right"),
    Column(title="Person", most=_PERSON_LIMIT, wraps=True),
    Column(title="Status", most=_WORD_LIMIT),
    Column(title="At the service", most=_WORD_LIMIT),
    Column(title="Reference", most=_REFERENCE_LIMIT),
)
_EVENT_CHARACTERS = 3_500  # of all lines together: a text of more than 4,000 characters is more than Slack likes
_DETAILS = 200
NO_PURCHASE = "this is a purchase, and the service lists its calls about payouts only"
"""The rule that the name of a purchase breaks where a payout is wanted."""


def listing(
    page: OperationPage, ours: Mapping[str, Instruction], *, operation_type: str | None, command: str
) -> Content:
    """One page of the service's operations, as a table and as lines. ``ours``: the service's id -> our request.

    ``operation_type``: ``payout``, ``purchase`` or None for both: what was asked for.
    """
    what = f"{operation_type.capitalize()}s" if operation_type else "Operations"
    pager = turns(operation_type or "", page.page, page.last_page, back=PREVIOUS, on=NEXT)
    if not page.operations and page.page <= 1:
        return md.message(f":open_file_folder: The service has no {what.lower()}.")
    if not page.operations:
        text = f":open_file_folder: *{what}*: page {page.page} is empty, the last one is {page.last_page}."
        return Content(text=text, blocks=[md.paragraph(text), *pager])
    shown_here = page.operations[:_MOST_ROWS]
    span = f" {page.first} to {page.last} of {page.total}" if page.first and page.last else f", {page.total} in all"
    span = f"{span}, page {page.page} of {page.last_page}" if page.last_page > 1 else span
    lead = f"*{what}*{span}"
    lines = [_line(one, ours.get(one.id)) for one in shown_here]
    notes = [f"`{command} show` with the reference tells more about one."]
    if len(page.operations) > _MOST_ROWS:
        notes.insert(0, f"The service sent {len(page.operations)} at once; these are the first {_MOST_ROWS}.")
    rows = [_row(one, ours.get(one.id)) for one in shown_here]
    after = [md.context(" ".join(notes)), *pager]
    return elements.listing(lead, table(_COLUMNS, rows), lines, *after, notes=notes)


def record(operation: Operation) -> Content:
    """An operation that was not asked for through Switchboard."""
    person = clean(operation.email or "")
    towards = {"payout": "to", "purchase": "from"}.get(operation.operation_type, "·")
    return facts(
        f"{_amount(operation)} {towards} {person}" if person else _amount(operation),
        [("Type", operation.operation_type), *_known_there(operation)],
        about=f"For: {operation.description}" if clean(operation.description) else "",
        notes=["This is the service's record. Switchboard did not ask for it."],
    )


def with_record(card: Content, operation: Operation) -> Content:
    """A request's card with the service's present record."""
    known = _known_there(operation)
    if operation.state is None and f"“{md.quote(operation.status)}”" in card.text:
        known = known[1:]  # the card says already how the service calls it
    return _below(card, facts("What the service says now", known))


def without_record(card: Content, said: str) -> Content:
    """The same where the service could not be asked; ``said``: why, a foreign sentence."""
    text = f":warning: What the service says now could not be read. {md.quote(said)}"
    return _below(card, md.message(text))


def _below(card: Content, more: Content) -> Content:
    return Content(text=f"{card.text}\n{more.text}", blocks=[*card.blocks, {"type": "divider"}, *more.blocks])


def _known_there(operation: Operation) -> list[Fact]:
    return [
        ("Status", status(operation)),
        ("The service's id", operation.id),
        ("Code", operation.code or ""),
        *(
            (what, f"{at:%Y-%m-%d %H:%M} UTC" if at else "")
            for what, at in (("Created", operation.created_at), ("Changed", operation.updated_at))
        ),
        ("Hash", operation.svc_hash or ""),
        ("Why it failed", operation.failure_reason or ""),
    ]


def events(named: str, found: Sequence[PayoutEvent]) -> Content:
    """What the service recorded of its calls to us about one payout. ``named``: foreign, how people know it."""
    whose = md.quote(named, _PERSON_LIMIT)
    if not found:
        return md.message(f":mailbox_with_no_mail: The service has recorded no calls to us about {whose}.")
    told = [_event(one) for one in found]
    kept: list[str] = []
    room = _EVENT_CHARACTERS
    while told and len(told[-1]) < room:
        room -= len(told[-1]) + 1
        kept.insert(0, told.pop())
    lead = f"*The service recorded {md.counted(len(found), 'call')} to us about {whose}*"
    if told:
        lead += f"; these are the last {len(kept)}"
    return Content(text=md.fallback_text([lead, *kept]), blocks=md.paragraphs([lead, *kept]))


def not_created(named: str) -> Content:
    whose = md.quote(named, _PERSON_LIMIT)
    return md.message(f":mailbox_with_no_mail: {whose} does not exist at the service yet, so there are no calls.")


def account(email: str, found: AccountStatus) -> Content:
    recipient = Recipient(active=found.active, verified=found.verified, primary=found.primary)
    raw = found.status if found.active is None else ""
    return facts(
        email,
        [
            ("Registered name", md.name_of(found.full_name)),
            ("Account", account_line(recipient)),
            ("The service's word for it", raw),
            ("Country", found.country or _NOT_SAID),
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
        ],
        notes=["Approvers and admins of the policy may see this."],
    )


def status(operation: Operation) -> str:
    """The word that cards have for a status we know, the service's own for any other."""
    if operation.operation_type == "purchase" and operation.state is OperationStatus.CREATED:
        return word(State.OPEN)
    return status_word(operation.status)


def _raw(operation: Operation) -> str:
    """The service's own word: beside our state it explains nothing, it only says what stands there."""
    return operation.status if operation.state is None else operation.state.value


def _row(operation: Operation, ours: Instruction | None) -> list[str]:
    return [
        f"{operation.created_at:%Y-%m-%d %H:%M}" if operation.created_at else "",
        operation.operation_type,
        _amount(operation),
        operation.email or "",
        word(ours.state) if ours is not None else status(operation),
        _raw(operation) if ours is not None else "",
        ours.reference if ours is not None else operation.id,
    ]


def _line(operation: Operation, ours: Instruction | None) -> str:
    stands = md.quote(status(operation), _WORD_LIMIT)
    if ours is not None:
        stands = f"{word(ours.state)} (at the service: {md.quote(_raw(operation), _WORD_LIMIT)})"
    parts = [
        md.moment(operation.created_at) if operation.created_at else NOTHING,
        md.quote(operation.operation_type, _WORD_LIMIT),
        md.escape(_amount(operation)),
        md.quote(operation.email or "", _PERSON_LIMIT),
        stands,
        md.quote(ours.reference if ours is not None else operation.id, _REFERENCE_LIMIT),
    ]
    return "• " + " · ".join(part or NOTHING for part in parts)


def _event(event: PayoutEvent) -> str:
    known = [
        md.quote(event.kind.removesuffix("_uri"), _WORD_LIMIT),
        f"to {md.quote(event.host, _PERSON_LIMIT)}" if event.host else "",
        f"answered {md.quote(event.status, _WORD_LIMIT)}" if event.status else "",
    ]
    parts = [part for part in known if part]
    if len(parts) < 2:  # noqa: PLR2004 - a record of a form we do not know: show what there is
        parts = [md.quote(", ".join(f"{name}: {value}" for name, value in event.details), _DETAILS)]
    return "• " + " · ".join([*([md.moment(event.at)] if event.at else []), *parts])


def _amount(operation: Operation) -> str:
    return shown(operation.cents) if operation.cents is not None else "unknown amount"
