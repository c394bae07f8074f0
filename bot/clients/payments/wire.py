"""Readers of the payments service's payloads: payouts, purchases, bulk payments, events."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any, Final, Literal, TypeVar
from urllib.parse import urlsplit

from bot.clients import unread
from bot.clients.routes import Route
from bot.clients.unread import Unfit
from bot.domain.money import Cents
from bot.domain.payments.bulk_records import BulkJob, ItemPage, JobPage, ReportedItem
from bot.domain.payments.instruction import same_code
from bot.domain.payments.operation import (
    AccountStatus,
    Operation,
    OperationPage,
    OperationStatus,
    Partner,
    PayoutEvent,
    Purchase,
    PurchaseItem,
    rank,
)
from bot.domain.text import one_line


def read_operation(document: object, route: Route, *, operation_id: str | None = None) -> Operation:
    """Read an operation; only id and status are required. ``operation_id``: the id it must have."""
    operation = Operation(**_operation(document, route))
    _see_same(operation, document, route, operation_id)
    return operation


def _operation(document: object, route: Route) -> dict[str, Any]:
    body, names = unread.as_object(document), route.reply
    identifier, status = unread.text(body, names["id"]), unread.text(body, names["status"])
    if not identifier or not status:
        raise Unfit("no operation: id or status is missing", body, names["id"], names["status"])
    return {
        "id": identifier,
        "status": status,
        "cents": unread.cents(body, names["amount"]),
        "description": unread.text(body, names["description"]),
        "operation_type": unread.text(body, names["operation_type"]).casefold(),
        "svc_hash": unread.text(body, names["hash"]) or None,
        "reports_to": unread.text(body, names["reports_to"]).rpartition("/")[0] or None,
        **{ours: unread.text(body, names[ours]) or None for ours in _OPERATION_TEXTS},
        **{ours: unread.moment(body, names[ours]) for ours in ("created_at", "updated_at")},
    }


_OPERATION_TEXTS: Final = ("code", "email", "failure_reason", "user_id", "partner_id", "operation_id", "internal_note")


def read_committed(document: object, route: Route, *, operation_id: str | None = None) -> Operation:
    """Read the answer to a commit; refuses an operation that isn't committed or in a later state."""
    operation = read_operation(document, route, operation_id=operation_id)
    if operation.state is OperationStatus.CONFIRMED or rank(operation.state) < rank(OperationStatus.COMMITTED):
        raise Unfit("the operation does not say that it is committed", document, route.reply["status"])
    return operation


def read_canceled(document: object, route: Route, *, operation_id: str) -> frozenset[str]:
    """Read the answer to a cancellation as the operation's id; refuses one that isn't canceled."""
    operation = read_operation(document, route, operation_id=operation_id)
    if operation.state is not OperationStatus.CANCELED:
        raise Unfit("the operation does not say that it is canceled", document, route.reply["status"])
    return frozenset({operation.id})


def read_one_step(document: object, route: Route, *, code: str) -> Operation:
    """Read the answer to a one-step payout; refuses one that isn't committed yet or has another code."""
    _see_ours(read_operation(document, route), document, route, code=code, operation_type="payout")
    return read_committed(document, route)


def _see_same(operation: Operation, document: object, route: Route, operation_id: str | None) -> None:
    if operation_id not in (None, operation.id):
        raise Unfit("the record of another operation", document, route.reply["id"])


def _see_ours(operation: Operation, document: object, route: Route, *, code: str, operation_type: str) -> None:
    if operation.code is not None and not same_code(operation.code, code):
        raise Unfit("the record of another code", document, route.reply["code"])
    if operation.operation_type not in {"", operation_type}:
        raise Unfit(f"no {operation_type}", document, route.reply["operation_type"])


def read_of_code(document: object, route: Route, *, code: str) -> Operation:
    """Read an operation; refuses one without this code."""
    operation = read_operation(document, route)
    if not same_code(operation.code, code):
        raise Unfit("the record of another code", document, route.reply["code"])
    return operation


