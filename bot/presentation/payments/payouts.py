"""What payouts say: in two steps, and in one. What is known of the recipient, and what is not fine about it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.domain.content import Block
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction, Recipient, State
from bot.domain.payments.recipient import Concern, awaits_requester, concerns, has_no_account
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, question
from bot.presentation.payments.wording import (
    ALERTS,
    BEFORE_DECIDING,
    DECIDED,
    NEWS,
    Stands,
    Wording,
    chosen_code,
    purpose,
    value_of,
)
from bot.presentation.reasons import worded
from bot.presentation.words import NOT_ACTIVE, NOTHING_PAID

TAKE_IN: Final = "payout.take_in"  # the button that takes in a payout of elsewhere
SEND_ANYWAY: Final = "payout.send_anyway"
EDIT: Final = "payout.edit"
RETURN: Final = "payout.return"  # the button that cancels a payout in escrow
_NAME_LIMIT = 300
_HEADLINE = 120
_TEXT_NAME_LIMIT = 400
_TEXT_PURPOSE_LIMIT = 1_400
"""Characters with their escapes: an edit may have a text of 4,000, and the rest of a card needs its share."""
_LOOKED_UP = "the recipient is being looked up; no money moves before people approve it. {reason}"
_CONCERNS: Final[Mapping[Concern, str]] = {
    Concern.NO_ACCOUNT: "No account for {email}. The money waits until they sign up.",
    Concern.NOT_ACTIVE: "The account of {email} can't receive money now.",
    Concern.NOT_VERIFIED: "Whose account {email} is was not verified.",
    Concern.NOT_PRIMARY: "{email} is not the account's primary address.",
    Concern.OTHER_NAME: "The account of {email} is registered under another name.",
    Concern.NOT_KNOWN: "The account of {email} could not be looked up.",
    Concern.LIKE_ANOTHER: "{email} looks like *{instead}*, whose domain was paid before.",
}


def asked_anyway(instruction: Instruction) -> str:
    recipient = instruction.recipient or Recipient()
    email, instead = md.quote(instruction.payload.email), md.quote(recipient.instead)
    meant = f"Did you mean *{instead}*?" if instead else ""
    if not has_no_account(recipient):
        return f"{meant} Its domain was paid before, and one letter differs."
    return f"No account for {email}. {meant}".rstrip()


def warnings(instruction: Instruction) -> list[str]:
    email, instead = md.quote(instruction.payload.email), md.quote((instruction.recipient or Recipient()).instead)
    return [_CONCERNS[one].format(email=email, instead=instead) for one in concerns(instruction.recipient)]


def recipient_line(recipient: Recipient | None) -> str:
    if recipient is None:
        return "account not looked up yet"
    if recipient.problem is not None:
        return f"account could not be read: {worded(recipient.problem)}"
    name = md.name_of(recipient.full_name or "")
    whose = f"registered name {md.UNKNOWN}" if name == md.UNKNOWN else md.shorten(name, _NAME_LIMIT)
    return ", ".join([whose, account_line(recipient), f"country: {recipient.country or 'not known'}"])


def account_line(recipient: Recipient, *, marked: bool = False) -> str:
    """What is not known is said to be not known. ``marked``: what speaks against paying stands out, as mrkdwn."""
    before, after = (":warning: *", "*") if marked else ("", "")
    known = (
        (recipient.active, "active", f"{before}not active{after} ({NOT_ACTIVE})"),
        (recipient.verified, "verified", f"{before}not verified{after}"),
        (recipient.primary, "primary address", "not the primary address"),
    )
    return ", ".join(f"{yes}: not known" if fine is None else yes if fine else no for fine, yes, no in known)


def _head(instruction: Instruction, asker: str) -> list[Block]:
    recipient = instruction.recipient
    name, account = "not known", md.quote(recipient_line(recipient).removeprefix("account "), _NAME_LIMIT)
    if recipient is not None and not recipient.problem:
        name, account = md.name_of(recipient.full_name or ""), account_line(recipient, marked=True)
    country = md.quote((recipient.country if recipient is not None else "") or "not known", _NAME_LIMIT)
    known = [("Registered name", md.quote(name, _NAME_LIMIT)), ("Account", account), ("Country", country)]
    known += [("Asked by", asker), ("Reference", instruction.reference), *chosen_code(instruction)]
    if instruction.payload.taken:
        known.append(("Made elsewhere", f"as `{md.quote(instruction.payload.taken.replace('`', ''), _NAME_LIMIT)}`"))
    return [md.header(_headline(instruction)), *md.fields(*known), purpose(instruction)]


def _headline(instruction: Instruction) -> str:
    return f"{shown(instruction.cents)} to {instruction.payload.email}"


def _buttons(instruction: Instruction) -> list[Block]:
    """The requester's ways on about an address without an account; the way back for money that waits in escrow."""
    if awaits_requester(instruction):
        value, spoken = value_of(instruction), f"Send anyway to {instruction.payload.email}"
        anyway = button("Send anyway", SEND_ANYWAY, value, spoken=spoken)
        if instruction.payload.taken:
            return [anyway]
        return [anyway, button("Edit", EDIT, value, style="primary", spoken="Edit the request")]
    if instruction.state is not State.PENDING_ESCROW:
        return []
    text = f"{md.shorten(_headline(instruction), _HEADLINE)}. Nothing is canceled before people approve it."
    asked = question("Cancel and return the money?", text, yes="Ask for approval", no="Leave it")
    return [button("Cancel and return the money", RETURN, instruction.id, confirm=asked)]


