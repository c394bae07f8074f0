"""States, kinds of events and the unit of the cook time are lines of the route table; a mistake in one is named."""

import re
from pathlib import Path

import pytest

from bot.domain.bookings.record import Status, WebhookKind
from bot.domain.errors import OperatorError
from bot.presentation.reasons import problem_of
from tests.clients.conftest import routes_of


def test_shipped_lines_are_marked_documented_or_assumed(tmp_path: Path) -> None:
    table = routes_of(tmp_path)
    found = {name: [one for _, one in table.words() if one.table == name] for name in ("states", "events", "units")}
    assert [one.theirs for one in found["states"]] == [one.ours for one in found["states"]] == [*Status]
    assert [one.theirs for one in found["states"] if one.mark == "D"] == ["ON_HOLD"]
    assert [one.theirs for one in found["events"]] == [one.ours for one in found["events"]] == [*WebhookKind]
    assert [(one.theirs, one.ours) for one in found["units"]] == [("cook_time", "milliseconds")]
    assert not any(one.overridden for one in (word for _, word in table.words()))
    assert table.dialect("delivery").state("WAITING_FOR_RAIN") == "WAITING_FOR_RAIN"


def test_override_adds_or_replaces_a_shipped_line(tmp_path: Path) -> None:
    table = routes_of(
        tmp_path,
        """
        [delivery.states]
        DELIVERED = "COMPLETED"
        "En camino" = "WAY_TO_DELIVER"
        accepted = "READY_FOR_PICKUP"
        CANCEL_ASKED = "ACCEPTED"
        [delivery.events]
        BOOKING_STATUS_CHANGED = "UPDATE_BOOKING_STATUS"
        BOOKING_CREATED = "UPDATE_BOOKING_STATUS"
        [delivery.units]
        cook_time = "minutes"
        """,
    )
    dialect = table.dialect("delivery")
    words = ("delivered", "EN-CAMINO", "ACCEPTED", "CANCEL_ASKED", "completed", "Canceled by admin", "odd")
    states = ["COMPLETED", "WAY_TO_DELIVER", "READY_FOR_PICKUP", "ACCEPTED", "COMPLETED", "CANCELLED_BY_ADMIN", "odd"]
    assert [dialect.state(word) for word in words] == states
    assert dialect.kinds("UPDATE_BOOKING_STATUS") == ("BOOKING_STATUS_CHANGED", "BOOKING_CREATED")
    assert dialect.kinds("DRIVER_ASSIGNED") == ("DRIVER_ASSIGNED",)
    assert dialect.a_minute("cook_time") == 1
    own = {name for name, word in table.words() if word.overridden}
    assert own >= {"delivery.states.DELIVERED", "delivery.events.BOOKING_CREATED", "delivery.units.cook_time"}
    assert len(own) == 7


@pytest.mark.parametrize(("written", "said"), [
    ('[delivery.states]\nDONE = "FINISHED"', "delivery.states.DONE: it is one of ON_HOLD, READY_FOR_PICKUP"),
    ("[delivery.states]\nDONE = 1", "delivery.states.DONE: it is one of ON_HOLD"),
    ('[delivery.states]\nDONE = "COMPLETED"\n"done " = "RETURNED"', "DONE is the same word; leave one of the two"),
    ('[delivery.states]\n"" = "COMPLETED"', "a word of the service has 1 to 80 characters, in one line"),
    ('[delivery.events]\nCHANGED = "MOVED"', "it is one of UPDATE_BOOKING_STATUS, DRIVER_ASSIGNED"),
    ('[delivery.units]\ncook_time = "hours"', "it is one of milliseconds, seconds, minutes"),
    ('[delivery.units]\nwait = "minutes"', "delivery.units.wait: unknown; there is: cook_time"),
    ("[delivery]\nstates = 3", "delivery.states: it is a table"),
    ('[payments.states]\npaid = "completed"', "payments.states: unknown; there is: field_prefix"),
])  # fmt: skip
def test_wrong_words_table_is_named_at_start(tmp_path: Path, written: str, said: str) -> None:
    with pytest.raises(OperatorError) as refused:
        routes_of(tmp_path, written)
    assert said in problem_of(refused.value)
    assert re.match(r"for example: \S", refused.value.mend)
