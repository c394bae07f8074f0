"""Base of all calls to the payments service: credentials, rate limit, one request, one answer."""

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeVar

import structlog
from pydantic import SecretStr

from bot.clients.circuit import Circuit
from bot.clients.leaving import HELD_BACK, RESTS, MayLeave, always, not_asked
from bot.clients.limiter import Lane, SendSlots, Turn
from bot.clients.placing import place
from bot.clients.routes import Place, Route, RouteTable
from bot.clients.service_errors import read_failure
from bot.clients.transport import Guard, Prepared, Transport, dump_json
from bot.clients.unread import NOBODY, Answers, Reading, tell
from bot.domain.errors import ServiceNow
from bot.domain.outcome import NO_JSON, UNREADABLE, Done, Failure, NotExecuted, Reply, Unknown, classify

T = TypeVar("T")

log = structlog.get_logger(__name__)

SERVICE: Final = "payments"

_EFFECT_PATIENCE: Final = 4.0
_READ_PATIENCE: Final = 30.0


class PartnerCalls:
    """Calls as one partner.

    Args:
        routes: paths and names; an unconfirmed route that moves money is refused in production.
        transport: to the payments service.
        limiter: shared by everybody who calls as this partner: 10 requests in any second.
        partner_id: user name of Basic authentication.
        partner_secret: its password.
        effect_patience: seconds an effect may wait for its turn. Short: the send guard refuses old claims.
        read_patience: seconds a read may wait for its turn.
        may_leave: asked before each request that changes something, with what it is about; False: it is not sent.
        answers: told which answers were read, and of what shape those are that were not.
    """

    def __init__(
        self,
        *,
        routes: RouteTable,
        transport: Transport,
        limiter: SendSlots,
        partner_id: str,
        partner_secret: SecretStr,
        effect_patience: float = _EFFECT_PATIENCE,
        read_patience: float = _READ_PATIENCE,
        may_leave: MayLeave = always,
        answers: Answers = NOBODY,
    ) -> None:
        self._routes = routes
        self._transport = transport
        self._limiter = limiter
        self._partner_id = partner_id
        self._partner_secret = partner_secret
        self._patience = {Lane.EFFECT: effect_patience}
        self._read_patience = read_patience
        self._may_leave = may_leave
        self._answers = answers
        self._dialect = routes.dialect(SERVICE)
        # A proxy that refuses a body on GET is met once: see ``OperationCalls``.
        self._list_parameters: Place = self._dialect.list_parameters

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
        earlier_unknown: bool,
        guard: Guard | None,
        total: float | None = None,
        about: str = "",
    ) -> Done[T] | NotExecuted | Unknown:
        """Send a request that changes something, once, and say what became of it.

        ``about`` is what it is known by here, where that is neither its code nor its id.
        """
        route = self._route(operation)
        if self.circuit.is_silent:
            return RESTS
        name = about or str(values.get("code") or values.get("id") or "")
        if not await self._may_leave(f"{route.name} {name}".rstrip()):
            return HELD_BACK
        reply = await self._exchange(route, values, lane=Lane.EFFECT, guard=guard, total=total)
        reading = Reading(lambda document: read(document, route))
        outcome = classify(reply, read=reading, earlier_unknown=earlier_unknown, names=route.ours)
        tell(self._answers, reply, route, was_read=reading.was_read, trouble=reading.trouble)
        return outcome

    async def _look(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        lane: Lane = Lane.READ,
    ) -> T:
        """Send a request that only reads, and read its answer."""
        route = self._route(operation)
        reply = await self._ask(route, values, lane=lane)
        return self._read(reply, lambda document: read(document, route), route=route)

    async def _ask(
        self, route: Route, values: Mapping[str, object], *, lane: Lane, where: Place | None = None
    ) -> Reply:
        """One exchange that only reads; none while the service answers nothing, unless it finds out whether it does."""
        with self.circuit.reading() as may_ask:
            if not may_ask:
                return not_asked(self.circuit.rest)
            return await self._exchange(route, values, lane=lane, where=where)

    async def _exchange(
        self,
        route: Route,
        values: Mapping[str, object],
        *,
        lane: Lane,
        where: Place | None = None,
        guard: Guard | None = None,
        total: float | None = None,
    ) -> Reply:
        request = self._prepare(route, values, where)
        turn = await self._take_turn(lane)
        if turn is None:
            return Reply(failure=Failure.NOT_SENT)
        try:
            reply = await self._transport.send(request, guard=guard, turn=partial(_departs, turn), total=total)
        finally:
            turn.over()
        if reply.status == 429:  # noqa: PLR2004 - the documented answer to an eleventh request in a second
            await self._limiter.slow_down(reply.retry_after)
        if reply.status is not None:
            await turn.answered()
        return reply

    async def _take_turn(self, lane: Lane) -> Turn | None:
        try:
            return await self._limiter.acquire(lane, patience=self._patience.get(lane, self._read_patience))
        except Exception:
            log.exception("no turn could be had, so nothing is sent")
            return None

    def _prepare(self, route: Route, values: Mapping[str, object], where: Place | None) -> Prepared:
        placed = place(route, values, where=where)
        credentials = f"{self._partner_id}:{self._partner_secret.get_secret_value()}".encode()
        return Prepared(
            operation=route.name,
            method=route.method,
            path=placed.path,
            headers={
                **placed.headers,
                "Authorization": f"Basic {base64.b64encode(credentials).decode('ascii')}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            body=None if placed.body is None else dump_json(placed.body),
        )

    def _read(self, reply: Reply, read: Callable[[object], T], *, route: Route, record: Route | None = None) -> T:
        """Read an answer; ``record``: whose names its records have, where they are another operation's."""
        reading = Reading(read)
        try:
            if reply.is_success and reply.json is not NO_JSON:
                return reading(reply.json)
        except ValueError as error:
            raise ServiceNow(SERVICE, f"{UNREADABLE} ({error})") from error
        finally:
            routes = (route,) if record is None else (route, record)
            tell(self._answers, reply, *routes, was_read=reading.was_read, trouble=reading.trouble)
        raise read_failure(
            reply,
            service=SERVICE,
            address="PAYMENTS_BASE_URL",
            credentials="PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET",
            names=route.ours,
        )


async def _departs(turn: Turn) -> bool:
    """Right before the first byte: what goes wrong here went wrong before anything was sent."""
    try:
        return await turn.departs()
    except Exception:
        log.exception("a turn could not be counted, so nothing is sent")
        return False