def _needs_human(stands: Stands) -> str:
    doubt = f"whether the service created the payout is *{md.UNKNOWN}*; nothing was paid."
    if stands.instruction.commits:
        doubt = f"the outcome is *{md.UNKNOWN}*. {BEFORE_DECIDING}."
    quorum = stands.instruction.requirement.quorum
    votes = f" Approvals for a new attempt: {stands.votes} of {quorum}." if stands.votes else ""
    return f"{doubt} {stands['look_up']}. {stands['reason']}{votes}{stands['raw']}"


PAYOUT: Final = Wording(
    noun="payout",
    headline=_headline,
    head=_head,
    text=lambda one, asker: [
        f"Payout {one.reference}: {md.escape(_headline(one))}",
        f"({md.quote(recipient_line(one.recipient), _TEXT_NAME_LIMIT)})",
        f"for “{md.typed(one.payload.description, _TEXT_PURPOSE_LIMIT)}”,",
        *(f"{label.lower()} {code}," for label, code in chosen_code(one)),
        *(["made elsewhere,"] if one.payload.taken else []),
        f"asked by {asker}.",
    ],
    buttons=_buttons,
    sentences={
        **DECIDED,
        State.NEW: lambda stands: (
            asked_anyway(stands.instruction) if awaits_requester(stands.instruction) else _LOOKED_UP.format_map(stands)
        ),
        State.CREATING: _LOOKED_UP,
        State.CREATE_UNKNOWN: lambda stands: (
            stands.unless_refused("the service did not say whether it created the payout. Switchboard is looking.")
            + f" {NOTHING_PAID}"
        ),
        State.SENDING: "the payment is on its way to the service; no answer yet.",
        State.COMMIT_UNKNOWN: lambda stands: (
            stands.in_doubt("the service did not say whether it paid. Switchboard is finding out.") + stands["raw"]
        ),
        State.NEEDS_HUMAN: _needs_human,
        State.COMMITTED: (
            "the service has accepted it and is paying; it has not said yet that the money arrived.{raw}"
        ),
        State.PENDING_ESCROW: "the service holds the money until the recipient has signed up.{raw}",
        State.COMPLETED: "the service confirms that the recipient was credited.",
        State.CANCELED: "the service canceled it; the money went back.",
        State.FAILED: "the service could not pay.{why}",
        State.MISMATCH: "not sent, because the service's record is not what was asked for. {reason}",
    },
    news={
        **NEWS,
        State.NEW: lambda told: (
            f"was not sent to the approvers yet. {asked_anyway(told.instruction)} Decide on the card."
        ),
        State.PENDING_ESCROW: (
            "is in escrow: the service holds the money until the recipient has signed up.{approved}"
        ),
        State.COMPLETED: "is *completed*: the service confirms that the recipient was credited.{approved}{proof}",
        State.CANCELED: "was *canceled* by the service; the money went back.{approved}",
        State.FAILED: "*failed* at the service.{why}{approved}",
        State.MISMATCH: "has *failed*: not sent, because the service's record is not what was asked for.{why}",
    },
    topics=ALERTS,
)
ONE_STEP: Final = replace(PAYOUT, agrees=", and its list does not show it: nothing was paid.")
