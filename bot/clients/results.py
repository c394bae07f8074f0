"""Download of files that a service made, from the address in its answer; named by Content-Disposition (RFC 6266).

A download sends no key, reaches no private address except the service's own, and is limited in size and time.
"""

import asyncio
import base64
import socket
import warnings
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final, Self
from urllib.parse import unquote, unquote_to_bytes

import aiohttp
from aiohttp import content_disposition_filename, parse_content_disposition
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.clients.transport import bare_session
from bot.domain.addresses import AddressFlaw, flaw_of, is_public, plain_host, redirected
from bot.domain.errors import ServiceNever, ServiceNow, SwitchboardError
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import Secrets


def announced_name(header: str) -> str:
    """Return the file name in a Content-Disposition header, without folders; empty if it is missing or unreadable."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # malformed headers: a missing name is fine
        _, parameters = parse_content_disposition(header)
        name = content_disposition_filename(parameters) or ""
    return PurePosixPath(name.replace("\\", "/")).name.strip()


CHUNK_BYTES: Final = 64 * 1024
_HOPS: Final = 3
_CONNECT_SECONDS: Final = 10.0
_SILENCE_SECONDS: Final = 60.0
_OK, _TOO_MANY_REQUESTS, _SERVER_ERROR = 200, 429, 500
MOVED: Final = frozenset({301, 302, 303, 307, 308})


class PrivateAddressError(OSError):
    """The host is, or resolves to, a private address."""


class GuardedResolver(AbstractResolver):
    """Resolver that returns only public addresses, except for ``own`` hosts."""

    def __init__(self, *, own: Collection[str], resolver: AbstractResolver | None = None) -> None:
        self._own = frozenset(own)
        self._resolver = resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """Resolve a host.

        Raises:
            PrivateAddressError: all its addresses are private.
        """
        found = await self._resolver.resolve(host, port, family)
        if plain_host(host) in self._own:
            return found
        public = [one for one in found if is_public(one["host"])]
        if found and not public:
            raise PrivateAddressError(host)
        return public

    async def close(self) -> None:
        await self._resolver.close()


def open_result_session(own: Collection[str], *, resolver: AbstractResolver | None = None) -> aiohttp.ClientSession:
    """Open a session for :class:`Results`. ``own``: hosts that may be private."""
    guarded = GuardedResolver(own=_plain(own), resolver=resolver)
    connector = aiohttp.TCPConnector(resolver=guarded, use_dns_cache=False, force_close=True, limit=10)
    return bare_session(connector, auto_decompress=False)


class Results:
    """Downloads results of services; ``session`` comes from :func:`open_result_session` with the same ``own``.

    ``own``: hosts of the configured services, which may be private and use plain http. ``total``: seconds allowed per
    result. ``secrets`` are redacted from file names.
    """

    def __init__(
        self,
        *,
        session: aiohttp.ClientSession,
        own: Collection[str],
        total: float = 900.0,
        secrets: Secrets | None = None,
    ) -> None:
        self._session = session
        self._own = _plain(own)
        self._secrets = secrets or Secrets()
        self._timeout = aiohttp.ClientTimeout(
            total=total, sock_connect=_CONNECT_SECONDS, sock_read=min(_SILENCE_SECONDS, total)
        )

    @asynccontextmanager
    async def open(self, url: str, *, service: str, limit: int) -> AsyncIterator["Result"]:
        """Open the result at this address: ``async with results.open(…) as result: async for chunk in result``.

        The iteration raises ServiceNever after ``limit`` bytes. ``service`` is the service's name in errors.

        Raises:
            ServiceNever: the address is forbidden or malformed, or the result is too large or gone.
            ServiceNow: the host doesn't answer; a retry may succeed.
        """
        if url.startswith("data:"):
            try:
                content = inline_content(url)
            except ValueError:
                raise ServiceNever(service, Reason(Exchange.RESULT_NO_ADDRESS)) from None
            yield Result(_once(content), length=len(content), content_type="", name="", service=service, limit=limit)
            return
        answer = await self._ask(url, service)
        try:
            length = answer.content_length
            if length is not None and length > limit:
                raise ServiceNever(service, Reason(Exchange.RESULT_TOO_LARGE, bytes=length))
            address = unquote(answer.url.path).replace("\\", "/")
            name = announced_name(answer.headers.get("Content-Disposition", "")) or PurePosixPath(address).name.strip()
            pieces, kind = answer.content.iter_chunked(CHUNK_BYTES), answer.content_type
            safe = self._secrets.hidden(name)
            yield Result(pieces, length=length, content_type=kind, name=safe, service=service, limit=limit)
        finally:
            answer.close()

    async def _ask(self, url: str, service: str) -> aiohttp.ClientResponse:
        """Follow up to three redirects, each checked like the first address. Requests carry no secret to leak."""
        for _ in range(_HOPS + 1):
            flaw = flaw_of(url, own=self._own)  # needs no lookup; the resolver checks host names
            if flaw is not None:
                private = flaw is AddressFlaw.PRIVATE
                raise ServiceNever(service, Reason(Exchange.RESULT_PRIVATE if private else Exchange.RESULT_NO_ADDRESS))
            answer = await self._get(url, service)
            if answer.status not in MOVED:
                if answer.status == _OK:
                    return answer
                answer.close()
                if answer.status == _TOO_MANY_REQUESTS or answer.status >= _SERVER_ERROR:
                    raise ServiceNow(service, Reason(Exchange.RESULT_NOT_HANDED, why=answer.status))
                raise ServiceNever(service, Reason(Exchange.RESULT_GONE, status=answer.status), status=answer.status)
            there = answer.headers.get("Location", "")
            answer.close()
            url = redirected(url, there)
        raise ServiceNever(service, Reason(Exchange.RESULT_REDIRECTS))

    async def _get(self, url: str, service: str) -> aiohttp.ClientResponse:
        headers = {"Accept-Encoding": "identity"}
        try:
            return await self._session.get(url, headers=headers, allow_redirects=False, timeout=self._timeout)
        except aiohttp.InvalidURL:
            raise ServiceNever(service, Reason(Exchange.RESULT_NO_ADDRESS)) from None
        except aiohttp.ClientConnectorError as refused:
            if is_private(refused):
                raise ServiceNever(service, Reason(Exchange.RESULT_PRIVATE)) from None
            raise ServiceNow(service, Reason(Exchange.RESULT_UNREACHABLE)) from None
        except (aiohttp.ClientError, TimeoutError) as broken:
            raise ServiceNow(service, Reason(Exchange.RESULT_NOT_HANDED, why=type(broken).__name__)) from None


class Result:
    """A result during download: an asynchronous iterator over its bytes, usable once.

    Attributes:
        length: announced number of bytes; None if unknown.
        content_type: as announced.
        name: the announced file name, else the last part of its address; may be empty.
        failure: why the iteration ended early, for a caller that passes the iterator to a client library.
    """

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        *,
        length: int | None,
        content_type: str,
        name: str,
        service: str,
        limit: int,
    ) -> None:
        self._pieces = pieces
        self._service = service
        self._limit = limit
        self._arrived = 0
        self.length = length
        self.content_type = content_type
        self.name = name
        self.failure: SwitchboardError | None = None

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        try:
            piece = await anext(self._pieces)
        except (aiohttp.ClientError, TimeoutError, asyncio.IncompleteReadError) as broken:
            self.failure = ServiceNow(self._service, Reason(Exchange.RESULT_NOT_HANDED, why=type(broken).__name__))
            raise self.failure from None
        self._arrived += len(piece)
        if self._arrived > self._limit:
            self.failure = ServiceNever(self._service, Reason(Exchange.RESULT_OVER_LIMIT, bytes=self._limit))
            raise self.failure
        return piece


def inline_content(url: str) -> bytes:
    """Return the content of a ``data:`` URL (RFC 2397). Raises ValueError if it is malformed."""
    head, _, body = url.partition(",")
    return base64.b64decode(f"{body}==") if head.endswith(";base64") else unquote_to_bytes(body)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


def is_private(refused: aiohttp.ClientConnectorError) -> bool:
    """Return whether :class:`GuardedResolver` prevented the connection."""
    cause: BaseException | None = refused
    while cause is not None:
        if PrivateAddressError in (type(cause), type(getattr(cause, "os_error", None))):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _plain(hosts: Collection[str]) -> frozenset[str]:
    """Return host names in canonical form, without malformed ones."""
    return frozenset(host for host in map(plain_host, hosts) if host is not None)
