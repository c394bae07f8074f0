"""Holds before a claim: the reason on the card, and when to look again. The window to execute goes on running."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Self

from bot.clients.circuit import Circuit
from bot.domain.payments.instruction import Instruction, State
from bot.domain.payments.moves import CREATES
from bot.domain.reasons import OfRequest, Reason
from bot.workflows.context import Context, Unit
from bot.workflows.effect import Permit
from storage.transaction import Tx

FLAG: Final = "silent:"
"""Of each service that some process finds silent, by its name."""
OLD: Final = timedelta(minutes=2)
"""A process that still finds a service silent says so more often than that."""
_PAUSE: Final = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Silence:
    """Since when a service is silent, and when that was last observed; stored as a flag."""

    since: datetime
    seen: datetime

    def stored(self) -> dict[str, str]:
        return {"since": self.since.isoformat(), "seen": self.seen.isoformat()}

    @classmethod
    def read(cls, found: object) -> Self | None:
        """From the flag; None: it is damaged, and found out anew, or there is none."""
        with suppress(ValueError, TypeError, KeyError):
            if isinstance(found, Mapping):
                return cls(datetime.fromisoformat(found["since"]), datetime.fromisoformat(found["seen"]))
        return None


def silent_services(tx: Tx, now: datetime) -> dict[str, datetime]:
    """Services that some process finds silent, with the start of the silence."""
    found = {key.removeprefix(FLAG): Silence.read(value) for key, value in tx.flags.starting(FLAG).items()}
    return {name: one.since for name, one in found.items() if one is not None and abs(now - one.seen) <= OLD}


def move_silences(uow: Unit, by: timedelta) -> None:
    """The clock was set: what was found silent is as long ago as before."""
    for key, value in uow.flags.starting(FLAG).items():
        if found := Silence.read(value):
            uow.flags.set(key, Silence(found.since + by, found.seen + by).stored(), uow.now)


def hold(uow: Unit, instruction: Instruction, reason: Reason | None, pause: timedelta = _PAUSE) -> None:
    """Keep the state and look again later; the window to execute goes on running."""
    due = min(uow.now + pause, instruction.exec_deadline or uow.now + pause)
    uow.instructions.touch(instruction, show=instruction.reason != reason, due_at=due, reason=reason)


def in_time(instruction: Instruction, due: datetime, now: datetime) -> datetime:
    """When to go on: at ``due``, or when the window to execute ends, which is stored and told in time."""
    ends = instruction.exec_deadline
    return ends if ends is not None and now < ends < due else due


async def is_held(ctx: Context, instruction: Instruction) -> bool:
    """Whether the next step waits because the service is silent; that is stored, and its card says so.

    One whose window has passed is not held: its step says so.
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
    """Whether its request may be claimed now: the service answers, few are in flight. If not, that is stored."""
    if await permit.take():
        return True
    reason, pause = without_permit(ctx, permit.circuit, instruction.reason)
    await ctx.write(lambda uow: hold(uow, instruction, reason, pause), name="no_seat", wakes=False)
    return False


def without_permit(ctx: Context, circuit: Circuit, reason: Reason | None) -> tuple[Reason | None, timedelta]:
    """Reason for the card of a request without a permit, and when to look again; ``reason``: the present one."""
    pause = timedelta(seconds=max(circuit.holds_effects, 1.0))
    return (why(ctx, circuit) if circuit.is_open else reason), pause


def why(ctx: Context, circuit: Circuit) -> Reason:
    """Reason for the card meanwhile."""
    begun = since(ctx, circuit).isoformat(timespec="minutes")
    return Reason(OfRequest.UNANSWERED, service=circuit.service, since=begun)


def since(ctx: Context, circuit: Circuit) -> datetime:
    return ctx.clock.now() - timedelta(seconds=circuit.silent_seconds)
