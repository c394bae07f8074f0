"""One request with an effect: claimed in the database, sent once within five seconds, its outcome stored.

Every request that changes something at a service leaves through :func:`once`, whatever row it belongs to. The order:

1. a permit of the service's circuit, refused while the service is silent or too many requests are in flight;
2. the claim: a transaction that only one process can make, stored before anything is sent;
3. the request, guarded right before its first byte: not later than five seconds after the claim, and not if the
   service has fallen silent since;
4. its outcome; the write is retried until it succeeds.

A process that dies in between leaves a claim without an outcome: :class:`Lost`. Each kind of row defines how its
outcome is looked up. This module also holds requests before a claim.
A Retry-After of the service is respected, see :func:`bot.domain.tracking.back_off`.
"""

from collections.abc import Awaitable, Callable, Collection, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, Generic, Self, TypeVar

import structlog

from bot.clients.calls import FULL, RESTS
from bot.clients.circuit import Circuit, Seat
from bot.clients.transport import Guard
from bot.domain.outcome import NotExecuted
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.moves import CREATES
from bot.domain.proof import GUARD_SECONDS
from bot.domain.reasons import Exchange, OfRequest, Reason
from bot.workflows.context import Context, Unit
from bot.workflows.keeping import keep
from bot.workflows.workers import elsewhere
from storage.errors import CommitUnknown, RowUnreadable
from storage.repositories.moving import MovingRows
from storage.transaction import Tx

C = TypeVar("C")
R = TypeVar("R")
O = TypeVar("O")  # noqa: E741 - an outcome
S = TypeVar("S")

FLAG: Final = "silent:"
"""Prefix of the flag for a service that some process finds silent, followed by the service's name."""
OLD: Final = timedelta(minutes=2)
"""Age at which a :class:`Silence` is stale: a process that finds a service silent refreshes its flag more often."""
_PAUSE: Final = timedelta(seconds=60)

log = structlog.get_logger(__name__)


class Permit:
    """Permission to send one request, held from before its claim until its outcome is stored.

    ``seat`` belongs to the service's circuit; None if no read can probe the service and its requests are the probes.
    """

    def __init__(self, ctx: Context, seat: Seat | None) -> None:
        self._ctx = ctx
        self._seat = seat
        self._claimed_at = float("-inf")

    @property
    def circuit(self) -> Circuit:
        """The service's circuit."""
        assert self._seat is not None, "a service that no read can probe is always permitted"
        return self._seat.circuit

    async def take(self) -> bool:
        """Wait a moment for room; return False if nothing may be claimed now."""
        return self._seat is None or await self._seat.take()

    async def claim(
        self, work: Callable[[Unit], C | None], *, name: str, read_back: Callable[[Unit], C | None]
    ) -> C | None:
        """Return the result of the transaction that claims the request; None if another change came first.

        If the commit's outcome is unknown, the claim is read back: nothing has been sent yet, so an unclear claim would
        needlessly become an unknown outcome.
        """

        def claiming(uow: Unit) -> C | None:
            self._claimed_at = self._ctx.clock.boottime()
            return work(uow)

        try:
            return await self._ctx.write(claiming, name=name, wakes=False)
        except CommitUnknown as error:
            log.warning("whether a claim holds is read back", unit=name, reason=str(error))
        return await keep(self._ctx, read_back, name=f"{name}_read_back")

    @property
    def guard(self) -> Guard:
        """The check right before the first byte: a process that slept between claim and request must not send."""
        return self._is_fresh if self._seat is None else self._seat.guard(self._is_fresh)

    def _is_fresh(self) -> bool:
        return self._ctx.clock.boottime() - self._claimed_at <= GUARD_SECONDS


Claim = Callable[[Permit], Awaitable[C | None]]
"""Takes the permit and claims the request. None: no permit, which is stored, or another change came first."""


async def once(
    ctx: Context,
    circuit: Circuit | None,
    claim: Claim[C],
    send: Callable[[C, Guard], Awaitable[O]],
    store: Callable[[Unit, C, O], S],
    *,
    name: str,
) -> S | None:
    """Claim, send, store the outcome; return the result of ``store``.

    Args:
        ctx: the dependencies.
        circuit: the service's circuit; None if no read can probe the service, so that its requests are the probes.
        claim: stores that the request is being sent. If it returns None, nothing is sent and None is returned.
        send: makes the one request and calls the guard right before the first byte.
        store: stores the outcome. It is retried until it succeeds, so it must only change rows that are unchanged.
        name: name of the unit of work that stores the outcome.
    """
    with circuit.seat() if circuit is not None else nullcontext() as seat:
        permit = Permit(ctx, seat)
        claimed = await claim(permit)
        if claimed is None:
            return None
        outcome = await send(claimed, permit.guard)
        return await keep(ctx, lambda uow: store(uow, claimed, outcome), name=name)


@dataclass(frozen=True, slots=True)
class Lost(Generic[R]):
    """Claimed requests without an outcome. The outcome is unknown and is looked up; the request isn't sent again.

    Attributes:
        table: table of the rows.
        rows: repository of the rows.
        states: states of a claimed request.
        lose: stores that the outcome is unknown, with the reason.
    """

    table: str
    rows: Callable[[Unit], MovingRows[R]]
    states: Collection[str]
    lose: Callable[[Unit, R, Reason], object]

    def in_flight(self, uow: Unit, row: Any) -> bool:
        """Store an unknown outcome after an exception; return False if this process has no claim on the row."""
        held = self.rows(uow).held(row.id, *self.states, owner=uow.owner)
        if held is not None:
            self.lose(uow, held, Reason(Exchange.ANSWER_LOST))
        return held is not None

    def recover(self, uow: Unit) -> int:
        """Store unknown outcomes for the requests of dead processes; return their number."""
        count, dead = 0, self.rows(uow).abandoned(now=uow.now, owner=uow.owner, exclusive=uow.ctx.store.exclusive)
        for row in elsewhere(uow, self.table, dead):
            with suppress(RowUnreadable):  # a row that belongs to it is damaged: recorded, so the row is held
                self.lose(uow, row, Reason(Exchange.PROCESS_ENDED))
                count += 1
        return count


