"""One Web API call, its failures sorted by who must act."""

from collections.abc import Awaitable
from typing import Any

import aiohttp
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow

SERVICE = "Slack"

_MAYBE_DONE = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Slack documents for these that some part of the operation may have succeeded."""

_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500


async def call(pending: Awaitable[Any]) -> dict[str, Any]:
    """Await one call of the Web API client and return Slack's answer.

    Raises:
        ServiceNow: nothing was executed; a later try may work.
        ServiceNever: Slack refused; ``reason`` is its error name, e.g. ``not_in_channel``.
        OutcomeUnknown: the call may have been executed.
    """
    try:
        response = await pending
    except SlackApiError as refused:
        raise _sorted(refused) from None
    except aiohttp.ClientConnectorError as unreachable:
        raise ServiceNow(SERVICE, "cannot be reached") from unreachable
    except (aiohttp.ClientError, TimeoutError, SlackClientError) as broken:
        raise OutcomeUnknown(SERVICE, f"the connection broke ({type(broken).__name__})") from None
    data: dict[str, Any] = response.data
    return data


def _sorted(refused: SlackApiError) -> ServiceNow | ServiceNever | OutcomeUnknown:
    response = refused.response
    status = getattr(response, "status_code", None) or getattr(response, "status", None)
    data = getattr(response, "data", None)
    error = str(data.get("error", "")) if isinstance(data, dict) else ""
    if status == _TOO_MANY_REQUESTS or error in ("ratelimited", "rate_limited"):
        return ServiceNow(SERVICE, "asked us to wait", retry_after=_retry_after(response))
    if not error or error in _MAYBE_DONE or (status is not None and status >= _SERVER_ERROR):
        return OutcomeUnknown(SERVICE, error or f"answered {status} without a readable body")
    return ServiceNever(SERVICE, error, status=status)


def _retry_after(response: Any) -> float:
    try:
        return max(0.0, float(response.headers.get("Retry-After", 1)))
    except (TypeError, ValueError):
        return 1.0
