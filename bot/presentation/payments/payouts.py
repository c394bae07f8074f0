"""Wording of payouts in one and two steps, with facts and concerns about the recipient."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from bot.domain.content import Block, Content
from bot.domain.money import CURRENCY, shown
from bot.domain.payments.instruction import FINAL, Instruction, Recipient, State
from bot.domain.payments.recipient import Concern, awaits_requester, concerns, has_no_account, is_disguised
from bot.domain.text import clean
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, facts, question
from bot.presentation.countries import country
from bot.presentation.payments.again import ways_on
from bot.presentation.payments.wording import (
    ALERTS,
    DECIDED,
    NEWS,
    Stands,
    Wording,
    chosen_code,
    is_unusual,
    policy_line,
    value_of,
)
from bot.presentation.reasons import worded
from bot.presentation.words import NOT_ACTIVE, NOTHING_PAID

TAKE_IN: Final = "payout.take_in"  # the button that imports an external payout
SEND_ANYWAY: Final = "payout.send_anyway"
EDIT: Final = "payout.edit"
RETURN: Final = "payout.return"  # the button that cancels a payout in escrow
_NAME_LIMIT = 80
_PURPOSE_LIMIT = 1_400
"""Characters including escapes: an edited text may have 4,000, and the rest of a card needs its share."""
_UNDECIDED = frozenset({State.NEW, State.CREATING, State.CREATE_UNKNOWN, State.AWAITING, State.NEEDS_HUMAN})
CHECKING: Final = "Checking the recipient…"
_LOOKALIKES: Final = "This address uses letters that can look like others. Check it with the recipient."
_LOST: Final = "This address may have lost a letter: a question mark is in its place."
_CONCERNS: Final[Mapping[Concern, str]] = {
    Concern.NO_ACCOUNT: "No account found for {email}. The money waits until they sign up.",
    Concern.NOT_ACTIVE: f"The account of {{email}} isn't active: {NOT_ACTIVE}.",
    Concern.NOT_VERIFIED: "The account of {email} isn't verified.",
    Concern.NOT_PRIMARY: "{email} isn't the account's primary address.",
    Concern.OTHER_NAME: "The account of {email} is registered under another name.",
    Concern.NOT_KNOWN: "The account of {email} couldn't be checked.",
    Concern.LIKE_ANOTHER: "{email} looks like *{instead}*, whose domain was paid before.",
}


def asked_anyway(instruction: Instruction) -> str:
    recipient = instruction.recipient or Recipient()
    email, instead = md.quote(instruction.payload.email), md.quote(recipient.instead)
    meant = f"Did you mean *{instead}*?" if instead else ""
    if not has_no_account(recipient):
        return f"{meant} Its domain was paid before, and one letter differs."
    return f"No account found for {email}. {meant}".rstrip()


def warnings(instruction: Instruction) -> list[str]:
    email, instead = md.quote(instruction.payload.email), md.quote((instruction.recipient or Recipient()).instead)
    found = [_CONCERNS[one].format(email=email, instead=instead) for one in concerns(instruction.recipient)]
    found += [_LOOKALIKES] if is_disguised(instruction.payload.email) else []
    return [*found, *([_LOST] if "?" in instruction.payload.email else [])]


def account_line(recipient: Recipient) -> str:
    """Describe an account, including facts that aren't known."""
    known = (
        (recipient.active, "active", f"not active ({NOT_ACTIVE})"),
        (recipient.verified, "verified", "not verified"),
        (recipient.primary, "primary address", "not the primary address"),
    )
    return ", ".join(f"{yes}: not known" if fine is None else yes if fine else no for fine, yes, no in known)


def registered(instruction: Instruction) -> str:
    """Return the recipient's registered name; empty if unknown."""
    name = md.name_of((instruction.recipient or Recipient()).full_name or "")
    return "" if name == md.UNKNOWN else md.shorten(name, _NAME_LIMIT)


def account(instruction: Instruction) -> Content:
    """Show the full record of the recipient's account, as read for the card."""
    found = instruction.recipient
    if found is None:
        known: list[tuple[str, str]] = [("Account", "Not checked yet")]
    elif found.problem is not None:
        known = [("Account", f"Couldn't be checked: {worded(found.problem)}")]
    else:
        told = {True: "Yes", False: "No", None: "Not known"}
        known = [
            ("Registered name", registered(instruction) or "None"),
            ("Active", told[found.active]),
            ("Verified", told[found.verified]),
            ("Primary address", told[found.primary]),
            ("Country", country(found.country) or "Not known"),
        ]
    notes = [f":warning: {line}" for line in warnings(instruction)]
    return facts(instruction.payload.email, known, notes=notes)


def _account(instruction: Instruction) -> list[str]:
    """Return *verified* if there are no concerns, and the country; concerns are shown as warnings."""
    recipient = instruction.recipient
    if recipient is None or instruction.state in FINAL:
        return []
    fine = not concerns(recipient) and recipient.verified and recipient.primary
    named = md.quote(country(recipient.country), _NAME_LIMIT)
    return [*(["verified"] if fine else []), *([named] if named else [])]


def _purpose(instruction: Instruction, limit: int) -> str:
    return md.typed(clean(instruction.payload.description), limit) or "No description"


def _address(instruction: Instruction) -> str:
    address = ", ".join([md.quote(instruction.payload.email), *_account(instruction)])
    return " ".join([address, *_besides(instruction)])


