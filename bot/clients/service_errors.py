"""The error of a failed read, by who must act. Writes go through ``bot.domain.outcome.classify`` instead."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.outcome import Failure, Reply, read_error, refusal
from bot.domain.reasons import Exchange, Reason

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
        reason = Reason(Exchange.NO_ANSWER, failure=reply.failure.value if reply.failure else "unknown reason")
        if reply.failure is Failure.NOT_ASKED:
            reason = Reason(Exchange.NOT_ASKED)
        return ServiceNow(service, reason, retry_after=reply.retry_after)
    if reply.is_success:
        return ServiceNow(service, Reason(Exchange.UNREADABLE, problem=""))
    said = read_error(reply, names)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _SERVICE_NOW:
        reason = Reason(Exchange.READ_ANSWERED, status=status)
        return ServiceNow(service, reason, retry_after=reply.retry_after, words=said.words)
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
            f"a page came instead of an answer ({status}), probably from a proxy",
            service=service,
            mend=f"check {address} and the route that SERVICES_FILE gives",
        )
    mend = f"check {credentials}: each environment has its own"
    return OperatorError(refusal(status), service=service, mend=mend)
