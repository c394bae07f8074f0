"""When a service counts as silent, who may find out whether it still is, and how many effects leave meanwhile."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import pytest
from aiohttp import ClientSession
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from bot.clients.circuit import Checkpoint, Circuit, Seat
from bot.clients.transport import Transport
from bot.domain.errors import ServiceNow
from tests.clients.conftest import payments_client, routes_of
from tests.support.clock import ManualClock

DOZEN = 12
FEW = 3
FORGOTTEN = 900.0
IN_A_ROW = 3
LONGEST_TRIAL = 600.0
PAUSES = (5.0, 10.0, 20.0, 30.0)
READY = 5
TRIAL = 5.0


def made(clock: ManualClock, patience: float = 0.0) -> Circuit:
    return Circuit("payments", clock=clock.boottime, patience=patience)


def silenced(circuit: Circuit) -> Circuit:
    for _ in range(IN_A_ROW):
        circuit.silent(circuit.mark())
    return circuit


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def circuit(clock: ManualClock) -> Circuit:
    return made(clock)


@pytest.fixture
def silent(circuit: Circuit) -> Circuit:
    return silenced(circuit)


@pytest.fixture
def stack() -> Iterator[ExitStack]:
    with ExitStack() as opened:
        yield opened


@pytest.fixture
async def patient(clock: ManualClock, stack: ExitStack) -> Circuit:
    """One that has given away all its seats, and waits for another."""
    circuit = made(clock, patience=60)
    assert await take(circuit, stack) == [True] * FEW
    return circuit


async def take(circuit: Circuit, stack: ExitStack, count: int = FEW) -> list[bool]:
    return [await stack.enter_context(circuit.seat()).take() for _ in range(count)]


def probed(circuit: Circuit) -> bool:
    """Whether a read may be sent; nothing answers it."""
    with circuit.reading() as may_ask:
        return may_ask


def test_three_failures_open_the_circuit_and_one_answer_closes_it(clock: ManualClock, circuit: Circuit) -> None:
    circuit.silent(circuit.mark())
    circuit.silent(circuit.mark())
    circuit.answered()
    circuit.silent(circuit.mark())
    clock.advance(7)
    circuit.silent(circuit.mark())
    assert not circuit.is_open
    circuit.silent(circuit.mark())
    assert (circuit.is_open, circuit.silent_seconds, circuit.changes) == (True, 7, 1)
    circuit.answered()
    assert (circuit.is_open, circuit.silent_seconds, circuit.changes, circuit.rest) == (False, 0, 2, 0)


def test_probes_are_single_and_less_frequent(clock: ManualClock, silent: Circuit) -> None:
    for pause in (*PAUSES, PAUSES[-1], PAUSES[-1]):
        clock.advance(pause - 0.1)
        assert not probed(silent)
        clock.advance(0.1)
        with silent.reading() as may_ask:
            assert may_ask
            assert not probed(silent)  # not a second one beside it
            assert silent.rest > 0
    assert silent.changes == 1 + len(PAUSES) + 2


def test_requests_in_flight_do_not_delay_probes(clock: ManualClock, circuit: Circuit) -> None:
    left = [circuit.mark() for _ in range(50)]
    for mark in left:
        circuit.silent(mark)
    assert (circuit.rest, circuit.changes) == (PAUSES[0], 1)


def test_circuit_of_an_earlier_process_probes_at_once(circuit: Circuit) -> None:
    circuit.resume(600)
    assert (circuit.is_open, circuit.silent_seconds, circuit.rest) == (True, 600, 0)
    assert circuit.noted == circuit.news


async def test_a_few_effects_leave_between_two_answers(circuit: Circuit) -> None:
    with ExitStack() as stack:
        seats = [stack.enter_context(circuit.seat()) for _ in range(FEW + 1)]
        assert [await seat.take() for seat in seats] == [True] * FEW + [False]
        assert await seats[0].take()  # taken once, it is kept
        circuit.answered()
        more = [stack.enter_context(circuit.seat()) for _ in range(READY)]
        # Those that were claimed before have not left either.
        assert [await seat.take() for seat in more].count(True) == READY - FEW
        assert all(seat.guard(lambda: True)() for seat in seats[:FEW])
        assert await seats[-1].take()
    with circuit.seat() as seat:
        assert await seat.take()


async def test_a_dozen_effects_leave_between_two_answers_to_effects(circuit: Circuit) -> None:
    with ExitStack() as stack:

        async def leaves() -> bool:
            circuit.answered()  # a read is
            seat = stack.enter_context(circuit.seat())
            return await seat.take() and seat.guard(lambda: True)()

        assert [await leaves() for _ in range(DOZEN + 2)] == [True] * DOZEN + [False] * 2
        assert not circuit.wants_probe  # reads are answered: that is not what is missing
        circuit.answered(effect=True)
        assert [await leaves() for _ in range(DOZEN + 1)] == [True] * DOZEN + [False]
    assert await leaves()


async def test_missing_seat_triggers_a_probe(circuit: Circuit, stack: ExitStack) -> None:
    assert await take(circuit, stack) == [True] * FEW
    assert not circuit.wants_probe
    late = stack.enter_context(circuit.seat())
    assert not await late.take()
    assert circuit.wants_probe
    circuit.answered()
    assert not circuit.wants_probe
    assert await late.take()


@pytest.mark.parametrize("effect", [True, False], ids=["effect", "read"])
async def test_answered_effect_restarts_the_wait_for_a_seat(
    patient: Circuit, stack: ExitStack, monkeypatch: pytest.MonkeyPatch, effect: bool
) -> None:
    loop, begun = asyncio.get_running_loop(), asyncio.get_running_loop().time()
    waiting = [asyncio.create_task(stack.enter_context(patient.seat()).take()) for _ in range(READY - FEW + 1)]

    async def ended(after: float) -> int:
        monkeypatch.setattr(loop, "time", lambda: begun + after)
        for _ in range(5):
            await asyncio.sleep(0)
        return sum(one.done() for one in waiting)

    assert [await ended(0.0), await ended(59.0)] == [0, 0]
    patient.answered(effect=effect)
    assert await ended(59.5) == READY - FEW
    assert await ended(118.0) == READY - FEW + (not effect)
    assert await ended(120.0) == READY - FEW + 1
    assert [await one for one in waiting] == [True] * (READY - FEW) + [False]


async def test_waiting_effect_is_refused_when_the_circuit_opens(patient: Circuit, stack: ExitStack) -> None:
    waiting = asyncio.create_task(stack.enter_context(patient.seat()).take())
    await asyncio.sleep(0)
    silenced(patient)
    assert not await waiting


async def test_canceled_wait_frees_its_seat(patient: Circuit, stack: ExitStack) -> None:
    async def wait() -> None:
        with patient.seat() as seat:
            await seat.take()

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    stack.close()
    assert await take(patient, stack) == [True] * FEW


@pytest.mark.parametrize("fresh", [True, False])
async def test_claimed_effect_is_not_sent_after_the_circuit_opens(circuit: Circuit, fresh: bool) -> None:
    with circuit.seat() as seat:
        assert await seat.take()
        guard = seat.guard(lambda: fresh)
        assert guard() is fresh
        silenced(circuit)
        assert not guard()


def lost(circuit: Circuit, count: int = IN_A_ROW) -> None:
    """Effects that nothing answered, while reads were."""
    for _ in range(count):
        circuit.silent(circuit.mark(), effect=True)
        circuit.answered()


async def test_service_answering_only_reads_gets_rarer_single_effects(clock: ManualClock, circuit: Circuit) -> None:
    lost(circuit)
    assert (circuit.is_open, circuit.is_silent) == (True, False)
    for pause in (TRIAL, 2 * TRIAL, 4 * TRIAL, 8 * TRIAL):
        assert probed(circuit)
        with circuit.seat() as early:
            assert not await early.take()
        clock.advance(pause - 0.1)
        assert circuit.holds_effects
        clock.advance(0.1)
        with circuit.seat() as trial, circuit.seat() as second:
            assert not circuit.holds_effects
            assert await trial.take()
            assert not await second.take()
            assert trial.guard(lambda: True)()
            lost(circuit, 1)
    clock.advance(LONGEST_TRIAL)
    with circuit.seat() as trial:
        assert await trial.take()
        circuit.answered(effect=True)
    assert not circuit.is_open


def test_after_a_silence_the_first_trial_waits_for_nothing(circuit: Circuit) -> None:
    for _ in range(IN_A_ROW):
        circuit.silent(circuit.mark(), effect=True)
    assert circuit.is_silent
    before = circuit.news
    circuit.answered()
    assert (circuit.is_open, circuit.is_silent, circuit.holds_effects) == (True, False, 0)
    assert circuit.news != before


def test_circuit_opens_at_first_or_third_lost_effect(clock: ManualClock) -> None:
    silent, beside_reads = made(clock), made(clock)
    lost(beside_reads)
    for _ in range(IN_A_ROW):
        left = silent.mark()
        clock.advance(7)
        silent.silent(left, effect=True)
    lost(beside_reads, 1)
    assert (silent.is_silent, silent.silent_seconds) == (True, 21)
    assert (beside_reads.is_silent, beside_reads.is_open, beside_reads.silent_seconds) == (False, True, 21)


def test_old_lost_effects_block_nothing(clock: ManualClock, circuit: Circuit) -> None:
    lost(circuit)
    clock.advance(FORGOTTEN)
    assert (circuit.is_open, circuit.holds_effects) == (False, 0)
    lost(circuit, IN_A_ROW - 1)
    assert not circuit.is_open


class Partner(RuleBasedStateMachine):
    """Requests leave, are answered or not, in any order; effects take seats; time passes."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = ManualClock()
        self.loop = asyncio.new_event_loop()
        self.circuit = made(self.clock)
        self.reads: list[Checkpoint] = []
        self.seats: list[tuple[Seat, Checkpoint | None]] = []
        self.left: dict[Seat, int] = {}
        self.effects_since_answer = 0
        self.effects_answered = 0
        self.silences = 0
        self.lost = 0
        self.answers = 0
        self.stack = ExitStack()
        self.stack.enter_context(closing(self.loop))

    @rule()
    def read_leaves(self) -> None:
        if not self.circuit.is_silent:
            self.reads.append(self.circuit.mark())

    @precondition(lambda self: self.reads)
    @rule(data=st.data(), answered=st.booleans())
    def read_ends(self, data: st.DataObject, answered: bool) -> None:
        mark = self.reads.pop(data.draw(st.integers(0, len(self.reads) - 1)))
        self._ends(mark, answered)

    @rule()
    def effect_takes_a_seat(self) -> None:
        seat = self.circuit.seat()
        taken = self.loop.run_until_complete(seat.take())
        if taken:
            assert not self.circuit.is_silent
            self.seats.append((seat, None))
        else:
            seat.__exit__()

    @precondition(lambda self: self.seats)
    @rule(data=st.data())
    def effect_leaves(self, data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(self.seats) - 1))
        seat, mark = self.seats[place]
        if mark is None and seat.guard(lambda: True)():
            assert not self.circuit.is_silent
            if self.lost >= IN_A_ROW:
                assert [left for _, left in self.seats if left is not None] == []  # one at a time, on trial
            self.seats[place] = (seat, self.circuit.mark())
            self.effects_since_answer += 1
            self.left[seat] = self.effects_answered

    @precondition(lambda self: self.seats)
    @rule(data=st.data(), answered=st.booleans())
    def effect_ends(self, data: st.DataObject, answered: bool) -> None:
        seat, mark = self.seats.pop(data.draw(st.integers(0, len(self.seats) - 1)))
        self.left.pop(seat, None)
        if mark is not None:
            self.effects_answered += answered
            self.lost = 0 if answered else self.lost + 1
            self._ends(mark, answered, effect=True)
        seat.__exit__()

    @rule(seconds=st.floats(0.1, 8), answered=st.booleans())
    def time_passes_and_somebody_reads(self, seconds: float, answered: bool) -> None:
        self.clock.advance(seconds)
        with self.circuit.reading() as may_ask:
            if may_ask:
                self._ends(self.circuit.mark(), answered)

    def _ends(self, mark: Checkpoint, answered: bool, *, effect: bool = False) -> None:
        if answered:
            self.circuit.answered(effect=effect)
            self.answers += 1
            self.silences = self.effects_since_answer = 0
        else:
            self.circuit.silent(mark, effect=effect)
            self.silences += mark.answers == self.answers

    @invariant()
    def silent_exactly_while_nothing_answers(self) -> None:
        assert self.circuit.is_silent == (self.silences >= IN_A_ROW)
        assert self.circuit.is_open or not self.circuit.holds_effects

    @invariant()
    def never_many_effects_for_one_answer(self) -> None:
        assert self.effects_since_answer <= FEW + READY

    @invariant()
    def never_many_effects_for_one_that_was_answered(self) -> None:
        assert sum(answered == self.effects_answered for answered in self.left.values()) <= DOZEN + READY

    @invariant()
    def a_probe_is_never_far(self) -> None:
        assert self.circuit.rest <= PAUSES[-1]

    def teardown(self) -> None:
        for seat, _ in self.seats:
            seat.__exit__()
        self.circuit.answered(effect=True)  # everything that was taken has been given back
        seats = [self.circuit.seat() for _ in range(FEW)]
        assert all(self.loop.run_until_complete(seat.take()) for seat in seats)
        self.stack.close()


TestPartner = Partner.TestCase
TestPartner.settings = settings(max_examples=40, stateful_step_count=60, deadline=None)


@pytest.mark.parametrize(("seconds", "named"), [(0.9, 1.0), (1.5, 1.5)])
async def test_skipped_read_returns_the_remaining_wait(
    silent: Circuit, clock: ManualClock, tmp_path: Path, session: ClientSession, seconds: float, named: float
) -> None:
    transport = Transport(session=session, base_url="http://localhost", service="payments", circuit=silent)
    clock.advance(PAUSES[0] - seconds)
    with pytest.raises(ServiceNow) as refused:
        await payments_client(routes_of(tmp_path), transport).get_operation("op-1")
    assert refused.value.retry_after == named
