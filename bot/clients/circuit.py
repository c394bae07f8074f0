"""Whether a service answers, and what may be asked of it while it does not. One circuit a service and process.

Three requests in a row that nothing answered open it. What counts is an answer of the service itself: a time-out, a
connection that broke or was refused is none, and neither is 502, 503 or 504, with which somebody in front of the
service says that it was not reached or did not answer; their effects are as unknown as those of a time-out. Any other
answer, also 500 or a refusal, proves that the service is there, and closes the circuit. A request that nothing answered
counts only when no answer to another one came since it left.

While the service is silent nothing with an effect leaves, and one read at a time finds out, after 5, 10, 20 and then
every 30 seconds. A service may answer reads and no effects: three effects in a row without an answer hold the others
too, except one at a time, on trial, at once when the reads are answered again and then less and less often.

While it is closed only a few effects leave between two answers, and a dozen between two answers to effects: those that
were sent when a service died are unknown, and there must not be fifty of them. Where that keeps an effect waiting, a
read finds out whether the service lives: a few effects that hang do not keep the others.
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
"""Effects that may be claimed and have not left yet."""
PAUSES: Final = (5.0, 10.0, 20.0, 30.0)
"""Seconds before each next probe."""
TRIAL: Final = 5.0
"""Seconds before the first trial of a service that answers reads and no effects; doubled each time."""
LONGEST_TRIAL: Final = 600.0
FORGOTTEN: Final = 900.0
"""Seconds after which effects without an answer count no more."""
_PATIENCE: Final = 1.0
"""Seconds of the event loop that an effect waits for its seat: most services answer faster."""
_PROBING: Final = 5.0
"""Seconds after which to ask again while a probe is under way."""
_HELD: Final = 60.0
"""Seconds after which to look again at an effect that waits for a service that is silent."""


class Mark(NamedTuple):
    """When a request left.

    Attributes:
        answers: how many there were by then.
        at: seconds of the circuit's clock.
    """

    answers: int
    at: float


class Taken(NamedTuple):
    """When a seat was taken.

    Attributes:
        answers: how many there were by then.
        effects: how many of them to effects.
    """

    answers: int
    effects: int


class Circuit:
    """What is known of a service from its last requests. All state is in memory; nothing here waits but a seat.

    Args:
        service: its name.
        clock: seconds of a clock that is never set.
        patience: seconds of the event loop that a seat is waited for.
    """

    def __init__(self, service: str, *, clock: Callable[[], float], patience: float = _PATIENCE) -> None:
        self.service = service
        self.patience = patience
        self.changes = 0
        """Grows whenever there is news of it besides :attr:`is_open`."""
        self.noted = (False, 0)
        """The last :attr:`news` that was passed on; set by the caller."""
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
        """Whether effects are held, or one is on trial."""
        return self.is_silent or self._answers_no_effects

    @property
    def is_silent(self) -> bool:
        """Whether the service answers nothing at all."""
        return self._silences >= IN_A_ROW

    @property
    def _answers_no_effects(self) -> bool:
        return self._lost >= IN_A_ROW and self._clock() - self._lost_at < FORGOTTEN

    @property
    def news(self) -> tuple[bool, int]:
        """Changes whenever there is something to pass on: it opened, a probe came to nothing, it closed."""
        return self.is_open, self.changes

    @property
    def silent_seconds(self) -> float:
        """How long ago the first request left that it did not answer; 0 while it is closed."""
        return max(0.0, self._clock() - self._since) if self.is_open else 0.0

    @property
    def rest(self) -> float:
        """Seconds until it is worth reading; 0 while the service answers, and when a probe is due."""
        if not self.is_silent:
            return 0.0
        return _PROBING if self._is_probing else max(0.0, self._probe_at - self._clock())

    @property
    def wants_probe(self) -> bool:
        """Whether an answer, to whatever, is what somebody waits for: a silent service's, or leave for an effect."""
        return self._is_missed or (self.is_silent and not self.rest)

    @property
    def holds_effects(self) -> float:
        """Seconds after which to look again whether an effect may leave; 0: it may ask for a seat."""
        if self.is_silent:
            return _HELD
        if not self._answers_no_effects:
            return 0.0
        return _HELD / 2 if self._seated else min(_HELD, max(0.0, self._trial_at - self._clock()))

    # What the transport tells

    def mark(self) -> Mark:
        """The present mark, for :meth:`silent`."""
        return Mark(self._answers, self._clock())

    def passed(self, since: Mark) -> float:
        """Seconds since a mark was taken."""
        return self._clock() - since.at

    def answered(self, *, effect: bool = False) -> None:
        """The service answered something; ``effect``: a request that changes something and was claimed."""
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
        self._tell()

    def silent(self, left: Mark, *, effect: bool = False) -> None:
        """Nothing answered a request that left then, or that could not leave because nothing took it."""
        if effect:
            self._lose()
        if left.answers != self._answers:
            return  # another one was answered since
        if not self._silences and self._lost < IN_A_ROW:
            self._since = left.at
        self._silences += 1
        if self._silences == IN_A_ROW:
            self._open()

    def _lose(self) -> None:
        now = self._clock()
        if now - self._lost_at >= FORGOTTEN:
            self._lost = self._trials = 0
        self._lost, self._lost_at = self._lost + 1, now
        if self._lost == IN_A_ROW and not self.is_silent and not self._silences:
            self._since = now
        if self._lost >= IN_A_ROW:
            self._trial_at = now + min(TRIAL * 2**self._trials, LONGEST_TRIAL)
            self._trials = min(self._trials + 1, 20)
            self.changes += 1
            self._tell()

    def resume(self, seconds: float) -> None:
        """An earlier process found that it had not answered for so long: ask it before anything is sent to it."""
        self._silences, self._since = IN_A_ROW, self._clock() - seconds
        self._open()
        self._probe_at = self._clock()
        self.noted = self.news  # that process told of it

    def _open(self) -> None:
        self._probes = 0
        self._probe_at = self._clock() + PAUSES[0]
        self.changes += 1
        self._tell()

    # What those who ask do

    @contextmanager
    def reading(self) -> Iterator[bool]:
        """Around a read: whether it may be sent. While the service is silent that is one at a time, as a probe."""
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
        """For one effect, from before its claim until what came of it is stored."""
        return Seat(self)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _has_room(self) -> bool:
        if self._answers_no_effects:
            return not self.holds_effects
        return not self._needs_answer and self._unanswered < DOZEN and self._ready < READY

    @property
    def _needs_answer(self) -> bool:
        return self._under_way + self._silences >= FEW

    async def sit(self) -> Taken | None:
        """For a seat: wait briefly for room; None when there is none."""
        deadline = asyncio.get_running_loop().time() + self.patience
        while not self.is_silent:
            if self._has_room():
                self._under_way += 1
                self._unanswered += 1
                self._ready += 1
                self._seated += 1
                return Taken(self._answers, self._effects)
            try:
                async with asyncio.timeout_at(deadline):
                    await self._changed.wait()
            except TimeoutError:
                self._is_missed = self._needs_answer and not self._answers_no_effects
                return None
        return None

    def left(self) -> None:
        """For a seat: its request is being sent."""
        self._ready -= 1
        self._tell()

    def rise(self, taken: Taken, *, left: bool) -> None:
        """For a seat: release it."""
        self._under_way -= taken.answers == self._answers
        self._unanswered -= taken.effects == self._effects
        self._ready -= not left
        self._seated -= 1
        self._tell()

    @property
    def stops(self) -> bool:
        """For a seat: whether its request may not leave any more, unless it is the only one, which is a trial."""
        return self.is_silent or (self._answers_no_effects and self._seated > 1)


class Seat:
    """Permission for one effect, released when its block ends."""

    def __init__(self, circuit: Circuit) -> None:
        self.circuit = circuit
        self._taken: Taken | None = None
        self._left = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._taken is not None:
            self.circuit.rise(self._taken, left=self._left)

    async def take(self) -> bool:
        """Wait briefly for a seat; False: nothing may be claimed now. A seat that is held is kept."""
        if self._taken is None:
            self._taken = await self.circuit.sit()
        return self._taken is not None and not self.circuit.stops

    def guard(self, fresh: Callable[[], bool]) -> Callable[[], bool]:
        """The guard of its request: what ``fresh`` says, and that the service has not stopped answering meanwhile."""

        def may_leave() -> bool:
            if self.circuit.stops or not fresh():
                return False
            if not self._left:
                self._left = True
                self.circuit.left()
            return True

        return may_leave