def read_page(document: object, list_route: Route, record_route: Route) -> OperationPage:
    """Read one page of operations with its counts; one unreadable record makes the page unreadable."""
    body, names = unread.as_object(document), list_route.reply
    data = unread.value(body, names["operations"])
    if not isinstance(data, list):
        raise Unfit("no list of operations", body, names["operations"])
    return OperationPage(
        operations=tuple(read_operation(item, record_route) for item in data),
        page=unread.count(body, names["page"]),
        last_page=unread.count(body, names["last_page"]),
        per_page=unread.count(body, names["per_page"]),
        total=unread.count(body, names["total"]),
        first=unread.count_or_none(body, names["first"]),
        last=unread.count_or_none(body, names["last"]),
    )


def read_account(document: object, route: Route) -> AccountStatus:
    """Read the account behind an e-mail address; a status is required."""
    body, names = unread.as_object(document), route.reply
    status = unread.text(body, names["status"])
    if not status:
        raise Unfit("no account status", body, names["status"])
    return AccountStatus(
        full_name=unread.text(body, names["full_name"]),
        active={"active": True, "inactive": False}.get(status.casefold()),
        verified=unread.flag(body, names["verified"]),
        primary=unread.flag(body, names["primary"]),
        country=unread.text(body, names["country"]),
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
    """Read a purchase with its items; unreadable fields of items become None. ``code``: refuse any other code."""
    names, items = route.reply, []
    found = unread.value(unread.as_object(document), names["items"])
    for one in (one for one in (found if isinstance(found, list) else ()) if isinstance(one, dict)):
        amount, quantity = unread.cents(one, names["item_amount"]), None
        with suppress(ValueError):
            quantity = unread.count_or_none(one, names["item_quantity"])
        unit = line = amount
        if item_amount == "unit":
            line = Cents(amount * quantity) if amount is not None and quantity is not None else None
        elif amount is not None:
            unit = Cents(amount // quantity) if quantity and amount % quantity == 0 else None
        description = unread.text(one, names["item_description"])
        items.append(PurchaseItem(description=description, quantity=quantity, unit_cents=unit, line_cents=line))
    purchase = Purchase(**_operation(document, route), items=tuple(items))
    _see_same(purchase, document, route, operation_id)
    if code is not None:
        _see_ours(purchase, document, route, code=code, operation_type="purchase")
    return purchase


def read_partner(document: object, route: Route) -> Partner:
    """Read our own account. Without id, name and e-mail, raise Partly if it has other fields and no error."""
    body, names = unread.as_object(document), route.reply
    inner = unread.value(body, names["partner"])
    body = inner if isinstance(inner, dict) else body
    partner = Partner(
        balance=unread.signed_cents(body, names["balance"]),
        balance_text=unread.shown(body, names["balance"]),
        rest=_rest(body, names, "id", "name", "email", "currency", "balance"),
        **{ours: unread.text(body, names[ours]) for ours in ("id", "name", "email", "currency")},
    )
    if partner.id or partner.name or partner.email:
        return partner
    missing = "no partner", body, names["id"], names["name"], names["email"]
    if partner.rest and not body.keys() & {"error", "errors", "message", "code"}:
        raise unread.Partly(partner, *missing)
    raise Unfit(*missing)


T = TypeVar("T")


def read_job(document: object, route: Route, *, job_id: str = "") -> BulkJob:
    """Read a bulk payment; its id is required. With ``job_id``, refuse another id or a missing status."""
    job = _job(unread.as_object(document), route.reply)
    if job_id not in ("", job.id):
        raise Unfit("the record of another bulk payment", document, route.reply["id"])
    if job_id and not job.status:
        raise Unfit("no status", document, route.reply["status"])
    return job


def read_jobs(document: object, route: Route) -> JobPage:
    """Read one page of the history of bulk payments."""
    body, names = unread.as_object(document), route.reply
    jobs = _list(body, names["bulk_payments"], lambda one: _job(unread.as_object(one), names, count="payments_count"))
    page, pages, count = _figures(body, names)
    return JobPage(jobs=jobs, page=page, pages=pages, count=count)


def read_items(document: object, route: Route, *, failures: bool = False) -> ItemPage:
    """Read one page of items or failures. A list without page numbers is taken as complete.

    A reason may be a text, an object with a code and a message, or a list of those. If a failure has no known reason
    field, its unknown fields are the reason, and the answer counts as unread.
    """
    names, strange = route.reply, list[dict[str, object]]()
    body = {names["payments"][0]: document} if isinstance(document, list) else unread.as_object(document)

    def read(one: object) -> ReportedItem:
        if failures and isinstance(one, str):
            return ReportedItem(error=unread.as_text(one), email=next(iter(_ADDRESS.findall(one)), ""))
        record = unread.as_object(one)
        texts = {ours: unread.text(record, names[ours]) for ours in _TEXTS if ours in names}
        why = reason_in(record, names["error"])
        if failures and not why:
            why = _besides(record, names)
            strange.extend([record] if why else [])
        return ReportedItem(cents=unread.cents(record, names["amount"]), error=why, **texts)

    items = _list(body, names["payments"], read)
    is_paged = any(unread.value(body, names[told]) is not None for told in ("page", "pages", "count"))
    page, pages, count = _figures(body, names) if is_paged else (1, 1, len(items))
    found = ItemPage(items=items, page=page, pages=pages, count=count)
    if strange:
        raise unread.Partly(found, "a failure without a known reason", strange[0], names["error"])
    return found


_TEXTS: Final = ("email", "note", "internal_note", "status", "hash", "user_id", "operation")
_ADDRESS: Final = re.compile(r"[^\s@<>\"'(),;:]+@[^\s@<>\"'(),;:]+\.[^\s@<>\"'(),;:.]+")
_MESSAGES: Final = (
    *("message", "reason", "failure_reason", "failureReason", "error", "detail", "details"),
    *("description", "text", "title", "messages", "errors"),
)
"""Names of an object's error message, the plainest first."""
_CODES: Final = ("code", "error_code", "errorCode", "type", "status")
_TELLS_NOTHING: Final = re.compile(r"(^|_)(id|currency|date|at|index|position|row|line)$|[a-z](Id|At|Date)$")
"""Names of fields that aren't reasons."""


def reason_in(body: Mapping[str, object], names: tuple[str, ...]) -> str:
    """Return a record's reason in one line, from the first of these fields that isn't empty."""
    return next(filter(None, (_why(body.get(name), _DEEPEST) for name in names)), "")


def _why(found: object, depth: int) -> str:
    if isinstance(found, list) and depth:
        return "; ".join(dict.fromkeys(filter(None, (_why(one, depth - 1) for one in found))))
    if isinstance(found, dict) and depth:
        words = next(filter(None, (_why(found.get(name), depth - 1) for name in _MESSAGES)), "")
        code = one_line(unread.text(found, _CODES))
        if not words:
            rest = {name: value for name, value in found.items() if name not in _CODES}
            words = ", ".join(f"{name}: {value}" for name, value in _details(rest, "", depth))
        return f"{words} ({code})" if words and code and code != words else words or code
    return one_line(unread.as_text(found))


def _besides(record: Mapping[str, object], names: Mapping[str, tuple[str, ...]]) -> str:
    known = {name for told in names.values() for name in told}
    rest = {name: value for name, value in record.items() if name not in known and not _TELLS_NOTHING.search(name)}
    return ", ".join(f"{name}: {value}" for name, value in _details(rest, "", _DEEPEST))


def read_canceled_items(document: object, route: Route) -> frozenset[str]:
    """Read the hashes that the service reports as canceled; a list is required."""
    body, names = unread.as_object(document), route.reply["successful"]
    found = unread.value(body, names)
    if not isinstance(found, list):
        if body.keys() & set(names):
            return frozenset()  # null and "" mean an empty list
        raise Unfit("no list of canceled payments", document, names)
    return frozenset(filter(None, map(unread.as_text, found)))


def _job(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]], *, count: str = "count") -> BulkJob:
    identifier = unread.text(body, names["id"])
    if not identifier:
        raise Unfit("no bulk payment: id is missing", body, names["id"])
    inner = unread.value(body, names["payments"])
    figures = inner if isinstance(inner, dict) else body
    told_as = {"count": count, "pending": "pending", "completed": "completed", "failed": "failed"}
    return BulkJob(
        id=identifier,
        status=unread.text(body, names["status"]),
        created_at=unread.moment(body, names["created_at"]) if "created_at" in names else None,
        why=reason_in(body, names["reason"]) if "reason" in names else "",
        **{ours: _figure(figures, names[told]) for ours, told in told_as.items() if told in names},
    )


