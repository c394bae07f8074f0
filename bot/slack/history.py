"""Search in the history of a conversation, page by page, within a fixed period."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import ServiceNever
from bot.slack.calls import call

_PAGE = 200
_OUTDATED = "invalid_cursor"


@dataclass(slots=True, kw_only=True)
class Stretch:
    """The period of a conversation that is searched, and the progress of the search.

    Attributes:
        oldest: seconds since 1970.
        latest: the same; None: up to now. Later messages do not shift the pages while it is fixed.
        cursor: of the next page; empty: the first.
    """

    channel: str
    thread_ts: str | None
    oldest: float
    latest: float | None = None
    cursor: str = ""


async def find(
    client: AsyncWebClient, stretch: Stretch, meant: Callable[[Mapping[str, Any]], bool]
) -> Mapping[str, Any] | None:
    """The first matching message; None: the whole stretch was read and has none.

    Where Slack does not answer, the stretch holds where to continue.

    Raises:
        ServiceTrouble: see :func:`bot.slack.calls.call`.
    """
    begun_anew = False
    while True:
        try:
            page = await _page(client, stretch)
        except ServiceNever as refused:
            if refused.error != _OUTDATED or not stretch.cursor or begun_anew:
                raise
            stretch.cursor, begun_anew = "", True
            continue
        for message in page.get("messages", []):
            if meant(message):
                found: Mapping[str, Any] = message
                return found
        stretch.cursor = (page.get("response_metadata") or {}).get("next_cursor") or ""
        if not stretch.cursor:
            return None


async def _page(client: AsyncWebClient, stretch: Stretch) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "channel": stretch.channel,
        "limit": _PAGE,
        "include_all_metadata": True,
        "oldest": f"{stretch.oldest:.6f}",
    }
    if stretch.latest is not None:
        asked["latest"] = f"{stretch.latest:.6f}"
    if stretch.cursor:
        asked["cursor"] = stretch.cursor
    if stretch.thread_ts is None:
        return await call(client.conversations_history(**asked))
    return await call(client.conversations_replies(ts=stretch.thread_ts, **asked))
