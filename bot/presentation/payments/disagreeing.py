"""A request that the database holds otherwise than the audit: in which way. Plain text of our own."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final

from bot.domain.payments.instruction import State
from bot.domain.payments.sealed import Disagreement, Odd
from bot.presentation.payments.words import word

_ON_HOLD: Final = "on hold, as the database and the audit disagree: "


def _changed(rows: Sequence[str]) -> str:
    many = len(rows) > 1
    return f"{'rows' if many else 'row'} {', '.join(rows)} of the audit {'were' if many else 'was'} changed"


def _stands(facts: Sequence[str]) -> str:
    (state,) = facts
    return f"its state in the audit: {word(State(state)) if state in list(State) else 'another one'}"


def _never_voted(people: Sequence[str]) -> str:
    return "an approval was never given" if len(people) == 1 else f"{len(people)} approvals were never given"


_WORDS: Final[Mapping[Odd, Callable[[Sequence[str]], str]]] = {
    Odd.NOT_ASKED: lambda _: "the audit does not know who asked for it",
    Odd.CHANGED_ROW: _changed,
    Odd.GAP: lambda facts: f"the audit does not hold from row {facts[0]} on",
    Odd.CONTENT: lambda _: "it is not what was asked for",
    Odd.REQUESTER: lambda _: "somebody else asked for it, or at another time",
    Odd.REQUIREMENT: lambda _: "it asks for less approval than it did",
    Odd.STORY: lambda _: "its state was changed past the audit",
    Odd.STATE: _stands,
    Odd.SENT: lambda _: "the attempts to send it are not those of the audit",
    Odd.REMOTE_ID: lambda _: "it names another operation at the service",
    Odd.WINDOW: lambda _: "the time in which it may be sent is another one",
    Odd.VOTES: _never_voted,
    Odd.RESERVED: lambda _: "what its attempts took of the daily limit is not what was sent",
    Odd.ITEMS: lambda _: "its payments are not those that were asked for",
}


def told(found: Collection[Disagreement]) -> str:
    """In which ways, in words."""
    return "; ".join(_WORDS[one.odd](one.facts) for one in found)


def on_hold(found: Collection[Disagreement]) -> str:
    """Reason of a request that is held because of it."""
    return f"{_ON_HOLD}{told(found)}"


def is_on_hold(reason: str) -> bool:
    """Whether this is such a reason."""
    return reason.startswith(_ON_HOLD)