def _figure(body: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    """Read a count; an empty text is zero, a missing field None."""
    if any(body.get(name) == "" for name in names):
        return 0
    return unread.count_or_none(body, names)


def _figures(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]]) -> tuple[int, int, int | None]:
    """Read the page number, the number of pages, and the total of records."""
    return unread.count(body, names["page"]), _figure(body, names["pages"]) or 0, _figure(body, names["count"])


def _list(body: Mapping[str, object], names: tuple[str, ...], read: Callable[[object], T]) -> tuple[T, ...]:
    found = unread.value(body, names)
    if found is None and any(name in body for name in names):
        return ()
    if not isinstance(found, list):
        raise Unfit(f"no list of {names[0]}", body, names)
    return tuple(map(read, found))


_DEEPEST: Final = 4
_MOST_DETAILS: Final = 40
_SECRET_NAMES: Final = ("token", "secret", "passw", "authorization", "signature", "credential", "cookie", "pin_code")
_MASK: Final = "•••"


def read_events(document: object, route: Route) -> tuple[PayoutEvent, ...]:
    """Read the events of one payout in the service's order; null means none."""
    if document is None:
        return ()
    if not isinstance(document, dict | list):
        raise Unfit("no list of events", document)
    names, records = route.reply, filter(None, _records(document, route, _DEEPEST))
    return tuple(
        PayoutEvent(
            at=unread.moment(body, names["at"]),
            kind=unread.line(body, names["kind"]),
            host=_host(unread.text(body, names["url"])),
            status=unread.line(body, names["status"]),
            rest=_rest(body, names, "at", "kind", "url", "status"),
        )
        for body in (record if isinstance(record, dict) else {"event": record} for record in records)
    )


