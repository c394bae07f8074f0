"""Upload of a file, whole or streamed: ask for an address, send the bytes there, complete.

The file is visible only after the last step.
"""

import json
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from typing import IO, Any

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OutcomeUnknown, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.reasons import Exchange, Reason
from bot.slack.calls import SERVICE, call
from bot.slack.hosts import Hosts
from bot.slack.messenger import Posted

_ALT_LIMIT = 1_000
_CHUNK = 64 * 1024
_SECONDS = 10.0
_SILENCE_SECONDS = 60.0
_SLOWEST = 50_000
"""Bytes a second; a slower upload is given up."""
_OK, _TOO_MANY_REQUESTS, _SERVER_ERROR = 200, 429, 500


class Files:
    """Uploads of the bot."""

    def __init__(self, *, client: AsyncWebClient, session: aiohttp.ClientSession, api_url: str) -> None:
        """``api_url``: its host takes uploads too, besides Slack's own."""
        self._client = client
        self._session = session
        self._hosts = Hosts(api_url)

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
            alt: a description for people who cannot see it; shortened to 1,000 characters.
            comment: mrkdwn of the message; foreign text must be escaped.
            channel: id of a conversation the bot is in.
            thread_ts: the thread, or None.

        Returns:
            The message's address; ``ts`` is empty when Slack did not say.

        Raises:
            ServiceNow: nothing was posted; a retry may work.
            ServiceNever: Slack refused; nothing was posted.
            OutcomeUnknown: the message may have been posted.
        """
        file_id = await self._upload(_Whole(content), name=name, alt=alt)
        return await self._complete(file_id, title=title, comment=comment, channel=channel, thread_ts=thread_ts)

    async def share_stream(
        self,
        *,
        name: str,
        chunks: AsyncIterable[bytes],
        length: int | None,
        title: str,
        alt: str,
        comment: str,
        channel: str,
        thread_ts: str | None,
    ) -> Posted:
        """The same for a stream of bytes; at most one piece of it is in memory.

        Args:
            name: see :meth:`share`.
            chunks: read once. Its errors are raised here.
            length: bytes to expect; None: unknown, so they go to disk first, because Slack requires the length.
            title: see :meth:`share`.
            alt: see :meth:`share`.
            comment: see :meth:`share`.
            channel: see :meth:`share`.
            thread_ts: see :meth:`share`.

        Raises:
            ServiceNow: as for :meth:`share`, and when the number of bytes differs from ``length``.
        """
        if length is not None:
            file_id = await self._upload(_Flowing(chunks, length), name=name, alt=alt)
        else:
            with tempfile.TemporaryFile() as kept:
                async for chunk in chunks:
                    kept.write(chunk)
                file_id = await self._upload(_Flowing(_read_again(kept), kept.tell()), name=name, alt=alt)
        return await self._complete(file_id, title=title, comment=comment, channel=channel, thread_ts=thread_ts)

    async def _complete(self, file_id: str, *, title: str, comment: str, channel: str, thread_ts: str | None) -> Posted:
        where = {"channel_id": channel, "initial_comment": comment}
        if thread_ts is not None:
            where["thread_ts"] = thread_ts
        # A form instead of the library's query string: a comment may exceed the length limit of a URL.
        form = {"files": json.dumps([{"id": file_id, "title": title}]), **where}
        answer = await call(self._client.api_call("files.completeUploadExternal", data=form))
        return Posted(channel, _ts(answer, channel))

    async def _upload(self, source: "_Whole | _Flowing", *, name: str, alt: str) -> str:
        """Upload a file without sharing it, and return its id; Slack deletes it if it is never shared."""
        try:
            place = await call(
                self._client.files_getUploadURLExternal(filename=name, length=source.length, alt_txt=alt[:_ALT_LIMIT])
            )
        except OutcomeUnknown as lost:
            raise ServiceNow(SERVICE, lost.reason) from lost
        await self._send(str(place["upload_url"]), source)
        return str(place["file_id"])

    async def _send(self, url: str, source: "_Whole | _Flowing") -> None:
        if not self._hosts.uploads(url):
            raise ServiceNever(SERVICE, Reason(Exchange.SLACK_UPLOAD_ADDRESS))
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(source.length)}
        timeout = aiohttp.ClientTimeout(
            total=_SECONDS + source.length / _SLOWEST, sock_connect=_SECONDS, sock_read=_SILENCE_SECONDS
        )
        try:
            async with self._session.post(
                url, data=source.body, headers=headers, allow_redirects=False, timeout=timeout
            ) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError) as broken:
            if source.failure is not None:
                raise source.failure from None
            # The address is a secret like a token and stays out of the text.
            raise ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_REFUSED, why=type(broken).__name__)) from None
        if source.failure is not None:
            raise source.failure
        if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
            raise ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_REFUSED, why=status))
        if status != _OK:
            raise ServiceNever(SERVICE, Reason(Exchange.SLACK_UPLOAD_STATUS, status=status), status=status)


def _ts(answer: Mapping[str, Any], channel: str) -> str:
    """The message's ``ts``, where the answer has it: it may hold only the file's id and title."""
    for file in answer.get("files") or []:
        shares = file.get("shares") or {}
        for kind in ("public", "private"):
            for share in (shares.get(kind) or {}).get(channel) or []:
                return str(share.get("ts") or "")
    return ""


class _Whole:
    """Bytes in memory."""

    failure: SwitchboardError | None = None

    def __init__(self, content: bytes) -> None:
        self.body = content
        self.length = len(content)


class _Flowing:
    """Streamed bytes, exactly as many as announced: Slack would notice a shortfall only by a timeout."""

    def __init__(self, chunks: AsyncIterable[bytes], length: int) -> None:
        self._chunks = chunks
        self.length = length
        self.failure: SwitchboardError | None = None

    @property
    def body(self) -> AsyncIterator[bytes]:
        return self._counted()

    async def _counted(self) -> AsyncIterator[bytes]:
        sent = 0
        try:
            async for chunk in self._chunks:
                sent += len(chunk)
                if sent > self.length:
                    break
                yield chunk
            if sent != self.length:
                raise ServiceNow(SERVICE, Reason(Exchange.SLACK_UPLOAD_LENGTH, bytes=self.length))
        except SwitchboardError as reason:  # the client library would wrap it into an error of its own
            self.failure = reason
            raise


async def _read_again(kept: IO[bytes]) -> AsyncIterator[bytes]:
    kept.seek(0)
    while chunk := kept.read(_CHUNK):
        yield chunk
