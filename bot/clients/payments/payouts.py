"""Payouts: create, commit, both in one step, and what the service told us about one; purchases."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls
from bot.clients.payments.wire import read_events
from bot.clients.routes import place
from bot.clients.transport import Guard, decimal_of
from bot.domain.errors import ServiceNever
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.operation import Operation, PayoutEvent, Purchase
from bot.domain.reasons import Exchange, Reason


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


class PayoutCalls(PartnerCalls):
    """Calls about payouts. Those that change something are sent once and never repeated here."""

    def require_committable(self) -> None:
        """Check before creating a payout that it could be committed.

        Raises:
            OperatorError: production, and the commit route is an unconfirmed assumption.
        """
        self._route("commit_payout")

    def require_cancel_payout(self) -> None:
        """Check before approval that a payout in escrow could be canceled.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption.
        """
        self._route("cancel_payout")

    def require_one_step(self) -> None:
        """Check before approval that a payout could be paid in one step.

        Raises:
            OperatorError: production, and the one-step route is an unconfirmed assumption.
        """
        self._route("one_step_payout")

    async def create_payout(
        self, new: NewPayout, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Create a payout; no money moves. Done carries what the service made of it: compare before going on.

        Args:
            new: the payout.
            earlier_unknown: an earlier create with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.
        """
        return await self._change(
            "create_payout", _fields(new), wire.read_operation, earlier_unknown=earlier_unknown, guard=guard
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
        read = partial(wire.read_committed, operation_id=operation_id)
        return await self._change(
            "commit_payout", {"id": operation_id}, read, earlier_unknown=earlier_unknown, guard=guard
        )

    async def cancel_payout(
        self, operation_id: str, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[frozenset[str]] | NotExecuted | Unknown:
        """Cancel a payout in escrow: the money comes back. Done means this operation, canceled; carries its id.

        Args:
            operation_id: the service's id.
            earlier_unknown: an earlier cancellation of it has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
        """
        read = partial(wire.read_canceled, operation_id=operation_id)
        return await self._change(
            "cancel_payout", {"id": operation_id}, read, earlier_unknown=earlier_unknown, guard=guard
        )

    async def one_step_payout(
        self, new: NewPayout, *, earlier_unknown: bool, guard: Guard | None = None
    ) -> Done[Operation] | NotExecuted | Unknown:
        """Create and commit a payout in one request: money moves.

        Done means a payout that says it is committed or further (even failed) and, where it says a code, says
        ours; its amount and recipient are the service's word: compare. After Unknown look for it with
        ``find_by_code``.

        Args:
            new: the payout.
            earlier_unknown: an earlier request with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.

        Raises:
            OperatorError: production, and the route is an unconfirmed assumption; nothing was sent.
        """
        read = partial(wire.read_one_step, code=new.code)
        return await self._change("one_step_payout", _fields(new), read, earlier_unknown=earlier_unknown, guard=guard)

    async def payout_events(self, operation_id: str) -> tuple[PayoutEvent, ...]:
        """Read the service's log of its calls to a payout's addresses, in its order; empty when there are none.

        Raises:
            ServiceNow, ServiceNever (``status`` 404: no such payout), OperatorError: see ``read_failure``.
        """
        return await self._look("payout_events", {"id": operation_id}, read_events)


def _fields(new: NewPayout) -> Mapping[str, object]:
    return {
        "email": new.email,
        "description": new.description,
        "amount": decimal_of(new.cents),
        "code": new.code,
        "confirmation_uri": new.confirmation_uri,
        "failure_uri": new.failure_uri,
        "cancel_uri": new.cancel_uri,
    }


@dataclass(frozen=True, kw_only=True)
class NewItem:
    """One line of a new purchase. ``quantity`` and ``unit_cents`` are above zero."""

    description: str
    unit_cents: Cents
    quantity: int = 1

    def __post_init__(self) -> None:
        if self.quantity < 1 or self.unit_cents < 1:
            raise ValueError("quantity and unit cost of an item are above zero")


@dataclass(frozen=True, kw_only=True)
class NewPurchase:
    """A purchase to be created.

    Attributes:
        code: our unique code, stored before the request leaves: recovery finds the purchase by it.
        items: at least one; they make up the amount.
        email: the buyer's address; None leaves it to the service who pays.
        confirmation_uri: where the service sends the buyer (or reports) after paying; may hold a secret token,
            like the other three.
        cancel_uri: the same after canceling.
        callback_uri: where it reports completion.
        failure_uri: where it reports failure.
    """

    code: str
    description: str
    items: tuple[NewItem, ...]
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
        """The amount: all items together."""
        return Cents(sum(item.unit_cents * item.quantity for item in self.items))


class PurchaseCalls(PartnerCalls):
    """Calls about purchases."""

    async def create_purchase(
        self, new: NewPurchase, *, earlier_unknown: bool = False, guard: Guard | None = None
    ) -> Done[Purchase] | NotExecuted | Unknown:
        """Create a purchase; nobody pays until the buyer does. Sent once and never repeated here.

        Done means a purchase that, where it says a code, says ours; its amount is the service's word: compare.
        After Unknown look for it with ``find_by_code(code, "purchase")``.

        Args:
            new: the purchase.
            earlier_unknown: an earlier create with this code has an unknown outcome.
            guard: asked right before the first byte; False: nothing is sent, NotExecuted with ``NOT_SENT``.
        """
        read = partial(wire.read_purchase, item_amount=self._dialect.item_amount, code=new.code)
        fields = self._fields(new, self._route("create_purchase").fields)
        return await self._change("create_purchase", fields, read, earlier_unknown=earlier_unknown, guard=guard)

    async def get_purchase(self, purchase_id: str) -> Purchase:
        """Read one purchase with its items; a record with another id is refused.

        Raises:
            ServiceNever: there is no such purchase (``status`` 404), or the operation is a payout.
            ServiceNow, ServiceNever, OperatorError: see ``read_failure``.
        """
        read = partial(wire.read_purchase, item_amount=self._dialect.item_amount, operation_id=purchase_id)
        found = await self._look("get_purchase", {"id": purchase_id}, read)
        if found.operation_type not in {"", "purchase"}:
            raise ServiceNever(SERVICE, Reason(Exchange.OTHER_TYPE, type=found.operation_type))
        return found

    def checkout_url(self, purchase_id: str) -> str:
        """The address where the buyer pays, for their browser: nothing is called.

        Raises:
            ServiceNever: the id cannot be one.
        """
        return self._transport.address(place(self._route("checkout"), {"id": purchase_id}).path)

    def _fields(self, new: NewPurchase, names: Mapping[str, str]) -> Mapping[str, object]:
        per_unit = self._dialect.item_amount == "unit"
        items = [
            {
                names["item_description"]: item.description,
                names["item_amount"]: decimal_of(item.unit_cents * (1 if per_unit else item.quantity)),
                names["item_quantity"]: item.quantity,
            }
            for item in new.items
        ]
        return {
            "code": new.code,
            "description": new.description,
            "amount": decimal_of(new.cents),
            "items": items,
            "email": new.email,
            "confirmation_uri": new.confirmation_uri,
            "cancel_uri": new.cancel_uri,
            "callback_uri": new.callback_uri,
            "failure_uri": new.failure_uri,
        }