def _records(found: object, route: Route, depth: int) -> list[object]:
    if isinstance(found, list):
        return found
    if not isinstance(found, dict) or depth == 0:
        return [found]
    inner = [found[name] for name in route.reply["events"] if isinstance(found.get(name), dict | list)]
    if any(inner):
        return _records(next(filter(None, inner)), route, depth - 1)
    is_event = any(unread.text(found, route.reply[name]) for name in ("at", "kind", "url"))
    # An empty list and an object with only an error both mean "no events".
    return [found] if is_event or not (inner or unread.text(found, route.reply["error"])) else []


def _is_secret(name: str) -> bool:
    """Return whether a field of this name may contain a credential."""
    plain = name.casefold()
    return plain.endswith(("key", "keys", "pin")) or any(secret in plain for secret in _SECRET_NAMES)


def _host(address: str) -> str:
    try:
        return one_line(urlsplit(address).hostname or "")
    except ValueError:
        return ""


def _rest(body: Mapping[str, object], names: Mapping[str, tuple[str, ...]], *read: str) -> tuple[tuple[str, str], ...]:
    """Return a record's other fields under the service's names; ``read``: our names of fields already read."""
    known = {next((name for name in names[ours] if body.get(name) not in (None, "")), "") for ours in read}
    others = {name: value for name, value in body.items() if name not in known}
    return tuple(_details(others, "", _DEEPEST))[:_MOST_DETAILS]


def _details(body: Mapping[str, object], prefix: str, depth: int) -> Iterator[tuple[str, str]]:
    for name, value in body.items():
        key = one_line(f"{prefix}{name}")
        if value not in (None, "") and _is_secret(name):
            yield key, _MASK
            continue
        match value:
            case dict() if depth > 0:
                yield from _details(value, f"{key}.", depth - 1)
            case list() if depth > 0:
                yield from _details({str(number): item for number, item in enumerate(value)}, f"{key}.", depth - 1)
            case dict() | list() | None | "":
                continue
            case bool():
                yield key, "yes" if value else "no"
            case _:
                yield key, (_host(value) if isinstance(value, str) else "") or one_line(str(value))
