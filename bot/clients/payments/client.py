"""Operations of the payments service that move money: payouts in one or two steps, purchases, and bulk payments."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Final, Required, TypedDict, TypeVar, Unpack

from bot.clients.calls import Outcome
from bot.clients.limiter import Lane
from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls
from bot.clients.routes import Route, place
from bot.clients.transport import Guard, decimal_of
from bot.domain.errors import OperatorError, ServiceNever, ServiceNow
from bot.domain.money import CURRENCY, Cents
from bot.domain.payments.bulk import BulkItem, HashList
from bot.domain.payments.bulk_records import BulkJob, ItemPage, JobPage
from bot.domain.payments.instruction import Item
from bot.domain.payments.operation import Operation, PayoutEvent, Purchase
from bot.domain.reasons import Exchange, Reason

UPLOAD_SECONDS: Final = 600.0
"""Time limit of one submission: the service checks thousands of payments before it answers."""
MOST_PAGES: Final = 5_000

Page = TypeVar("Page", JobPage, ItemPage)


class EffectOptions(TypedDict, total=False):
    """Options of a request that changes something; see ``ServiceCalls``."""

    earlier_unknown: Required[bool]
    guard: Guard | None


@dataclass(frozen=True, kw_only=True)
class NewPayout:
    """A payout to create; ``code`` is for looking it up. The URIs contain secret tokens."""

    email: str
    description: str
    cents: Cents
    code: str
    confirmation_uri: str = field(repr=False)
    failure_uri: str = field(repr=False)
    cancel_uri: str = field(repr=False)

    def values(self) -> dict[str, object]:
        return {"amount": decimal_of(self.cents), **{ours: it for ours, it in vars(self).items() if ours != "cents"}}


@dataclass(frozen=True, kw_only=True)
class NewPurchase:
    """A purchase to create; ``code`` is for looking it up. The amount is the sum of its items.

    ``email`` is the buyer's; with None the service decides who may pay. The URIs may contain secret tokens: the buyer
    is redirected to ``confirmation_uri`` after paying, completion is reported to ``callback_uri``.
    """

    code: str
    description: str
    items: tuple[Item, ...]
    email: str | None = None
    confirmation_uri: str = field(repr=False)
    cancel_uri: str = field(repr=False)
    callback_uri: str = field(repr=False)
    failure_uri: str = field(repr=False)

    def __post_init__(self) -> None:
        if not self.items:
            raise ValueError("a purchase has at least one item")

    @property
    def cents(self) -> Cents:
        return Cents(sum(item.cents for item in self.items))


class PaymentsClient(PartnerCalls):
    """Client of the payments service; see ``PartnerCalls`` for the constructor."""

    def require(self, operation: str) -> None:
        """Check before an approval that an operation can be sent; raises the ``OperatorError`` that sending would."""
        route = self._route(operation)
        if operation == "cancel_bulk_items" and not (
            route.parameters in ("body", "both") and route.fields.get("items") and route.fields.get("hash")
        ):
            raise OperatorError(
                f"{route.name} has no place for the list of hashes, and without one everything would be canceled",
                mend='write it like this: parameters = "body", fields.items = "paymentItems"',
            )

    async def create_payout(self, new: NewPayout, **sending: Unpack[EffectOptions]) -> Outcome[Operation]:
        """Create a payout; no money moves. Done contains the service's record: compare it before committing."""
        return await self._change("create_payout", new.values(), wire.read_operation, **sending)

    async def commit_payout(self, operation_id: str, **sending: Unpack[EffectOptions]) -> Outcome[Operation]:
        """Commit a payout: money moves. Done means that it is committed or in a later state, even failed."""
        read = partial(wire.read_committed, operation_id=operation_id)
        return await self._change("commit_payout", {"id": operation_id}, read, **sending)

    async def cancel_payout(self, operation_id: str, **sending: Unpack[EffectOptions]) -> Outcome[frozenset[str]]:
        """Cancel a payout in escrow: the money is returned. Done means that it is canceled, and contains its id."""
        read = partial(wire.read_canceled, operation_id=operation_id)
        return await self._change("cancel_payout", {"id": operation_id}, read, **sending)

    async def one_step_payout(self, new: NewPayout, **sending: Unpack[EffectOptions]) -> Outcome[Operation]:
        """Create and commit a payout in one request: money moves.

        Done contains a payout that is committed or in a later state, even failed, with our code or none; compare its
        amount and recipient. After Unknown look it up with ``find_by_code``.
        """
        return await self._change(
            "one_step_payout", new.values(), partial(wire.read_one_step, code=new.code), **sending
        )

    async def payout_events(self, operation_id: str) -> tuple[PayoutEvent, ...]:
        """Read the service's log of callbacks for a payout, in the service's order; may be empty."""
        return await self._look("payout_events", {"id": operation_id}, wire.read_events)

    async def create_purchase(self, new: NewPurchase, **sending: Unpack[EffectOptions]) -> Outcome[Purchase]:
        """Create a purchase for the buyer to pay; no money moves yet.

        Done contains a purchase with our code or none; compare its amount. After Unknown look it up with
        ``find_by_code(code, "purchase")``.
        """
        read = partial(wire.read_purchase, item_amount=self._dialect.item_amount, code=new.code)
        names, per_unit = self._route("create_purchase").fields, self._dialect.item_amount == "unit"
        items = [
            {
                names["item_description"]: item.name,
                names["item_amount"]: decimal_of(item.unit_cents if per_unit else item.cents),
                names["item_quantity"]: item.quantity,
            }
            for item in new.items
        ]
        fields = {**vars(new), "items": items, "amount": decimal_of(new.cents)}
        return await self._change("create_purchase", fields, read, **sending)

    async def get_purchase(self, purchase_id: str) -> Purchase:
        """Read a purchase with its items. ``ServiceNever`` if it doesn't exist (404) or is a payout."""
        read = partial(wire.read_purchase, item_amount=self._dialect.item_amount, operation_id=purchase_id)
        found = await self._look("get_purchase", {"id": purchase_id}, read)
        if found.operation_type not in {"", "purchase"}:
            raise ServiceNever(SERVICE, Reason(Exchange.OTHER_TYPE, type=found.operation_type))
        return found

    def checkout_url(self, purchase_id: str) -> str:
        """Return the URL for the buyer's browser, without a request. ``ServiceNever`` if the id is malformed."""
        return self._transport.address(place(self._route("checkout"), {"id": purchase_id}).path)

    async def submit_bulk(
        self, reference: str, items: Sequence[BulkItem], **sending: Unpack[EffectOptions]
    ) -> Outcome[BulkJob]:
        """Submit a bulk payment: money moves. After Done compare its count; after Unknown check the history.

        Each item's internal note contains ``reference`` and the row number.
        """
        if not items:
            raise ValueError("a bulk payment has at least one item")
        names = self._route("create_bulk_payment").fields
        rows = [
            {
                names["email"]: item.email,
                names["amount"]: decimal_of(item.cents),
                names["currency"]: CURRENCY,
                names["note"]: item.note,
                names["internal_note"]: f"{reference}/{item.row}",
            }
            for item in items
        ]
        return await self._change(
            "create_bulk_payment", {"payments": rows}, wire.read_job, total=UPLOAD_SECONDS, about=reference, **sending
        )

    async def get_bulk(self, job_id: str) -> BulkJob:
        """Read a bulk payment's status and counts; a record with another id is refused."""
        return await self._look("get_bulk_payment", {"id": job_id}, partial(wire.read_job, job_id=job_id))

    async def bulk_item_page(
        self, job_id: str, page: int = 1, *, failed: bool = False, lane: Lane = Lane.READ
    ) -> ItemPage:
        """Read one page of items with their hashes, or with ``failed`` of failed items with reasons."""
        operation = "list_bulk_failures" if failed else "list_bulk_items"
        return await self._page(operation, {"id": job_id}, page, partial(wire.read_items, failures=failed), lane)

    def bulk_items(self, job_id: str, *, failed: bool = False) -> AsyncIterator[ItemPage]:
        """Iterate over all pages of :meth:`bulk_item_page`. Raises ServiceNow if the pages don't add up."""
        return _to_the_end(partial(self.bulk_item_page, job_id, failed=failed, lane=Lane.LISTING))

    async def bulk_history_page(self, page: int = 1) -> JobPage:
        """Read one page of the account's bulk payments; raises the errors of :meth:`bulk_item_page`."""
        return await self._page("list_bulk_payments", {}, page, wire.read_jobs, Lane.READ)

    def bulk_history(self) -> AsyncIterator[JobPage]:
        """Iterate over all pages of the account's bulk payments; see :meth:`bulk_items`."""
        return _to_the_end(self.bulk_history_page)

    async def cancel_bulk_items(
        self, job_id: str, hashes: HashList, **sending: Unpack[EffectOptions]
    ) -> Outcome[frozenset[str]]:
        """Cancel pending items by hash. Done contains the hashes that the service reports as canceled."""
        self.require("cancel_bulk_items")
        name = self._route("cancel_bulk_items").fields["hash"]
        values = {"id": job_id, "items": [{name: one} for one in hashes.all]}
        return await self._change("cancel_bulk_items", values, wire.read_canceled_items, **sending)

    async def _page(
        self, operation: str, values: dict[str, object], page: int, read: Callable[[object, Route], Page], lane: Lane
    ) -> Page:
        """Read a page. ``OperatorError`` if another one came, because later pages could never be read."""
        found = await self._look(operation, {**values, "page": page}, read, lane=lane)
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
