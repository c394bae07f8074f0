"""Buttons below the news that a payout wasn't paid: send it again, or see its details."""

from typing import Final

from bot.domain.content import Block
from bot.domain.payments.instruction import State
from bot.domain.payments.moves import may_be_sent_again
from bot.presentation.blocks import text as md
from bot.presentation.blocks.elements import button, question
from bot.presentation.payments.wording import News

TRY_AGAIN: Final = "payout.again"
RESEND: Final = "payout.resend"
DETAILS: Final = "payout.details"
_ABOUT: Final = 150


def ways_on(told: News) -> list[Block]:
    """Return the requester's buttons. A rejected request must be edited; a failed one may also be sent unchanged."""
    if not may_be_sent_again(told.instruction):
        return []
    about, value = f"{told.words.headline(told.instruction)}", told.instruction.id
    resend = button("Edit and resend", RESEND, value, spoken=f"Edit and resend {about}")
    if told.state is State.REJECTED:
        return [resend]
    text = f"{md.shorten(about, _ABOUT)}. It needs approval again."
    asked = question("Send it again?", text, yes="Try again", no="Cancel")
    again = button("Try again", TRY_AGAIN, value, spoken=f"Try again {about}", confirm=asked)
    return [again, resend, button("Details", DETAILS, value, spoken=f"Details of {about}")]
