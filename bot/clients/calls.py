"""Base of the calls to a service: what may leave, what became of it, and what an answer says."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeVar

from bot.clients.circuit import Circuit
from bot.clients.leaving import HELD_BACK, RESTS, MayLeave, not_asked
from bot.clients.placing import place
from bot.clients.routes import Place, Route, RouteTable
from bot.clients.transport import Prepared, Transport, dump_json
from bot.clients.unread import Answers, Reading, tell
from bot.domain.errors import ServiceNow, SwitchboardError
from bot.domain.outcome import NO_JSON, Done, NotExecuted, Reply, Unknown, classify
from bot.domain.reasons import Exchange, Reason

T = TypeVar("T")


class ServiceCalls:
    """Calls of one service.

    Args:
        service: its name in the route table.
        routes: paths and names.
        transport: to the service.
        may_leave: asked before each request that changes something, with what it is about; False: it is not sent.
        answers: told which answers were read, and of what shape those are that were not.
    """

    def __init__(
        self, service: str, routes: RouteTable, transport: Transport, may_leave: MayLeave, answers: Answers
    ) -> None:
        self._service = service
        self._routes = routes
        self._transport = transport
        self._may_leave = may_leave
        self._answers = answers
        self._dialect = routes.dialect(service)

    @property
    def circuit(self) -> Circuit:
        """Whether the service answers."""
        return self._transport.circuit

    def _route(self, operation: str) -> Route:
        return self._routes.use(self._service, operation)

    async def _leave(self, route: Route, about: object, send: Callable[[], Awaitable[Reply]]) -> Reply | NotExecuted:
        """The answer to a request that changes something, if it may leave."""
        if self.circuit.is_silent:
            return RESTS
        return await send() if await self._may_leave(f"{route.name} {about or ''}".rstrip()) else HELD_BACK

    def _became(
        self, reply: Reply | NotExecuted, route: Route, read: Callable[[object, Route], T], *, earlier_unknown: bool
    ) -> Done[T] | NotExecuted | Unknown:
        """What became of it."""
        if isinstance(reply, NotExecuted):
            return reply
        reading = Reading(lambda document: read(document, route))
        outcome = classify(reply, read=reading, earlier_unknown=earlier_unknown, names=route.ours)
        tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble)
        return outcome

    async def _ask(self, send: Callable[[], Awaitable[Reply]]) -> Reply:
        """The answer to a request that only reads; a silent service is asked only to find out whether it answers."""
        with self.circuit.reading() as may_ask:
            return await send() if may_ask else not_asked(self.circuit.rest)

    def _read(
        self, reply: Reply, read: Callable[[object], T], *routes: Route, failure: Callable[[Reply], SwitchboardError]
    ) -> T:
        """What it says. ``routes``: the operation, then those whose names are read besides; see :func:`tell`."""
        reading = Reading(read)
        try:
            if reply.is_success and reply.json is not NO_JSON:
                return reading(reply.json)
        except ValueError as error:
            raise ServiceNow(self._service, Reason(Exchange.UNREADABLE, problem=str(error))) from error
        finally:
            tell(self._answers, reply, *routes, was_read=reading.was_read, trouble=reading.trouble)
        raise failure(reply)


def json_request(
    route: Route, values: Mapping[str, object], headers: Mapping[str, str], *, where: Place | None = None
) -> Prepared:
    """A request for JSON, its parameters where :func:`place` puts them, with these headers besides."""
    placed = place(route, values, where=where)
    return Prepared(
        operation=route.name,
        method=route.method,
        path=placed.path,
        headers={**placed.headers, "Content-Type": "application/json", "Accept": "application/json", **headers},
        body=None if placed.body is None else dump_json(placed.body),
    )
