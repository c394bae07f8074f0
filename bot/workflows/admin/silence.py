"""Silent services: probe until they answer again, and announce the start and the end of the silence once.

Each process counts failures independently and stores a finding as a flag. So several processes announce it once, a new
process probes before it sends anything, and the silence can be shown.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog

from bot.clients.circuit import Circuit
from bot.domain.bookings.booking import Stage
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.payments.instruction import State
from bot.domain.reasons import OfRequest, Reason
from bot.workflows import effect
from bot.workflows.alerts import tell_everybody
from bot.workflows.context import Context, Unit
from bot.workflows.effect import FLAG, OLD, Silence

log = structlog.get_logger(__name__)

_ANEW: Final = 60.0
"""Seconds after which a process refreshes the flag of a service that it still finds silent."""
_MOST: Final = 10_000
_WAITING: Final = frozenset({State.NEW, State.APPROVED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A service whose silence is detected.

    ``circuit`` returns None if the service isn't configured. ``ask`` makes a cheap read; None if it has none. ``show``
    redraws the messages of waiting work that wouldn't otherwise show the silence.
    """

    name: str
    circuit: Callable[[Context], Circuit | None]
    ask: Callable[[Context], Awaitable[object]] | None = None
    show: Callable[[Unit], None] = lambda _: None


async def remember(watched: Sequence[Watched], ctx: Context) -> None:
    """At start, open the circuits of services that an earlier process found silent, so that they are probed first."""
    now = ctx.clock.now()
    known = await ctx.read(lambda uow: uow.flags.starting(FLAG))
    for one in watched:
        flag, circuit = Silence.read(known.get(f"{FLAG}{one.name}")), one.circuit(ctx)
        if flag is not None and circuit is not None and not circuit.is_open:
            circuit.resume(flag.seconds(now))


async def pass_on_news(watched: Sequence[Watched], ctx: Context) -> int:
    """Store new findings about each service and return their number. Makes no request, so it never waits."""
    return sum([await _pass_on(ctx, one) for one in watched])


async def probe(one: Watched, ctx: Context) -> int:
    """Probe a service that is silent or has waiting requests with effects; return 1 if there is a new finding."""
    circuit = one.circuit(ctx)
    if circuit is None or one.ask is None or not circuit.wants_probe:
        return 0
    try:
        await one.ask(ctx)
    except (ServiceNow, ServiceNever, OperatorError) as trouble:
        log.info("service probed", service=one.name, reason=str(trouble))
    return await _pass_on(ctx, one)


async def _pass_on(ctx: Context, one: Watched) -> int:
    circuit, at = one.circuit(ctx), ctx.clock.boottime()
    if circuit is None:
        return 0
    news = circuit.news
    if news == circuit.noted and not (circuit.is_open and at - circuit.noted_at > _ANEW):
        return 0
    work = _silent if news[0] else _answers
    await ctx.write(lambda uow: work(uow, circuit, one.show), name="silence", wakes=False)
    circuit.noted, circuit.noted_at = news, at
    ctx.wake()
    return 1


def _silent(uow: Unit, circuit: Circuit, show: Callable[[Unit], None]) -> None:
    """Store that the service is silent. The first process to find out announces it."""
    key = f"{FLAG}{circuit.service}"
    known = Silence.read(uow.flags.readable(key))
    if known is None or abs(uow.now - known.seen) > OLD:
        uow.flags.forget(key)  # left by a dead process, or damaged
        known = None
    since = effect.since(uow.ctx, circuit) if known is None else known.since
    flag = Silence(since, uow.now).stored()
    if known is not None:
        uow.flags.set(key, flag, uow.now)
    elif uow.flags.add(key, flag, uow.now):
        log.warning("service not answering", service=circuit.service)
        _tell(uow, {"topic": "silent", "service": circuit.service, "since": since.isoformat()})
        show(uow)
    if not circuit.holds_effects:
        _go_on(uow, circuit)  # one request is tried; the rest follow when it is answered


def _answers(uow: Unit, circuit: Circuit, show: Callable[[Unit], None]) -> None:
    """Store that the service answers again. The first process to find out announces it."""
    key = f"{FLAG}{circuit.service}"
    known = Silence.read(uow.flags.readable(key))
    if known is not None and uow.flags.forget(key):
        log.info("service answering again", service=circuit.service)
        seconds = round(known.seconds(uow.now))
        facts = {"topic": "answers", "service": circuit.service, "since": known.since.isoformat(), "seconds": seconds}
        _tell(uow, facts)
        show(uow)
    _go_on(uow, circuit)


def _go_on(uow: Unit, circuit: Circuit) -> None:
    def waits(reason: Reason | None) -> bool:
        """Return whether the reason is a wait for this service; reasons stored as text don't name the service."""
        if reason is None or not reason.is_(OfRequest.UNANSWERED):
            return False
        return reason.facts.get("service", circuit.service) == circuit.service

    for one in uow.instructions.awaiting(_WAITING, limit=_MOST):
        if waits(one.reason):
            reason = one.reason if circuit.is_open else None
            uow.instructions.touch(one, show=not circuit.is_open, reason=reason, due_at=uow.now)
    for booking in uow.bookings.open(limit=_MOST):
        if booking.stage is Stage.NEW and waits(booking.reason):
            uow.bookings.hasten(booking.id, uow.now)


def _tell(uow: Unit, facts: Mapping[str, object]) -> None:
    tell_everybody(uow, key=f"{facts['topic']}:{facts['service']}:{facts['since']}", facts=facts)
