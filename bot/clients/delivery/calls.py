"""Base of all calls to the delivery service: key, language, one request, one answer."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from pydantic import SecretStr

from bot.clients.calls import ServiceCalls, json_request
from bot.clients.delivery.failures import SERVICE, Key, read_trouble, told
from bot.clients.leaving import MayLeave, always
from bot.clients.routes import Route, RouteTable
from bot.clients.transport import Guard, Transport
from bot.clients.unread import NOBODY, Answers
from bot.domain.errors import OperatorError
from bot.domain.outcome import Done, NotExecuted, Reply, Unknown, read_error
from bot.domain.reasons import Reason

T = TypeVar("T")

_CONFLICT: Final = 409


class DeliveryCalls(ServiceCalls):
    """Calls of one company (one master key); what is not told here is told of :class:`ServiceCalls`.

    Args:
        master_key: of the company: for creating and listing stores, and for nothing else. None: there is none, and
            neither can be done.
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
        super().__init__(SERVICE, routes, transport, may_leave, answers)
        self._master_key = master_key

    @property
    def has_master_key(self) -> bool:
        """Whether stores can be listed and made."""
        return self._master_key is not None

    async def _change(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        key: SecretStr | None,
        earlier_unknown: bool = False,
        guard: Guard | None = None,
        conflict: Reason | None = None,
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
        send = partial(self._send, route, values, key=key, guard=guard)
        reply = await self._leave(route, values.get("external_id") or values.get("id"), send)
        if isinstance(reply, NotExecuted):
            return reply
        if conflict is not None and reply.status == _CONFLICT and not earlier_unknown:
            said = read_error(reply)
            return NotExecuted(again=False, reason=conflict, words=said.words, detail=said.whole, status=_CONFLICT)
        outcome = self._became(reply, route, read, earlier_unknown=earlier_unknown)
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
        reply = await self._ask(partial(self._send, route, values, key=key))
        failure = partial(read_trouble, kind=_kind(key), route=route, quote=quote)
        return self._read(reply, lambda document: read(document, route), route, failure=failure)

    async def _send(
        self, route: Route, values: Mapping[str, object], *, key: SecretStr | None, guard: Guard | None = None
    ) -> Reply:
        headers = {"Authorization": f"Bearer {self._secret(key)}", "content-language": self._dialect.language}
        request = json_request(route, values, headers)
        # The keys of stores come with the master key only.
        brings = route.reply.get("key", ()) if key is None else ()
        return await self._transport.send(replace(request, brings=tuple(brings)), guard=guard)

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
