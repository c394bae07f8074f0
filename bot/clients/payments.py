"""The payments service: payouts, operations, account status (interface document 2).

Requests that change something return an outcome class; they are sent once and never repeated here. Requests
that only read raise by who must act: ``ServiceNow``, ``ServiceNever``, ``OperatorError``.
"""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, Literal, TypeVar
from urllib.parse import quote

from pydantic import SecretStr

from bot.clients import payments_wire as wire
from bot.clients.limiter import Lane, SendSlots
from bot.clients.operation_scan import OperationScan, page_mismatch
from bot.clients.routes import Route, RouteTable
from bot.clients.service_errors import read_failure
from bot.clients.transport import Guard, Prepared, Transport, decimal_of, dump_json
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import Cents
from bot.domain.operation import AccountStatus, Operation, OperationPage, Search
from bot.domain.outcome import NO_JSON, Done, Failure, NotExecuted, Reply, Unknown, classify, refusal

T = TypeVar("T")

SERVICE: Final = "payments"
OperationType = Literal["payout", "purchase"]

_EFFECT_PATIENCE: Final = 4.0
_READ_PATIENCE: Final = 30.0
_BODY_REFUSED: Final = frozenset({400, 403, 411, 413})


@dataclass(frozen=True, kw_only=True)
class NewPayout:
    """A payout to be created.

    Attributes:
        code: our unique code, stored before the request leaves: recovery finds the payout by it.
        confirmation_uri: where the service reports completion; holds a secret token, like the other two.
        failure_uri: where it reports failure.
        cancel_uri: where it reports cancellation.
    """

    email: str
    description: str
    cents: Cents
    code: str
    confirmation_uri: str = field(repr=False)
    failure_uri: str = field(repr=False)
    cancel_uri: str = field(repr=False)


