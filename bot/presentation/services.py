"""Names of the services, their missing settings, and one sentence for each failure."""

from collections.abc import Sequence
from math import ceil
from typing import Final

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.outcome import NotExecuted, Unknown, with_words

PAYMENTS: Final = "payments"
DELIVERY: Final = "delivery"
LOCALIZATION: Final = "localization"
EMAILS: Final = "e-mail processing"
EMAILS_ALONE: Final = f"{EMAILS} of single addresses"
EMAIL_FILES: Final = f"{EMAILS} of whole files"
"""Names of the services as people read them, before the word service."""

ANSWER_LOST: Final = "Switchboard failed before the answer was stored"
PROCESS_ENDED: Final = "the process ended before the answer was stored"
"""Reasons of an unknown outcome that no answer gave."""

_TWO_MINUTES: Final = 120


def to_set(names: Sequence[str], *, code: bool = True) -> str:
    """Says that the operator has to set these variables; their names as mrkdwn, or as plain text without ``code``."""
    return f"the operator has to set {', '.join(f'`{name}`' if code else name for name in names)}"


def sentence(
    trouble: ServiceNow | ServiceNever | OperatorError | NotExecuted | Unknown,
    *,
    service: str = PAYMENTS,
    advice: bool = True,
) -> str:
    """One sentence a person can act on. It may hold a service's own words: escape it.

    Args:
        trouble: an error of a read, or an outcome of a request that should have changed something.
        service: its name, for outcomes, which do not carry one.
        advice: False where Switchboard itself asks again: the reader neither repeats nor checks anything.
    """
    match trouble:
        case ServiceNow(service=name, reason=reason, retry_after=wait, words=words):
            text = with_words(_told(name, reason), words) + (f"; try again {_when(wait)}" if advice else "")
        case ServiceNever(service=name, words=words) if words:
            text = f"The {name} service says: {words}"
        case ServiceNever(service=name, reason=reason, status=status):
            text = _told(name, reason) + ("; check what you gave" if advice and status is not None else "")
        case OperatorError(mend=mend):
            text = f"The operator of Switchboard has to mend this: {told(trouble)}{f'; {mend}' if mend else ''}"
        case NotExecuted(again=True, retry_after=wait):
            text = f"{_told(service, trouble.told)}; nothing was executed, try again {_when(wait)}"
        case NotExecuted(words=words) if words:
            text = f"Nothing was executed, the {service} service says: {words}"
        case NotExecuted(reason=reason):
            text = f"{_told(service, reason)}; nothing was executed"
        case Unknown():
            text = (
                f"{_told(service, trouble.told)}; whether it was executed is not known yet, so it is looked up and "
                "not repeated"
            )
    return text if text.endswith((".", "!", "?")) else f"{text}."


_OPENINGS = {
    "the service ": "The {} service ",
    "the request ": "The request to the {} service ",
    "its ": "The {} service's ",
    "it ": "The {} service ",
    "no answer": "The {} service gave no answer",
    "answer": "The {} service gave answer",
    "too many requests": "The {} service got too many requests",
}
"""How a reason begins (:mod:`bot.domain.outcome`) -> how the sentence begins that names the service."""


def _told(service: str, reason: str) -> str:
    """A reason as the beginning of a sentence that names the service."""
    opening = next((opening for opening in _OPENINGS if reason.startswith(opening)), "")
    return _OPENINGS.get(opening, "The {} service: ").format(service) + reason.removeprefix(opening)


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "in a minute"
    return f"in {ceil(seconds)} s" if seconds < _TWO_MINUTES else f"in {ceil(seconds / 60)} minutes"


def told(trouble: ServiceTrouble | OperatorError) -> str:
    """Why, in a few words, with what the service said about it: foreign text, escape it."""
    return with_words(str(trouble) if isinstance(trouble, OperatorError) else trouble.reason, trouble.words)