async def asked(
    ctx: Context,
    circuit: Circuit,
    claim: Callable[[Unit], C | None],
    send: Callable[[C, Guard], Awaitable[O]],
    store: Callable[[Unit, C, O], S],
    *,
    name: str,
    read_back: Callable[[Unit], C | None] = lambda _: None,
) -> tuple[S, O] | NotExecuted | None:
    """Claim, send and store like :func:`once`, for a person who waits for the answer.

    ``claim`` is the transaction that stores the person's request; it returns None if another change came first.
    ``read_back`` finds the claim after a commit of unknown outcome; by default it counts as not stored.
    Returns the result of ``store`` and the outcome; ``NotExecuted`` if there was no permit, so nothing was claimed.
    """
    unsent: NotExecuted | None = None

    async def claiming(permit: Permit) -> C | None:
        nonlocal unsent
        if await permit.take():
            return await permit.claim(claim, name=f"claim_{name}", read_back=read_back)
        unsent = RESTS if circuit.is_open else FULL
        return None

    found = await once(ctx, circuit, claiming, send, lambda uow, c, o: (store(uow, c, o), o), name=name)
    return unsent if unsent is not None else found


@dataclass(frozen=True, slots=True)
class Silence:
    """Start and last observation of a service's silence; stored as a flag."""

    since: datetime
    seen: datetime

    def seconds(self, now: datetime) -> float:
        """Return how long it has lasted; 0 if it was stored by a clock ahead of ours."""
        return max((now - self.since).total_seconds(), 0.0)

    def stored(self) -> dict[str, str]:
        return {"since": self.since.isoformat(), "seen": self.seen.isoformat()}

    @classmethod
    def read(cls, found: object) -> Self | None:
        """Read the flag's value; None if it is missing, or damaged, in which case the silence is detected again."""
        with suppress(ValueError, TypeError, KeyError):
            if isinstance(found, Mapping):
                return cls(datetime.fromisoformat(found["since"]), datetime.fromisoformat(found["seen"]))
        return None


def silent_services(tx: Tx, now: datetime) -> dict[str, datetime]:
    """Return the services that some process finds silent, with the start of the silence."""
    found = {key.removeprefix(FLAG): Silence.read(value) for key, value in tx.flags.starting(FLAG).items()}
    return {name: one.since for name, one in found.items() if one is not None and abs(now - one.seen) <= OLD}


def hold(
    uow: Unit,
    instruction: Instruction,
    reason: Reason | None,
    pause: timedelta = _PAUSE,
    *,
    held_at: datetime | None = None,
) -> Instruction | None:
    """Keep the state and retry after ``pause``; return None if another change came first.

    The execution window continues. ``held_at`` is its start if it starts now.
    """
    due = min(uow.now + pause, instruction.exec_deadline or uow.now + pause)
    since = held_at or instruction.held_at
    return uow.instructions.touch(
        instruction, show=instruction.reason != reason, due_at=due, reason=reason, held_at=since
    )


def in_time(instruction: Instruction, due: datetime, now: datetime) -> datetime:
    """Return ``due``, or the end of the execution window if that is earlier, so that the end is reported in time."""
    ends = instruction.exec_deadline
    return ends if ends is not None and now < ends < due else due


async def is_held(ctx: Context, instruction: Instruction) -> bool:
    """Hold the request if its next step would call a silent service, show that on its card, and return whether it did.

    A request whose execution window has passed isn't held: its next step reports that.
    """
    creates = instruction.state is State.NEW and instruction.kind in CREATES
    circuit = ctx.payments.client.circuit if ctx.payments.client is not None else None
    seconds = circuit.holds_effects if circuit and (creates or instruction.state is State.APPROVED) else 0.0
    ends = instruction.exec_deadline
    if circuit is None or not seconds or (ends is not None and ends <= ctx.clock.now()):
        return False
    reason, pause = why(ctx, circuit), timedelta(seconds=max(seconds, 1.0))
    await ctx.write(lambda uow: hold(uow, instruction, reason, pause), name="service_silent")
    return True


async def permitted(ctx: Context, permit: Permit, instruction: Instruction) -> bool:
    """Return whether the request may be claimed now; if the service is silent or busy, hold the request instead."""
    if await permit.take():
        return True
    reason, pause = without_permit(ctx, permit.circuit, instruction.reason)
    await ctx.write(lambda uow: hold(uow, instruction, reason, pause), name="no_seat", wakes=False)
    return False


def without_permit(ctx: Context, circuit: Circuit, reason: Reason | None) -> tuple[Reason | None, timedelta]:
    """Return the reason for the card of a request without a permit and the pause; ``reason`` is the current one."""
    pause = timedelta(seconds=max(circuit.holds_effects, 1.0))
    return (why(ctx, circuit) if circuit.is_open else reason), pause


def why(ctx: Context, circuit: Circuit) -> Reason:
    """Return the reason to show on the card while the service is silent."""
    begun = since(ctx, circuit).isoformat(timespec="minutes")
    return Reason(OfRequest.UNANSWERED, service=circuit.service, since=begun)


def since(ctx: Context, circuit: Circuit) -> datetime:
    return ctx.clock.now() - timedelta(seconds=circuit.silent_seconds)
