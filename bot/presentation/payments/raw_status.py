"""The service's own word for an unknown status: shown as it came; no decision depends on it."""

from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import read_status
from bot.presentation.blocks.text import quote

_LIMIT = 100


def said_raw(instruction: Instruction) -> str:
    """A sentence of its own, with a space before it; nothing when the status is one we know."""
    said = instruction.remote_status
    if not said or read_status(said) is not None:
        return ""
    return f" The service calls this “{quote(said, _LIMIT)}”, a status Switchboard does not know."
