"""State machines of bookings, stores, calls and lists: what may be sent, and what never leads back to it."""

from typing import Any

import pytest

from bot.domain.bookings.booking import MOVES as BOOKING
from bot.domain.bookings.booking import Stage
from bot.domain.bookings.record import STORE_MOVES, StoreState
from bot.domain.emails.lists import ROW_BY_ROW, WHOLE_FILE, RunState
from bot.domain.localization.progress import MOVES as CALL
from bot.domain.localization.progress import REPEATABLE, STOPPABLE, CallState
from bot.domain.machine import Machine


def before(machine: Machine[Any], state: str) -> set[str]:
    return {one for one, targets in machine.arrows.items() if state in targets}


def after(machine: Machine[Any], *states: str) -> set[str]:
    return {to for one, targets in machine.arrows.items() if one in states for to in targets}


@pytest.mark.parametrize("machine", [CALL, ROW_BY_ROW, WHOLE_FILE])
def test_final_states_have_no_transition(machine: Machine[Any]) -> None:
    assert machine.final
    assert not after(machine, *machine.final)


@pytest.mark.parametrize(("machine", "sent", "unsent"), [
    (BOOKING, Stage.SENDING, Stage.NEW), (CALL, CallState.RUNNING, CallState.WAITING),
    (WHOLE_FILE, RunState.SENDING, RunState.PREPARING),
])  # fmt: skip
def test_only_one_state_leads_to_sending(machine: Machine[Any], sent: str, unsent: str) -> None:
    assert before(machine, sent) == {unsent}


@pytest.mark.parametrize(("machine", "unknown", "unsent"), [
    (BOOKING, Stage.UNKNOWN, {Stage.NEW, Stage.SENDING, Stage.QUOTED}),
    (BOOKING, Stage.LOST, {Stage.NEW, Stage.SENDING, Stage.QUOTED}),
    (CALL, CallState.UNKNOWN, {CallState.WAITING, CallState.RUNNING}),
    (WHOLE_FILE, RunState.UNKNOWN, {RunState.PREPARING, RunState.SENDING}),
])  # fmt: skip
def test_uncertain_effects_are_never_resent(machine: Machine[Any], unknown: str, unsent: set[str]) -> None:
    reached, new = {unknown}, {unknown}
    while new:
        new = after(machine, *new) - reached
        reached |= new
    assert not reached & unsent


def test_service_records_count_until_the_final_stage() -> None:
    assert before(BOOKING, Stage.OPEN) == before(BOOKING, Stage.ENDED) == set(Stage) - {Stage.ENDED}
    assert before(BOOKING, Stage.REFUSED) == {Stage.SENDING}
    assert before(BOOKING, Stage.UNKNOWN) == {Stage.SENDING, Stage.NEW}  # the database was restored
    # A pre-booking whose answer was lost waits for its address once somebody has found it.
    assert before(BOOKING, Stage.WAITING) == {Stage.SENDING, Stage.UNKNOWN, Stage.LOST, Stage.WAITING}


def test_store_creation_is_never_repeated() -> None:
    assert after(STORE_MOVES, *StoreState) == {StoreState.READY}
    assert not after(STORE_MOVES, StoreState.READY)


def test_call_buttons_match_the_state_machine() -> None:
    assert before(CALL, CallState.CANCELED) == STOPPABLE
    assert CALL.final > REPEATABLE
