"""Following payments at the service: payouts under way, leftovers that will not be committed.

What was created and will not be committed is watched for a while: if it reads as paid after all, one alert is posted.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import TypeVar

import structlog

from bot.clients.payments import PaymentsClient
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.evidence import SETTLED, UNPAID, differences, is_paid, rank, state_of
from bot.domain.payments.instruction import FINAL, Instruction, State
from bot.domain.payments.operation import Operation, read_status
from bot.domain.reasons import OfRequest, Reason, given, together
from bot.domain.tracking import named_or, next_poll
from bot.workflows.context import Context, Unit
from bot.workflows.requests.announce import alert, alert_changed, alert_paid, tell
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
            wait = silent.retry_after
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
    uow.instructions.touch(instruction, remote_id=found[0].id, due_at=None)
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
        action="observed",
        facts={"status": operation.status},
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
    shown = uow.instructions.touch(instruction, show=True, remote_status=said, due_at=instruction.due_at)
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
