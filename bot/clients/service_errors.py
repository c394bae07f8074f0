"""What a failed read means, by who must act. Writes go through ``bot.domain.outcome.classify`` instead."""

from collections.abc import Mapping
from http import HTTPStatus
from types import MappingProxyType

from bot.domain.errors import OperatorError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.outcome import Reply, read_error, refusal

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
        ``ServiceNever``: every other refusal; ``words`` only where the service allows showing them.
    """
    status = reply.status
    if status is None:
        return ServiceNow(service, f"no answer ({reply.failure or 'unknown reason'})")
    if reply.is_success:
        return ServiceNow(service, "its answer could not be read")
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _SERVICE_NOW:
        return ServiceNow(service, f"it answered {status}", retry_after=reply.retry_after)
    if not _is_refusal_of_the_request(reply, status):
        return _for_the_operator(reply, status, service=service, address=address, credentials=credentials)
    said = read_error(reply)
    return ServiceNever(
        service, refusal(status, said.named(names)), status=status, words=said.message if said.may_be_shown else ""
    )


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
