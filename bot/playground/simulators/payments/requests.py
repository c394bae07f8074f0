"""Parsing of partners' requests: every field checked, all errors reported together."""

import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any
from urllib.parse import unquote, urlsplit

from bot.playground.simulators.exchange import Answer, Ask, Refusal
from bot.playground.simulators.payments.dialect import Dialect
from bot.playground.simulators.payments.records import Item, PayoutOrder, PurchaseOrder
from bot.playground.simulators.payments.shapes import invalid

_EMAIL = re.compile(r"[^@\s,;<>]+@[^@\s,;<>]+\.[^@\s,;<>]+")
_AMOUNT_MAX = 10**13


class Fields:
    """A JSON object under validation: read its fields, then call ``settle``."""

    def __init__(self, values: Mapping[str, Any], *, operation: str, dialect: Dialect) -> None:
        self._values = values
        self._operation = operation
        self._dialect = dialect
        self._complaints: dict[str, list[str]] = {}

    def complain(self, name: str, message: str) -> None:
        """Record an error of a field."""
        self._complaints.setdefault(self._dialect.name(self._operation, name), []).append(message)

    def settle(self) -> None:
        """End the validation.

        Raises:
            Refusal: 422 with every error, if there is one.
        """
        if self._complaints:
            raise Refusal(invalid(self._complaints))

    def value(self, name: str) -> object:
        """The field as sent; None when it is absent, null or empty."""
        value = self._values.get(self._dialect.name(self._operation, name))
        return None if value == "" else value

    def text(
        self, name: str, *, required: bool, fits: Callable[[str], bool] | None = None, rule: str = ""
    ) -> str | None:
        """A string field; ``rule`` is the error text when it is invalid."""
        value = self.value(name)
        if value is None:
            if required:
                self.complain(name, "is required")
            return None
        if not isinstance(value, str):
            self.complain(name, "must be a string")
            return None
        if fits is not None and not fits(value):
            self.complain(name, rule)
        return value

    def url(self, name: str, *, required: bool) -> str | None:
        """An absolute http or https address."""
        return self.text(name, required=required, fits=_is_url, rule="must be a valid http or https URL")

    def email(self, name: str, *, required: bool) -> str | None:
        """Something that looks like an e-mail address."""
        return self.text(name, required=required, fits=_is_email, rule="must be a valid e-mail address")

    def cents(self, name: str) -> int:
        """A required JSON number above zero with at most two decimals, in cents; 0 after an error."""
        value = self.value(name)
        if value is None:
            self.complain(name, "is required")
        elif isinstance(value, bool) or not isinstance(value, int | Decimal):
            self.complain(name, "must be a number")
        elif value <= 0 or value > _AMOUNT_MAX:
            self.complain(name, "must be greater than 0 and within the limits of the service")
        elif value * 100 != int(value * 100):
            self.complain(name, "must have at most two decimals")
        else:
            return int(value * 100)
        return 0


def read_object(ask: Ask) -> Mapping[str, Any]:
    """The JSON object in a request's body; an empty body is an empty object.

    Raises:
        Refusal: 422; the body is something else.
    """
    try:
        body = ask.json()
    except ValueError:
        raise Refusal(invalid({"body": ["must be valid JSON"]})) from None
    if body is None:
        return {}
    if not isinstance(body, dict):
        raise Refusal(invalid({"body": ["must be a JSON object"]}))
    return body


def read_parameter(ask: Ask, dialect: Dialect, name: str) -> str:
    """The id, code or e-mail of a request, read from the dialect's place for it; empty when absent.

    Raises:
        Refusal: 422; it is in the body, and the body is no JSON object.
    """
    if name in ask.params:
        return ask.params[name]
    told = dialect.name(ask.operation, name)
    match dialect.places.get(ask.operation, "query"):
        case "header":
            return unquote(ask.headers.get(told.lower(), ""))
        case "body":
            value = read_object(ask).get(told)
            return value if isinstance(value, str) else ""
        case _:
            return ask.query.get(told, "")


