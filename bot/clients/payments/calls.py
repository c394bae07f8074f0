"""Base of all calls to the payments service: credentials, rate limit, one request, one answer."""

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final, TypeVar

import structlog
from pydantic import SecretStr

from bot.clients.calls import MayLeave, ServiceCalls, always, json_request, read_failure
from bot.clients.limiter import Lane, SendSlots, Turn
from bot.clients.routes import Place, Route, RouteTable
from bot.clients.transport import Guard, Transport
from bot.clients.unread import NOBODY, Answers
from bot.domain.errors import SwitchboardError
from bot.domain.outcome import Done, Failure, NotExecuted, Reply, Unknown

T = TypeVar("T")

log = structlog.get_logger(__name__)

SERVICE: Final = "payments"

_EFFECT_PATIENCE: Final = 4.0
_READ_PATIENCE: Final = 30.0


class PartnerCalls(ServiceCalls):
    """Calls as one partner; what is not told here is told of :class:`ServiceCalls`.

    Args:
        routes: an unconfirmed one that moves money is refused in production.
        limiter: shared by everybody who calls as this partner: 10 requests in any second.
        partner_id: user name of Basic authentication.
        partner_secret: its password.
        effect_patience: seconds an effect may wait for its turn. Short: the send guard refuses old claims.
        read_patience: seconds a read may wait for its turn.
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
        super().__init__(SERVICE, routes, transport, may_leave, answers)
        self._limiter = limiter
        self._partner_id = partner_id
        self._partner_secret = partner_secret
        self._patience = {Lane.EFFECT: effect_patience}
        self._read_patience = read_patience
        # A proxy that refuses a body on GET is met once: see ``OperationCalls``.
        self._list_parameters: Place = self._dialect.list_parameters

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
        route, name = self._route(operation), about or values.get("code") or values.get("id")
        send = partial(self._exchange, route, values, lane=Lane.EFFECT, guard=guard, total=total)
        return self._became(await self._leave(route, name, send), route, read, earlier_unknown=earlier_unknown)

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
        reply = await self._ask(partial(self._exchange, route, values, lane=lane))
        return self._read(reply, lambda document: read(document, route), route, failure=failure_of(route))

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
        credentials = f"{self._partner_id}:{self._partner_secret.get_secret_value()}".encode()
        authorization = f"Basic {base64.b64encode(credentials).decode('ascii')}"
        request = json_request(route, values, {"Authorization": authorization}, where=where)
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


def failure_of(route: Route) -> Callable[[Reply], SwitchboardError]:
    """What is raised where a read of this operation fails."""
    return partial(
        read_failure,
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
