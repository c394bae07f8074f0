"""Slack's own client library, with calls held back while Slack has asked us to wait, and figures of all calls."""

import asyncio
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any, Final

from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient
from slack_sdk.web.async_slack_response import AsyncSlackResponse

from bot.domain.errors import ServiceNow
from bot.domain.outcome import Ended
from bot.slack.calls import ASKED_US_TO_WAIT, SERVICE, TROUBLES, asked_to_wait, how_failed
from bot.slack.pace import EDIT, POST, Pace


class Family(StrEnum):
    """What a call does, for figures."""

    POST = "post"
    EDIT = "edit"
    PRIVATE = "private"
    """An ephemeral message, or an answer over a response URL."""
    FORM = "form"
    """A form or an App Home."""
    FILE = "file"
    """A step of an upload."""
    LOOKUP = "lookup"
    """Everything that changes nothing people see."""


_FAMILIES: Final[Mapping[str, Family]] = {
    POST: Family.POST,
    EDIT: Family.EDIT,
    "chat.postEphemeral": Family.PRIVATE,
    "views.open": Family.FORM,
    "views.update": Family.FORM,
    "views.publish": Family.FORM,
    "files.getUploadURLExternal": Family.FILE,
    "files.completeUploadExternal": Family.FILE,
}
SlackWatch = Callable[[Family, Ended], None]
"""Told of each call how it ended."""


def unwatched(_family: Family, _ended: Ended) -> None:
    """Nobody keeps figures."""


class PacedClient(AsyncWebClient):
    """The Web API. During a known wait no call is made: ``ServiceNow`` gives the rest of the wait."""

    def __init__(self, *, pace: Pace, watch: SlackWatch = unwatched, **library: Any) -> None:
        """``watch`` keeps figures; ``library``: arguments of the library's client."""
        super().__init__(**library)
        self._pace = pace
        self._watch = watch

    async def api_call(self, api_method: str, **named: Any) -> AsyncSlackResponse:
        """Call a method.

        Raises:
            ServiceNow: a wait is in force; nothing was sent.
        """
        channel, family = _channel(named), _FAMILIES.get(api_method, Family.LOOKUP)
        wait = self._pace.begin(api_method, channel)
        if wait:
            self._watch(family, Ended.NOT_SENT)
            raise ServiceNow(SERVICE, ASKED_US_TO_WAIT, retry_after=wait)
        try:
            answer = await super().api_call(api_method, **named)
        except asyncio.CancelledError:  # the caller has waited long enough
            self._watch(family, Ended.UNKNOWN)
            raise
        except TROUBLES as trouble:
            self._watch(family, how_failed(trouble))
            seconds = asked_to_wait(trouble) if isinstance(trouble, SlackApiError) else None
            if seconds is not None:
                self._pace.refused(api_method, channel, retry_after=seconds)
            raise
        self._watch(family, Ended.DONE)
        return answer


def _channel(named: Mapping[str, Any]) -> str:
    """The channel of a post. Only posts are limited per channel, and they are sent as JSON."""
    body = named.get("json")
    return str(body.get("channel") or "") if isinstance(body, Mapping) else ""