def read_payout(ask: Ask, dialect: Dialect) -> PayoutOrder:
    """The order in a create-payout or one-step request.

    Raises:
        Refusal: 422 naming every field that is wrong.
    """
    fields = Fields(read_object(ask), operation=ask.operation, dialect=dialect)
    email = fields.email("email", required=True)
    description = fields.text("description", required=True)
    cents = fields.cents("amount")
    confirmation_uri = fields.url("confirmation_uri", required=True)
    failure_uri = fields.url("failure_uri", required=True)
    cancel_uri = fields.url("cancel_uri", required=False)
    code = fields.text("code", required=False)
    fields.settle()
    return PayoutOrder(
        email=email or "",
        description=description or "",
        cents=cents,
        confirmation_uri=confirmation_uri or "",
        failure_uri=failure_uri or "",
        cancel_uri=cancel_uri,
        code=code,
    )


def read_purchase(ask: Ask, dialect: Dialect, *, per_unit: bool) -> PurchaseOrder:
    """The order in a create-purchase request; the items must add up to the amount.

    Raises:
        Refusal: 422 naming every field that is wrong.
    """
    fields = Fields(read_object(ask), operation=ask.operation, dialect=dialect)
    code = fields.text("code", required=True)
    description = fields.text("description", required=True)
    cents = fields.cents("amount")
    items = _items(fields, operation=ask.operation, dialect=dialect)
    if cents and items and cents != sum(item.cents * (item.quantity if per_unit else 1) for item in items):
        fields.complain("amount", "must equal the sum of the items")
    email = fields.email("svc_user_email", required=False)
    urls = {name: fields.url(name, required=False) for name in ("confirmation_uri", "cancel_uri")}
    later = {name: fields.url(name, required=False) for name in ("failure_uri", "callback_uri")}
    fields.settle()
    return PurchaseOrder(
        code=code or "", description=description or "", cents=cents, items=items, email=email or "", **urls, **later
    )


def read_page(ask: Ask, dialect: Dialect, *, use_body: bool, use_query: bool, cap: int) -> tuple[int, int, str | None]:
    """Page, page size and type of a listing; the body takes precedence over the query.

    Raises:
        Refusal: 422; a parameter is not what it should be.
    """
    given: dict[str, Any] = dict(ask.query) if use_query else {}
    if use_body:
        given |= read_object(ask)
    fields = Fields(given, operation=ask.operation, dialect=dialect)
    page = _whole(fields, "page", default=1)
    size = min(_whole(fields, "perPage", default=10), cap)
    kind = fields.text(
        "type", required=False, fits=lambda text: text in ("payout", "purchase"), rule="must be payout or purchase"
    )
    fields.settle()
    return page, size, kind


def read_page_number(ask: Ask, dialect: Dialect) -> int:
    """The page of a bulk list, from the query.

    Raises:
        Refusal: 422; it is no whole number from 1.
    """
    fields = Fields(dict(ask.query), operation=ask.operation, dialect=dialect)
    page = _whole(fields, "page", default=1)
    fields.settle()
    return page


def _items(fields: Fields, *, operation: str, dialect: Dialect) -> tuple[Item, ...]:
    rows = fields.value("items")
    if not isinstance(rows, list) or not rows:
        fields.complain("items", "must be a list of at least one item")
        return ()
    items = []
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            fields.complain(f"items.{number}", "must be an object")
            continue
        line = Fields(row, operation=operation, dialect=dialect)
        description, cents = line.text("description", required=True), line.cents("amount")
        quantity = _whole(line, "quantity", default=1)
        try:
            line.settle()
        except Refusal as refusal:
            fields.complain(f"items.{number}", _complaints(refusal.answer))
            continue
        items.append(Item(description=description or "", cents=cents, quantity=quantity))
    return tuple(items) if len(items) == len(rows) else ()


def _complaints(answer: Answer) -> str:
    body = answer.body
    assert isinstance(body, dict)
    return "; ".join(f"{name} {' and '.join(wrong)}" for name, wrong in body["messages"].items())


def _whole(fields: Fields, name: str, *, default: int) -> int:
    """A whole number from 1, as a JSON number or (in a query) as digits."""
    value = fields.value(name)
    if value is None:
        return default
    if isinstance(value, str) and value.isascii() and value.isdigit():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        fields.complain(name, "must be a whole number from 1")
        return default
    return value


def _is_email(text: str) -> bool:
    return _EMAIL.fullmatch(text) is not None


def _is_url(text: str) -> bool:
    if not text.isprintable() or " " in text:
        return False
    try:
        parts = urlsplit(text)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.hostname)
