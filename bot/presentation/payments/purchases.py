"""Purchases: the card with its items and the checkout link, and its news."""

from collections.abc import Mapping
from typing import Any

from bot.domain.content import Block, Content
from bot.domain.money import plain as amount
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction, Item, PurchasePayload, State
from bot.domain.reasons import Reason
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks.elements import Column, actions, button, table
from bot.presentation.blocks.text import (
    SECTION_LIMIT,
    channel,
    context,
    escape,
    header,
    labelled,
    mention,
    message,
    mrkdwn,
    named,
    plain,
    quote,
    section,
    sentence_of,
    shorten,
    typed,
)
from bot.presentation.payments import cards
from bot.presentation.payments.states import became, because_of, headline, sentence
from bot.presentation.reasons import because_refused, worded
from bot.presentation.words import NEEDS_PERSON, UNKNOWN, symbol

CHECKOUT = "purchase.checkout"

MOST_ITEMS = 20
NAME_LIMIT = 60
"""Characters of an item's name: what a cell on a phone can show."""

_NAME_LIMIT = 80
_TEXT_PURPOSE_LIMIT = 600
_TEXT_ITEMS_LIMIT = 1_100
"""Characters with their escapes: an edit may have a text of 4,000."""
_LINK_LIMIT = 3_000
"""Characters of an address on a button."""
_TEXT_LINK_LIMIT = 600

_COLUMNS = (
    Column(title="Item", most=_NAME_LIMIT),
    Column(title="Quantity × each", most=40, align="right"),
    Column(title="USD", most=30, align="right"),
)


def card(instruction: Instruction, *, link: str, invite_to: str = "", buttons: bool = True) -> Content:
    """The card as it is now.

    Args:
        instruction: a purchase in its present state.
        link: where the buyer pays; empty when there is nothing to pay, or not any more.
        invite_to: channel in which it was asked for and the bot is no member, with the way to mend that.
        buttons: False for a picture of it on which nothing can be decided.
    """
    items = _payload(instruction).items
    head: list[Block] = [
        header(headline(instruction)),
        {"type": "section", "fields": _facts(instruction)},
        section(plain(shorten(f"For: {clean(instruction.payload.description)}", SECTION_LIMIT))),
    ]
    tail: list[Block] = [section(mrkdwn(sentence(instruction, votes=0)))]
    tail += actions(_buttons(instruction, link, decide=buttons), f"purchase:{instruction.id}")
    if instruction.stopped:
        tail.append(context(notices.note(instruction.stopped)))
    if invite_to:
        tail.append(context(f"To have this in {channel(invite_to)}, invite me there: `/invite @Switchboard`"))
    return Content(
        text=summary(instruction, link=link),
        blocks=[*head, table(_COLUMNS, [_row(item) for item in items]), *tail],
        plainer=[*head, section(plain(shorten("\n".join(map(_line, items)), SECTION_LIMIT))), *tail],
    )


def summary(instruction: Instruction, *, link: str) -> str:
    """The whole card in one paragraph: what notifications and screen readers get."""
    parts = [
        f"Purchase {instruction.reference}: {escape(headline(instruction))}",
        f"for “{typed(instruction.payload.description, _TEXT_PURPOSE_LIMIT)}”",
        f"({_items_in_words(instruction)}), asked by {mention(instruction.requester)}.",
        sentence(instruction, votes=0),
    ]
    if instruction.stopped:
        parts.append(notices.note(instruction.stopped))
    if link and len(link) <= _TEXT_LINK_LIMIT:
        parts.append(f"Checkout: {_linked(link)}")
    return " ".join(parts)


def checkout(instruction: Instruction, *, link: str) -> Content:
    """The link, for the thread of the card: it stands beside the picture, or alone where pictures are refused."""
    text = (
        f"{symbol(State.OPEN)} {mention(instruction.requester)} {escape(headline(instruction))} "
        f"({instruction.reference}) is *open*. Pass the checkout link on to the buyer, to be opened in their browser: "
        f"{_linked(link)}"
    )
    return message(text)


def picture_title(instruction: Instruction) -> str:
    """What stands above the picture, in plain text."""
    return f"Checkout of {instruction.reference}, {shown(instruction.cents)}"


def picture_in_words(instruction: Instruction, *, link: str) -> str:
    """Alternative text of the picture."""
    return f"QR code of the checkout link of {instruction.reference}: {link}"


def told(  # noqa: PLR0911 - one arm a state
    instruction: Instruction, facts: Mapping[str, Any], names: Mapping[str, str]
) -> str:
    """News of a purchase, after its name."""
    given = Reason.read(facts.get("reason"))
    reason, because = sentence_of(quote(worded(given))), because_of(facts)
    match State(str(facts["state"])):
        case State.COMPLETED:
            return f"is *completed*: the service confirms that the buyer paid. {reason}".strip()
        case State.CANCELED:
            return "was *canceled* at the service; no money moved."
        case State.FAILED:
            return f"has *failed* at the service.{because}"
        case State.REFUSED:
            return f"has *failed*: the service refused it, so there is nothing to pay.{because_refused(given)}"
        case State.MISMATCH:
            return f"has *failed*: the service's record is not what was asked for; do not pass any link on.{because}"
        case State.CLOSED:
            return f"has *failed*: it was never opened, so nobody can pay it.{because}"
        case State.NEEDS_HUMAN:
            return f"*{NEEDS_PERSON}*: whether the service opened it is *{UNKNOWN}*.{because}"
        case State.WITHDRAWN:
            by = f" by {named(str(facts['decided_by']), names)}" if facts.get("decided_by") else ""
            return f"was *withdrawn*{by}.{because} It was never opened."
        case _:
            return became(instruction, facts, names)


def _payload(instruction: Instruction) -> PurchasePayload:
    if not isinstance(instruction.payload, PurchasePayload):
        raise TypeError(f"{instruction.reference} is no purchase")
    return instruction.payload


def _facts(instruction: Instruction) -> list[Block]:
    return [
        labelled("Asked by", mention(instruction.requester)),
        labelled("Reference", instruction.reference),
    ]


def _row(item: Item) -> tuple[str, ...]:
    return item.name, f"{item.quantity} × {amount(item.unit_cents)}", amount(item.cents)


def _line(item: Item) -> str:
    name = shorten(clean(item.name), _NAME_LIMIT)
    return f"{name}: {item.quantity} × {amount(item.unit_cents)} = {amount(item.cents)}"


def _items_in_words(instruction: Instruction) -> str:
    items = _payload(instruction).items
    told: list[str] = []
    room = _TEXT_ITEMS_LIMIT
    for item in items:
        line = f"{item.quantity} × {typed(item.name, _NAME_LIMIT)} at {amount(item.unit_cents)}"
        room -= len(line) + 2
        if room < 0:
            return f"{'; '.join(told)}; and {len(items) - len(told)} more"
        told.append(line)
    return "; ".join(told)


def _buttons(instruction: Instruction, link: str, *, decide: bool) -> list[Block]:
    found: list[Block] = []
    if instruction.state is State.OPEN and link and len(link) <= _LINK_LIMIT:
        found.append(
            button(
                "Open checkout",
                CHECKOUT,
                url=link,
                style="primary",
                spoken=f"Open checkout of {shown(instruction.cents)}",
            )
        )
    if decide and instruction.state is State.NEW:
        found.append(cards.withdraw_button(instruction))
    return found


def _linked(link: str) -> str:
    """An address as Slack links it: the characters that would end the link are encoded in addresses anyway."""
    return f"<{escape(link).replace('|', '%7C')}>"
