"""Observations during a run: arrivals of requests, the database at those moments, and messages.

The bot is not asked: the witness observes the simulator and the workspace and reads the database.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.simulators.recorder import Call
from bot.playground.workspace import Ack, Message, Workspace
from tests.chaos.records import Books, Record

_WITH_EFFECT = ("create_payout", "commit_payout", "one_step_payout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request with an effect as it reached the service, and the database at that moment."""

    call: Call
    instruction: Record | None
    votes: list[Record]
    attempts: list[Record]


@dataclass(slots=True, kw_only=True)
class Act:
    """An act of a person, its answer, and whether it was durable at the moment of the answer."""

    at: float
    user: str
    what: str
    ack: Ack
    durable: bool
    already: bool
    """It was durable before: a second click on a vote that is stored."""
    opened: bool
    """Whether a form opened."""
    before: frozenset[str]
    """Time stamps of the person's earlier private messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighting:
    """State of an instruction at one moment."""

    at: float
    id: str
    state: str
    round: int
    version: int


@dataclass(slots=True)
class Witness:
    """All observations of one run."""

    workspace: Workspace
    payments: PaymentsSimulator
    books: Books
    now: Callable[[], float]
    arrivals: list[Arrival] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    calls_before: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many payments requests had arrived when a message was posted, by channel and time stamp."""

    def attach(self) -> None:
        """Observe arriving requests and posted messages."""
        recorder, log = self.payments.recorder, self.workspace._state.log
        arrived, add = recorder.arrived, log.add

        def on_arrival(**facts: Any) -> Call:
            call = arrived(**facts)
            if call.operation in _WITH_EFFECT:
                self.arrivals.append(self._arrival(call))
            return call

        def on_message(message: Message) -> Message:
            self.calls_before[message.channel, message.ts] = len(recorder.calls)
            return add(message)

        recorder.arrived = on_arrival  # type: ignore[method-assign]
        log.add = on_message  # type: ignore[method-assign]

    def look(self) -> None:
        """Record the state of every instruction that changed."""
        last = {sighting.id: (sighting.state, sighting.round) for sighting in self.sightings}
        for row in self.books.rows("SELECT id, state, round, version FROM instruction"):
            if last.get(row["id"]) != (row["state"], row["round"]):
                self.sightings.append(Sighting(at=self.now(), **row))

    def _arrival(self, call: Call) -> Arrival:
        found = [row for row in self.books.instructions() if _is_about(call, row)]
        instruction = found[0] if found else None
        return Arrival(
            call=call,
            instruction=instruction,
            votes=self.books.votes(instruction["id"]) if instruction else [],
            attempts=self.books.attempts(instruction["id"]) if instruction else [],
        )


def _is_about(call: Call, row: Record) -> bool:
    if call.operation != "commit_payout":
        return f'"{row["code"]}"' in json.dumps(call.body)
    return row["remote_id"] is not None and f"/{row['remote_id']}/" in call.path