def _besides(instruction: Instruction) -> list[str]:
    """Return rare details: a code chosen by a person, or the id of an external payout."""
    made = instruction.payload.taken.replace("`", "")
    found = [f"code {code}" for _, code in chosen_code(instruction)]
    found += [f"replaces {instruction.payload.again_of}"] if instruction.payload.again_of else []
    found += [f"created outside Switchboard as `{md.quote(made, 200)}`"] if made else []
    return [f"· {one}" for one in found]


def _to(instruction: Instruction) -> str:
    return registered(instruction) or instruction.payload.email


def _in_full(instruction: Instruction) -> str:
    name, email = registered(instruction), instruction.payload.email
    return f"{shown(instruction.cents)} to {f'{name} ({email})' if name else email}"


def _warnings(instruction: Instruction) -> list[str]:
    decided = instruction.state not in _UNDECIDED
    unusual = [md.escape(policy_line(instruction))] if is_unusual(instruction) and not decided else []
    return [*unusual, *warnings(instruction)]


def _buttons(instruction: Instruction) -> list[Block]:
    """Return the requester's choices for an address without an account, or the cancellation of a payout in escrow."""
    if awaits_requester(instruction):
        value, spoken = value_of(instruction), f"Send anyway to {instruction.payload.email}"
        anyway = button("Send anyway", SEND_ANYWAY, value, spoken=spoken)
        if instruction.payload.taken:
            return [anyway]
        return [anyway, button("Edit", EDIT, value, style="primary", spoken="Edit the request")]
    if instruction.state is not State.PENDING_ESCROW:
        return []
    text = f"Get the {shown(instruction.cents)} back? Nothing is canceled until it's approved."
    asked = question("Cancel and return the money?", text, yes="Request approval", no="Keep it")
    return [button("Cancel and return the money", RETURN, instruction.id, confirm=asked)]


def _new(stands: Stands) -> str:
    if awaits_requester(stands.instruction):
        return f"{asked_anyway(stands.instruction)} Not sent to the approvers yet."
    return stands["reason"] or CHECKING


def _needs_human(stands: Stands) -> str:
    doubt = "We couldn't find out whether the provider created this payout. Nothing was paid."
    if stands.instruction.commits:
        doubt = "We couldn't confirm this payout."
    quorum = stands.instruction.requirement.quorum
    votes = f" Approved to retry: {stands.votes} of {quorum}." if stands.votes else ""
    choose = "close it as not paid" if stands.instruction.suspect else "retry or close it as not paid"
    check = f" Check {stands['look_up']} in the provider's dashboard, then {choose}."
    return f"{doubt}{stands['why']}{check}{votes}{stands['raw']}"


PAYOUT: Final = Wording(
    noun="payout",
    news_actions=ways_on,
    headline=lambda one: f"{shown(one.cents)} to {_to(one)}",
    in_full=_in_full,
    title=lambda one: f"{shown(one.cents)} {CURRENCY} to {_to(one)}",
    head=lambda one, _: [md.paragraph(_purpose(one, _PURPOSE_LIMIT))],
    small=lambda one, asker: [_address(one), f"requested by {asker}"],
    facts=lambda one, asker: [_purpose(one, _PURPOSE_LIMIT), f"requested by {asker}", _address(one)],
    text=lambda one, asker: [
        f"{_purpose(one, _PURPOSE_LIMIT)}, requested by {asker}",
        *(f"· {said}" for said in _account(one)),
        *_besides(one),
    ],
    warnings=_warnings,
    buttons=_buttons,
    menu=(("Recipient", "recipient"),),
    sentences={
        **DECIDED,
        State.NEW: _new,
        State.CREATING: "Nothing is paid until it's approved.",
        State.CREATE_UNKNOWN: lambda stands: (
            stands.unless_refused("We're checking whether the provider created this payout.") + f" {NOTHING_PAID}"
        ),
        State.SENDING: "",
        State.COMMIT_UNKNOWN: lambda stands: stands.in_doubt("We're checking with the provider.") + stands["raw"],
        State.NEEDS_HUMAN: _needs_human,
        State.COMMITTED: "Waiting for confirmation that it arrived.{raw}",
        State.PENDING_ESCROW: "The money is held until the recipient signs up.{raw}",
        State.COMPLETED: "",
        State.CANCELED: "The provider canceled it. The money went back.",
        State.FAILED: f"The provider couldn't pay it{{words_of}} {NOTHING_PAID}",
        State.MISMATCH: "Not sent: the provider's record isn't what was requested.{why}",
    },
    news={
        **NEWS,
        State.NEW: lambda told: (
            f"{asked_anyway(told.instruction)} {told['what']} wasn't sent to the approvers yet: edit it, or send it "
            "anyway."
        ),
        State.PENDING_ESCROW: (
            "*Waiting for sign-up*: {what}. The money is held until the recipient signs up.{approved}"
        ),
        State.COMPLETED: "*Paid*: {what}.{approved}",
        State.CANCELED: "*Canceled*: {what}. The provider canceled it and the money went back.{approved}",
        State.FAILED: f"*Failed*: {{what}}. The provider couldn't pay it{{words_of}} {NOTHING_PAID}",
        State.MISMATCH: "*Failed*: {what} wasn't sent: the provider's record isn't what was requested.{why}",
    },
    topics=ALERTS,
)
ONE_STEP: Final = replace(PAYOUT)
