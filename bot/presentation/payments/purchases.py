"""Wording of purchases: the card with items and checkout link, news, and the pages after the checkout."""

from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import plain as amount
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction, Item, PurchasePayload, State
from bot.domain.text import clean
from bot.presentation import notices
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import Column, actions, button, table
from bot.presentation.payments.wording import ALERTS, NEWS, Wording, chosen_code, purpose
from bot.presentation.words import NEEDS_PERSON, symbol

CHECKOUT = "purchase.checkout"
_NAME_LIMIT = 80
_TEXT_PURPOSE_LIMIT = 600
_TEXT_ITEMS_LIMIT = 1_100  # characters including escapes: an edited text may have 4,000
_LINK_LIMIT = 3_000  # characters of an address on a button
_TEXT_LINK_LIMIT = 600
_NOT_YET = "Creating a checkout link…{why}"
_COLUMNS = (
    Column(title="Item", most=_NAME_LIMIT),
    Column(title="Quantity × each", most=40, align="right"),
    Column(title="USD", most=30, align="right"),
)
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1d1c1d }}
h1 {{ font-size: 1.3rem }}
</style></head><body><h1>{title}</h1><p>{text}</p></body></html>
"""
# Pages after paying and after leaving the checkout: they explain what happens next, not what happened.
THANKS = _PAGE.format(
    title="Thank you",
    text="We'll tell the team once the payment is confirmed. You can close this page.",
)
LEFT = _PAGE.format(
    title="You left the checkout",
    text="Nothing was paid here. You can close this page.",
)


def card(instruction: Instruction, *, link: str, invite_to: str = "", buttons: bool = True) -> Content:
    """Build the card with the buyer's checkout ``link``, empty if there is nothing to pay. A copy has no buttons."""
    cells = [(one.name, f"{one.quantity} × {amount(one.unit_cents)}", amount(one.cents)) for one in _items(instruction)]
    lines = [f"{md.shorten(clean(name), _NAME_LIMIT)}: {each} = {cents}" for name, each, cents in cells]
    asker, sentence = md.mention(instruction.requester), PURCHASE.sentence(instruction, votes=0)
    head = [md.header(PURCHASE.title(instruction)), *PURCHASE.head(instruction, asker)]
    text = " ".join([*PURCHASE.text(instruction, asker), sentence])
    tail: list[Block] = [md.paragraph(sentence)]
    pressed: list[Block] = []
    if instruction.state is State.OPEN and link and len(link) <= _LINK_LIMIT:
        spoken = f"Open checkout of {shown(instruction.cents)}"
        pressed.append(button("Open checkout", CHECKOUT, url=link, style="primary", spoken=spoken))
    if buttons and instruction.state is State.NEW:
        pressed.append(PURCHASE.withdraw_button(instruction))
    tail += actions(pressed, f"purchase:{instruction.id}")
    if instruction.stopped:
        tail.append(md.context(notices.note(instruction.stopped)))
        text += f" {notices.note(instruction.stopped)}"
    if link and len(link) <= _TEXT_LINK_LIMIT:
        text += f" Checkout: {md.linked(link)}"
    if invite_to:
        tail.append(md.context(f"To have this in {md.channel(invite_to)}, invite me there: `/invite @Switchboard`"))
    return Content(
        text=text,
        blocks=[*head, table(_COLUMNS, cells), *tail],
        plainer=[*head, md.section(md.plain(md.shorten("\n".join(lines), md.SECTION_LIMIT))), *tail],
    )


def checkout(instruction: Instruction, *, link: str) -> Content:
    """Post the link in the card's thread, beside its QR code or alone if pictures are refused."""
    return md.message(
        f"{symbol(State.OPEN)} {md.mention(instruction.requester)} {md.escape(_headline(instruction))} "
        f"({instruction.reference}): checkout link ready. Send it to the buyer, to open in their default browser: "
        f"{md.linked(link)}"
    )


