"""Payouts that were created and that we will not commit stay at the service, and so may what it refused.

If one reads as paid after all, the alerts channel hears it, once.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction, Kind, State
from bot.domain.payments.operation import Operation
from bot.domain.payments.payout import is_paid, state_of
from bot.domain.tracking import next_poll
from bot.workflows.context import Context
from bot.workflows.payments.polls import polling
from bot.workflows.requests.announce import alert_paid
from storage.rows import Tracked
from storage.transaction import Tx

log = structlog.get_logger(__name__)

ORPHAN = "orphan"
"""Kind of a tracked payout that nobody means to commit."""

_WATCHED = timedelta(days=90)
_PAYOUTS = frozenset({Kind.PAYOUT, Kind.ONE_STEP})
LEAVES_ONE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH, State.REFUSED})
"""How a request ends that may leave a payout at the service which nobody means to pay."""


def watch(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """Follow what a request that ended unpaid leaves behind at the service."""
    if instruction.kind in _PAYOUTS and instruction.remote_id is not None and instruction.state in LEAVES_ONE:
        _follow(ctx, tx, instruction, instruction.remote_id, now)


def watch_each(ctx: Context, tx: Tx, instruction: Instruction, held: Iterable[Operation], now: datetime) -> None:
    """Follow several that the service holds with our code."""
    for operation in held:
        _follow(ctx, tx, instruction, operation.id, now)


def left_by_code(instruction: Instruction, state: State, remote_id: str | None) -> bool:
    """Whether what a request leaves behind, when it ends like this, can only be looked for by our code."""
    sent = instruction.creates or instruction.commits
    return state is State.REFUSED and remote_id is None and bool(sent) and instruction.kind is not Kind.BULK_CANCEL


def leave_behind(ctx: Context, tx: Tx, instruction: Instruction, found: Sequence[Operation], now: datetime) -> None:
    """What was looked for by its code has shown up: an alert where it is paid, and from here on read by its id."""
    tx.instructions.touch(instruction, now=now, remote_id=found[0].id, due_at=None)
    for operation in found:
        if is_paid(operation):
            alert_paid(tx, instruction, _says(operation), policy=ctx.policy, now=now)
    watch_each(ctx, tx, instruction, (one for one in found if state_of(one) is None), now)


def _follow(ctx: Context, tx: Tx, instruction: Instruction, remote_id: str, now: datetime) -> None:
    first = now + timedelta(seconds=ctx.poll_seconds)
    tx.tracked.follow(ORPHAN, remote_id, due_at=first, now=now, instruction_id=instruction.id)


def _says(operation: Operation) -> str:
    return f"the service says {operation.status}"


async def _look(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> None:
    operation: Operation | None = None
    try:
        operation = await payments.get_operation(tracked.remote_id)
    except (ServiceNow, ServiceNever, OperatorError) as silent:
        log.info("an orphan could not be read", operation=tracked.remote_id, reason=str(silent))
    await ctx.store.write(lambda tx: _seen(ctx, tx, tracked, operation), name="orphan")


def _seen(ctx: Context, tx: Tx, tracked: Tracked, operation: Operation | None) -> None:
    now = ctx.clock.now()
    instruction = tx.instructions.get(tracked.instruction_id or "")
    state = state_of(operation) if operation is not None else None
    too_old = instruction is None or instruction.closed_at is None or now - instruction.closed_at > _WATCHED
    if instruction is not None and operation is not None and state is not None:
        if is_paid(operation):
            alert_paid(tx, instruction, _says(operation), policy=ctx.policy, now=now)
        too_old = True
    if too_old:
        tx.tracked.stop(ORPHAN, tracked.remote_id, now)
        return
    pause = next_poll(base=ctx.poll_seconds, polls=tracked.polls + 1, age=_WATCHED, waiting_for_people=True)
    status = operation.status if operation is not None else tracked.last_status
    tx.tracked.again(ORPHAN, tracked.remote_id, due_at=now + pause, status=status)


WATCH = polling("orphans", kind=ORPHAN, slots=20, read=_look)
"""Read every orphan that is due."""
