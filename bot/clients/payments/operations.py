"""Operations of both kinds: one, a page of them, and the one that carries our code."""

from collections.abc import Callable
from functools import partial
from typing import Final, Literal

from bot.clients.limiter import Lane
from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls, failure_of
from bot.clients.payments.operation_scan import OperationScan, is_beyond_the_end, page_mismatch, type_mismatch
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.outcome import NO_JSON
from bot.domain.payments.operation import Operation, OperationPage, Search
from bot.domain.reasons import Exchange, Reason

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