class PaymentsClient:
    """Calls the payments service.

    Args:
        routes: paths and names; an unconfirmed route that moves money is refused in production.
        transport: to the payments service.
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
    ) -> None:
        self._routes = routes
        self._transport = transport
        self._limiter = limiter
        self._partner_id = partner_id
        self._partner_secret = partner_secret
        self._patience = {Lane.EFFECT: effect_patience}
        self._read_patience = read_patience
        self._list_parameters = routes.dialect(SERVICE).list_parameters

    def require_committable(self) -> None:
        """Refuse early what could not be committed later, before anything is created.

        Raises:
            OperatorError: production, and the commit route is an unconfirmed assumption.
        """
        self._routes.use(SERVICE, "commit_payout")

    async def create_payout(
        self, new: NewPayout, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Create a payout; no money moves. Done carries what the service made of it: compare before going on.

        Args:
            new: the payout.
            earlier_unknown: an earlier create with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.
        """
        route = self._routes.use(SERVICE, "create_payout")
        body = route.named(
            {
                "email": new.email,
                "description": new.description,
                "amount": decimal_of(new.cents),
                "code": new.code,
                "confirmation_uri": new.confirmation_uri,
                "failure_uri": new.failure_uri,
                "cancel_uri": new.cancel_uri,
            }
        )
        reply = await self._send(self._prepare(route, body=body), lane=Lane.EFFECT, guard=guard)
        return classify(
            reply, read=lambda document: wire.read_operation(document, route=route), earlier_unknown=earlier_unknown
        )

    async def commit_payout(
        self, operation_id: str, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Commit a payout: money moves. Done means this operation, committed or further (even failed).

        Args:
            operation_id: the service's id.
            earlier_unknown: an earlier commit of this operation has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
            ServiceNever: the id cannot be one; nothing was sent.
        """
        route = self._routes.use(SERVICE, "commit_payout")
        request = self._prepare(route, path=_address(route, id=operation_id), body={})
        reply = await self._send(request, lane=Lane.EFFECT, guard=guard)
        return classify(
            reply,
            read=lambda document: wire.read_committed(document, route=route, operation_id=operation_id),
            earlier_unknown=earlier_unknown,
        )

    async def get_operation(self, operation_id: str) -> Operation:
        """Read one operation; a record with another id is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such operation), OperatorError: see ``read_failure``.
        """
        route = self._routes.use(SERVICE, "get_operation")
        request = self._prepare(route, path=_address(route, id=operation_id))
        reply = await self._send(request, lane=Lane.READ)
        return self._read(reply, lambda document: wire.read_same(document, route=route, operation_id=operation_id))

    async def account_status(self, email: str) -> AccountStatus:
        """Read what the service knows about the account behind an address.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        route = self._routes.use(SERVICE, "account_status")
        path, query, headers = route.path, "", {}
        if "email" in route.placeholders:
            path = _address(route, email=email)
        elif route.parameters == "header":
            headers = {route.fields["email"]: quote(email, safe="@+")}
        elif route.parameters != "body":
            query = _query(route.named({"email": email}))
        body = route.named({"email": email}) if route.parameters in {"body", "both"} else None
        request = self._prepare(route, path=path + query, headers=headers, body=body)
        reply = await self._send(request, lane=Lane.READ)
        return self._read(reply, lambda document: wire.read_account(document, route=route))

    async def list_operations(
        self, page: int = 1, per_page: int = 10, operation_type: OperationType | None = None
    ) -> OperationPage:
        """Read one page of operations, newest or oldest first as the service likes.

        Raises:
            OperatorError: the page that came is not the one asked for: the parameters were dropped on the way.
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        found = await self._list(page=page, per_page=per_page, operation_type=operation_type, lane=Lane.READ)
        mismatch = page_mismatch(found, page=page, per_page=per_page)
        if mismatch:
            raise OperatorError(
                f"payments: {mismatch}",
                mend='set [payments] list_parameters = "query" or "body" in the file that SERVICES_FILE names',
            )
        return found

    async def find_by_code(self, code: str) -> Search:
        """Scan the whole list of payouts for our code, to the end even after a hit: two hits matter.

        A scan that cannot be trusted to have seen everything comes back with ``complete`` False; it is never
        a proof of absence.

        Raises:
            OperatorError: 401, 403 and the like; see ``read_failure``.
        """
        scan = OperationScan(code=code, per_page=self._routes.dialect(SERVICE).list_page_size)
        while not scan.is_over:
            try:
                page = await self._list(
                    page=scan.page, per_page=scan.per_page, operation_type="payout", lane=Lane.LISTING
                )
            except (ServiceNow, ServiceNever) as error:
                return scan.broken_off(error.reason)
            scan.take(page)
        return scan.result

    async def _list(
        self, *, page: int, per_page: int, operation_type: OperationType | None, lane: Lane
    ) -> OperationPage:
        route = self._routes.use(SERVICE, "list_operations")
        record = self._routes.use(SERVICE, "get_operation")
        parameters = route.named({"page": page, "per_page": per_page, "type": operation_type})
        where = self._list_parameters
        reply = await self._send(self._prepare_list(route, parameters, where), lane=lane)
        if where == "both" and reply.status in _BODY_REFUSED and reply.json is NO_JSON:
            # A proxy that refuses a body on GET answers with a page of its own: go on without one for good.
            self._list_parameters = "query"
            reply = await self._send(self._prepare_list(route, parameters, "query"), lane=lane)
        return self._read(reply, lambda document: wire.read_page(document, list_route=route, record_route=record))

    def _prepare_list(self, route: Route, parameters: dict[str, object], where: str) -> Prepared:
        query = "" if where == "body" else _query(parameters)
        return self._prepare(route, path=route.path + query, body=None if where == "query" else parameters)

    def _prepare(
        self,
        route: Route,
        *,
        path: str | None = None,
        headers: Mapping[str, str] | None = None,
        body: Mapping[str, object] | None = None,
    ) -> Prepared:
        credentials = f"{self._partner_id}:{self._partner_secret.get_secret_value()}".encode()
        return Prepared(
            operation=route.name,
            method=route.method,
            path=route.path if path is None else path,
            headers={
                **(headers or {}),
                "Authorization": f"Basic {base64.b64encode(credentials).decode('ascii')}",
                "Content-Type": "application/json",
                "Accept": "application/json",
            },
            body=None if body is None else dump_json(dict(body)),
        )

    async def _send(self, request: Prepared, *, lane: Lane, guard: Guard | None = None) -> Reply:
        if not await self._limiter.acquire(lane, patience=self._patience.get(lane, self._read_patience)):
            return Reply(failure=Failure.NOT_SENT)
        reply = await self._transport.send(request, guard=guard)
        if reply.status == 429:  # noqa: PLR2004 - the documented answer to an eleventh request in a second
            self._limiter.slow_down(reply.retry_after)
        return reply

    def _read(self, reply: Reply, read: Callable[[object], T]) -> T:
        if reply.is_success and reply.json is not NO_JSON:
            try:
                return read(reply.json)
            except ValueError as error:
                raise ServiceNow(SERVICE, f"its answer could not be read ({error})") from error
        raise read_failure(
            reply,
            service=SERVICE,
            address="PAYMENTS_BASE_URL",
            credentials="PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET",
        )


def _address(route: Route, **values: str) -> str:
    try:
        return route.address(**values)
    except ValueError as error:
        # Nothing was sent: no service has a record under such a name.
        raise ServiceNever(SERVICE, refusal(404), status=404) from error


def _query(parameters: Mapping[str, object]) -> str:
    """Every reserved character encoded: a plus sign in an address would arrive as a space."""
    return "?" + "&".join(f"{quote(name, safe='')}={quote(str(value), safe='')}" for name, value in parameters.items())
