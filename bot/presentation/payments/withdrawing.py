"""The *Withdraw* button, the same on every kind of card."""

from bot.domain.content import Block
from bot.domain.money import shown
from bot.domain.payments.instruction import Instruction
from bot.presentation.blocks.buttons import button, question
from bot.presentation.blocks.text import shorten
from bot.presentation.payments.states import headline
from bot.presentation.words import noun

WITHDRAW = "payout.withdraw"

_ABOUT = 150


def value_of(instruction: Instruction) -> str:
    """What a button carries: which request and which round, nothing that decides anything."""
    return f"{instruction.id}:{instruction.round}"


def withdraw_button(instruction: Instruction) -> Block:
    """The button. Withdrawing ends a request for everybody, so it asks for confirmation."""
    what = noun(instruction)
    text = (
        f"{shorten(headline(instruction), _ABOUT)}. This cannot be undone. If somebody else asked for it, a form asks "
        "you for the reason."
    )
    asked = question(f"Withdraw this {what}?", text, yes="Withdraw", no="Leave it")
    spoken = f"Withdraw the {what} of {shown(instruction.cents)}"
    return button("Withdraw", WITHDRAW, value_of(instruction), spoken=spoken, confirm=asked)
