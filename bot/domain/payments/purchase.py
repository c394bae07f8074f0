"""What a purchase's record at the service means for our instruction. Pure decisions, no effects."""

from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation, OperationStatus

_STATES = {
    OperationStatus.CONFIRMED: State.COMPLETED,
    OperationStatus.CANCELED: State.CANCELED,
    OperationStatus.FAILED: State.FAILED,
}

SETTLED = frozenset(_STATES.values())
"""The final states that the service reports."""


def state_of(operation: Operation) -> State | None:
    """The final state this record brings; None while it says ``created`` or something that no purchase is."""
    return _STATES.get(operation.state) if operation.state is not None else None


def paid_by_somebody_else(instruction: Instruction, operation: Operation) -> str:
    """The address the record names as the buyer's when it is not the one that was asked; else nothing."""
    named = (operation.email or "").strip()
    return "" if named.casefold() == instruction.payload.email.casefold() else named
