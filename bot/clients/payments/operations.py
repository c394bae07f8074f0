"""Operations and accounts: one, a page of them, and a scan of the whole list for our code.

The list's parameters may be dropped on the way (they are documented as the body of a GET), its order is not
documented, and it may change while it is read. So a scan says whether it proves absence.
"""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from bot.clients.limiter import Lane
from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls, failure_of
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import NO_JSON
from bot.domain.payments.evidence import same_code
from bot.domain.payments.operation import AccountStatus, Operation, OperationPage, Partner, Search
from bot.domain.reasons import Exchange, Reason

_MAX_PAGES: Final = 2000


def page_mismatch(found: OperationPage, *, page: int, per_page: int) -> Reason | None:
    """Why a page is not the one that was asked for; None when it is."""
    if found.page != page:
        return Reason(Exchange.OTHER_PAGE, asked=page, came=found.page)
    if found.per_page != per_page:
        return Reason(Exchange.OTHER_SIZE, asked=per_page, came=found.per_page)
    return None


def is_beyond_the_end(found: OperationPage, *, page: int, per_page: int) -> bool:
    """Whether the last page came because the one asked for does not exist, by the list's own figures."""
    return found.page == found.last_page < page and found.per_page == per_page


def type_mismatch(found: OperationPage, operation_type: str | None) -> Reason | None:
    """Why a page is not of the type asked for; None when it is. Figures at their defaults cannot tell."""
    others = {one.operation_type for one in found.operations} - {"", operation_type}
    if not operation_type or not others:
        return None
    return Reason(Exchange.OTHER_TYPE_LISTED, asked=operation_type, came=min(others))


class OperationScan:
    """One pass over the list. Feed ``page`` after ``page`` to ``take`` until ``is_over``.

    Args:
        code: what is looked for, in whatever case and spacing.
        per_page: what is asked for.
        see: is given every other record, once.
    """

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
        self._look_at([one for one in found.operations if one.id not in self._seen])
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

    def _look_at(self, fresh: list[Operation]) -> None:
        for one in fresh:
            if same_code(one.code, self._code):
                self._hits.append(one)
            else:
                self._see(one)

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


class AccountCalls(PartnerCalls):
    """Reads of accounts."""

    async def account_status(self, email: str) -> AccountStatus:
        """Read what the service knows about the account behind an address.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        return await self._look("account_status", {"email": email}, wire.read_account)

    async def partner(self) -> Partner:
        """Read our own account at the service and its balance.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        return await self._look("partner", {}, wire.read_partner)


OperationType = Literal["payout", "purchase"]

_BODY_REFUSED: Final = frozenset({400, 403, 411, 413})


class OperationCalls(PartnerCalls):
    """Reads of operations."""

    async def get_operation(self, operation_id: str) -> Operation:
        """Read one operation; a record with another id is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such operation), OperatorError: see ``read_failure``.
        """
        return await self._look(
            "get_operation", {"id": operation_id}, partial(wire.read_same, operation_id=operation_id)
        )

    async def list_operations(
        self, page: int = 1, per_page: int = 10, operation_type: OperationType | None = None
    ) -> OperationPage:
        """Read one page of operations, newest or oldest first as the service likes.

        Raises:
            OperatorError: the page that came is not the one asked for: the parameters were dropped on the way.
            ServiceNever: the list ends before that page.
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        found = await self._list(page=page, per_page=per_page, operation_type=operation_type, lane=Lane.READ)
        if is_beyond_the_end(found, page=page, per_page=per_page):
            raise ServiceNever(SERVICE, Reason(Exchange.LIST_ENDS, page=found.last_page))
        mismatch = page_mismatch(found, page=page, per_page=per_page) or type_mismatch(found, operation_type)
        if mismatch:
            raise OperatorError(
                mismatch,
                service=SERVICE,
                mend='set [payments] list_parameters = "query" or "body" in the file that SERVICES_FILE names',
            )
        return found

    async def ends_of_list(self) -> tuple[Operation, ...]:
        """The operations of the first and the last page: the newest are among them, whichever way the list runs.

        Raises:
            OperatorError, ServiceNow, ServiceNever: see :meth:`list_operations`.
        """
        size = self._dialect.list_page_size
        first = await self.list_operations(per_page=size)
        if first.last_page <= 1:
            return first.operations
        last = await self.list_operations(page=first.last_page, per_page=size)
        return (*first.operations, *last.operations)

    async def find_by_code(
        self,
        code: str,
        operation_type: OperationType = "payout",
        *,
        see: Callable[[Operation], None] = lambda _: None,
    ) -> Search:
        """Scan the whole list of one type for our code, to the end even after a hit: two hits matter.

        A scan that cannot be trusted to have seen everything comes back with ``complete`` False; it is never
        a proof of absence, and neither is one that would not have shown the code: ``see`` is given every record
        that is no hit, to judge that by.

        Raises:
            OperatorError: 401, 403 and the like; see ``read_failure``.
        """
        scan = OperationScan(code=code, per_page=self._dialect.list_page_size, see=see)
        while not scan.is_over:
            try:
                page = await self._list(
                    page=scan.page, per_page=scan.per_page, operation_type=operation_type, lane=Lane.LISTING
                )
            except (ServiceNow, ServiceNever) as error:
                return scan.broken_off(error.told)
            scan.take(page)
        return scan.result

    async def _list(
        self, *, page: int, per_page: int, operation_type: OperationType | None, lane: Lane
    ) -> OperationPage:
        route, record = self._route("list_operations"), self._route("get_operation")
        values = {"page": page, "per_page": per_page, "type": operation_type}
        where = self._list_parameters
        reply = await self._ask(partial(self._exchange, route, values, lane=lane, where=where))
        if where == "both" and reply.status in _BODY_REFUSED and reply.json is NO_JSON:
            # A proxy that refuses a body on GET answers with a page of its own: go on without one for good.
            self._list_parameters = "query"
            reply = await self._ask(partial(self._exchange, route, values, lane=lane, where="query"))
        read = partial(wire.read_page, list_route=route, record_route=record)
        return self._read(reply, read, route, record, failure=failure_of(route))
