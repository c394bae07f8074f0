"""Files that a service made: fetched from the address in its answer, named as the answer names them (RFC 6266).

A fetch carries no key, goes to no private address but the service's own, and is bounded.
"""

import asyncio
import base64
import socket
import warnings
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager
from pathlib import PurePosixPath
from typing import Final, Self
from urllib.parse import unquote, unquote_to_bytes, urljoin

import aiohttp
from aiohttp import content_disposition_filename, parse_content_disposition
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.resolver import ThreadedResolver

from bot.clients.transport import bare_session
from bot.domain.addresses import AddressFlaw, flaw_of, is_public, plain_host
from bot.domain.errors import ServiceNever, ServiceNow, SwitchboardError
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import Secrets


def announced_name(header: str) -> str:
    """The file name in the header, without folders; empty: there is none, or it cannot be read."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of headers that break the rules; a name is not missed
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
    """Resolver that returns public addresses only; ``own`` hosts may be private."""

    def __init__(self, *, own: Collection[str], resolver: AbstractResolver | None = None) -> None:
        self._own = frozenset(own)
        self._resolver = resolver or ThreadedResolver()

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The addresses of a host.

        Raises:
            PrivateAddressError: none of them is public.
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
    """A session for :class:`Results`. ``own``: hosts that may be private."""
    guarded = GuardedResolver(own=_plain(own), resolver=resolver)
    connector = aiohttp.TCPConnector(resolver=guarded, use_dns_cache=False, force_close=True, limit=10)
    return bare_session(connector, auto_decompress=False)


class Results:
    """Fetches results of services; ``session`` is made by :func:`open_result_session` with the same ``own``.

    ``own``: hosts of the configured services, which may be private and speak plain http. ``total``: seconds that one
    result may take. ``secrets`` are taken out of the names of results.
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
        """The result at this address: ``async with results.open(…) as result: async for chunk in result``.

        More than ``limit`` bytes end the iteration with an error. ``service`` is what the service is called in errors.

        Raises:
            ServiceNever: the address is none we may ask, or there is nothing (any more).
            ServiceNow: the host does not answer; a later try may work.
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
        """Follow a few redirects, each looked at like the first address: there is nothing secret to take along."""
        for _ in range(_HOPS + 1):
            flaw = flaw_of(url, own=self._own)  # what needs no lookup; the resolver checks the names
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
            url = urljoin(url, there)
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
    """A result as it arrives: an asynchronous iterator of pieces, once.

    Attributes:
        length: bytes that were announced; None when nobody said.
        content_type: as announced.
        name: a file name for it: the announced one, else the last part of its address; may be empty.
        failure: why the iteration ended early, for a caller that hands the iterator to a client library.
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
    """The content of an address that holds its file itself (RFC 2397), else ValueError."""
    head, _, body = url.partition(",")
    return base64.b64decode(f"{body}==") if head.endswith(";base64") else unquote_to_bytes(body)


async def _once(content: bytes) -> AsyncIterator[bytes]:
    yield content


def is_private(refused: aiohttp.ClientConnectorError) -> bool:
    """Whether nothing was asked because of :class:`GuardedResolver`."""
    cause: BaseException | None = refused
    while cause is not None:
        if PrivateAddressError in (type(cause), type(getattr(cause, "os_error", None))):
            return True
        cause = cause.__cause__ or cause.__context__
    return False


def _plain(hosts: Collection[str]) -> frozenset[str]:
    """Host names in canonical form."""
    return frozenset(host for host in map(plain_host, hosts) if host is not None)
