"""What is not fine about a recipient: what the requester is asked, and what an approver confirms."""

from collections.abc import Mapping
from typing import Final

from bot.domain.content import Block
from bot.domain.payments.instruction import Instruction, Recipient
from bot.domain.payments.recipient import Concern, awaits_requester, concerns
from bot.presentation.blocks.buttons import button
from bot.presentation.blocks.text import quote

SEND_ANYWAY: Final = "payout.send_anyway"
EDIT: Final = "payout.edit"

_CONCERNS: Final[Mapping[Concern, str]] = {
    Concern.NO_ACCOUNT: "No account for {email}. The money waits until they sign up.",
    Concern.NOT_ACTIVE: "The account of {email} can't receive money now.",
    Concern.NOT_VERIFIED: "Whose account {email} is was not verified.",
    Concern.NOT_PRIMARY: "{email} is not the account's primary address.",
    Concern.NOT_KNOWN: "The account of {email} could not be looked up.",
}


def question(instruction: Instruction) -> str:
    """What the requester is asked about an address without an account, in mrkdwn."""
    recipient = instruction.recipient or Recipient()
    meant = f" Did you mean *{quote(recipient.instead)}*?" if recipient.instead else ""
    return f"No account for {quote(instruction.payload.email)}.{meant}"


def buttons(instruction: Instruction, value: str) -> list[Block]:
    """The requester's ways on; none where nothing is asked. ``value``: what the buttons carry."""
    if not awaits_requester(instruction):
        return []
    spoken = f"Send anyway to {instruction.payload.email}"
    return [
        button("Send anyway", SEND_ANYWAY, value, spoken=spoken),
        button("Edit", EDIT, value, style="primary", spoken="Edit the request"),
    ]


def warnings(instruction: Instruction) -> list[str]:
    """What an approver confirms, one sentence each, in mrkdwn."""
    email = quote(instruction.payload.email)
    return [_CONCERNS[one].format(email=email) for one in concerns(instruction.recipient)]
