"""Interface between the page and a service: its calls, figures and faults."""

from collections import OrderedDict
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from bot.playground.faults import Fault, FaultKind, Faults

Json = dict[str, Any]

CALLS_SHOWN = 200
"""Calls that a panel keeps for the page; the simulators keep far more."""


@dataclass(frozen=True, kw_only=True)
class FaultChoice:
    """A switch in plain words; the page sends back ``kind``, and ``about`` is its consequence in a sentence."""

    kind: str
    title: str
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class FaultTarget:
    """A request that can be made to fail, by its name in faults; if ``lasting``, until it is switched off."""

    name: str
    title: str
    faults: Sequence[FaultChoice]
    lasting: bool = False


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A number shown as a tile."""

    name: str
    label: str
    value: str
    strong: bool = False


@dataclass(frozen=True, kw_only=True)
class Armed:
    """A switch that is on."""

    kind: str
    title: str
    when: str


@dataclass(frozen=True, kw_only=True)
class CallLine:
    """A call in the page's list.

    ``title`` describes the call in plain words. ``status`` is None without an answer; ``pending`` is whether one
    may still come. ``moved`` is the money that it moved ("$25.00") or empty, ``changes`` whether it changed stored
    data. ``direction`` is ``in`` for a call that the service received, ``out`` for one that it sent.
    """

    id: str
    at: float
    title: str
    method: str
    path: str
    operation: str
    status: int | None
    ok: bool
    pending: bool = False
    outcome: str = ""
    moved: str = ""
    changes: bool = False
    fault: str = ""
    direction: str = "in"
    body: object = None
    response: object = None


@dataclass(frozen=True, kw_only=True)
class Status:
    """The contents of a panel except its calls."""

    count: int
    figures: Sequence[Figure] = ()
    armed: Sequence[Armed] = ()


class ServicePanel(Protocol):
    """One service behind the scenes. Each new service needs one."""

    @property
    def name(self) -> str:
        """Short and stable, e.g. ``payments``."""

    @property
    def title(self) -> str:
        """Display name."""

    @property
    def about(self) -> str:
        """One sentence above the calls."""

    @property
    def operations(self) -> Sequence[FaultTarget]:
        """Operations that can be made to fail."""

    def status(self) -> Status:
        """Current figures and armed switches."""

    def calls(self) -> list[CallLine]:
        """The last calls, oldest first."""

    def call(self, call_id: str) -> CallLine | None:
        """Current state of one call."""

    def arm(self, operation: str, kind: str, times: int | None) -> None:
        """Switch a fault on; ``ValueError`` if the panel doesn't offer it."""

    def behave(self) -> None:
        """Switch all faults off."""

    def follow(self) -> AsyncIterator[str]:
        """Iterate over ids of new or changed calls; "" if only the status changed."""


@dataclass
class CallBook:
    """The last calls of a panel by id."""

    kept: int = CALLS_SHOWN
    count: int = 0
    _lines: "OrderedDict[str, CallLine]" = field(default_factory=OrderedDict)

    def put(self, line: CallLine) -> str:
        """Add a call or replace the one with its id; returns the id."""
        if line.id not in self._lines:
            self.count += 1
        self._lines[line.id] = line
        while len(self._lines) > self.kept:
            self._lines.popitem(last=False)
        return line.id

    def get(self, call_id: str) -> CallLine | None:
        """The call with this id, while it is kept."""
        return self._lines.get(call_id)

    def all(self) -> list[CallLine]:
        """Oldest first."""
        return list(self._lines.values())


def picture(panel: ServicePanel) -> Json:
    """A panel with its calls, as the page loads it."""
    return {
        "name": panel.name,
        "title": panel.title,
        "about": panel.about,
        "operations": [asdict(operation) for operation in panel.operations],
        "calls": [asdict(line) for line in panel.calls()],
        **asdict(panel.status()),
    }


def change(panel: ServicePanel, call_id: str) -> Json:
    """Update for a page after one change."""
    line = panel.call(call_id) if call_id else None
    return {"name": panel.name, "status": asdict(panel.status()), "call": asdict(line) if line else None}


def arm(faults: Faults, operations: Sequence[FaultTarget], operation: str, kind: str, times: int | None) -> None:
    """Arm one of the offered faults.

    Raises:
        ValueError: It is not offered for this operation, or ``times`` is not positive.
    """
    offered = {each.name: {choice.kind for choice in each.faults} for each in operations}
    if kind not in offered.get(operation, set()):
        raise ValueError(f"{kind!r} is not offered for {operation!r}.")
    if times is not None and times < 1:
        raise ValueError("A fault is armed for one request or more.")
    faults.arm(Fault(FaultKind(kind), operation, times))


def armed(faults: Faults, operations: Sequence[FaultTarget]) -> list[Armed]:
    """The armed faults, titled as in the operations that offer them."""
    titles = {each.name: each.title for each in operations}
    words = {(each.name, choice.kind): choice.title for each in operations for choice in each.faults}
    return [
        Armed(
            kind=fault.kind.value,
            title=words.get((fault.operation, fault.kind.value), fault.kind.value),
            when=f"– {titles.get(fault.operation, fault.operation)}, {_how_often(fault.times)}",
        )
        for fault in faults.armed
    ]


def _how_often(times: int | None) -> str:
    if times is None:
        return "every time"
    return "next time" if times == 1 else f"next {times} times"
