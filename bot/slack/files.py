"""Downloads of users' files, streamed with a size limit, and uploads of the bot's files.

The token is sent only to Slack's own file host, and no redirect is followed: with a wrong token or without the scope
``files:read`` Slack returns a sign-in page with status 200, or redirects to one.

An upload requests an address, sends the bytes there and completes. The file is visible only after the last step.
"""

import io
import json
import struct
import tempfile
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import IO, Any, NoReturn, Self
from urllib.parse import urlsplit

import aiohttp
import structlog
from slack_sdk.web.async_client import AsyncWebClient

from bot.domain.errors import OperatorError, OutcomeUnknown, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.files.dropped import FileInfo, FileTrouble, Share, UnusableFile
from bot.domain.files.playing import movie
from bot.domain.files.sniffing import FileKind, sniff, tags_end
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import without_unstorable
from bot.slack.authenticity import Hosts
from bot.slack.calls import SERVICE, call
from bot.slack.messenger import Posted

log = structlog.get_logger(__name__)

CHUNK_BYTES = 64 * 1024
_PATIENCE = aiohttp.ClientTimeout(total=3_600.0, sock_connect=10.0, sock_read=30.0)
"""Time limits of a download in seconds."""
_OK, _PART, _TOO_MANY_REQUESTS, _SERVER_ERROR = 200, 206, 429, 500
_SKIPPED = 4 * 1024 * 1024
"""Bytes read and discarded to reach a later part, if Slack ignores Range."""
_GONE = frozenset({403, 404, 410})
_TROUBLES = {
    "file_deleted": FileTrouble.DELETED,
    "file_not_found": FileTrouble.UNKNOWN,
    "not_visible": FileTrouble.UNKNOWN,
    "access_denied": FileTrouble.DENIED,
}
_MODES = {
    "tombstone": FileTrouble.DELETED,
    "hidden_by_limit": FileTrouble.HIDDEN,
    "external": FileTrouble.EXTERNAL,
    **dict.fromkeys(("post", "space", "quip", "canvas", "docs", "list"), FileTrouble.PAGE),
}
_SOUND = ("audio/mp4", "audio/x-m4a", "audio/m4a")
_SCOPE = "add the scope files:read to the app (manifest.json has it), and install it again"
_SECONDS = 10.0
_SLOWEST = 50_000
"""Minimum upload speed in bytes per second."""


class Downloads:
    """Downloads users' files. ``UnusableFile``: the user must act; ``OperatorError``: the app lacks a scope."""

    def __init__(self, *, client: AsyncWebClient, session: aiohttp.ClientSession, token: str, api_url: str) -> None:
        self._client = client
        self._session = session
        self._token = token
        self._hosts = Hosts(api_url)  # its host counts as Slack's own, too

    async def info(self, file_id: str) -> FileInfo:
        """Read Slack's current record of a file."""
        try:
            answer = await call(self._client.files_info(file=file_id))
        except ServiceNever as refused:
            if refused.error in _TROUBLES:
                raise UnusableFile(_TROUBLES[refused.error]) from None
            if refused.error == "missing_scope":
                raise OperatorError("Slack does not let us read files", mend=_SCOPE) from None
            raise
        except OutcomeUnknown as silent:
            raise ServiceNow(SERVICE, silent.reason) from silent
        return read_info(answer["file"])

    @asynccontextmanager
    async def open(self, info: FileInfo, *, limit: int) -> AsyncIterator["Body"]:
        """Stream a file of at most ``limit`` bytes. Leaving the block early aborts the transfer."""
        async with self._asked(info, limit=limit) as answer:
            yield Body(answer, info=info)

    @asynccontextmanager
    async def _asked(self, info: FileInfo, *, limit: int, part: str = "") -> AsyncIterator[aiohttp.ClientResponse]:
        """Request a file, or this ``part`` of it, which Slack may ignore."""
        if info.size > limit:
            raise UnusableFile(FileTrouble.TOO_LARGE, name=info.name, limit=limit, size=info.size)
        if info.size == 0:
            raise UnusableFile(FileTrouble.EMPTY, name=info.name)
        if not self._hosts.downloads(info.url):
            log.warning("file address outside Slack's hosts", host=urlsplit(info.url).hostname)
            raise UnusableFile(FileTrouble.EXTERNAL, name=info.name)
        headers = {"Authorization": f"Bearer {self._token}", "Accept-Encoding": "identity"}
        headers |= {"Range": part} if part else {}
        try:
            answer = await self._session.get(info.url, headers=headers, allow_redirects=False, timeout=_PATIENCE)
        except (aiohttp.ClientError, TimeoutError) as broken:
            raise _interrupted(broken) from None
        try:
            status = answer.status
            if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
                raise ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_KEPT, why=status))
            if status in _GONE:
                raise UnusableFile(FileTrouble.DELETED, name=info.name)
            is_page = answer.content_type == "text/html" and not info.mimetype.startswith("text/html")
            if status not in (_OK, _PART if part else _OK) or is_page:
                log.error("download refused by Slack", status=status)
                raise OperatorError("Slack does not let us download files", mend=_SCOPE)
            yield answer
        finally:
            answer.close()  # closed instead of released, so the rest isn't read

    async def part(self, info: FileInfo, *, start: int, most: int) -> bytes:
        """Return bytes from the middle of a file; empty if Slack ignores Range and the start is too far away."""
        if start >= info.size or most <= 0:
            return b""
        collected = bytearray()
        wanted = f"bytes={start}-{min(start + most, info.size) - 1}"
        try:
            async with self._asked(info, limit=info.size, part=wanted) as answer:
                skipped = 0 if answer.status == _PART else start
                if skipped > _SKIPPED:
                    return b""
                async for chunk in answer.content.iter_chunked(CHUNK_BYTES):
                    collected += chunk
                    if len(collected) >= skipped + most:
                        break
        except (aiohttp.ClientError, TimeoutError) as broken:
            raise _interrupted(broken) from None
        return bytes(collected[skipped : skipped + most])

    async def head(self, info: FileInfo, *, most: int) -> bytes:
        """Return the first ``most`` bytes of a file, for music with longer tags those after the tags.

        For a video whose head doesn't list its tracks, the list after the media is appended: it may be sound only.
        """
        collected = bytearray()
        async with self.open(info, limit=info.size) as body:
            async for chunk in body:
                collected += chunk
                if len(collected) >= most:
                    break
        behind = tags_end(bytes(collected))
        sound = await self.part(info, start=behind, most=most) if behind >= len(collected) else b""
        return sound or bytes(collected[:most]) + await self._tracks(info, bytes(collected))

    async def _tracks(self, info: FileInfo, head: bytes) -> bytes:
        if head[4:8] != b"ftyp" or b"moov" in head or sniff(head, info.claim).kind is not FileKind.VIDEO:
            return b""
        asks = movie(info.size)
        try:
            start, most = next(asks)
            while True:
                piece = head[start : start + most]
                start, most = asks.send(piece if len(piece) == most else await self.part(info, start=start, most=most))
        except (StopIteration, struct.error, SwitchboardError) as told:
            return getattr(told, "value", b"")


