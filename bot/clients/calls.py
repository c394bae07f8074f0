"""Base of the payments and delivery clients: checks before a request is sent, and the outcome of its reply."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from types import MappingProxyType
from typing import Final, TypeVar

from bot.clients.circuit import Circuit
from bot.clients.routes import Place, Route, RouteTable, place
from bot.clients.transport import PreparedRequest, Transport, dump_json
from bot.clients.unread import AnswerObserver, TracedReader, tell, unwrapping
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.outcome import NO_JSON, Done, Failure, NotExecuted, Reply, Unknown, classify, read_error, refusal
from bot.domain.reasons import Exchange, Reason

MayLeave = Callable[[str], Awaitable[bool]]
"""Receives the operation and the id it is for; returns False to hold the request back."""

HELD_BACK: Final = NotExecuted(again=True, reason=Reason(Exchange.SENDS_NOTHING), failure=Failure.NOT_SENT)
RESTS: Final = NotExecuted(again=True, reason=Reason(Exchange.RESTS), failure=Failure.NOT_SENT)
"""Result while the service is silent."""
FULL: Final = NotExecuted(
    again=True, reason=Reason(Exchange.NOT_LEFT, failure=Failure.NOT_SENT.value), failure=Failure.NOT_SENT
)
"""Result while too many requests are unanswered."""


async def always(_: str) -> bool:
    return True


_SERVICE_NOW = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})


def read_failure(
    reply: Reply, *, service: str, address: str, credentials: str, names: Mapping[str, str] = MappingProxyType({})
) -> SwitchboardError:
    """Return the error to raise for a reply that isn't the expected record. Its text never contains HTML.

    Returns:
        ``ServiceNow`` for no answer, 408, 425, 429, 5xx, or a 2xx that isn't the record.
        ``OperatorError`` for 401, 403, a redirect or an HTML page; names the settings to check.
        ``ServiceNever`` for every other refusal.
    """
    status = reply.status
    if status is None:
        is_asked = reply.failure is not Failure.NOT_ASKED
        reason = Reason(Exchange.NO_ANSWER, failure=str(reply.failure)) if is_asked else Reason(Exchange.NOT_ASKED)
        return ServiceNow(service, reason, retry_after=reply.retry_after)
    if reply.is_success:
        return ServiceNow(service, Reason(Exchange.UNREADABLE, problem=""))
    said = read_error(reply, names)
    if status >= HTTPStatus.INTERNAL_SERVER_ERROR or status in _SERVICE_NOW:
        reason = Reason(Exchange.READ_ANSWERED, status=status)
        return ServiceNow(service, reason, retry_after=reply.retry_after, words=said.words)
    if status < HTTPStatus.BAD_REQUEST:
        problem = f"{service} answered with a redirect ({status})"
        return OperatorError(problem, mend=f"check {address}", words=said.words)
    if reply.is_html:
        why: str | Reason = f"a page came instead of an answer ({status}), probably from a proxy"
        mend = f"check {address} and the route that SERVICES_FILE gives"
    elif status in {HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN}:
        why, mend = refusal(status), f"check {credentials}: each environment has its own"
    else:
        return ServiceNever(service, refusal(status, said.named(names)), status=status, words=said.words)
    return OperatorError(why, service=service, mend=mend, words=said.words)


T = TypeVar("T")
Outcome = Done[T] | NotExecuted | Unknown


class ServiceCalls:
    """Base class for the client of one service; ``service`` is its name in the route table.

    A request that changes something is sent once, never retried here, and returns an outcome. ``may_leave`` is
    called before connecting and ``guard`` right before the first byte; False from either sends nothing (NotExecuted
    with ``NOT_SENT``). ``earlier_unknown`` means that an earlier attempt has an unknown outcome, so a refusal proves
    nothing. A request that only reads raises the errors of :func:`read_failure`. Both raise without sending:
    ``OperatorError`` in production if the route moves money and is unconfirmed, ``ServiceNever`` for a malformed id.
    """

    def __init__(
        self,
        service: str,
        routes: RouteTable,
        transport: Transport,
        may_leave: MayLeave,
        answers: AnswerObserver | None,
    ) -> None:
        self._service = service
        self._routes = routes
        self._transport = transport
        self._may_leave = may_leave
        self._answers = answers
        self._dialect = routes.dialect(service)

    @property
    def circuit(self) -> Circuit:
        return self._transport.circuit

    def _route(self, operation: str) -> Route:
        return self._routes.use(self._service, operation)

    async def _leave(self, route: Route, about: object, send: Callable[[], Awaitable[Reply]]) -> Reply | NotExecuted:
        """Send a request that changes something, unless it is held back."""
        if self.circuit.is_silent:
            return RESTS
        return await send() if await self._may_leave(f"{route.name} {about or ''}".rstrip()) else HELD_BACK

    def _became(
        self, reply: Reply | NotExecuted, route: Route, read: Callable[[object, Route], T], *, earlier_unknown: bool
    ) -> Outcome[T]:
        if isinstance(reply, NotExecuted):
            return reply
        reading = TracedReader(lambda document: read(document, route))
        outcome = classify(reply, read=reading, earlier_unknown=earlier_unknown, names=route.ours)
        tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble, read=read)
        return outcome

    async def _ask(self, send: Callable[[], Awaitable[Reply]]) -> Reply:
        """Send a request that only reads; while the service is silent, only if it serves as a probe."""
        with self.circuit.reading() as may_ask:
            if may_ask:
                return await send()
            return Reply(failure=Failure.NOT_ASKED, headers={"retry-after": f"{max(1.0, self.circuit.rest):.3f}"})

    def _read(
        self, reply: Reply, read: Callable[..., T], *routes: Route, failure: Callable[[Reply], SwitchboardError]
    ) -> T:
        """Return the record in the reply. ``routes``: the operation, then others that ``read`` uses (:func:`tell`)."""

        def by(document: object, *routes: Route) -> T:
            return unwrapping(lambda record: read(record, *routes))(document)

        reading = TracedReader(lambda document: by(document, *routes))
        try:
            if reply.is_success and reply.json is not NO_JSON:
                return reading(reply.json)
        except ValueError as error:
            reason = Reason(Exchange.UNREADABLE, problem=str(error))
            raise ServiceNow(self._service, reason, words=read_error(reply).words) from error
        finally:
            tell(self._answers, reply, *routes, was_read=reading.was_read, trouble=reading.trouble, read=by)
        raise failure(reply)


def json_request(
    route: Route, values: Mapping[str, object], headers: Mapping[str, str], *, where: Place | None = None
) -> PreparedRequest:
    """Build a JSON request with its parameters placed by :func:`place`; ``headers`` override the defaults."""
    placed = place(route, values, where=where)
    return PreparedRequest(
        operation=route.name,
        method=route.method,
        path=placed.path,
        headers={**placed.headers, "Content-Type": "application/json", "Accept": "application/json", **headers},
        body=None if placed.body is None else dump_json(placed.body).encode(),
    )
