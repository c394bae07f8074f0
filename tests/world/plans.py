"""Effect points, kinds of faults, and plans that name both so that a run can be repeated."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil


class Side(StrEnum):
    PAYMENTS = "payments"
    """A request of ours to the payments service."""
    SLACK = "slack"
    """A Web API call of ours, or an answer to a response URL."""
    PERSON = "person"
    """A command, click or form on its way to us."""
    CALLBACK = "callback"
    """A callback of the payments service on its way to us."""
    WRITE = "write"
    """A commit of our database."""


class Kind(StrEnum):
    """What happens at a point; those that ``FaultKind`` has, too, mean the same."""

    LOST = "lost"
    DONE_DROPPED = "done_dropped"
    DONE_500 = "done_500"
    DONE_REFUSED = "done_refused"
    ERROR_500 = "error_500"
    TOO_MANY = "too_many"
    REFUSED = "refused"
    GARBAGE = "garbage"
    """Of a callback: a body that says nothing."""
    NO_CODES = "no_codes"
    TIMED_OUT = "timed_out"
    """Done, and no answer comes until our own time-out."""
    FATAL = "fatal"
    """Slack's ``fatal_error``, which promises nothing; here it was not done."""
    CRASH_BEFORE = "crash_before"
    """The process dies before the bytes leave, or before the commit."""
    CRASH_AFTER = "crash_after"
    """The process dies when the answer has arrived, or after the commit."""
    TWICE = "twice"
    """The very same request comes a second time."""
    FORGED = "forged"
    """A callback whose body lies about everything."""
    BUSY = "busy"
    """The database says busy; nothing was written."""
    COMMIT_UNKNOWN = "commit_unknown"
    """Written, but the database does not say so."""


CRASHES = (Kind.CRASH_BEFORE, Kind.CRASH_AFTER)
_READ = (Kind.LOST, Kind.ERROR_500, Kind.TOO_MANY, Kind.REFUSED, Kind.GARBAGE, *CRASHES)
_EFFECT = (Kind.DONE_DROPPED, Kind.DONE_500, *_READ)
_READS = frozenset({
    "account_status", "get_operation", "list_operations", "auth.test", "users.info", "usergroups.list",
    "conversations.info", "conversations.history", "conversations.replies",
})  # fmt: skip
MOVES_MONEY = frozenset({"commit_payout", "one_step_payout", "claim_commit", "committed"})
"""Effects around the one that moves money."""
_HANGING = frozenset({"create_payout", "commit_payout", "one_step_payout", "chat.postMessage"})
"""Effects whose time-out is also run in full; elsewhere a dropped answer replaces it."""


@dataclass(frozen=True, slots=True, order=True)
class Point:
    side: Side
    name: str
    n: int

    def __str__(self) -> str:
        return f"{self.side}/{self.name}#{self.n}"

    @classmethod
    def parse(cls, text: str) -> "Point":
        place, _, n = text.rpartition("#")
        side, _, name = place.partition("/")
        return cls(Side(side), name, int(n))

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The faults that apply here; for reads, without those that hide an effect."""
        match self.side:
            case Side.PAYMENTS | Side.SLACK:
                kinds: tuple[Kind, ...] = _READ if self.name in _READS else _EFFECT
                if self.side is Side.PAYMENTS:
                    kinds += () if self.name in _READS else (Kind.DONE_REFUSED,)
                    kinds += (Kind.NO_CODES,) if self.name == "list_operations" else ()
                fatal = (Kind.FATAL,) if self.side is Side.SLACK else ()
                hanging = (Kind.TIMED_OUT,) if self.name in _HANGING else ()
                return kinds + fatal + hanging
            case Side.PERSON:
                return (Kind.LOST, Kind.DONE_DROPPED, Kind.TWICE, *CRASHES)
            case Side.CALLBACK:
                return (Kind.LOST, Kind.TWICE, Kind.GARBAGE, Kind.FORGED, *CRASHES)
            case Side.WRITE:
                return (Kind.BUSY, Kind.COMMIT_UNKNOWN, *CRASHES)


@dataclass(frozen=True, slots=True)
class Plan:
    """One run: a flow and its faults. ``str`` and ``parse`` are inverse."""

    flow: str
    faults: tuple[tuple[Point, Kind], ...] = ()

    def __str__(self) -> str:
        return f"{self.flow}: {', '.join(f'{point}={kind}' for point, kind in self.faults)}".strip()

    @classmethod
    def parse(cls, text: str) -> "Plan":
        flow, _, rest = text.partition(":")
        faults = [part.strip().rpartition("=") for part in rest.split(",") if part.strip()]
        return cls(flow.strip(), tuple((Point.parse(point), Kind(kind)) for point, _, kind in faults))


def singles(flow: str, points: list[Point]) -> list[Plan]:
    return [Plan(flow, ((point, kind),)) for point in points for kind in point.kinds]


def covering(plans: Sequence[Plan]) -> list[Plan]:
    """Of plans with one fault, one for each kind of fault at each kind of effect, spread over flows and occurrences."""
    alike: dict[tuple[Side, str, Kind], list[Plan]] = {}
    for plan in plans:
        [(point, kind)] = plan.faults
        alike.setdefault((point.side, point.name, kind), []).append(plan)
    chosen: list[Plan] = []
    met: Counter[tuple[str, Kind]] = Counter()
    for (*_, kind), several in alike.items():
        plan = min(several, key=lambda one: met[one.flow, kind])
        met[plan.flow, kind] += 1
        chosen.append(plan)
    order = {plan: number for number, plan in enumerate(plans)}
    return sorted(chosen, key=order.__getitem__)


def together(plans: Sequence[Plan], *, at_once: int) -> list[Plan]:
    """The faults of these plans in fewer runs: so many a run, as far apart as the flow's plans allow."""
    flows: dict[str, list[Plan]] = {}
    for plan in plans:
        flows.setdefault(plan.flow, []).append(plan)
    runs = []
    for flow, several in flows.items():
        count = ceil(len(several) / at_once)
        runs += [Plan(flow, tuple(fault for one in several[n::count] for fault in one.faults)) for n in range(count)]
    return runs
