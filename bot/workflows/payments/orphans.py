"""Leftovers at the service: payouts that were created and will not be committed, and what it refused but may hold.

If one reads as paid after all, one alert is posted.
"""

from collections.abc import Iterable, Sequence
from datetime import timedelta

from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import is_paid, state_of
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Unit
from bot.workflows.payments.polls import Again, again, follow, polling, read_operation
from bot.workflows.requests.announce import alert_paid
from storage.rows import Tracked

ORPHAN = "orphan"
"""Kind of a tracked payout that will not be committed."""

_WATCHED = timedelta(days=90)
LEAVES_ONE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH, State.REFUSED})
"""Final states that may leave an unpaid payout at the service."""


def watch(uow: Unit, instruction: Instruction) -> None:
    """Follow what a request that ended unpaid leaves behind at the service."""
    if instruction.remote_id is not None and instruction.state in LEAVES_ONE:
        follow(uow, ORPHAN, instruction, instruction.remote_id)


def watch_each(uow: Unit, instruction: Instruction, held: Iterable[Operation]) -> None:
    """Follow several operations that carry our code."""
    for operation in held:
        follow(uow, ORPHAN, instruction, operation.id)


def leave_behind(uow: Unit, instruction: Instruction, found: Sequence[Operation]) -> None:
    """A search by our code found it: alert where it is paid; from here on it is read by its id."""
    uow.instructions.touch(instruction, now=uow.now, remote_id=found[0].id, due_at=None)
    for operation in found:
        if is_paid(operation):
            alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))
    watch_each(uow, instruction, (one for one in found if state_of(one) is None))


def _seen(uow: Unit, tracked: Tracked, instruction: Instruction, operation: Operation | None) -> Again | None:
    if operation is not None and is_paid(operation):
        alert_paid(uow, instruction, Reason(OfRequest.SAYS, status=operation.status))
    settled = operation is not None and state_of(operation) is not None
    over = settled or instruction.closed_at is None or uow.now - instruction.closed_at > _WATCHED
    return None if over else again(uow.ctx, tracked, operation, uow.now, slow=True)


WATCH = polling("orphans", kind=ORPHAN, slots=20, read=read_operation, take_in=_seen, stored_as="orphan")
"""Read every orphan that is due."""
