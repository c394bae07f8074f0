"""The payments service's JSON, read into our records. Tolerant of spelling, strict about identity.

Every reader raises ``ValueError`` when the document is not the record it should be, and nothing else.
"""

from typing import Any, Literal

from bot.clients import reading
from bot.clients.reading import Unfit
from bot.clients.routes import Route
from bot.domain.money import Cents
from bot.domain.payments.evidence import same_code
from bot.domain.payments.operation import (
    AccountStatus,
    Operation,
    OperationPage,
    OperationStatus,
    Partner,
    Purchase,
    PurchaseItem,
    rank,
)


def read_operation(document: object, route: Route) -> Operation:
    """One operation; it must have an id and a status, everything else may be missing."""
    return Operation(**_operation(document, route))


def _operation(document: object, route: Route) -> dict[str, Any]:
    body = reading.as_object(document)
    names = route.reply
    identifier, status = reading.text(body, names["id"]), reading.text(body, names["status"])
    if not identifier or not status:
        raise Unfit("no operation: id or status is missing", body, names["id"], names["status"])
    return {
        "id": identifier,
        "status": status,
        "code": reading.text(body, names["code"]) or None,
        "cents": reading.cents(body, names["amount"]),
        "email": reading.text(body, names["email"]) or None,
        "description": reading.text(body, names["description"]),
        "operation_type": reading.text(body, names["operation_type"]).casefold(),
        "svc_hash": reading.text(body, names["hash"]) or None,
        "failure_reason": reading.text(body, names["failure_reason"]) or None,
        "user_id": reading.text(body, names["user_id"]) or None,
        "reports_to": reading.text(body, names["reports_to"]).rpartition("/")[0] or None,
        "created_at": reading.moment(body, names["created_at"]),
        "updated_at": reading.moment(body, names["updated_at"]),
    }


def read_committed(document: object, route: Route, *, operation_id: str) -> Operation:
    """The answer to a commit: this operation, committed or further."""
    return _committed(read_same(document, route=route, operation_id=operation_id), document, route)


def read_canceled(document: object, route: Route, *, operation_id: str) -> frozenset[str]:
    """The answer to a cancellation: the id of this operation, which is canceled."""
    operation = read_same(document, route=route, operation_id=operation_id)
    if operation.state is not OperationStatus.CANCELED:
        raise Unfit("the operation does not say that it is canceled", document, route.reply["status"])
    return frozenset({operation.id})


def read_one_step(document: object, route: Route, *, code: str) -> Operation:
    """The answer to a one-step payout: a payout, committed or further, under no other code than ours."""
    operation = read_operation(document, route=route)
    _see_ours(operation, document, route, code=code, operation_type="payout")
    return _committed(operation, document, route)


def _committed(operation: Operation, document: object, route: Route) -> Operation:
    if operation.state is OperationStatus.CONFIRMED or rank(operation.state) < rank(OperationStatus.COMMITTED):
        raise Unfit("the operation does not say that it is committed", document, route.reply["status"])
    return operation


def _see_ours(operation: Operation, document: object, route: Route, *, code: str, operation_type: str) -> None:
    if operation.code is not None and not same_code(operation.code, code):
        raise Unfit("the record of another code", document, route.reply["code"])
    if operation.operation_type not in {"", operation_type}:
        raise Unfit(f"no {operation_type}", document, route.reply["operation_type"])


def read_same(document: object, route: Route, *, operation_id: str) -> Operation:
    """The operation with exactly this id."""
    operation = read_operation(document, route=route)
    if operation.id != operation_id:
        raise Unfit("the record of another operation", document, route.reply["id"])
    return operation


def read_page(document: object, *, list_route: Route, record_route: Route) -> OperationPage:
    """One page of operations with its figures; a page with one unreadable record is unreadable."""
    body = reading.as_object(document)
    names = list_route.reply
    data = reading.value(body, names["operations"])
    if not isinstance(data, list):
        raise Unfit("no list of operations", body, names["operations"])
    return OperationPage(
        operations=tuple(read_operation(item, route=record_route) for item in data),
        page=reading.count(body, names["page"]),
        last_page=reading.count(body, names["last_page"]),
        per_page=reading.count(body, names["per_page"]),
        total=reading.count(body, names["total"]),
        first=reading.count_or_none(body, names["first"]),
        last=reading.count_or_none(body, names["last"]),
    )


def read_account(document: object, route: Route) -> AccountStatus:
    """The account behind an address; a document without a status is not one."""
    body = reading.as_object(document)
    names = route.reply
    status = reading.text(body, names["status"])
    if not status:
        raise Unfit("no account status", body, names["status"])
    return AccountStatus(
        full_name=reading.text(body, names["full_name"]),
        active={"active": True, "inactive": False}.get(status.casefold()),
        verified=reading.flag(body, names["verified"]),
        primary=reading.flag(body, names["primary"]),
        country=reading.text(body, names["country"]),
        status=status,
    )


def read_purchase(
    document: object,
    route: Route,
    *,
    item_amount: Literal["unit", "line"],
    operation_id: str | None = None,
    code: str | None = None,
) -> Purchase:
    """A purchase with its items; items that cannot be read cost nothing else.

    Args:
        document: the answer.
        route: its names.
        item_amount: what the amount of an item means.
        operation_id: the id it must have; None for any.
        code: the code of a purchase just created: it may have none, but no other, and must be a purchase.
    """
    purchase = Purchase(**_operation(document, route), items=_items(document, route, item_amount))
    if operation_id is not None and purchase.id != operation_id:
        raise Unfit("the record of another operation", document, route.reply["id"])
    if code is not None:
        _see_ours(purchase, document, route, code=code, operation_type="purchase")
    return purchase


def _items(document: object, route: Route, item_amount: str) -> tuple[PurchaseItem, ...]:
    found = reading.value(reading.as_object(document), route.reply["items"])
    listed = found if isinstance(found, list) else []
    return tuple(_item(one, route, item_amount) for one in listed if isinstance(one, dict))


def _item(body: dict[str, object], route: Route, item_amount: str) -> PurchaseItem:
    names = route.reply
    amount = reading.cents(body, names["item_amount"])
    try:
        quantity = reading.count_or_none(body, names["item_quantity"])
    except ValueError:
        quantity = None
    unit = line = amount
    if item_amount == "unit":
        line = Cents(amount * quantity) if amount is not None and quantity is not None else None
    elif amount is not None:
        unit = Cents(amount // quantity) if quantity and amount % quantity == 0 else None
    return PurchaseItem(
        description=reading.text(body, names["item_description"]), quantity=quantity, unit_cents=unit, line_cents=line
    )


def read_partner(document: object, route: Route) -> Partner:
    """Our own account; a document without a name is not one."""
    body, names = reading.as_object(document), route.reply
    inner = reading.value(body, names["partner"])
    body = inner if isinstance(inner, dict) else body
    partner = Partner(
        id=reading.text(body, names["id"]),
        name=reading.text(body, names["name"]),
        email=reading.text(body, names["email"]),
        currency=reading.text(body, names["currency"]),
        balance=reading.signed_cents(body, names["balance"]),
        balance_text=reading.shown(body, names["balance"]),
    )
    if not (partner.id or partner.name or partner.email):
        raise Unfit("no partner", body, names["id"], names["name"], names["email"])
    return partner
