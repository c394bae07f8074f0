"""Base of all calls to the delivery service: key, language, one request, one answer."""

from collections.abc import Callable, Mapping
from typing import Final, TypeVar

from pydantic import SecretStr

from bot.clients.circuit import Circuit
from bot.clients.delivery.failures import SERVICE, Key, read_trouble, told
from bot.clients.leaving import HELD_BACK, RESTS, MayLeave, always, not_asked
from bot.clients.placing import place
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Guard, Prepared, Transport, dump_json
from bot.clients.unread import NOBODY, Answers, Reading, tell
from bot.domain.errors import OperatorError, ServiceNow
from bot.domain.outcome import NO_JSON, UNREADABLE, Done, NotExecuted, Reply, Unknown, classify, read_error

T = TypeVar("T")

_CONFLICT: Final = 409


class DeliveryCalls:
    """Calls of one company (one master key).

    Args:
        routes: paths and names.
        transport: to the delivery service.
        master_key: of the company: for creating and listing stores, and for nothing else. None: there is none, and
            neither can be done.
        may_leave: asked before each request that changes something, with what it is about; False: it is not sent.
        answers: told which answers were read, and of what shape those are that were not.
    """

    def __init__(
        self,
        *,
        routes: RouteTable,
        transport: Transport,
        master_key: SecretStr | None,
        may_leave: MayLeave = always,
        answers: Answers = NOBODY,
    ) -> None:
        self._may_leave = may_leave
        self._answers = answers
        self._routes = routes
        self._transport = transport
        self._master_key = master_key
        self._language = routes.dialect(SERVICE).language

    @property
    def has_master_key(self) -> bool:
        """Whether stores can be listed and made."""
        return self._master_key is not None

    @property
    def circuit(self) -> Circuit:
        """Whether the service answers."""
        return self._transport.circuit

    def _route(self, operation: str) -> Route:
        return self._routes.use(SERVICE, operation)

    async def _change(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        earlier_unknown: bool = False,
        guard: Guard | None = None,
        conflict: str = "",
    ) -> Done[T] | NotExecuted | Unknown:
        """Send a request that changes something, once, and say what became of it.

        Args:
            operation: name in the route table.
            values: our name -> value.
            read: turns the answer into what is expected.
            key: of the store; None: the master key.
            earlier_unknown: an earlier attempt at the same thing has an unknown outcome.
            guard: asked right before the first byte.
            conflict: what a 409 means, where it means that nothing was done.
        """
        route = self._route(operation)
        if self.circuit.is_silent:
            return RESTS
        if not await self._may_leave(f"{route.name} {values.get('external_id') or values.get('id') or ''}".rstrip()):
            return HELD_BACK
        reply = await self._send(route, values, key=key, guard=guard)
        if conflict and reply.status == _CONFLICT and not earlier_unknown:
            said = read_error(reply)
            return NotExecuted(again=False, reason=conflict, words=said.words, detail=said.whole, status=_CONFLICT)
        reading = Reading(lambda document: read(document, route))
        outcome = classify(reply, read=reading, earlier_unknown=earlier_unknown, names=route.ours)
        tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble)
        if isinstance(outcome, NotExecuted):
            return told(outcome, reply, kind=_kind(key))
        return outcome

    async def _look(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        quote: bool = False,
    ) -> T:
        """Send a request that only reads, and read its answer."""
        route = self._route(operation)
        with self.circuit.reading() as may_ask:
            reply = await self._send(route, values, key=key) if may_ask else not_asked(self.circuit.rest)
        reading = Reading(lambda document: read(document, route))
        try:
            if reply.is_success and reply.json is not NO_JSON:
                return reading(reply.json)
        except ValueError as error:
            raise ServiceNow(SERVICE, f"{UNREADABLE} ({error})") from error
        finally:
            tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble)
        raise read_trouble(reply, kind=_kind(key), route=route, quote=quote)

    async def _send(
        self, route: Route, values: Mapping[str, object], *, key: SecretStr | None, guard: Guard | None = None
    ) -> Reply:
        placed = place(route, values)
        request = Prepared(
            operation=route.name,
            method=route.method,
            path=placed.path,
            headers={
                **placed.headers,
                "Authorization": f"Bearer {self._secret(key)}",
                "Content-Type": "application/json",
                "content-language": self._language,
                "Accept": "application/json",
            },
            body=None if placed.body is None else dump_json(placed.body),
        )
        return await self._transport.send(request, guard=guard)

    def _secret(self, key: SecretStr | None) -> str:
        """The key that goes along, in plain text.

        Raises:
            OperatorError: it should be the master key, and there is none.
        """
        chosen = key or self._master_key
        if chosen is None:
            raise OperatorError(
                "DELIVERY_MASTER_KEY is missing, with which stores are listed and made",
                service=SERVICE,
                mend="copy it from the settings of the delivery dashboard; stores of DELIVERY_STORE_KEYS need none",
            )
        return chosen.get_secret_value()


def _kind(key: SecretStr | None) -> Key:
    return Key.MASTER if key is None else Key.STORE


def anything(document: object, route: Route) -> object:  # noqa: ARG001 - every reader gets the route
    """Reader that accepts any answer: the resource itself is read afterwards."""
    return document
