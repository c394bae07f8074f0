"""Circuit breaker: tracks whether a service answers and limits requests while it doesn't. One per service and process.

Three unanswered requests in a row open it. A request is unanswered after a time-out, a broken or refused connection, or
a 502, 503 or 504, which come from a proxy in front of the service; its effect is unknown. Any other answer, including a
500 or a refusal, closes the circuit. An unanswered request counts only if no other answer came since it was sent.

While the service is silent, no effect is sent, and one read at a time probes it: after 5, 10, 20, then every 30
seconds. A service may answer reads but not effects: three unanswered effects in a row also hold further effects. One at
a time is then sent on trial: at once when reads are answered again, then at growing intervals.

While it is closed, effects in flight are limited: a few since the last answer, a dozen since the last answered effect.
All of them become unknown if the service dies, and people have to check each one. If an effect waits because of this
limit, a read probes the service, so that a few slow effects don't block the others.
"""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple, Self

IN_A_ROW: Final = 3
"""Consecutive unanswered requests that open the circuit."""
FEW: Final = 3
"""Effects that may be in flight since the last answer."""
DOZEN: Final = 12
"""Effects that may be in flight since the last answered effect."""
READY: Final = 5
"""Effects that may be claimed but not sent yet."""
PAUSES: Final = (5.0, 10.0, 20.0, 30.0)
"""Seconds before each next probe."""
TRIAL: Final = 5.0
"""Seconds before the first trial of a service that answers reads but not effects; doubled each time."""
LONGEST_TRIAL: Final = 600.0
FORGOTTEN: Final = 900.0
"""Seconds after which unanswered effects no longer count."""
_PATIENCE: Final = 1.0
"""Seconds that an effect waits for its seat while no other is answered; most services answer faster."""
_PROBING: Final = 5.0
"""Seconds before the next check while a probe is in flight."""
_HELD: Final = 60.0
"""Seconds before the next check of an effect that is held because the service is silent."""


class Checkpoint(NamedTuple):
    """A moment: counts of all answers and of answers to effects so far, and seconds of the circuit's clock."""

    answers: int
    effects: int
    at: float


