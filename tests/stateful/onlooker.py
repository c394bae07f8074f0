"""What an onlooker writes down: what arrived at the service and what the database held then, what moved, what was said.

Nothing here asks the bot. The onlooker stands at the simulator and at the workspace and reads the database.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from bot.playground.simulators.payments import PaymentsSimulator, Record
from bot.playground.simulators.recorder import Call
from bot.playground.workspace import Message, Workspace
from tests.stateful import books
from tests.stateful.books import Books

EFFECTS = ("create_payout", "commit_payout", "one_step_payout")
SENDS = ("commit_payout", "one_step_payout")


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrival:
    """A request with an effect as it reached the service, and what the database held at that moment."""

    call: Call
    at: float
    instruction: books.Record | None
    votes: list[books.Record]
    attempts: list[books.Record]
    frozen: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message of the bot when it was posted; ``calls`` requests had arrived at the service before."""

    message: Message
    at: float
    calls: int


@dataclass(slots=True)
class Onlooker:
    """Everything that was seen in one run."""

    workspace: Workspace
    payments: PaymentsSimulator
    books: Books
    now: Callable[[], float]
    on_arrival: Callable[[Arrival], None]
    said: list[Said] = field(default_factory=list)
    history: dict[str, list[str]] = field(default_factory=dict)
    """Every status an operation ever had at the service, by its id."""
    finals: dict[str, str] = field(default_factory=dict)
    """The final state of each instruction, once it was seen."""

    def attach(self) -> None:
        """Stand where requests arrive, operations move and messages are posted."""
        recorder, log = self.payments.recorder, self.workspace._state.log
        arrived, publish, add = recorder.arrived, recorder.publish, log.add

        def on_arrival(**facts: Any) -> Call:
            call = arrived(**facts)
            if call.operation in EFFECTS:
                self.on_arrival(self._arrival(call))
            return call

        def on_change(kind: str, subject: object) -> None:
            if isinstance(subject, Record):
                self.history.setdefault(subject.id, []).append(subject.status)
            publish(kind, subject)

        def on_message(message: Message) -> Message:
            self.said.append(Said(message=message, at=self.now(), calls=len(recorder.calls)))
            return add(message)

        recorder.arrived = on_arrival  # type: ignore[method-assign]
        recorder.publish = on_change  # type: ignore[method-assign]
        log.add = on_message  # type: ignore[method-assign]

    def _arrival(self, call: Call) -> Arrival:
        found = next((row for row in self.books.instructions() if is_about(call, row)), None)
        return Arrival(
            call=call,
            at=self.now(),
            instruction=found,
            votes=self.books.votes(found["id"]) if found else [],
            attempts=self.books.attempts(found["id"]) if found else [],
            frozen=self.books.is_frozen(),
        )


def is_about(call: Call, row: books.Record) -> bool:
    """Whether a request concerns this instruction: by our code in its body, or by the service's id in its path."""
    if call.operation in ("create_payout", "one_step_payout"):
        return f'"{row["code"]}"' in json.dumps(call.body)
    return row["remote_id"] is not None and f"/{row['remote_id']}" in call.path


def reports(call: Call, operation_id: str) -> set[str]:
    """The statuses of an operation that the answer to a call told of, in lower case."""
    body = call.response if isinstance(call.response, dict) else {}
    listed = body.get("data")
    records = [body, *listed] if isinstance(listed, list) else [body]
    return {
        str(one["status"]).lower()
        for one in records
        if isinstance(one, dict) and one.get("id") == operation_id and call.status is not None
    }
