"""Many small requests at a time: the way to the single address.

``Transport`` promises that a request is written to a socket once and never again, which a payment needs and which costs
as much as the request itself. Asking about an address a second time changes nothing, so here connections are kept, and
aiohttp may ask once more by itself when one breaks. Everything else is as there: no redirect is followed, nothing is
raised for the network, no address stands in a log.
"""

from asyncio import get_running_loop
from collections.abc import Mapping
from typing import Final

import aiohttp
import structlog
from yarl import URL

from bot.clients.transport import MAX_BODY, Watch, read_reply, unwatched, without_secrets
from bot.domain.outcome import Ended, Failure, Reply, how_ended
from bot.domain.spellings import Secrets

_CONNECT_SECONDS: Final = 5.0


def open_quick_session(*, limit: int) -> aiohttp.ClientSession:
    """A session for ``Quick``, closed by the caller; ``limit``: connections at a time."""
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=limit),
        trust_env=False,
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"User-Agent": "switchboard"},
    )


class Quick:
    """Sends many small requests to one service.

    Args:
        session: made by ``open_quick_session``.
        base_url: http or https, a path is kept.
        total: seconds for everything; no request waits longer.
        watch: keeps figures; seconds include those for the connection.
        secrets: taken out of whatever the service says.
    """

    def __init__(
        self,
        *,
        session: aiohttp.ClientSession,
        base_url: str,
        total: float = 30.0,
        watch: Watch = unwatched,
        secrets: Secrets,
    ) -> None:
        self._session = session
        self._base_url = base_url.rstrip("/")
        # One timer a request: three of them cost a tenth of it.
        self._timeout = aiohttp.ClientTimeout(total=total, sock_connect=min(_CONNECT_SECONDS, total))
        self._watch = watch
        self._secrets = secrets
        self._log = structlog.stdlib.get_logger(__name__)

    async def ask(self, operation: str, *, method: str, path: str, headers: Mapping[str, str]) -> Reply:
        """Send, read at most 2 MiB.

        Args:
            operation: what logs call it.
            method: of HTTP.
            path: encoded, with the query. It holds the key and stays here.
            headers: besides the usual ones.
        """
        began = get_running_loop().time()
        reply = await self._exchange(operation, method=method, path=path, headers=headers)
        ended = how_ended(reply)
        self._watch(ended, None if ended is Ended.UNREACHABLE else get_running_loop().time() - began)
        return reply

    async def _exchange(self, operation: str, *, method: str, path: str, headers: Mapping[str, str]) -> Reply:
        try:
            async with self._session.request(
                method,
                URL(self._base_url + path, encoded=True),
                headers=headers,
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                body = await _body(response)
                if body is None:
                    return Reply(failure=Failure.OVERSIZE)
                reply = read_reply(status=response.status, headers=response.headers, body=body)
                return without_secrets(reply, self._secrets)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError):
            failure = Failure.NOT_CONNECTED
        except TimeoutError:
            failure = Failure.TIMEOUT
        except (aiohttp.ClientError, OSError, ValueError):
            failure = Failure.DROPPED
        self._log.info("service call", operation=operation, failure=failure)
        return Reply(failure=failure)


async def _body(response: aiohttp.ClientResponse) -> bytes | None:
    """All of it; None when it is too large."""
    if response.content_length is not None:
        return await response.read() if response.content_length <= MAX_BODY else None
    body = bytearray()
    async for chunk in response.content.iter_any():
        body += chunk
        if len(body) > MAX_BODY:
            return None
    return bytes(body)
