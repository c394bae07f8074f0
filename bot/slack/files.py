"""Sharing a file: ask for an address, send the bytes there, complete. Only the last step is seen by anybody."""

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow
from bot.slack.calls import SERVICE, call
from bot.slack.messenger import Posted

_ALT_LIMIT = 1_000
_OK, _TOO_MANY_REQUESTS, _SERVER_ERROR = 200, 429, 500


class Files:
    """Uploads of the bot."""

    def __init__(self, *, client: AsyncWebClient, session: aiohttp.ClientSession, api_url: str) -> None:
        """``api_url``: its host takes uploads too, besides Slack's own."""
        self._client = client
        self._session = session
        parts = urlsplit(api_url)
        self._own_origin = (parts.scheme, parts.netloc)

    async def share(
        self,
        *,
        name: str,
        content: bytes,
        title: str,
        alt: str,
        comment: str,
        channel: str,
        thread_ts: str | None,
    ) -> Posted:
        """Share a file in a message of its own.

        Args:
            name: file name, by which the message is found again.
            content: at least one byte.
            title: what people see above it.
            alt: the same in words, for who cannot see it; shortened to 1,000 characters.
            comment: mrkdwn of the message; foreign parts must have been escaped.
            channel: id of a conversation the bot is in.
            thread_ts: the thread, or None.

        Returns:
            Where the message stands; ``ts`` is empty when Slack did not say.

        Raises:
            ServiceNow: nobody saw anything; a later try may work.
            ServiceNever: Slack refused; nobody saw anything.
            OutcomeUnknown: the message may have been posted.
        """
        file_id = await self._upload(name=name, content=content, alt=alt)
        where = {"channel_id": channel, "initial_comment": comment}
        if thread_ts is not None:
            where["thread_ts"] = thread_ts
        # A form instead of the library's query string: a comment may be longer than an address may be.
        form = {"files": json.dumps([{"id": file_id, "title": title}]), **where}
        answer = await call(self._client.api_call("files.completeUploadExternal", data=form))
        return Posted(channel, _ts(answer, channel))

    async def _upload(self, *, name: str, content: bytes, alt: str) -> str:
        """The id of a file that is uploaded and not shared yet; one that never is, Slack throws away."""
        try:
            place = await call(
                self._client.files_getUploadURLExternal(filename=name, length=len(content), alt_txt=alt[:_ALT_LIMIT])
            )
            await self._send(str(place["upload_url"]), content)
        except OutcomeUnknown as lost:
            raise ServiceNow(SERVICE, lost.reason) from lost
        return str(place["file_id"])

    async def _send(self, url: str, content: bytes) -> None:
        if not self._trusted(url):
            raise ServiceNever(SERVICE, "named an upload address that is not its own")
        headers = {"Content-Type": "application/octet-stream"}
        try:
            async with self._session.post(url, data=content, headers=headers, allow_redirects=False) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError) as broken:
            # The address is worth as much as a token and stays out of the words.
            raise ServiceNow(SERVICE, f"did not take the file ({type(broken).__name__})") from None
        if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
            raise ServiceNow(SERVICE, f"did not take the file ({status})")
        if status != _OK:
            raise ServiceNever(SERVICE, f"upload_answered_{status}", status=status)

    def _trusted(self, url: str) -> bool:
        parts = urlsplit(url)
        if parts.username or parts.password:
            return False
        host = parts.hostname or ""
        slack = parts.scheme == "https" and parts.port in (None, 443) and host.endswith(".slack.com")
        return slack or (parts.scheme, parts.netloc) == self._own_origin


def _ts(answer: Mapping[str, Any], channel: str) -> str:
    """The message, where the answer names it: it may hold the file's id and title alone."""
    for file in answer.get("files") or []:
        shares = file.get("shares") or {}
        for kind in ("public", "private"):
            for share in (shares.get(kind) or {}).get(channel) or []:
                return str(share.get("ts") or "")
    return ""
