"""What a purchase's record at the service means for our instruction. Pure decisions, no effects."""

from bot.domain.money import plain
from bot.domain.payments.evidence import same_code
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


def differences(instruction: Instruction, operation: Operation) -> tuple[str, ...]:
    """What in the service's record is not what was asked for; empty when it is the same purchase.

    The buyer's address is left out: anybody with the link may pay, and the record then names who did.
    """
    found: list[str] = []
    if not instruction.intact():
        found.append("our own record was changed after it was asked for")
    if instruction.remote_id is not None and operation.id != instruction.remote_id:
        found.append("it has another id")
    if operation.cents != instruction.cents:
        reported = "unreadable" if operation.cents is None else plain(operation.cents)
        found.append(f"the amount is {reported} instead of {plain(instruction.cents)}")
    if operation.code and not same_code(operation.code, instruction.code):
        found.append("the code is another one")
    if operation.operation_type and operation.operation_type.casefold() != "purchase":
        found.append("it is no purchase")
    return tuple(found)


def paid_by_somebody_else(instruction: Instruction, operation: Operation) -> str:
    """The address the record names as the buyer's when it is not the one that was asked; else nothing."""
    named = (operation.email or "").strip()
    return "" if named.casefold() == instruction.payload.email.casefold() else named
