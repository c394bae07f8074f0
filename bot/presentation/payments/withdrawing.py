"""The *Withdraw* button, the same on every kind of card."""

from bot.domain.content import Block
from bot.domain.payments.instruction import Instruction
from bot.presentation.blocks.text import plain, shorten
from bot.presentation.payments.states import headline

WITHDRAW = "payout.withdraw"

_ABOUT = 150


def button(instruction: Instruction, *, noun: str, amount: str) -> Block:
    """The button. Withdrawing ends a request for everybody, so it asks for confirmation."""
    about = shorten(headline(instruction), _ABOUT)
    return {
        "type": "button",
        "text": plain("Withdraw"),
        "action_id": WITHDRAW,
        "value": f"{instruction.id}:{instruction.round}",
        "accessibility_label": f"Withdraw the {noun} of {amount}"[:75],
        "confirm": {
            "title": plain(f"Withdraw this {noun}?"),
            "text": plain(
                f"{about}. This cannot be undone. If somebody else asked for it, a form asks you for the reason."
            ),
            "confirm": plain("Withdraw"),
            "deny": plain("Leave it"),
        },
    }
