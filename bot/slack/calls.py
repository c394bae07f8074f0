"""Web API calls with failures classified by who must act, and a call that is retried until Slack answers."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import aiohttp
import structlog
from slack_sdk.errors import SlackApiError, SlackClientError

from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, ServiceTrouble
from bot.domain.outcome import Ended
from bot.domain.reasons import Exchange, Reason

log = structlog.get_logger(__name__)

T = TypeVar("T")

SERVICE = "Slack"
ASKED_US_TO_WAIT = Reason(Exchange.SLACK_WAIT)

TROUBLES = (aiohttp.ClientError, TimeoutError, SlackClientError)
"""Exceptions of the client library; a ``SlackApiError`` is a refusal."""

_MAYBE_DONE = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Errors after which the operation may have partly succeeded, as Slack documents."""

_REFUSED_BY_SLACK = frozenset(
    {
        "invalid_auth",
        "not_authed",
        "account_inactive",
        "token_revoked",
        "token_expired",
        "not_allowed_token_type",
        "missing_scope",
        "no_permission",
    }
)
"""Errors of the token that no retry can fix."""

_LONGEST_PAUSE = 15.0
_TOO_MANY_REQUESTS = 429
_SERVER_ERROR = 500


async def call(pending: Awaitable[Any]) -> dict[str, Any]:
    """Await one call and return Slack's answer. Raises ServiceTrouble, whose ``error`` is Slack's error code."""
    try:
        response = await pending
    except aiohttp.ClientConnectorError as unreachable:
        raise _sorted(unreachable) from unreachable
    except TROUBLES as trouble:
        raise _sorted(trouble) from None
    data: dict[str, Any] = response.data
    return data


async def until_answered(
    ask: Callable[[], Awaitable[T]], *, setting: str, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> T:
    """Retry until Slack answers. ``OperatorError`` if it refuses the token in ``setting``."""
    pause = 0.5
    while True:
        try:
            return await ask()
        except ServiceNever as refused:
            if refused.error in _REFUSED_BY_SLACK:
                raise OperatorError(
                    f"Slack does not accept {setting} ({refused.error})",
                    mend="copy the token again from the app's settings; after a change of scopes, install it again",
                ) from None
            reason, asked = refused.reason, None
        except (ServiceNow, OutcomeUnknown) as silent:
            reason, asked = silent.reason, silent.retry_after
        log.warning("Slack does not let us in yet", setting=setting, reason=str(reason))
        await sleep(max(pause, asked or 0.0))
        pause = min(pause * 2, _LONGEST_PAUSE)


def asked_to_wait(refused: SlackApiError) -> float | None:
    """Return the seconds that Slack asks us to wait; None if it refused for another reason."""
    response = refused.response
    if _status(response) != _TOO_MANY_REQUESTS and _error(response) not in ("ratelimited", "rate_limited"):
        return None
    try:
        return max(0.0, float(response.headers.get("Retry-After", 1)))
    except (TypeError, ValueError):
        return 1.0


def how_failed(error: Exception) -> Ended:
    """Return the outcome, for metrics, of a call that raised one of :data:`TROUBLES`."""
    match _sorted(error):
        case ServiceNow(retry_after=seconds):
            return Ended.UNREACHABLE if seconds is None else Ended.TOO_MANY
        case ServiceNever():
            return Ended.REFUSED
        case _:
            return Ended.UNKNOWN


def _sorted(error: Exception) -> ServiceTrouble:
    if isinstance(error, aiohttp.ClientConnectorError):
        return ServiceNow(SERVICE, Reason(Exchange.SLACK_UNREACHABLE))
    if not isinstance(error, SlackApiError):
        return OutcomeUnknown(SERVICE, Reason(Exchange.SLACK_BROKE, error=type(error).__name__))
    response = error.response
    seconds = asked_to_wait(error)
    if seconds is not None:
        return ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=seconds)
    data, status, name = getattr(response, "data", None), _status(response), _error(response)
    if not name or name in _MAYBE_DONE or (status is not None and status >= _SERVER_ERROR):
        unread = Reason(Exchange.SLACK_UNREADABLE, status=status)
        return OutcomeUnknown(SERVICE, Reason(Exchange.SLACK_ERROR, error=name) if name else unread)
    needed = f"needed: {data['needed']}" if isinstance(data, dict) and data.get("needed") else ""
    return ServiceNever(SERVICE, Reason(Exchange.SLACK_ERROR, error=name), status=status, words=needed)


def _status(response: Any) -> int | None:
    status: int | None = getattr(response, "status_code", None) or getattr(response, "status", None)
    return status


def _error(response: Any) -> str:
    data = getattr(response, "data", None)
    return str(data.get("error", "")) if isinstance(data, dict) else ""
