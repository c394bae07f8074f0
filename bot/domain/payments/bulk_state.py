"""What the items of a bulk payment mean for the request as a whole."""

from datetime import timedelta

from bot.domain.payments.bulk import Tally
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import OperationStatus

LOOKS_BEFORE_MISSING = 3
"""Looks without any change after the service was done, before people are told what is unaccounted for."""
SAME_FILE = timedelta(days=7)


def state_of(tally: Tally, *, over: bool) -> State:
    """The state of a bulk payment: completed when anything was credited and nothing more will happen.

    ``over``: the service has created all payments.
    """
    if tally.is_settled:
        if tally.completed:
            return State.COMPLETED
        return State.CANCELED if tally.canceled and not tally.failed else State.FAILED
    if over and tally.pending and tally.final + tally.pending == tally.total:
        return State.PENDING_ESCROW
    return State.COMMITTED


def has_failures(instruction: Instruction) -> bool:
    """Whether it is a bulk payment that is over, and of which some was paid and some failed."""
    over = instruction.kind is Kind.BULK and instruction.state is State.COMPLETED
    return over and instruction.progress is not None and instruction.progress.tally.failed > 0


def ended_cancel(tally: Tally) -> State:
    return State.COMPLETED if tally.canceled else State.FAILED


PENDING_WORD = OperationStatus.PENDING.value
"""How an item that can be canceled is stored."""
