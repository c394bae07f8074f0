"""Purchases: ask somebody for money, and see whether it came."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial

from bot.clients.payments import wire
from bot.clients.payments.calls import SERVICE, PartnerCalls
from bot.clients.placing import place
from bot.clients.transport import Guard, decimal_of
from bot.domain.errors import ServiceNever
from bot.domain.money import Cents
from bot.domain.outcome import Done, NotExecuted, Unknown
from bot.domain.payments.operation import Purchase
from bot.domain.reasons import Exchange, Reason


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
