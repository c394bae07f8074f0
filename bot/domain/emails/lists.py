"""Checks of e-mail addresses: requests, answers (undocumented, so kept unchanged), and progress of a run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType
from typing import Any, Final

from bot.domain.errors import OperatorError, PersonError
from bot.domain.files.columns import address_in, looks_like_address
from bot.domain.machine import Machine
from bot.domain.reasons import Reason

CONCURRENCY_LIMIT = 1_000
"""The service's recommended maximum of concurrent requests."""
CONCURRENCY = CONCURRENCY_LIMIT
"""Default: the recommended rate."""
ADDRESS_RULE = "an e-mail address such as ana@example.com"

RUN = "email.run"
WHOLE = "email.file"
"""Kind of a job that sends the whole file at once."""


def concurrency(text: str) -> int | None:
    """Parse a number of concurrent requests; None if it isn't a number that the service allows."""
    digits = text.strip() or str(CONCURRENCY)
    valid = digits.isascii() and digits.isdigit() and len(digits) <= len(str(CONCURRENCY_LIMIT))
    return int(digits) if valid and 1 <= int(digits) <= CONCURRENCY_LIMIT else None


def addresses(text: str) -> list[str]:
    """Parse addresses separated by commas or semicolons."""
    words = [word for word in text.replace(";", ",").split(",") if word.strip("<> ")]
    wrong = next((word for word in words if not looks_like_address(word)), None)
    if wrong is not None or not words:
        rule, example = "it isn't an e-mail address", "check ana@example.com"
        raise PersonError(argument="address", rule=rule, example=example, given=wrong or text)
    return list(map(address_in, words))


class Outcome(StrEnum):
    ANSWERED = "answered"
    NO_ANSWER = "no answer"
    REFUSED = "refused"
    FAILED = "failed"
    """Every attempt for this address failed at the service."""
    NO_ADDRESS = "no address"
    """The cell contains no address, so nothing was sent."""
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Result for one address: a word, names and values (nested names dotted), other text, or why there is none."""

    outcome: Outcome
    result: str = ""
    pairs: tuple[tuple[str, str], ...] = ()
    text: str = ""
    why: Reason | None = None

    def stored(self) -> dict[str, object]:
        pairs = [list(pair) for pair in self.pairs]
        kept: dict[str, object] = {"o": self.outcome.value, "r": self.result, "p": pairs, "t": self.text}
        return kept if self.why is None else {**kept, "w": self.why.stored()}

    @classmethod
    def read(cls, kept: Mapping[str, Any]) -> "Answer":
        pairs = tuple((str(name), str(value)) for name, value in kept["p"])
        texts = {"result": str(kept["r"]), "text": str(kept["t"])}
        return cls(outcome=Outcome(kept["o"]), pairs=pairs, why=Reason.read(kept.get("w")), **texts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Busy:
    """The service asks for fewer requests; the address is fine. ``retry_after`` is in seconds."""

    reason: Reason
    retry_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """No answer because of a network failure; another attempt may succeed."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The service refuses our account, with no verdict on the address; ``certain`` if it can't concern the address."""

    error: OperatorError
    certain: bool = True


Checked = Answer | Busy | Dropped | Denied


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    name: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    url: str = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """The service accepted the file under a number; no status call for it is documented."""

    id: str
    pairs: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedRows:
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...] = field(repr=False)


FileAnswer = Returned | ReturnedRows | Link | Receipt | Answer


class RunState(StrEnum):
    PREPARING = "preparing"
    RUNNING = "running"
    PAUSED = "paused"
    STOPPING = "stopping"
    """Stop was pressed; running requests are finished first."""
    SENDING = "sending"
    """The whole file is being sent; whether it arrived is unknown until the service answers."""
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    UNKNOWN = "unknown"


OVER = frozenset({RunState.DONE, RunState.STOPPED, RunState.FAILED, RunState.UNKNOWN})
ROW_BY_ROW: Final = Machine(
    {
        RunState.PREPARING: (RunState.RUNNING, RunState.STOPPING, RunState.FAILED),
        RunState.RUNNING: (RunState.PAUSED, RunState.STOPPING, RunState.DONE, RunState.FAILED),
        # A paused list ends when the last running request is answered.
        RunState.PAUSED: (RunState.RUNNING, RunState.STOPPING, RunState.DONE, RunState.FAILED),
        RunState.STOPPING: (RunState.STOPPED, RunState.DONE, RunState.FAILED),
    },
    final=OVER,
)
WHOLE_FILE: Final = Machine(
    {
        RunState.PREPARING: (RunState.SENDING, RunState.FAILED),
        RunState.SENDING: (RunState.PREPARING, RunState.DONE, RunState.FAILED, RunState.UNKNOWN),
    },
    final=OVER,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunCount:
    """Progress of a run in addresses; an address in several rows is checked once."""

    total: int = 0
    taken: int = 0
    """Checked, or about to be."""
    rows: int = 0
    skipped: int = 0
    """Rows without an address."""
    repeated: int = 0
    """Checked again after a restart."""
    outcomes: Mapping[Outcome, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def done(self) -> int:
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProgress:
    """A job for its status card. ``said`` is the service's answer to a whole file besides its number, by name."""

    id: str
    state: RunState
    file: str
    column: str
    whole: bool
    requester: str
    concurrency: int = CONCURRENCY
    count: RunCount = field(default_factory=RunCount)
    reason: Reason | None = None
    receipt: str = ""
    said: tuple[tuple[str, str], ...] = ()


SAID_FIELDS, SAID_CHARACTERS = 20, 300
"""Number of fields, and characters of each, that a whole file's message shows of the service's answer."""


def is_shortened(said: Sequence[tuple[str, str]]) -> bool:
    return len(said) > SAID_FIELDS or any(len(value) > SAID_CHARACTERS for _, value in said)


def same_address(cell: str) -> str:
    """Return a key that ignores surrounding blanks and the case of the domain."""
    local, _, domain = cell.strip().rpartition("@")
    return f"{local}@{domain.lower()}"


def allowance(wants: int, others: Sequence[tuple[int, int]], *, room: int) -> int:
    """Return the number of concurrent requests of one process: its fair share, unless others hold it.

    ``others`` are pairs: how many a process wants, and how many it holds.
    """
    fair = fair_shares([wants, *(other for other, _ in others)], room=room)[0]
    return max(min(fair, room - sum(held for _, held in others)), 0)


def fair_shares(wants: Sequence[int], *, room: int) -> list[int]:
    """Divide ``room`` concurrent requests among runs: none gets more than it wants, or less than an equal share."""
    shares = [0] * len(wants)
    left, open_runs = room, [at for at, want in enumerate(wants) if want > 0]
    while open_runs and left > 0:
        part = max(left // len(open_runs), 1)
        for at in list(open_runs):
            given = min(part, wants[at] - shares[at], left)
            shares[at] += given
            left -= given
            if shares[at] == wants[at]:
                open_runs.remove(at)
    return shares