def read_info(file: Mapping[str, Any]) -> FileInfo:
    """Parse Slack's file object. ``UnusableFile`` if it is deleted, external, hidden, denied or not processed yet."""
    file = without_unstorable(file)
    name = str(file.get("name") or file.get("title") or file["id"])
    mode = str(file.get("mode") or "")
    if mode in _MODES or file.get("is_external"):
        raise UnusableFile(_MODES.get(mode, FileTrouble.EXTERNAL), name=name)
    access = str(file.get("file_access") or "visible")
    if access == "check_file_info":
        raise UnusableFile(FileTrouble.PROCESSING, name=name)
    if access != "visible":
        raise UnusableFile(FileTrouble.DENIED, name=name)
    url = str(file.get("url_private_download") or file.get("url_private") or "")
    if not url:
        raise UnusableFile(FileTrouble.PROCESSING, name=name)
    places = [str(channel) for key in ("channels", "groups", "ims") for channel in file.get(key) or []]
    shares = tuple(
        Share(channel=str(channel), ts=str(one["ts"]), thread_ts=str(one.get("thread_ts") or ""))
        for kind in ("public", "private")
        for channel, listed in ((file.get("shares") or {}).get(kind) or {}).items()
        for one in listed
        if one.get("ts")
    )
    return FileInfo(
        id=str(file["id"]),
        name=name,
        size=int(file.get("size") or 0),
        mimetype=str(file.get("mimetype") or ""),
        user=str(file.get("user") or ""),
        url=url,
        by_app=bool(file.get("bot_id") or file.get("display_as_bot")),
        is_clip=str(file.get("mimetype")) in _SOUND or file.get("subtype") == "slack_audio",
        duration_ms=int(file["duration_ms"]) if file.get("duration_ms") else None,
        channels=frozenset([*places, *(share.channel for share in shares)]),
        shares=shares,
    )


def _interrupted(broken: Exception) -> ServiceNow:
    # Keep the address out of the text: for a public file it is a secret like a token.
    return ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_KEPT, why=type(broken).__name__))


class Body:
    """The bytes of one file: an asynchronous iterator, usable once, that raises if the announced size is wrong."""

    def __init__(self, answer: aiohttp.ClientResponse, *, info: FileInfo) -> None:
        self._pieces = answer.content.iter_chunked(CHUNK_BYTES)
        self._info = info
        self._arrived = 0
        self.size = info.size
        self.failure: SwitchboardError | None = None  # for a client library that wraps the error

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await anext(self._pieces)
        except StopAsyncIteration:
            if self._arrived != self.size:
                self._fail(UnusableFile(FileTrouble.CHANGED, name=self._info.name))
            raise
        except (aiohttp.ClientError, TimeoutError) as broken:
            self._fail(_interrupted(broken))
        self._arrived += len(piece)
        if self._arrived > self.size:
            self._fail(UnusableFile(FileTrouble.CHANGED, name=self._info.name))
        return piece

    def _fail(self, failure: SwitchboardError) -> NoReturn:
        self.failure = failure
        raise failure from None