class Circuit:
    """State of one service, kept in memory. ``patience``: seconds of the event loop's clock, see :meth:`acquire`."""

    def __init__(self, service: str, *, clock: Callable[[], float], patience: float = _PATIENCE) -> None:
        self.service = service
        self.patience = patience
        self.changes = 0
        """Counter of changes besides :attr:`is_open`."""
        self.noted = (False, 0)
        """The last :attr:`news` that was announced; set by the caller."""
        self.noted_at = 0.0
        self._clock = clock
        self._answers = 0
        self._effects = 0
        self._silences = 0
        self._since = 0.0
        self._probe_at = 0.0
        self._probes = 0
        self._is_probing = False
        self._lost = 0
        self._lost_at = float("-inf")
        self._trial_at = 0.0
        self._trials = 0
        self._under_way = 0
        self._unanswered = 0
        self._is_missed = False
        self._ready = 0
        self._seated = 0
        self._changed = asyncio.Event()

    @property
    def is_open(self) -> bool:
        """True if effects are held, or sent on trial only."""
        return self.is_silent or self._answers_no_effects

    @property
    def is_silent(self) -> bool:
        """True if the service answers nothing, not even reads."""
        return self._silences >= IN_A_ROW

    @property
    def _answers_no_effects(self) -> bool:
        return self._lost >= IN_A_ROW and self._clock() - self._lost_at < FORGOTTEN

    @property
    def news(self) -> tuple[bool, int]:
        """Changes when the circuit opens or closes, or a probe is unanswered."""
        return self.is_open, self.changes

    @property
    def silent_seconds(self) -> float:
        """Seconds since the first unanswered request was sent; 0 while closed."""
        return max(0.0, self._clock() - self._since) if self.is_open else 0.0

    @property
    def rest(self) -> float:
        """Seconds until the next probe; 0 while the service answers, and when a probe is due."""
        if not self.is_silent:
            return 0.0
        return _PROBING if self._is_probing else max(0.0, self._probe_at - self._clock())

    @property
    def wants_probe(self) -> bool:
        """True if a probe is due, or would unblock an effect that waits for a seat."""
        return self._is_missed or (self.is_silent and not self.rest)

    @property
    def holds_effects(self) -> float:
        """Seconds until an effect may acquire a seat; 0 if it may now."""
        if self.is_silent:
            return _HELD
        if not self._answers_no_effects:
            return 0.0
        return _HELD / 2 if self._seated else min(_HELD, max(0.0, self._trial_at - self._clock()))

    # For the transport

    def mark(self) -> Checkpoint:
        return Checkpoint(self._answers, self._effects, self._clock())

    def passed(self, since: Checkpoint) -> float:
        """Return seconds since ``since``."""
        return self._clock() - since.at

    def answered(self, *, effect: bool = False) -> None:
        """Record an answer; ``effect`` if its request had a seat and changes something."""
        before, was_silent = self.is_open, self.is_silent
        self._answers += 1
        self._silences = self._under_way = self._probes = 0
        self._is_missed = False
        if effect:
            self._effects += 1
            self._lost = self._trials = self._unanswered = 0
        elif was_silent:
            self._trial_at = self._clock()
        self.changes += was_silent or before != self.is_open
        self._notify()

    def silent(self, left: Checkpoint, *, effect: bool = False) -> None:
        """Record a time-out or failed connection of a request sent at ``left``."""
        now = self._clock()
        if effect:
            if now - self._lost_at >= FORGOTTEN:
                self._lost = self._trials = 0
            self._lost, self._lost_at = self._lost + 1, now
            if self._lost == IN_A_ROW and not self.is_silent and not self._silences:
                self._since = now
            if self._lost >= IN_A_ROW:
                self._trial_at = now + min(TRIAL * 2**self._trials, LONGEST_TRIAL)
                self._trials = min(self._trials + 1, 20)
                self.changes += 1
                self._notify()
        if left.answers != self._answers:
            return  # another request was answered since
        if not self._silences and self._lost < IN_A_ROW:
            self._since = left.at
        self._silences += 1
        if self._silences == IN_A_ROW:
            self._open()

    def resume(self, seconds: float) -> None:
        """Open at once, because an earlier process found the service silent for ``seconds``. The next read probes."""
        self._silences, self._since = IN_A_ROW, self._clock() - seconds
        self._open()
        self._probe_at = self._clock()
        self.noted = self.news  # already announced by that process

    def _open(self) -> None:
        self._probes = 0
        self._probe_at = self._clock() + PAUSES[0]
        self.changes += 1
        self._notify()

    # For callers

    @contextmanager
    def reading(self) -> Iterator[bool]:
        """Wrap a read; yields whether it may be sent. While the service is silent, one at a time may, as a probe."""
        if not self.is_silent:
            yield True
        elif self.rest:
            yield False
        else:
            self._is_probing = True
            before = self._answers
            try:
                yield True
            finally:
                self._is_probing = False
                if before == self._answers:
                    self._probes += 1
                    self._probe_at = self._clock() + PAUSES[min(self._probes, len(PAUSES) - 1)]
                    self.changes += 1

    def seat(self) -> "Seat":
        """Return the seat of one effect, to be held from before its claim until its outcome is stored."""
        return Seat(self)

    def _notify(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _has_room(self) -> bool:
        if self._answers_no_effects:
            return not self.holds_effects
        return not self._needs_answer and self._unanswered < DOZEN and self._ready < READY

    @property
    def _needs_answer(self) -> bool:
        return self._under_way + self._silences >= FEW

    async def acquire(self) -> Checkpoint | None:
        """Wait for room for a seat; None if there is none ``patience`` seconds after the last answered effect."""
        loop, answered, deadline = asyncio.get_running_loop(), -1, 0.0
        while not self.is_silent:
            if answered != self._effects:
                answered, deadline = self._effects, loop.time() + self.patience
            if self._has_room():
                self._under_way += 1
                self._unanswered += 1
                self._ready += 1
                self._seated += 1
                return self.mark()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError:
                self._is_missed = self._needs_answer and not self._answers_no_effects
                return None
        return None

    def sent(self) -> None:
        """Record that a seat's request is being sent."""
        self._ready -= 1
        self._notify()

    def release(self, taken: Checkpoint, *, sent: bool) -> None:
        """Release a seat; ``sent`` if its request was sent."""
        self._under_way -= taken.answers == self._answers
        self._unanswered -= taken.effects == self._effects
        self._ready -= not sent
        self._seated -= 1
        self._notify()

    @property
    def must_hold(self) -> bool:
        """True if a seat's request must no longer be sent. A single seat is the trial and may send."""
        return self.is_silent or (self._answers_no_effects and self._seated > 1)


class Seat:
    """Permission to send one effect, released when its block ends."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._taken: Checkpoint | None = None
        self._sent = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken is not None:
            self.circuit.release(self._taken, sent=self._sent)

    async def take(self) -> bool:
        """Acquire a seat, or keep the one already held; False if nothing may be claimed now."""
        if self._taken is None:
            self._taken = await self.circuit.acquire()
        return self._taken is not None and not self.circuit.must_hold

    def guard(self, fresh: Callable[[], bool]) -> Callable[[], bool]:
        """Return the request's guard: False if ``fresh`` is, or if the service has fallen silent since the claim."""

        def may_leave() -> bool:
            if self.circuit.must_hold or not fresh():
                return False
            if not self._sent:
                self._sent = True
                self.circuit.sent()
            return True

        return may_leave
