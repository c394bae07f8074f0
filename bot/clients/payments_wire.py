"""The payments service's JSON, read into our records. Tolerant of spelling, strict about identity.

Every reader raises ``ValueError`` when the document is not the record it should be, and nothing else.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from bot.clients.routes import Route
from bot.domain.money import Cents, cents_of
from bot.domain.operation import AccountStatus, Operation, OperationPage, OperationStatus, rank

_MAX_NUMBER_TEXT: Final = 40
_MAX_COUNT: Final = 10**12

Names = Mapping[str, tuple[str, ...]]


def read_operation(document: object, *, route: Route) -> Operation:
    """One operation; it must have an id and a status, everything else may be missing."""
    body = _object(document)
    names = route.reply
    identifier, status = _text(body, names["id"]), _text(body, names["status"])
    if not identifier or not status:
        raise ValueError("no operation: id or status is missing")
    return Operation(
        id=identifier,
        status=status,
        code=_text(body, names["code"]) or None,
        cents=_cents(_value(body, names["amount"])),
        email=_text(body, names["email"]) or None,
        description=_text(body, names["description"]),
        operation_type=_text(body, names["operation_type"]).casefold(),
        svc_hash=_text(body, names["hash"]) or None,
        failure_reason=_text(body, names["failure_reason"]) or None,
        user_id=_text(body, names["user_id"]) or None,
        created_at=_time(_text(body, names["created_at"])),
        updated_at=_time(_text(body, names["updated_at"])),
    )


def read_committed(document: object, *, route: Route, operation_id: str) -> Operation:
    """The answer to a commit: this operation, committed or further."""
    operation = read_same(document, route=route, operation_id=operation_id)
    if operation.state is OperationStatus.CONFIRMED or rank(operation.state) < rank(OperationStatus.COMMITTED):
        raise ValueError("the operation does not say that it is committed")
    return operation


def read_same(document: object, *, route: Route, operation_id: str) -> Operation:
    """The operation with exactly this id."""
    operation = read_operation(document, route=route)
    if operation.id != operation_id:
        raise ValueError("the record of another operation")
    return operation


def read_page(document: object, *, list_route: Route, record_route: Route) -> OperationPage:
    """One page of operations with its figures; a page with one unreadable record is unreadable."""
    body = _object(document)
    names = list_route.reply
    data = _value(body, names["operations"])
    if not isinstance(data, list):
        raise ValueError("no list of operations")  # noqa: TRY004 - one kind of error for "not the record"
    return OperationPage(
        operations=tuple(read_operation(item, route=record_route) for item in data),
        page=_count(body, names["page"]),
        last_page=_count(body, names["last_page"]),
        per_page=_count(body, names["per_page"]),
        total=_count(body, names["total"]),
        first=_count_or_none(body, names["first"]),
        last=_count_or_none(body, names["last"]),
    )


def read_account(document: object, *, route: Route) -> AccountStatus:
    """The account behind an address; a document without a status is not one."""
    body = _object(document)
    names = route.reply
    status = _text(body, names["status"])
    if not status:
        raise ValueError("no account status")
    return AccountStatus(
        full_name=_text(body, names["full_name"]),
        active={"active": True, "inactive": False}.get(status.casefold()),
        verified=_flag(_value(body, names["verified"])),
        primary=_flag(_value(body, names["primary"])),
        country=_text(body, names["country"]),
        status=status,
    )


def _object(document: object) -> dict[str, object]:
    if not isinstance(document, dict):
        raise ValueError("no object")  # noqa: TRY004 - one kind of error for "not the record"
    return document


def _value(body: Mapping[str, object], names: tuple[str, ...]) -> object:
    """The first of the names that is filled: unset fields come as null or as an empty string."""
    for name in names:
        value = body.get(name)
        if value is not None and value != "":
            return value
    return None


def _text(body: Mapping[str, object], names: tuple[str, ...]) -> str:
    value = _value(body, names)
    if isinstance(value, bool) or not isinstance(value, str | int):
        return ""
    # A lone surrogate or NUL is legal in JSON, and neither in UTF-8 nor in a PostgreSQL text.
    return str(value).encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd").strip()


def _cents(value: object) -> Cents | None:
    # A number of hundreds of digits is no amount, and rounding it would make it look exact.
    return None if value is None or len(str(value)) > _MAX_NUMBER_TEXT else _bounded(cents_of(value))


def _bounded(cents: Cents | None) -> Cents | None:
    return cents if cents is not None and 0 <= cents <= _MAX_COUNT * 100 else None


def _count(body: Mapping[str, object], names: tuple[str, ...]) -> int:
    found = _count_or_none(body, names)
    if found is None:
        raise ValueError(f"{names[0]} is missing")
    return found


def _count_or_none(body: Mapping[str, object], names: tuple[str, ...]) -> int | None:
    value = _value(body, names)
    if value is None:
        return None
    text = str(value).strip()
    if isinstance(value, bool) or not (text.isascii() and text.isdigit() and len(text) <= len(str(_MAX_COUNT))):
        raise ValueError(f"{names[0]} is no count")
    return int(text)


def _flag(value: object) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}.get(
        str(value).strip().casefold()
    )


def _time(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
