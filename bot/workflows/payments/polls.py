"""Polling the payments service: what is followed there is read repeatedly until it is final."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation
from bot.domain.tracking import named_or, next_poll
from bot.workflows.context import Context, Unit
from bot.workflows.workers import Work
from storage.rows import Hold, Tracked

log = structlog.get_logger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """When it is read next. ``afresh``: something happened, so the count of reads restarts."""

    pause: timedelta
    status: str
    afresh: bool = False


def polling(
    name: str,
    *,
    kind: str,
    slots: int,
    read: Callable[[Context, PaymentsClient, Tracked], Awaitable[T | None]],
    take_in: Callable[[Unit, Tracked, Instruction, T | None], Again | None],
    stored_as: str = "polled",
) -> Work[Tracked]:
    """Work that reads every followed row of this kind.

    Args:
        name: of the work.
        kind: of the rows.
        slots: reads at a time.
        read: asks the service.
        take_in: stores the record, None where the read failed; returns None to stop following.
        stored_as: name of that unit of work.
    """

    def claim(uow: Unit, hold: Hold) -> list[Tracked]:
        return uow.tracked.claim_due(kind=kind, **hold)

    async def poll(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> None:
        found: T | None = None
        wait: float | None = None
        try:
            found = await read(ctx, payments, tracked)
        except (ServiceNow, ServiceNever, OperatorError) as silent:
            wait = silent.retry_after if isinstance(silent, ServiceNow) else None
            log.warning("a record could not be read", kind=kind, remote_id=tracked.remote_id, reason=str(silent))

        def store(uow: Unit) -> None:
            now = ctx.clock.now()
            instruction = uow.instructions.get(tracked.instruction_id or "")
            again = None if instruction is None else take_in(uow, tracked, instruction, found)
            if again is None:
                uow.tracked.stop(tracked.kind, tracked.remote_id, now)
                return
            due, status, afresh = now + named_or(wait, again.pause), again.status, again.afresh
            uow.tracked.again(tracked.kind, tracked.remote_id, due_at=due, status=status, afresh=afresh)

        await ctx.write(store, name=stored_as)

    return Work(
        name=name,
        table="tracked",
        kind=kind,
        slots=slots,
        claim=claim,
        step=lambda ctx: partial(poll, ctx, ctx.payments.required()),
        ready=lambda ctx: ctx.payments.is_configured,
    )


def again(ctx: Context, tracked: Tracked, operation: Operation | None, now: datetime, *, slow: bool) -> Again:
    """At the usual pace. ``slow``: nothing is expected before a person acts."""
    age = now - tracked.created_at
    pause = next_poll(base=ctx.poll_seconds, polls=tracked.polls + 1, age=age, waiting_for_people=slow)
    return Again(pause=pause, status=operation.status if operation is not None else tracked.last_status)


def follow(uow: Unit, kind: str, instruction: Instruction, remote_id: str) -> None:
    """Read what this request has at the service from now on."""
    first = uow.now + timedelta(seconds=uow.poll_seconds)
    uow.tracked.follow(kind, remote_id, due_at=first, now=uow.now, instruction_id=instruction.id)


async def read_operation(_: Context, payments: PaymentsClient, tracked: Tracked) -> Operation:
    """The record of a followed payout."""
    return await payments.get_operation(tracked.remote_id)
