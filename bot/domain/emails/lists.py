"""Processing e-mail addresses: what is asked, what came back (undocumented: kept as it came), and how far a run is."""

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
"""Concurrent requests that the service recommends at most."""
CONCURRENCY = CONCURRENCY_LIMIT
"""Without a choice: the pace that is recommended."""
ADDRESS_RULE = "an e-mail address such as ana@example.com"

RUN = "email.run"
WHOLE = "email.file"
"""Kind of job: the whole file at once."""


def concurrency(text: str) -> int | None:
    """Requests at a time, as typed; None: it is no number that the service takes."""
    digits = text.strip() or str(CONCURRENCY)
    valid = digits.isascii() and digits.isdigit() and len(digits) <= len(str(CONCURRENCY_LIMIT))
    return int(digits) if valid and 1 <= int(digits) <= CONCURRENCY_LIMIT else None


def addresses(text: str) -> list[str]:
    """The addresses of an argument, separated by commas or semicolons."""
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
    """The service failed for this address on every attempt."""
    NO_ADDRESS = "no address"
    """The cell holds no address, so the service was not asked."""
    NOT_ASKED = "not asked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What is known of one address: a word, names and values (nested names dotted), other text, or why nothing is."""

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
    """The service asks for fewer requests; nothing is wrong with the address. ``retry_after`` is in seconds."""

    reason: Reason
    retry_after: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """No answer because of a network failure; another attempt may succeed."""

    reason: Reason


@dataclass(frozen=True, slots=True, kw_only=True)
class Denied:
    """The service refuses our account: no verdict on the address. ``certain``: it cannot be about the address."""

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
    """The service accepted the file and returned a number for it; no status call for that number is documented."""

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
    """Stop was pressed; what is under way is waited for."""
    SENDING = "sending"
    """The whole file is on its way; whether it arrived is not known until there is an answer."""
    DONE = "done"
    STOPPED = "stopped"
    FAILED = "failed"
    UNKNOWN = "unknown"


OVER = frozenset({RunState.DONE, RunState.STOPPED, RunState.FAILED, RunState.UNKNOWN})
ROW_BY_ROW: Final = Machine(
    {
        RunState.PREPARING: (RunState.RUNNING, RunState.STOPPING, RunState.FAILED),
        RunState.RUNNING: (RunState.PAUSED, RunState.STOPPING, RunState.DONE, RunState.FAILED),
        # A list that is paused ends when the last answer under way arrives.
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
    """How far a run is, in addresses: each is asked once, however many rows have it."""

    total: int = 0
    taken: int = 0
    """Asked or about to be."""
    rows: int = 0
    skipped: int = 0
    """Rows without an address."""
    repeated: int = 0
    """Asked again after a restart."""
    outcomes: Mapping[Outcome, int] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def done(self) -> int:
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class ListProgress:
    """A job as its board shows it. ``said``: what the service answered to a whole file besides its number, by name."""

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
"""What the message of a whole file shows of the service's answer: fields, and characters of each."""


def is_shortened(said: Sequence[tuple[str, str]]) -> bool:
    return len(said) > SAID_FIELDS or any(len(value) > SAID_CHARACTERS for _, value in said)


def same_address(cell: str) -> str:
    """Key under which two spellings of one address are equal: without blanks, with the domain in lower case."""
    local, _, domain = cell.strip().rpartition("@")
    return f"{local}@{domain.lower()}"


def allowance(wants: int, others: Sequence[tuple[int, int]], *, room: int) -> int:
    """Requests at a time of one process: its fair share, as far as the others do not hold it.

    ``others``: how many each wants, and how many it holds.
    """
    fair = fair_shares([wants, *(other for other, _ in others)], room=room)[0]
    return max(min(fair, room - sum(held for _, held in others)), 0)


def fair_shares(wants: Sequence[int], *, room: int) -> list[int]:
    """Divide ``room`` concurrent requests among runs: none gets more than it wants, none less than an equal part."""
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
