"""Client of the e-mail processing service: checks single addresses, many at a time, and processes whole files.

``Transport`` guarantees that a request is written to a socket only once, which payments need and which costs as much
as the request itself. Checking an address is idempotent, so ``Quick`` keeps connections alive, and aiohttp may retry
by itself when one breaks. Otherwise it behaves like ``Transport``: it follows no redirects, raises no network errors
and logs no addresses.
"""

import io
from asyncio import get_running_loop
from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

import aiohttp
import structlog
from aiohttp import BytesIOPayload
from pydantic import SecretStr
from yarl import URL

from bot.clients.calls import read_failure
from bot.clients.emails.wire import read_answer, read_file_answer, values
from bot.clients.multipart import make_form
from bot.clients.routes import Route, RouteTable, place
from bot.clients.transport import (
    MAX_BODY,
    Guard,
    PreparedRequest,
    Transport,
    Watch,
    read_reply,
    without_secrets,
)
from bot.clients.unread import AnswerObserver, tell
from bot.domain.emails.lists import Answer, Busy, Checked, Denied, Dropped, FileAnswer, Outcome
from bot.domain.errors import OperatorError, ServiceNever, SwitchboardError
from bot.domain.outcome import NO_JSON, Failure, NotExecuted, Reply, Unknown, is_complaint, read_error, refusal
from bot.domain.reasons import Exchange, Reason
from bot.domain.text import Secrets

_CONNECT_SECONDS: Final = 5.0


class Quick:
    """Sends many small requests to one service, each within ``total`` seconds including connecting."""

    def __init__(
        self,
        *,
        session: aiohttp.ClientSession,
        base_url: str,
        total: float = 30.0,
        watch: Watch = lambda *_: None,
        secrets: Secrets,
    ) -> None:
        self._session = session
        self._base_url = base_url.rstrip("/")
        # As few timers per request as possible: three cost a tenth of the request.
        self._timeout = aiohttp.ClientTimeout(total=total, sock_connect=min(_CONNECT_SECONDS, total))
        self._watch = watch
        self._secrets = secrets
        self._log = structlog.stdlib.get_logger(__name__)

    async def ask(self, operation: str, *, method: str, path: str, headers: Mapping[str, str]) -> Reply:
        """Send and return the reply, of at most 2 MiB. ``path`` is encoded with the query; it contains the key."""
        began = get_running_loop().time()
        try:
            reply = await self._exchange(method, path, headers)
        except (aiohttp.ClientError, OSError, TimeoutError, ValueError) as error:
            failure = Failure.TIMEOUT if isinstance(error, TimeoutError) else Failure.DROPPED
            if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
                failure = Failure.NOT_CONNECTED
            self._log.info("service call failed", operation=operation, failure=failure)
            reply = Reply(failure=failure)
        never_left = reply.failure is Failure.NOT_CONNECTED
        self._watch(reply, None if never_left else get_running_loop().time() - began)
        return reply

    async def _exchange(self, method: str, path: str, headers: Mapping[str, str]) -> Reply:
        async with self._session.request(
            method,
            URL(self._base_url + path, encoded=True),
            headers=headers,
            timeout=self._timeout,
            allow_redirects=False,
        ) as response:
            if (response.content_length or 0) > MAX_BODY:
                return Reply(failure=Failure.OVERSIZE)
            body = await response.read() if response.content_length is not None else bytearray()
            if response.content_length is None:
                async for chunk in response.content.iter_any():
                    body += chunk
                    if len(body) > MAX_BODY:
                        return Reply(failure=Failure.OVERSIZE)
            reply = read_reply(status=response.status, headers=response.headers, body=bytes(body))
            return without_secrets(reply, self._secrets)


SERVICE: Final = "email"

RESULT_BYTES: Final = 20 * 1024 * 1024
"""Limit for a returned file, which is kept in memory until it is posted."""

