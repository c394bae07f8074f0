"""Follow records at the service: claim, read, store, repeat."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import TypeVar

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import Instruction
from bot.domain.payments.operation import Operation, read_status
from bot.domain.reasons import OfRequest, Reason
from bot.domain.tracking import named_or, next_poll
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import alert
from bot.workflows.workers import Work
from storage.rows import Tracked

log = structlog.get_logger(__name__)

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """When to read a record next. ``afresh``: something happened, so the count of reads restarts."""

    pause: timedelta
    status: str
    afresh: bool = False


def polling(
    name: str,
    *,
    kind: str,
    slots: int,
    read: Callable[[Context, PaymentsClient, Tracked], Awaitable[T | None]],
    apply: Callable[[Unit, Tracked, Instruction, T | None], Again | None],
    stored_as: str = "polled",
) -> Work[Tracked]:
    """Return work that reads every followed row of this kind, ``slots`` at a time.

    ``apply``: stores the record (None if the read failed) and returns None to stop following.
    """

    async def poll(ctx: Context, payments: PaymentsClient, tracked: Tracked) -> None:
        found: T | None = None
        wait: float | None = None
        try:
            found = await read(ctx, payments, tracked)
        except (ServiceNow, ServiceNever, OperatorError) as silent:
            wait = silent.retry_after
            log.warning("a record could not be read", kind=kind, remote_id=tracked.remote_id, reason=str(silent))

        def store(uow: Unit) -> None:
            instruction = uow.instructions.get(tracked.instruction_id or "")
            again = None if instruction is None else apply(uow, tracked, instruction, found)
            if again is None:
                uow.tracked.stop(tracked.kind, tracked.remote_id, uow.now)
                return
            due, status, afresh = uow.now + named_or(wait, again.pause), again.status, again.afresh
            uow.tracked.again(tracked.kind, tracked.remote_id, due_at=due, status=status, afresh=afresh)

        await ctx.write(store, name=stored_as)

    return Work(
        name=name,
        table="tracked",
        kind=kind,
        slots=slots,
        claim=lambda uow, hold: uow.tracked.claim_due(kind=kind, **hold),
        step=lambda ctx: partial(poll, ctx, ctx.payments.required()),
        ready=lambda ctx: ctx.payments.is_configured,
    )


def again(uow: Unit, tracked: Tracked, operation: Operation | None, *, slow: bool) -> Again:
    """Return the usual pause before the next read. ``slow``: nothing is expected before a person acts."""
    age = uow.now - tracked.created_at
    pause = next_poll(base=uow.poll_seconds, polls=tracked.polls + 1, age=age, waiting_for_people=slow)
    return Again(pause=pause, status=operation.status if operation is not None else tracked.last_status)


def follow(uow: Unit, kind: str, instruction: Instruction, remote_id: str) -> None:
    """Poll the service's record of this request from now on."""
    first = uow.now + timedelta(seconds=uow.poll_seconds)
    uow.tracked.follow(kind, remote_id, due_at=first, now=uow.now, instruction_id=instruction.id)


def note_status(uow: Unit, instruction: Instruction, operation: Operation) -> Instruction:
    """Store an unknown status in the service's spelling, for the card; alert once per status.

    Returns the current instruction. A known status is stored here only if it follows an unknown one.
    """
    before, said = instruction.remote_status, operation.status
    if said.casefold() == before.casefold() or (operation.state is not None and read_status(before) is not None):
        return instruction
    if operation.state is None:
        log.warning("an unknown status", reference=instruction.reference, status=said)
        alert(uow, instruction, f"unknown_status:{said.casefold()}", reason=Reason(OfRequest.SAYS, status=said))
    shown = uow.instructions.touch(instruction, show=True, remote_status=said, due_at=instruction.due_at)
    return shown or instruction