class Uploads:
    def __init__(self, *, client: AsyncWebClient, session: aiohttp.ClientSession, api_url: str) -> None:
        self._client = client
        self._session = session
        self._hosts = Hosts(api_url)  # its host counts as Slack's own, too

    async def share(
        self,
        *,
        name: str,
        content: bytes | AsyncIterable[bytes],
        length: int | None = None,
        title: str,
        alt: str,
        comment: str,
        channel: str,
        thread_ts: str | None,
    ) -> Posted:
        """Share a file in a new message; keeps at most one piece of a stream in memory. Raises ServiceTrouble.

        ``content`` has at least one byte; a stream is read once, and its errors are raised here. ``length``: bytes in
        the stream; Slack requires it, so with None they are written to disk first. ``name`` identifies the message
        later. ``comment``: mrkdwn with foreign text escaped. ``ts`` of the result is empty if Slack omits it.
        """
        if isinstance(content, bytes):
            length = len(content)
            content = _pieces(io.BytesIO(content))
        if length is not None:
            file_id = await self._upload(_Flowing(content, length), name=name, alt=alt)
        else:
            with tempfile.TemporaryFile() as kept:
                async for chunk in content:
                    kept.write(chunk)
                file_id = await self._upload(_Flowing(_pieces(kept), kept.tell()), name=name, alt=alt)
        where = {"channel_id": channel, "initial_comment": comment}
        if thread_ts is not None:
            where["thread_ts"] = thread_ts
        # A form instead of the library's query string: a comment may exceed the length limit of a URL.
        form = {"files": json.dumps([{"id": file_id, "title": title}]), **where}
        answer = await call(self._client.api_call("files.completeUploadExternal", data=form))
        # The answer may contain only the file's id and title.
        found = (
            str(share.get("ts") or "")
            for file in answer.get("files") or []
            for kind in ("public", "private")
            for share in ((file.get("shares") or {}).get(kind) or {}).get(channel) or []
        )
        return Posted(channel, next(found, ""))

    async def _upload(self, source: "_Flowing", *, name: str, alt: str) -> str:
        """Upload a file without sharing it, and return its id; Slack deletes it if it is never shared."""
        try:
            place = await call(
                self._client.files_getUploadURLExternal(filename=name, length=source.length, alt_txt=alt[:1_000])
            )
        except OutcomeUnknown as lost:
            raise ServiceNow(SERVICE, lost.reason) from lost
        await self._send(str(place["upload_url"]), source)
        return str(place["file_id"])

    async def _send(self, url: str, source: "_Flowing") -> None:
        if not self._hosts.uploads(url):
            raise ServiceNever(SERVICE, Reason(Exchange.SLACK_UPLOAD_ADDRESS))
        headers = {"Content-Type": "application/octet-stream", "Content-Length": str(source.length)}
        total = _SECONDS + source.length / _SLOWEST
        timeout = aiohttp.ClientTimeout(total=total, sock_connect=_SECONDS, sock_read=60.0)
        try:
            async with self._session.post(
                url, data=source.body(), headers=headers, allow_redirects=False, timeout=timeout
            ) as answer:
                status = answer.status
        except (aiohttp.ClientError, TimeoutError) as broken:
            if source.failure is not None:
                raise source.failure from None
            # Keep the address out of the text: it is a secret like a token.
            raise ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_REFUSED, why=type(broken).__name__)) from None
        if source.failure is not None:
            raise source.failure
        if status == _TOO_MANY_REQUESTS or status >= _SERVER_ERROR:
            raise ServiceNow(SERVICE, Reason(Exchange.SLACK_FILE_REFUSED, why=status))
        if status != _OK:
            raise ServiceNever(SERVICE, Reason(Exchange.SLACK_UPLOAD_STATUS, status=status), status=status)


class _Flowing:
    """Streamed bytes, exactly as many as announced: Slack would notice a shortfall only by a timeout."""

    def __init__(self, chunks: AsyncIterable[bytes], length: int) -> None:
        self._chunks = chunks
        self.length = length
        self.failure: SwitchboardError | None = None

    async def body(self) -> AsyncIterator[bytes]:
        sent = 0
        try:
            async for chunk in self._chunks:
                sent += len(chunk)
                if sent > self.length:
                    break
                yield chunk
            if sent != self.length:
                raise ServiceNow(SERVICE, Reason(Exchange.SLACK_UPLOAD_LENGTH, bytes=self.length))
        except SwitchboardError as reason:  # the client library would wrap it in its own error
            self.failure = reason
            raise


async def _pieces(kept: IO[bytes]) -> AsyncIterator[bytes]:
    kept.seek(0)
    while chunk := kept.read(CHUNK_BYTES):
        yield chunk
