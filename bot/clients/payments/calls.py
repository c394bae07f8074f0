"""Calls to the payments service: credentials, rate limit, one request, one answer; and the reads that list nothing new.

One operation, a page of them, accounts, and a scan of the whole list for our code. The list's parameters may be dropped
on the way (they are documented as the body of a GET), its order is not documented, and it may change while it is read.
So a scan says whether it proves absence.
"""

import base64
from collections.abc import AsyncIterator, Callable, Mapping
from functools import partial
from typing import Final, Literal, TypeVar

import structlog
from pydantic import SecretStr

from bot.clients.calls import MayLeave, Outcome, ServiceCalls, always, json_request, read_failure
from bot.clients.limiter import Lane, SendSlots
from bot.clients.payments import wire
from bot.clients.routes import Place, Route, RouteTable
from bot.clients.transport import Guard, Transport
from bot.clients.unread import AnswerObserver
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow, SwitchboardError
from bot.domain.outcome import NO_JSON, Failure, Reply
from bot.domain.payments.instruction import same_code
from bot.domain.payments.operation import AccountStatus, Operation, OperationPage, Partner, Search
from bot.domain.reasons import Exchange, Reason

T = TypeVar("T")

log = structlog.get_logger(__name__)

SERVICE: Final = "payments"
OperationType = Literal["payout", "purchase"]

_PATIENCE: Final = {Lane.EFFECT: 4.0, Lane.READ: 30.0, Lane.LISTING: 30.0}
"""Seconds to wait for a turn: few for an effect, because the send guard refuses old claims."""
_MAX_PAGES: Final = 2000
_BODY_REFUSED: Final = frozenset({400, 403, 411, 413})


class PartnerCalls(ServiceCalls):
    """Calls as one partner; ``limiter`` is shared by everybody who calls as this partner: 10 requests in any second."""

    def __init__(
        self,
        *,
        routes: RouteTable,
        transport: Transport,
        limiter: SendSlots,
        partner_id: str,
        partner_secret: SecretStr,
        may_leave: MayLeave = always,
        answers: AnswerObserver | None = None,
    ) -> None:
        super().__init__(SERVICE, routes, transport, may_leave, answers)
        self._limiter = limiter
        self._partner_id = partner_id
        self._partner_secret = partner_secret
        # A proxy that refuses a body on GET is met once: see ``_list``.
        self._list_parameters: Place = self._dialect.list_parameters

    async def get_operation(self, operation_id: str) -> Operation:
        """Read one operation; a record with another id is refused."""
        read = partial(wire.read_operation, operation_id=operation_id)
        return await self._look("get_operation", {"id": operation_id}, read)

    async def operation_by_code(self, code: str) -> Operation:
        """Read one operation by its code: a shortcut that a service may lack, so no answer is no proof of absence."""
        return await self._look("get_operation_by_code", {"code": code}, partial(wire.read_of_code, code=code))

    async def list_operations(
        self,
        page: int = 1,
        per_page: int = 10,
        operation_type: OperationType | None = None,
        *,
        lane: Lane = Lane.READ,
    ) -> OperationPage:
        """Read one page of operations, newest or oldest first as the service likes.

        Raises:
            OperatorError: the page that came is not the one asked for: the parameters were dropped on the way.
            ServiceNever: the list ends before that page.
        """
        found = await self._list(page=page, per_page=per_page, operation_type=operation_type, lane=lane)
        if found.page == found.last_page < page and found.per_page == per_page:  # by the list's own figures
            raise ServiceNever(SERVICE, Reason(Exchange.LIST_ENDS, page=found.last_page))
        # Figures at their defaults cannot tell that the type was dropped.
        others = {one.operation_type for one in found.operations} - {"", operation_type}
        mismatch = page_mismatch(found, page=page, per_page=per_page)
        if not mismatch and operation_type and others:
            mismatch = Reason(Exchange.OTHER_TYPE_LISTED, asked=operation_type, came=min(others))
        if mismatch:
            raise OperatorError(
                mismatch,
                service=SERVICE,
                mend='set [payments] list_parameters = "query" or "body" in the file that SERVICES_FILE names',
            )
        return found

    async def all_operations(self, operation_type: OperationType | None = None) -> AsyncIterator[OperationPage]:
        """All pages of the list; errors as with :meth:`list_operations`. Records may move to a later page meanwhile."""
        page, last, size = 1, 1, self._dialect.list_page_size
        while page <= min(last, _MAX_PAGES):
            found = await self.list_operations(page, size, operation_type, lane=Lane.LISTING)
            yield found
            page, last = page + 1, found.last_page

    async def find_by_code(
        self,
        code: str,
        operation_type: OperationType | None = "payout",
        *,
        see: Callable[[Operation], None] = lambda _: None,
    ) -> Search:
        """Scan the whole list of one type, or of both, for a code, to the end even after a hit: two hits matter.

        A scan with ``complete`` False is no proof of absence, and neither is one that would not have shown the code:
        ``see`` is given every record that is no hit, to judge that by.
        """
        scan = OperationScan(code=code, per_page=self._dialect.list_page_size, see=see)
        while not scan.is_over:
            try:
                page = await self._list(
                    page=scan.page, per_page=scan.per_page, operation_type=operation_type, lane=Lane.LISTING
                )
            except (ServiceNow, ServiceNever) as error:
                return scan.broken_off(error.full_reason)
            scan.take(page)
        return scan.result

    async def account_status(self, email: str, *, lane: Lane = Lane.READ) -> AccountStatus:
        """Read the status of the account behind an address."""
        return await self._look("account_status", {"email": email}, wire.read_account, lane=lane)

    async def partner(self) -> Partner:
        """Our own account at the service, with its balance."""
        return await self._look("partner", {}, wire.read_partner)

    async def _list(
        self, *, page: int, per_page: int, operation_type: OperationType | None, lane: Lane
    ) -> OperationPage:
        route, record = self._route("list_operations"), self._route("get_operation")
        values = {"page": page, "per_page": per_page, "type": operation_type}
        where = self._list_parameters
        reply = await self._ask(partial(self._exchange, route, values, lane=lane, where=where))
        if where == "both" and reply.status in _BODY_REFUSED and reply.json is NO_JSON:
            # A proxy that refuses a body on GET answers with its own page: never send one again.
            self._list_parameters = "query"
            reply = await self._ask(partial(self._exchange, route, values, lane=lane, where="query"))
        return self._read(reply, wire.read_page, route, record, failure=failure_of(route))

    async def _change(
        self,
        operation: str,
        values: Mapping[str, object],
        read: Callable[[object, Route], T],
        *,
        earlier_unknown: bool,
        guard: Guard | None = None,
        total: float | None = None,
        about: str = "",
    ) -> Outcome[T]:
        """Send once. ``about``: our name for its subject, if that is neither its code nor its id."""
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
        return self._read(reply, read, route, failure=failure_of(route))

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
        try:
            turn = await self._limiter.acquire(lane, patience=_PATIENCE[lane])
        except Exception:
            log.exception("no turn could be had, so nothing is sent")
            turn = None
        if turn is None:
            return Reply(failure=Failure.NOT_SENT)

        async def departs() -> bool:
            try:
                return await turn.departs()
            except Exception:  # before anything was sent
                log.exception("a turn could not be counted, so nothing is sent")
                return False

        try:
            reply = await self._transport.send(request, guard=guard, turn=departs, total=total)
        finally:
            turn.over()
        if reply.status == 429:  # noqa: PLR2004 - the documented answer to an eleventh request in a second
            await self._limiter.slow_down(reply.retry_after)
        if reply.status is not None:
            await turn.answered()
        return reply


