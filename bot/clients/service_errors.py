"""What a failed read means, by who must act, and one sentence for everything that can go wrong.

Writes go through ``bot.domain.outcome.classify`` instead of ``read_failure``.
"""

from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from types import MappingProxyType

from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.outcome import UNREADABLE, Failure, NotExecuted, Reply, Unknown, read_error, refusal, with_words

_TWO_MINUTES = 120
_SERVICE_NOW = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


def read_failure(
    reply: Reply, *, service: str, address: str, credentials: str, names: Mapping[str, str] = MappingProxyType({})
) -> SwitchboardError:
    """What to raise for an answer that is not the expected record. Its text is never HTML.

    Args:
        reply: the exchange.
        service: its name, e.g. ``payments``.
        address: the setting that holds its address, e.g. ``PAYMENTS_BASE_URL``.
        credentials: the settings that hold its credentials.
        names: the service's name of a request field -> ours, to say which field it does not accept.

    Returns:
        ``ServiceNow``: no answer, 408, 425, 429, 5xx, or a 2xx that is not the record.
        ``OperatorError``: 401, 403, a redirect, or a page instead of an answer.
        ``ServiceNever``: every other refusal; ``words`` unless the service forbids showing them.
    """
    status = reply.status
    if status is None:
        reason = f"no answer ({reply.failure or 'unknown reason'})"
        if reply.failure is Failure.NOT_ASKED:
            reason = "it has not answered for a while, so it was not asked"
        return ServiceNow(service, reason, retry_after=reply.retry_after)
    if reply.is_success:
        return ServiceNow(service, UNREADABLE)
    said = read_error(reply, names)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _SERVICE_NOW:
        return ServiceNow(service, f"it answered {status}", retry_after=reply.retry_after, words=said.words)
    if not _is_refusal_of_the_request(reply, status):
        trouble = _for_the_operator(reply, status, service=service, address=address, credentials=credentials)
        trouble.words = said.words
        return trouble
    return ServiceNever(service, refusal(status, said.named(names)), status=status, words=said.words)


def _is_refusal_of_the_request(reply: Reply, status: int) -> bool:
    is_redirect = status < HTTPStatus.BAD_REQUEST
    return not (is_redirect or reply.is_html or status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN})


def _for_the_operator(reply: Reply, status: int, *, service: str, address: str, credentials: str) -> OperatorError:
    if status < HTTPStatus.BAD_REQUEST:
        return OperatorError(f"{service} answered with a redirect ({status})", mend=f"check {address}")
    if reply.is_html:
        return OperatorError(
            f"{service}: a page came instead of an answer ({status}), probably from a proxy",
            mend=f"check {address} and the route that SERVICES_FILE gives",
        )
    return OperatorError(
        f"{service}: {refusal(status)}", mend=f"check {credentials}: they belong to one environment only"
    )


def sentence(
    trouble: ServiceNow | ServiceNever | OperatorError | OutcomeUnknown | NotExecuted | Unknown,
    *,
    service: str = "payments",
) -> str:
    """One sentence a person can act on. It may hold a service's own words: escape it.

    Args:
        trouble: an error of a read, or an outcome of a request that should have changed something.
        service: its name, for outcomes, which do not carry one.
    """
    match trouble:
        case ServiceNow(service=name, reason=reason, retry_after=wait, words=words):
            text = f"{with_words(_told(name, reason), words)}; try again {_when(wait)}"
        case ServiceNever(service=name, words=words) if words:
            text = f"The {name} service says: {words}"
        case ServiceNever(service=name, reason=reason, status=status):
            text = _told(name, reason) + ("" if status is None else "; check what you gave")
        case OperatorError(problem=problem, mend=mend, words=words):
            what = with_words(problem, words)
            text = f"The operator of Switchboard has to mend this: {what}{f'; {mend}' if mend else ''}"
        case NotExecuted(again=True, retry_after=wait):
            text = f"{_told(service, trouble.told)}; nothing was executed, try again {_when(wait)}"
        case NotExecuted(words=words) if words:
            text = f"Nothing was executed, the {service} service says: {words}"
        case NotExecuted(reason=reason):
            text = f"{_told(service, reason)}; nothing was executed"
        case OutcomeUnknown(service=name, reason=reason):
            text = f"{_told(name, reason)}; {_NOBODY_KNOWS}"
        case Unknown():
            text = f"{_told(service, trouble.told)}; {_NOBODY_KNOWS}"
    return text if text.endswith((".", "!", "?")) else f"{text}."


_NOBODY_KNOWS = "whether it was executed is not known yet, so it is looked up and not repeated"
_BEGINNINGS = {
    "the service ": "The {} service ",
    "the request ": "The request to the {} service ",
    "its ": "The {} service's ",
    "it ": "The {} service ",
    "no answer": "The {} service gave no answer",
    "answer": "The {} service gave answer",
    "too many requests": "The {} service got too many requests",
}


def _told(service: str, reason: str) -> str:
    """A reason as the beginning of a sentence that names the service."""
    opening = next((opening for opening in _BEGINNINGS if reason.startswith(opening)), "")
    return _BEGINNINGS.get(opening, "The {} service: ").format(service) + reason.removeprefix(opening)


def _when(seconds: float | None) -> str:
    if seconds is None or seconds < 1:
        return "in a minute"
    return f"in {ceil(seconds)} s" if seconds < _TWO_MINUTES else f"in {ceil(seconds / 60)} minutes"


def told(trouble: ServiceNow | ServiceNever | OperatorError) -> str:
    """Why, in a few words, with what the service said about it: foreign text, escape it."""
    return with_words(trouble.problem if isinstance(trouble, OperatorError) else trouble.reason, trouble.words)
