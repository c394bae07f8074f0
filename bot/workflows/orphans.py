"""Payouts that were created and that we will not commit stay at the service.

If one is committed after all, somebody did it elsewhere, and the alerts channel hears it.
"""

import asyncio
from datetime import datetime, timedelta

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.instruction import Instruction, Kind, State
from bot.domain.operation import Operation
from bot.domain.payout import SETTLED, state_of
from bot.domain.tracking import next_poll
from bot.workflows.announce import alert
from bot.workflows.context import LEASE_SECONDS, Context
from storage.rows import Tracked
from storage.transaction import Tx

log = structlog.get_logger(__name__)

ORPHAN = "orphan"
"""Kind of a tracked payout that nobody means to commit."""

_AT_ONCE = 5
_WATCHED = timedelta(days=90)
_LEAVES_ONE = frozenset({State.REJECTED, State.WITHDRAWN, State.EXPIRED, State.MISMATCH})


def watch(ctx: Context, tx: Tx, instruction: Instruction, now: datetime) -> None:
    """Follow what a request that ended unpaid leaves behind at the service."""
    if instruction.kind is Kind.PAYOUT and instruction.remote_id is not None and instruction.state in _LEAVES_ONE:
        first = now + timedelta(seconds=ctx.poll_seconds)
        tx.tracked.follow(ORPHAN, instruction.remote_id, due_at=first, now=now, instruction_id=instruction.id)


async def watch_due(ctx: Context) -> int:
    """Read every orphan that is due; returns how many there were."""
    payments = ctx.payments
    if payments is None:
        return 0
    now = ctx.clock.now()
    due = await ctx.store.write(
        lambda tx: tx.tracked.claim_due(
            kind=ORPHAN, now=now, owner=ctx.owner, lease_seconds=LEASE_SECONDS, limit=_AT_ONCE
        ),
        name="claim_orphans",
    )
    await asyncio.gather(*(_look(ctx, payments, tracked) for tracked in due))
    return len(due)


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
        if state is State.COMPLETED or state not in SETTLED:
            facts = {"reason": f"the service says {operation.status}; Switchboard did not send it"}
            alert(tx, instruction, topic="paid_elsewhere", facts=facts, policy=ctx.policy, now=now)
        too_old = True
    if too_old:
        tx.tracked.stop(ORPHAN, tracked.remote_id, now)
        return
    pause = next_poll(base=ctx.poll_seconds, polls=tracked.polls + 1, age=_WATCHED, waiting_for_people=True)
    status = operation.status if operation is not None else tracked.last_status
    tx.tracked.again(ORPHAN, tracked.remote_id, due_at=now + pause, status=status)
