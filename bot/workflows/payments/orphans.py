"""Leftovers at the service: payouts that were created and will not be committed, and what it refused but may hold.

If one reads as paid after all, one alert is posted.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import is_paid, state_of
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context
from bot.workflows.payments.polls import Again, again, follow, polling, read_operation
from bot.workflows.requests.announce import alert_paid
from storage.rows import Tracked
from storage.transaction import Tx

ORPHAN = "orphan"
"""Kind of a tracked payout that will not be committed."""

_WATCHED = timedelta(days=90)
LEAVES_ONE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH, State.REFUSED})
"""Final states that may leave an unpaid payout at the service."""


def watch(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """Follow what a request that ended unpaid leaves behind at the service."""
    if instruction.remote_id is not None and instruction.state in LEAVES_ONE:
        follow(ctx, tx, ORPHAN, instruction, instruction.remote_id, now)


def watch_each(ctx: Context, tx: Tx, instruction: Instruction, held: Iterable[Operation], now: datetime) -> None:
    """Follow several operations that carry our code."""
    for operation in held:
        follow(ctx, tx, ORPHAN, instruction, operation.id, now)


def leave_behind(ctx: Context, tx: Tx, instruction: Instruction, found: Sequence[Operation], now: datetime) -> None:
    """A search by our code found it: alert where it is paid; from here on it is read by its id."""
    tx.instructions.touch(instruction, now=now, remote_id=found[0].id, due_at=None)
    for operation in found:
        if is_paid(operation):
            alert_paid(ctx, tx, instruction, Reason(OfRequest.SAYS, status=operation.status), now)
    watch_each(ctx, tx, instruction, (one for one in found if state_of(one) is None), now)


def _seen(
    ctx: Context, tx: Tx, tracked: Tracked, instruction: Instruction, operation: Operation | None, now: datetime
) -> Again | None:
    if operation is not None and is_paid(operation):
        alert_paid(ctx, tx, instruction, Reason(OfRequest.SAYS, status=operation.status), now)
    settled = operation is not None and state_of(operation) is not None
    over = settled or instruction.closed_at is None or now - instruction.closed_at > _WATCHED
    return None if over else again(ctx, tracked, operation, now, slow=True)


WATCH = polling("orphans", kind=ORPHAN, slots=20, read=read_operation, take_in=_seen, stored_as="orphan")
"""Read every orphan that is due."""
