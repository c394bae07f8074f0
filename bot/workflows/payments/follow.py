"""Apply the service's records of a payout, and poll until it is final. Polling is the guarantee."""

import structlog

from bot.domain.payments.evidence import differences
from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.operation import Operation, read_status
from bot.domain.payments.payout import SETTLED, UNPAID, is_paid, rank, state_of
from bot.domain.reasons import OfRequest, Reason, given, together
from bot.workflows.context import Unit
from bot.workflows.payments.polls import Again, again, follow, polling, read_operation
from bot.workflows.requests.announce import alert, alert_changed, alert_paid, tell
from storage.rows import Tracked

log = structlog.get_logger(__name__)

PAYOUT = "payout"
"""Kind of a tracked payout."""


def apply_record(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Move forward to what the service's own record says; never backwards, never out of a final state.

    Returns whether the record carried the instruction forward or had nothing new to say about a final one.
    """
    state = state_of(operation)
    if instruction.state in FINAL:
        if state in SETTLED and state is not instruction.state and instruction.state in SETTLED:
            alert_changed(uow, instruction, operation.status)
        return True
    if state is None or rank(state) <= rank(instruction.state):
        return False
    moved = uow.instructions.move(
        instruction,
        state,
        now=uow.now,
        action="observed",
        detail={"status": operation.status},
        remote_id=instruction.remote_id or operation.id,
        remote_status=operation.status,
        svc_hash=operation.svc_hash or "",
        reason=given(operation.failure_reason or "") if state is State.FAILED else None,
        unknown_since=None,
        puts_off=0,
        due_at=None,
    )
    if moved is None:
        return False
    if state in SETTLED:
        uow.tracked.stop(PAYOUT, operation.id, uow.now)
    else:
        follow(uow, PAYOUT, instruction, operation.id)
    tell(uow, moved)
    return True


def observe(uow: Unit, instruction: Instruction, operation: Operation) -> bool:
    """Apply a record read by its id; one that is not the requested payout changes nothing and alerts."""
    if instruction.state in UNPAID:
        if is_paid(operation):
            alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))
        return True
    wrong = differences(instruction, operation)
    if wrong:
        alert(uow, instruction, "differs", reason=together(wrong))
        return False
    if apply_record(uow, instruction, operation):
        return True
    note_status(uow, instruction, operation)
    return False


def note_status(uow: Unit, instruction: Instruction, operation: Operation) -> Instruction:
    """Store an unknown status as the service spells it, for the card; alert once for each.

    Returns the instruction as it is then. A known status is stored here only when it follows an unknown one.
    """
    before, said = instruction.remote_status, operation.status
    if said.casefold() == before.casefold() or (operation.state is not None and read_status(before) is not None):
        return instruction
    if operation.state is None:
        log.warning("a status nobody knows", reference=instruction.reference, status=said)
        alert(uow, instruction, f"unknown_status:{said.casefold()}", reason=Reason(OfRequest.SAYS, status=said))
    shown = uow.instructions.touch(instruction, now=uow.now, show=True, remote_status=said, due_at=instruction.due_at)
    return shown or instruction


def _polled(uow: Unit, tracked: Tracked, instruction: Instruction, operation: Operation | None) -> Again | None:
    if instruction.state not in FINAL and operation is not None:
        observe(uow, instruction, operation)
        instruction = uow.instructions.get(instruction.id) or instruction
    if instruction.state in FINAL:
        return None
    return again(uow.ctx, tracked, operation, uow.now, slow=instruction.state is State.PENDING_ESCROW)


POLLS = polling("polls", kind=PAYOUT, slots=100, read=read_operation, take_in=_polled)
"""Read every followed payout that is due."""
