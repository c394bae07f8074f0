"""Slack's own client library, with calls held back while Slack has asked us to wait."""

from collections.abc import Mapping
from typing import Any

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.domain.errors import ServiceNow
from bot.slack.calls import ASKED_US_TO_WAIT, SERVICE, asked_to_wait
from bot.slack.pace import Pace


class PacedClient(AsyncWebClient):
    """The Web API. During a known wait no call is made: ``ServiceNow`` gives the rest of the wait."""

    def __init__(self, *, pace: Pace, **library: Any) -> None:
        """``library``: arguments of the library's client."""
        super().__init__(**library)
        self._pace = pace

    async def api_call(self, api_method: str, **named: Any) -> AsyncSlackResponse:
        """Call a method.

        Raises:
            ServiceNow: a wait is in force; nothing was sent.
        """
        channel = _channel(named)
        wait = self._pace.begin(api_method, channel)
        if wait:
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)
        try:
            return await super().api_call(api_method, **named)
        except SlackApiError as refused:
            seconds = asked_to_wait(refused)
            if seconds is not None:
                self._pace.refused(api_method, channel, retry_after=seconds)
            raise


def _channel(named: Mapping[str, Any]) -> str:
    """The channel of a post. Only posts are limited per channel, and they are sent as JSON."""
    body = named.get("json")
    return str(body.get("channel") or "") if isinstance(body, Mapping) else ""