def failure_of(route: Route) -> Callable[[Reply], SwitchboardError]:
    """Return the error to raise for a failed read of this operation."""
    return partial(
        read_failure,
        service=SERVICE,
        address="PAYMENTS_BASE_URL",
        credentials="PAYMENTS_PARTNER_ID and PAYMENTS_PARTNER_SECRET",
        names=route.ours,
    )


def page_mismatch(found: OperationPage, *, page: int, per_page: int) -> Reason | None:
    """Return why a page isn't the requested one, or None if it is."""
    if found.page != page:
        return Reason(Exchange.OTHER_PAGE, asked=page, came=found.page)
    if found.per_page != per_page:
        return Reason(Exchange.OTHER_SIZE, asked=per_page, came=found.per_page)
    return None


class OperationScan:
    """One pass over the list: pass each ``page`` to ``take`` until ``is_over``. ``see`` gets the other records."""

    def __init__(self, *, code: str, per_page: int, see: Callable[[Operation], None] = lambda _: None) -> None:
        self.per_page = per_page
        self.page = 1
        self.result = Search()
        self.is_over = False
        self._code = code
        self._see = see
        self._hits: list[Operation] = []
        self._seen: set[str] = set()
        self._total: int | None = None
        self._first = 0

    def take(self, found: OperationPage) -> None:
        """Look at the next page; ends the scan when it was the last or cannot be trusted."""
        for one in found.operations:
            if one.id not in self._seen:
                is_ours = same_code(one.code, self._code)
                (self._hits.append if is_ours else self._see)(one)
        distrust = page_mismatch(found, page=self.page, per_page=self.per_page) or self._distrust(found)
        if distrust:
            self.broken_off(distrust)
            return
        self._total = found.total
        self._first = found.first or 0
        self._seen |= {one.id for one in found.operations}
        if self.page < found.last_page:
            self.page += 1
            return
        if len(self._seen) != found.total:
            self.broken_off(Reason(Exchange.SCAN_COUNT, told=found.total, shown=len(self._seen)))
            return
        self.is_over = True
        self.result = Search(hits=tuple(self._hits), complete=True, total=found.total)

    def broken_off(self, reason: Reason) -> Search:
        """End the scan as incomplete; what was found so far counts."""
        self.is_over = True
        self.result = Search(hits=tuple(self._hits), complete=False, total=self._total, reason=reason)
        return self.result

    def _distrust(self, found: OperationPage) -> Reason | None:
        ids = {one.id for one in found.operations}
        rules = (
            (self._total is not None and found.total != self._total, Reason(Exchange.SCAN_CHANGED)),
            (bool(ids & self._seen) or len(ids) != len(found.operations), Reason(Exchange.SCAN_DOUBLE)),
            (bool(ids) and (found.first is None or found.first <= self._first), Reason(Exchange.SCAN_STANDS)),
            (not ids and found.total > 0, Reason(Exchange.SCAN_GAP)),
            (found.last_page > _MAX_PAGES, Reason(Exchange.SCAN_LONG, most=_MAX_PAGES)),
        )
        return next((reason for is_broken, reason in rules if is_broken), None)
