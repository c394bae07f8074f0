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
def test_nothing_leads_out_of_a_final_state(machine: Machine[Any]) -> None:
    assert machine.final
    assert not after(machine, *machine.final)


@pytest.mark.parametrize(("machine", "sent", "unsent"), [
    (BOOKING, Stage.SENDING, Stage.NEW), (CALL, CallState.RUNNING, CallState.WAITING),
    (WHOLE_FILE, RunState.SENDING, RunState.PREPARING),
])  # fmt: skip
def test_one_state_alone_leads_to_the_request(machine: Machine[Any], sent: str, unsent: str) -> None:
    assert before(machine, sent) == {unsent}


@pytest.mark.parametrize(("machine", "unknown", "unsent"), [
    (BOOKING, Stage.UNKNOWN, {Stage.NEW, Stage.SENDING, Stage.QUOTED}),
    (BOOKING, Stage.LOST, {Stage.NEW, Stage.SENDING, Stage.QUOTED}),
    (CALL, CallState.UNKNOWN, {CallState.WAITING, CallState.RUNNING}),
    (WHOLE_FILE, RunState.UNKNOWN, {RunState.PREPARING, RunState.SENDING}),
])  # fmt: skip
def test_what_may_have_been_done_is_never_sent_again(machine: Machine[Any], unknown: str, unsent: set[str]) -> None:
    reached, new = {unknown}, {unknown}
    while new:
        new = after(machine, *new) - reached
        reached |= new
    assert not reached & unsent


def test_a_record_of_the_service_counts_in_every_stage_but_the_end_and_an_answer_where_it_was_sent() -> None:
    assert before(BOOKING, Stage.OPEN) == before(BOOKING, Stage.ENDED) == set(Stage) - {Stage.ENDED}
    assert before(BOOKING, Stage.REFUSED) == {Stage.SENDING}
    assert before(BOOKING, Stage.UNKNOWN) == {Stage.SENDING, Stage.NEW}  # the database was restored
    # A pre-booking whose answer was lost waits for its address once somebody has found it.
    assert before(BOOKING, Stage.WAITING) == {Stage.SENDING, Stage.UNKNOWN, Stage.LOST, Stage.WAITING}


def test_a_store_is_made_once() -> None:
    assert after(STORE_MOVES, *StoreState) == {StoreState.READY}
    assert not after(STORE_MOVES, StoreState.READY)


def test_buttons_of_a_call_lead_where_the_machine_does() -> None:
    assert before(CALL, CallState.CANCELED) == STOPPABLE
    assert CALL.final > REPEATABLE
