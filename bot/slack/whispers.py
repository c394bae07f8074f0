"""Answers for one person's eyes that must not delay an ack.

They are courtesies: what matters is in the database before. Each runs as a tracked task, tries the
response URL first (it works where the bot is no member) and then an ephemeral message.
"""

import asyncio
from urllib.parse import urlsplit

import aiohttp
import structlog

from bot.domain.content import Content
from bot.domain.errors import SwitchboardError
from bot.slack.messenger import Messenger

log = structlog.get_logger(__name__)

_OK = 200


class Whispers:
    """Sends private answers in the background; :meth:`drain` waits for those under way."""

    def __init__(self, *, session: aiohttp.ClientSession, messenger: Messenger, api_url: str) -> None:
        """``api_url``: its host counts as Slack's own, besides ``hooks.slack.com``."""
        self._session = session
        self._messenger = messenger
        parts = urlsplit(api_url)
        self._own_origin = (parts.scheme, parts.netloc)
        self._under_way: set[asyncio.Task[None]] = set()

    def tell(self, *, content: Content, response_url: str, channel: str, user: str) -> None:
        """Answer without waiting."""
        task = asyncio.create_task(self._tell(content, response_url, channel, user))
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)

    async def drain(self, *, timeout: float = 5.0) -> None:
        """Wait up to ``timeout`` seconds for answers under way, then give them up."""
        if not self._under_way:
            return
        _, late = await asyncio.wait(self._under_way, timeout=timeout)
        for task in late:
            task.cancel()
        await asyncio.gather(*late, return_exceptions=True)

    def trusted(self, response_url: str) -> bool:
        """Whether this address is Slack's: anything else is never called."""
        parts = urlsplit(response_url)
        if parts.username or parts.password:
            return False
        return (parts.scheme, parts.netloc) in (("https", "hooks.slack.com"), self._own_origin)

    async def _tell(self, content: Content, response_url: str, channel: str, user: str) -> None:
        if self.trusted(response_url) and await self._respond(response_url, content):
            return
        try:
            await self._messenger.whisper(channel=channel, user=user, content=content)
        except SwitchboardError as silent:
            log.warning("private answer not delivered", reason=str(silent))

    async def _respond(self, response_url: str, content: Content) -> bool:
        body: dict[str, object] = {"response_type": "ephemeral", "replace_original": False, "text": content.text}
        if content.blocks:
            body["blocks"] = list(content.blocks)
        try:
            async with self._session.post(response_url, json=body, allow_redirects=False) as answer:
                return answer.status == _OK
        except (aiohttp.ClientError, TimeoutError):
            return False  # the address itself is a secret and stays out of the log; the ephemeral follows
