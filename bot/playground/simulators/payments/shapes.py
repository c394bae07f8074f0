"""The service's replies: operations, pages, account status, and the bodies of its refusals."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from bot.playground.faults import Fault, FaultKind
from bot.playground.simulators.exchange import PROXY_PAGE, Answer
from bot.playground.simulators.payments.records import Account, Record, Switches

_OPTIONAL = ("confirmation_uri", "cancel_uri", "failure_uri", "callback_uri", "code", "failure_reason")


class Shapes:
    """Renders records like the service; alternates between its spellings."""

    def __init__(self, *, partner_id: str, switches: Switches) -> None:
        self._partner_id = partner_id
        self._switches = switches
        self._rendered = 0

    def operation(self, record: Record, *, status: str | None = None) -> dict[str, object]:
        """Return the documented operation with default field names; ``status`` overrides that of the record."""
        self._rendered += 1
        unset = self._unset()
        shape: dict[str, object] = {
            "id": record.id,
            "partner_id": self._partner_id,
            "status": self._spelled(status or record.status),
            "amount": self.amount(record.cents),
            "description": record.description,
            "operation_type": record.operation_type,
            "created_at": iso(record.created_at),
            "updated_at": iso(record.updated_at),
            "svc_operation_id": record.svc_operation_id,
            "svc_user_id": unset if record.svc_user_id is None else record.svc_user_id,
            "svc_user_email": record.email or unset,
            "svc_operation_hash": unset if record.svc_operation_hash is None else record.svc_operation_hash,
        }
        for name in _OPTIONAL:
            value = getattr(record, name)
            shape[name] = unset if value is None else value
        if record.internal_note is not None:
            shape["internal_note"] = record.internal_note
        if record.items:
            shape["items"] = [
                {"description": item.description, "amount": self.amount(item.cents), "quantity": item.quantity}
                for item in record.items
            ]
        return shape

    def page(self, records: Sequence[Record], *, page: int, size: int, total: int) -> dict[str, object]:
        """Return the documented page of operations; ``from`` and ``to`` are 0 on a page without rows."""
        first = (page - 1) * size + 1
        return {
            "currentPage": page,
            "lastPage": max(-(-total // size), 1),
            "perPage": size,
            "total": total,
            "from": first if records else 0,
            "to": first + len(records) - 1 if records else 0,
            "data": [self.operation(record) for record in records],
        }

    def amount(self, cents: int) -> str | float:
        """Return an amount in USD: a string with two decimals, or a number with that switch."""
        return cents / 100 if self._switches.numeric_amounts else f"{cents // 100}.{cents % 100:02d}"

    def spelled(self, status: str) -> str:
        """Return a status in the spelling of the next reply."""
        self._rendered += 1
        return self._spelled(status)

    def _spelled(self, status: str) -> str:
        return status.upper() if self._switches.mixed_case and self._rendered % 2 else status

    def _unset(self) -> str | None:
        if self._switches.unset == "mixed":
            return None if self._rendered % 2 else ""
        return None if self._switches.unset == "null" else ""


def account_status(account: Account | None) -> dict[str, object]:
    """Return the documented account record; an unknown e-mail is inactive and has no name."""
    if account is None:
        return {"country_ID": "", "isPrimary": False, "status": "inactive", "is_verified": False, "fullName": ""}
    return {
        "country_ID": account.country,
        "isPrimary": account.is_primary,
        "status": account.status,
        "is_verified": account.is_verified,
        "fullName": account.full_name,
    }


def iso(at: float) -> str:
    """Return a time in ISO 8601 with milliseconds, in UTC."""
    return datetime.fromtimestamp(at, tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def invalid(messages: Mapping[str, Sequence[str]]) -> Answer:
    """Return a 422 with the errors of each field."""
    return Answer(
        status=422,
        body={
            "message": "The request is not valid",
            "messages": {name: list(lines) for name, lines in messages.items()},
        },
    )


def coded(status: int, code: str, message: str, *, display: bool = True) -> Answer:
    """Return the documented answer for 404: ``{data, code, message, displayToUser}``."""
    return Answer(status=status, body={"data": {}, "code": code, "message": message, "displayToUser": display})


def plain(status: int, message: str, **headers: str) -> Answer:
    """Return the documented answer for 403 and 500: ``{status, message}``; header names have _ for -."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer(status=status, body={"status": status, "message": message}, headers=named)


def proxy_page(status: int, title: str) -> Answer:
    """Return the HTML page of a proxy in front of the service."""
    return Answer(status=status, body=PROXY_PAGE.format(title=title), content_type="text/html")


def answer_to(fault: Fault) -> Answer:
    """Return the answer of the service, or the proxy in front of it, under a fault."""
    match fault.kind:
        case FaultKind.TOO_MANY:
            return plain(429, "Too many requests", **({} if fault.wait is None else {"Retry_After": fault.wait}))
        case FaultKind.REFUSED:
            return invalid({"request": ["was refused"]})
        case FaultKind.DONE_REFUSED:
            return invalid({"status": ["is not created"]})
        case FaultKind.GARBAGE:
            return proxy_page(200, "Please wait")
        case _:
            return plain(500, "Internal server error")
