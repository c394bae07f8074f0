"""Switches that make the outside world misbehave, shared by the local workspace and the simulators.

A fault is armed for one operation (or ``*``) and used up after ``times`` requests. The meaning of each
kind is a contract with the tests, above all whether it occurs *before* or *after* the effect.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum


class FaultKind(StrEnum):
    """What goes wrong with one request."""

    LOST = "lost"
    """The request vanishes: no effect, the connection is closed without an answer."""
    DONE_DROPPED = "done_dropped"
    """The effect happens, then the connection is closed without an answer (a fast timeout)."""
    DONE_HANGS = "done_hangs"
    """The effect happens, then no answer comes for ``seconds``."""
    DONE_500 = "done_500"
    """The effect happens, then the answer is 500."""
    DONE_REFUSED = "done_refused"
    """The effect happens, then the answer is 422 (payments) or the like: a proxy repeated the request."""
    ERROR_500 = "error_500"
    """No effect; the answer is 500."""
    TOO_MANY = "too_many"
    """No effect; 429 with the fault's ``wait`` as ``Retry-After``, 1 by default."""
    REFUSED = "refused"
    """No effect; 422 (payments) or an ``ok: false`` answer (workspace)."""
    GARBAGE = "garbage"
    """The effect happens, then the answer is a proxy's HTML page with status 200."""
    NO_CODES = "no_codes"
    """The effect happens; the answer lacks the codes and notes by which the caller recognizes its own records."""
    SLOW = "slow"
    """The answer comes ``seconds`` later; the effect happens as usual."""


NOT_DONE = frozenset({FaultKind.LOST, FaultKind.ERROR_500, FaultKind.TOO_MANY, FaultKind.REFUSED})
"""No effect."""
UNANSWERED = frozenset({FaultKind.LOST, FaultKind.DONE_DROPPED, FaultKind.DONE_HANGS})
"""The connection ends without an answer."""
LATE = frozenset({FaultKind.DONE_HANGS, FaultKind.SLOW})
"""The answer, or the end of the connection, comes ``seconds`` later."""
REPLACED = frozenset({FaultKind.DONE_500, FaultKind.DONE_REFUSED, FaultKind.GARBAGE})
"""The effect happens; the answer is replaced."""


@dataclass
class Fault:
    """An armed switch. The first ``skip`` requests aren't affected; ``times`` None means until cleared.

    ``wait`` is the ``Retry-After`` of a 429 of payments, delivery and e-mails; None omits it.
    ``body`` replaces the answer's body, with its ``status`` and ``content_type``.
    """

    kind: FaultKind
    operation: str = "*"
    times: int | None = 1
    skip: int = 0
    seconds: float = 5.0
    wait: str | None = "1"
    body: str | None = None
    status: int = 200
    content_type: str = "application/json"
    hits: int = field(default=0, init=False)

    def matches(self, operation: str) -> bool:
        """Return whether this switch affects the operation, e.g. ``commit_payout`` or ``chat.postMessage``."""
        return self.operation in ("*", operation)


class Faults:
    """The armed switches of one simulator, first match first."""

    def __init__(self, armed: Iterable[Fault] = ()) -> None:
        self.armed: list[Fault] = list(armed)

    def arm(self, fault: Fault) -> None:
        """Add a switch after the armed ones."""
        self.armed.append(fault)

    def clear(self) -> None:
        """Switch all faults off."""
        self.armed.clear()

    def take(self, operation: str) -> Fault | None:
        """Return the fault for this request, if any; counts it and drops used-up switches."""
        for fault in self.armed:
            if not fault.matches(operation):
                continue
            if fault.skip > 0:
                fault.skip -= 1
                continue
            fault.hits += 1
            if fault.times is not None:
                fault.times -= 1
                if fault.times <= 0:
                    self.armed.remove(fault)
            return fault
        return None
