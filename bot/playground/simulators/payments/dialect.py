"""Routes and field names of the service, as a table that a test may change."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

ROUTES: Mapping[str, tuple[str, str]] = {
    "list_operations": ("GET", "/operations"),
    "get_operation": ("GET", "/operations/{id}"),
    "get_operation_by_code": ("GET", "/code/{code}"),
    "create_payout": ("POST", "/payouts"),
    "one_step_payout": ("POST", "/payouts/one-step"),
    "commit_payout": ("POST", "/payouts/{id}/commit"),
    "cancel_payout": ("POST", "/payouts/{id}/cancel"),
    "payout_events": ("GET", "/payouts/events/{id}"),
    "create_purchase": ("POST", "/purchases"),
    "get_purchase": ("GET", "/purchases/{id}"),
    "partner": ("GET", "/partners/me"),
    "account_status": ("GET", "/account-status"),
    "create_bulk_payment": ("POST", "/bulk-payments"),
    "get_bulk_payment": ("GET", "/bulk-payments/{id}"),
    "list_bulk_failures": ("GET", "/bulk-payments/{id}/errors"),
    "list_bulk_payments": ("GET", "/bulk-payments"),
    "list_bulk_items": ("GET", "/bulk-payments/{id}/payments"),
    "cancel_bulk_items": ("POST", "/bulk-payments/{id}/payments/cancel"),
}
"""Default method and path by operation. Faults are armed for the same operation names."""

_PREFIX = "svc_"


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """A set of routes and field names of the service.

    Attributes:
        routes: method and path template by operation; operations left out do not exist in this dialect.
            Templates contain ``{id}`` or ``{code}``, unless ``places`` is used.
        names: a field's name on the wire by its default name (``amount``, ``currentPage``, ``svc_operation_id`` ...),
            or by operation and name where it differs in one place (``create_payout.email``).
        prefix: replaces ``svc`` in field names.
        email_header: header for the e-mail in an account status request, instead of the query.
        places: part of the request with an operation's id, code or e-mail if its path doesn't contain it: ``query``
            (the default), ``header`` or ``body``.
    """

    routes: Mapping[str, tuple[str, str]] = field(default_factory=lambda: dict(ROUTES))
    names: Mapping[str, str] = field(default_factory=dict)
    prefix: str = "svc"
    email_header: str | None = None
    places: Mapping[str, Literal["query", "header", "body"]] = field(default_factory=dict)

    def name(self, operation: str, default: str) -> str:
        """Return a field's name on the wire."""
        told = self.names.get(f"{operation}.{default}") or self.names.get(default)
        if told is not None:
            return told
        return f"{self.prefix}_{default.removeprefix(_PREFIX)}" if default.startswith(_PREFIX) else default

    def outward(self, operation: str, value: object) -> object:
        """Return a reply with field names as on the wire, at every depth."""
        if isinstance(value, dict):
            return {self.name(operation, key): self.outward(operation, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.outward(operation, inner) for inner in value]
        return value