_BUSY: Final = frozenset({HTTPStatus.TOO_MANY_REQUESTS, HTTPStatus.SERVICE_UNAVAILABLE})
_ACCOUNT: Final = frozenset({401, 402, 403})
"""Problems with our account, which aren't verdicts on an address."""
_FOR_THE_OPERATOR: Final = frozenset({*_ACCOUNT, 405, 407})
_TOP_UP: Final = "top up the account of EMAIL_API_KEY"
_LOST: Final = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY})
_ADDRESS: Final = "switchboard-address"
"""Placeholder for the address in the request template."""
_NO_VERDICT: Final = {
    Failure.TIMEOUT: "the service did not answer in time",
    Failure.OVERSIZE: "the answer was too large to be read",
}


class _Collected:
    """Sink that keeps a successful answer of any content type."""

    def __init__(self) -> None:
        self.content = bytearray()

    def wants(self, content_type: str) -> bool:  # noqa: ARG002 - the protocol's name
        return True

    async def write(self, chunk: bytes) -> bool:
        self.content += chunk
        return len(self.content) <= RESULT_BYTES


class EmailsClient:
    """Client for one key. ``single`` and ``bulk`` work independently; each is None if it isn't configured.

    ``bulk`` needs long time-outs, because a file may take minutes. ``api_key`` is sent in the query and the form; like
    other ``secrets`` it is redacted from returned files. Every answer except an HTML page counts as readable.
    """

    def __init__(
        self,
        *,
        routes: RouteTable,
        single: Quick | None,
        bulk: Transport | None,
        api_key: SecretStr,
        secrets: Secrets,
        answers: AnswerObserver | None = None,
    ) -> None:
        self._answers = answers
        self._check = routes.use(SERVICE, "check")
        self._file = routes.use(SERVICE, "process_file")
        self._single = single
        self._bulk = bulk
        self._api_key = api_key
        self.secrets = secrets
        secrets.learn(api_key.get_secret_value())
        # Placed once for all addresses: placing costs a fifth of a request.
        self._template = place(self._check, {"email": _ADDRESS, "key": api_key.get_secret_value()})
        self._headers = tuple(self._template.headers.items())

    async def check(self, address: str) -> Checked:
        """Check one address with one request. ``OperatorError`` if our configuration is missing or refused."""
        if self._single is None:
            raise _not_configured("single addresses", "EMAIL_SINGLE_BASE_URL")
        path = self._template.path.replace(_ADDRESS, quote(address, safe=""))
        headers = {name: quote(address, safe="@+") if value == _ADDRESS else value for name, value in self._headers}
        route = self._check
        return self._read(await self._single.ask(route.name, method=route.method, path=path, headers=headers))

    async def process_file(
        self, content: bytes, *, column: int, name: str, guard: Guard | None = None
    ) -> FileAnswer | NotExecuted | Unknown:
        """Send a whole file once and return the result. After Unknown don't resend it: it may be billed twice.

        ``content`` is CSV in UTF-8 with commas and no byte order mark; ``column`` is the zero-based column of the
        addresses. ``name`` is the default name of a returned file. ``OperatorError`` if the service refuses us rather
        than the file.
        """
        if self._bulk is None:
            raise _not_configured("whole files", "EMAIL_BULK_BASE_URL")
        key, index, file = (self._file.fields[name] for name in ("key", "column", "file"))
        table = BytesIOPayload(io.BytesIO(content), content_type="text/csv", filename="addresses.csv")
        form = make_form({key: self._api_key.get_secret_value(), index: str(column)}, (file, table))
        request = PreparedRequest(
            operation=self._file.name,
            method=self._file.method,
            path=self._file.path,
            headers={"Content-Type": form.content_type},
            body=await form.as_bytes(),
        )
        collected = _Collected()
        reply = await self._bulk.send(request, sink=collected, guard=guard, counts=False)
        if not reply.is_success or reply.status is None:
            return self._not_done(reply)
        content = bytes(collected.content)
        raw = read_reply(status=reply.status, headers=reply.headers, body=content)
        shown, bare = without_secrets(raw, self.secrets), raw.text if raw.json is NO_JSON else raw.json
        links = [bare] if isinstance(bare, str) else values(bare, self._file.reply["url"])
        tell(self._answers, shown, self._file, was_read=not shown.is_html)
        if shown.is_html:
            return Unknown(reason=Reason(Exchange.PAGE), status=reply.status)
        names = {"receipt": self._file.reply["receipt"], "result": self._check.reply["result"]}
        content = self.secrets.hidden_bytes(content)
        answer = read_file_answer(replace(shown, headers=reply.headers), content, links, name=name, **names)
        if isinstance(answer, Answer) and is_complaint(shown):
            return Unknown(reason=_answered(shown), status=reply.status)
        return answer

    def _read(self, reply: Reply) -> Checked:  # noqa: PLR0911 - one return per kind of answer
        status = reply.status
        tell(self._answers, reply, self._check, was_read=not reply.is_html)
        if status is None:  # a time-out is final without a verdict; a broken connection may be retried
            if reply.failure in _NO_VERDICT:
                return Answer(outcome=Outcome.NO_ANSWER, text=_NO_VERDICT[reply.failure])
            return Dropped(reason=_no_answer(reply))
        if status in _BUSY:
            return Busy(reason=_answered(reply), retry_after=reply.retry_after)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _LOST:
            return Dropped(reason=_answered(reply))
        if reply.is_html and status == HTTPStatus.OK:
            return Dropped(reason=Reason(Exchange.PAGE))
        if status in _FOR_THE_OPERATOR or status < HTTPStatus.OK or _is_redirect(status) or reply.is_html:
            refused = self._refused(reply, self._check)
            if status in _ACCOUNT and not reply.is_html and isinstance(refused, OperatorError):
                return Denied(error=refused, certain=status != HTTPStatus.FORBIDDEN)
            raise refused
        outcome = Outcome.ANSWERED if reply.is_success else Outcome.REFUSED
        if not (reply.is_success or read_error(reply).may_be_shown):
            return Answer(outcome=outcome)
        return read_answer(reply, result=self._check.reply["result"], outcome=outcome)

    def _not_done(self, reply: Reply) -> NotExecuted | Unknown:
        """Return the outcome of a file for an answer without a result."""
        status = reply.status
        if status is None:
            if reply.failure in (Failure.NOT_CONNECTED, Failure.NOT_SENT):
                reason = Reason(Exchange.NOT_LEFT, failure=str(reply.failure))
                return NotExecuted(again=True, reason=reason, failure=reply.failure)
            return Unknown(reason=_no_answer(reply), failure=reply.failure)
        if status in _BUSY:
            reason = Reason(Exchange.ASKS_TO_WAIT).saying(read_error(reply).words)
            return NotExecuted(again=True, reason=reason, retry_after=reply.retry_after, status=status)
        if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _LOST:
            return Unknown(reason=_answered(reply), status=status)
        if status in _FOR_THE_OPERATOR or _is_redirect(status) or reply.is_html:
            raise self._refused(reply, self._file)
        said, error = read_answer(reply, result=()), read_error(reply)
        words = said.text or "; ".join(f"{name}: {value}" for name, value in said.pairs)
        words = error.words if error.message or not error.may_be_shown else words
        return NotExecuted(again=False, reason=refusal(status), words=words, status=status)

    def _refused(self, reply: Reply, route: Route) -> SwitchboardError:
        setting = "EMAIL_SINGLE_BASE_URL" if route is self._check else "EMAIL_BULK_BASE_URL"
        trouble = read_failure(reply, service=SERVICE, address=setting, credentials="EMAIL_API_KEY")
        if reply.status == HTTPStatus.PAYMENT_REQUIRED:
            reason = Reason(Exchange.PAYMENT_REQUIRED, status=reply.status)
            return OperatorError(reason, service=SERVICE, mend=_TOP_UP, words=read_error(reply).words)
        if isinstance(trouble, ServiceNever):
            mend = f"check {setting} and the routes of the service"
            return OperatorError(trouble.reason, service=SERVICE, mend=mend, words=trouble.words)
        return trouble


def _not_configured(what: str, setting: str) -> OperatorError:
    return OperatorError(f"processing {what} is not configured", service=SERVICE, mend=f"set {setting}")


def _answered(reply: Reply) -> Reason:
    return Reason(Exchange.READ_ANSWERED, status=reply.status).saying(read_error(reply).words)


def _no_answer(reply: Reply) -> Reason:
    return Reason(Exchange.NO_ANSWER, failure=str(reply.failure))


def _is_redirect(status: int) -> bool:
    return HTTPStatus.MULTIPLE_CHOICES <= status < HTTPStatus.BAD_REQUEST
