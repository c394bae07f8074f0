"""The payments service behind one name; bulk payments: submit one, read it with its items, cancel what is pending."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, TypeVar

from bot.clients.limiter import Lane
from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls
from bot.clients.payments.operations import AccountCalls, OperationCalls
from bot.clients.payments.payouts import PayoutCalls, PurchaseCalls
from bot.clients.transport import Guard, decimal_of
from bot.domain.errors import OperatorError, ServiceNow
from bot.domain.money import CURRENCY
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.bulk import BulkItem, HashList, row_reference
from bot.domain.payments.bulk_records import BulkJob, ItemPage, JobPage
from bot.domain.reasons import Exchange, Reason

UPLOAD_SECONDS: Final = 600.0
"""How long one submission may take: thousands of payments are checked before it is answered."""
MOST_PAGES: Final = 5_000

Page = TypeVar("Page", JobPage, ItemPage)


@dataclass(frozen=True, kw_only=True)
class NewBulk:
    """A bulk payment to be submitted. ``reference`` goes into each item's internal note, with its row."""

    reference: str
    items: Sequence[BulkItem] = field(repr=False)

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("a bulk payment has at least one item")


class BulkCalls(PartnerCalls):
    """Calls about bulk payments. Those that change something are sent once and never repeated here."""

    def require_bulk(self) -> None:
        """Check before approval that a bulk payment could be submitted.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption.
        """
        self._route("create_bulk_payment")

    def require_cancel(self) -> None:
        """Check before approval that items could be canceled.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; or it could not carry the list.
        """
        route = self._route("cancel_bulk_items")
        if route.parameters not in ("body", "both") or not route.fields.get("items") or not route.fields.get("hash"):
            raise OperatorError(
                f"{route.name} has no place for the list of hashes, and without one everything would be canceled",
                mend='write it like this: parameters = "body", fields.items = "paymentItems"',
            )

    async def submit_bulk(
        self, new: NewBulk, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[BulkJob] | NotExecuted | Unknown:
        """Submit a bulk payment: money moves. Done carries what the service made of it: compare the count.

        After Unknown the history tells; it is never submitted again unasked.

        Args:
            new: the bulk payment.
            earlier_unknown: an earlier submission of it has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
        """
        names = self._route("create_bulk_payment").fields
        rows = [
            {
                names["email"]: item.email,
                names["amount"]: decimal_of(item.cents),
                names["currency"]: CURRENCY,
                names["note"]: item.note,
                names["internal_note"]: row_reference(new.reference, item.row),
            }
            for item in new.items
        ]
        return await self._change(
            "create_bulk_payment",
            {"payments": rows},
            wire.read_new_job,
            earlier_unknown=earlier_unknown,
            guard=guard,
            total=UPLOAD_SECONDS,
            about=new.reference,
        )

    async def get_bulk(self, job_id: str) -> BulkJob:
        """Read one bulk payment's status and figures; a record with another id is refused.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such one), OperatorError: see ``read_failure``.
        """
        return await self._look("get_bulk_payment", {"id": job_id}, partial(wire.read_same_job, job_id=job_id))

    async def bulk_item_page(self, job_id: str, page: int = 1) -> ItemPage:
        """One page of the items with their hashes.

        Raises:
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``; OperatorError also for another page
                than the one asked for: the parameter was dropped on the way.
        """
        return await self._item_page("list_bulk_items", job_id, page, Lane.READ)

    def bulk_items(self, job_id: str) -> AsyncIterator[ItemPage]:
        """All items, page by page; see :meth:`bulk_item_page`. Ends with ServiceNow when pages do not add up."""
        return _to_the_end(lambda page: self._item_page("list_bulk_items", job_id, page, Lane.LISTING))

    async def bulk_failure_page(self, job_id: str, page: int = 1) -> ItemPage:
        """One page of the items that failed, with the reasons; see :meth:`bulk_item_page`."""
        return await self._item_page("list_bulk_failures", job_id, page, Lane.READ)

    def bulk_failures(self, job_id: str) -> AsyncIterator[ItemPage]:
        """All items that failed, page by page; see :meth:`bulk_items`."""
        return _to_the_end(lambda page: self._item_page("list_bulk_failures", job_id, page, Lane.LISTING))

    async def bulk_history_page(self, page: int = 1) -> JobPage:
        """One page of all bulk payments of the account; errors as with :meth:`bulk_item_page`."""
        found = await self._look("list_bulk_payments", {"page": page}, wire.read_jobs)
        return _checked(found, page, "list_bulk_payments")

    def bulk_history(self) -> AsyncIterator[JobPage]:
        """All bulk payments of the account, page by page; see :meth:`bulk_items`."""
        return _to_the_end(self.bulk_history_page)

    async def cancel_bulk_items(
        self, job_id: str, hashes: HashList, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[frozenset[str]] | NotExecuted | Unknown:
        """Cancel pending items by their hashes. Done carries those that the service says it canceled.

        Raises:
            OperatorError: see :meth:`require_cancel`; nothing was sent.
        """
        self.require_cancel()
        name = self._route("cancel_bulk_items").fields["hash"]
        values = {"id": job_id, "items": [{name: one} for one in hashes.all]}
        return await self._change(
            "cancel_bulk_items", values, wire.read_canceled_items, earlier_unknown=earlier_unknown, guard=guard
        )

    async def _item_page(self, operation: str, job_id: str, page: int, lane: Lane) -> ItemPage:
        found = await self._look(operation, {"id": job_id, "page": page}, wire.read_items, lane=lane)
        return _checked(found, page, operation)


def _checked(found: Page, page: int, operation: str) -> Page:
    """The page that was asked for.

    Raises:
        OperatorError: another one came, so everything behind it would be lost without a word.
    """
    if found.page == page or (page == 1 and found.page == 0 and not found.pages):  # an empty list may count from 0
        return found
    raise OperatorError(
        f"page {page} of {SERVICE}.{operation} was asked for, page {found.page} came",
        service=SERVICE,
        mend=f"check parameters and fields.page of [{SERVICE}.{operation}] in the file that SERVICES_FILE names",
    )


async def _to_the_end(read: Callable[[int], Awaitable[Page]]) -> AsyncIterator[Page]:
    page, seen = 1, 0
    while True:
        found = await read(page)
        seen += found.size
        yield found
        if page >= found.pages or page >= MOST_PAGES:
            break
        if not found.size:
            raise ServiceNow(SERVICE, Reason(Exchange.LIST_GAP))
        page += 1
    if page < found.pages or (found.count is not None and found.count != seen):
        raise ServiceNow(SERVICE, Reason(Exchange.LIST_CHANGED))


class PaymentsClient(PayoutCalls, PurchaseCalls, BulkCalls, OperationCalls, AccountCalls):
    """Everything the payments service can be asked; see ``PartnerCalls`` for how to make one.

    Requests that change something return an outcome class; they are sent once and never repeated here. Requests
    that only read raise by who must act: ``ServiceNow``, ``ServiceNever``, ``OperatorError``.
    """
