"""Observations during a run: what arrived at the service, what the database held then, what moved, what was said.

The bot is not asked: the witness observes the simulator and the workspace and reads the database.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.simulators.payments import PaymentsSimulator
from bot.playground.simulators.payments import Record as Operation
from bot.playground.simulators.recorder import Call
from bot.playground.workspace import Ack, Message, Workspace
from tests.world.books import Books, Record

SENDS = ("commit_payout", "one_step_payout")
_WITH_EFFECT = ("create_payout", *SENDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request with an effect as it reached the service, and the database at that moment."""

    call: Call
    at: float
    instruction: Record | None
    votes: list[Record]
    attempts: list[Record]
    frozen: bool


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
    at: float
    id: str
    state: str
    version: int


@dataclass(slots=True)
class Witness:
    workspace: Workspace
    payments: PaymentsSimulator
    books: Books
    now: Callable[[], float]
    on_arrival: Callable[[Arrival], None]
    acts: list[Act] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    said: list[Message] = field(default_factory=list)
    """Every message as it was posted."""
    calls_before: dict[tuple[str, str], int] = field(default_factory=dict)
    """How many payments requests had arrived when a message was posted, by channel and time stamp."""
    history: dict[str, list[str]] = field(default_factory=dict)
    """Every status that an operation had at the service, by its id."""
    _last: dict[str, tuple[str, int]] = field(default_factory=dict)

    def attach(self) -> None:
        recorder, log = self.payments.recorder, self.workspace._state.log
        arrived, publish, add = recorder.arrived, recorder.publish, log.add

        def on_arrival(**facts: Any) -> Call:
            call = arrived(**facts)
            if call.operation in _WITH_EFFECT:
                self.on_arrival(self._arrival(call))
            return call

        def on_change(kind: str, subject: object) -> None:
            if isinstance(subject, Operation):
                self.history.setdefault(subject.id, []).append(subject.status)
            publish(kind, subject)

        def on_message(message: Message) -> Message:
            self.said.append(message)
            self.calls_before[message.channel, message.ts] = len(recorder.calls)
            return add(message)

        recorder.arrived = on_arrival  # type: ignore[method-assign]
        recorder.publish = on_change  # type: ignore[method-assign]
        log.add = on_message  # type: ignore[method-assign]

    def look(self) -> None:
        for row in self.books.rows("SELECT id, state, version FROM instruction"):
            now = (row["state"], row["version"])
            if self._last.get(row["id"]) != now:
                self._last[row["id"]] = now
                self.sightings.append(Sighting(at=self.now(), **row))

    def _arrival(self, call: Call) -> Arrival:
        found = next((row for row in self.books.instructions() if _is_about(call, row)), None)
        return Arrival(
            call=call,
            at=self.now(),
            instruction=found,
            votes=self.books.votes(found["id"]) if found else [],
            attempts=self.books.attempts(found["id"]) if found else [],
            frozen=self.books.is_frozen(),
        )


def _is_about(call: Call, row: Record) -> bool:
    """Whether a request concerns this instruction: by our code in its body, or by the service's id in its path."""
    if call.operation != "commit_payout":
        return f'"{row["code"]}"' in json.dumps(call.body)
    return row["remote_id"] is not None and f"/{row['remote_id']}/" in call.path