def picture(instruction: Instruction, *, link: str) -> tuple[str, str]:
    """Return title and alternative text of the checkout link's QR code."""
    title = f"Checkout of {instruction.reference}, {shown(instruction.cents)}"
    return title, f"QR code of the checkout link of {instruction.reference}: {link}"


def _headline(instruction: Instruction) -> str:
    return f"{shown(instruction.cents)} from {instruction.payload.email}"


def _items(instruction: Instruction) -> tuple[Item, ...]:
    if not isinstance(instruction.payload, PurchasePayload):
        raise TypeError(f"{instruction.reference} is no purchase")
    return instruction.payload.items


def _text(instruction: Instruction, asker: str) -> list[str]:
    items = _items(instruction)
    told: list[str] = []
    room = _TEXT_ITEMS_LIMIT
    for item in items:
        line = f"{item.quantity} × {md.typed(item.name, _NAME_LIMIT)} at {amount(item.unit_cents)}"
        room -= len(line) + 2
        if room < 0:
            told.append(f"and {len(items) - len(told)} more")
            break
        told.append(line)
    return [
        f"Purchase {instruction.reference}: {md.escape(_headline(instruction))}",
        f"for “{md.typed(instruction.payload.description, _TEXT_PURPOSE_LIMIT)}”",
        f"({'; '.join(told)}),{''.join(f' code {code},' for _, code in chosen_code(instruction))}",
        f"requested by {asker}.",
    ]


PURCHASE: Final = Wording(
    noun="purchase",
    headline=_headline,
    in_full=_headline,
    title=_headline,
    requested="Creating a checkout link for {headline}… · {instruction.reference}",
    head=lambda one, asker: [
        *md.fields(("Requested by", asker), ("Reference", one.reference), *chosen_code(one)),
        purpose(one),
    ],
    facts=lambda one, asker: [f"requested by {asker}", one.reference],
    text=_text,
    card=card,
    sentences={
        State.NEW: _NOT_YET,
        State.CREATING: _NOT_YET,
        State.CREATE_UNKNOWN: lambda stands: (
            stands.unless_refused("We're checking whether the checkout was created.") + " Don't request it again."
        ),
        State.NEEDS_HUMAN: (
            "We couldn't find out whether the checkout was created. Check the provider's dashboard before you request "
            "it again.{why}"
        ),
        State.OPEN: lambda stands: f"Nothing has been paid yet.{stands['raw']}" if not stands["raw"] else stands["raw"],
        State.COMPLETED: "{reason}",
        State.CANCELED: "No money moved.",
        State.FAILED: "The provider couldn't take the payment{words_of}",
        State.REFUSED: "{declined} There is nothing to pay.",
        State.MISMATCH: "The link isn't shown: the provider's record isn't what was requested.{why}",
        State.CLOSED: "It was never opened.{why}",
        State.WITHDRAWN: "By {by}{words_of} It was never opened.",
    },
    news={
        **NEWS,
        State.NEEDS_HUMAN: (
            f"*{md.capital(NEEDS_PERSON)}*: {{what}}. We couldn't find out whether the checkout was created.{{why}}"
        ),
        State.COMPLETED: "*Paid*: {what}.{why}",
        State.CANCELED: "*Canceled*: {what}. No money moved.",
        State.FAILED: "*Failed*: {what}. The provider couldn't take the payment{words_of}",
        State.REFUSED: "*Failed*: {what}. {declined} There is nothing to pay.",
        State.MISMATCH: "*Failed*: {what}. The provider's record isn't what was requested. Don't share any link.{why}",
        State.CLOSED: "*Failed*: {what}. It was never opened.{why}",
        State.WITHDRAWN: "*Withdrawn* by {by}{words_of} {what}. It was never opened.",
    },
    topics={
        **ALERTS,
        "needs_human": "could not be confirmed. Check the provider's dashboard.",
        "mismatch": "was stopped: the provider's record isn't what was requested. Its link wasn't given out.",
        "differs": "the provider's record differs from what was requested.",
        "paid_elsewhere": "was paid, although its link wasn't given out.",
    },
)
