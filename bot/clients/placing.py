"""Placement of request parameters in path, query, header or body, as the route table says."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from urllib.parse import quote

from bot.clients.routes import Place, Route
from bot.domain.errors import ServiceNever
from bot.domain.outcome import refusal

_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_PLAIN_IN_HEADER: Final = " !#$&'()*+,/:;=?@[]"


@dataclass(frozen=True, kw_only=True)
class Placed:
    """The parts of a request that depend on its parameters.

    Attributes:
        path: encoded, with the query if there is one.
        body: None for no body; what a field without a name holds is the body itself.
    """

    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: object | None = field(repr=False)


def place(route: Route, values: Mapping[str, object], *, where: Place | None = None) -> Placed:
    """Every value where the route wants it; one that the path names goes there and nowhere else.

    Args:
        route: what to call.
        values: our name -> value; None leaves a value out.
        where: instead of the route's own place for what the path does not name.

    Raises:
        ServiceNever: 404; a value for the path cannot be an identifier, or one is no text at all.
    """
    where = where or route.parameters
    given = {ours: value for ours, value in values.items() if value is not None}
    try:
        path = route.address(**{ours: _text(given.pop(ours, "")) for ours in route.placeholders})
        named = route.named(given)
        query = _query(named) if named and where in {"query", "both"} else ""
        headers = {name: quote(_text(value), safe=_PLAIN_IN_HEADER) for name, value in named.items()}
    except ValueError as error:
        # Nothing was sent: no service has a record under such a name.
        raise ServiceNever(route.service, refusal(404), status=404) from error
    in_body = where in {"body", "both"}
    has_body = route.method in _WITH_BODY or (in_body and bool(named))
    return Placed(
        path=path + query,
        headers=headers if where == "header" else {},
        body=(named.get("", named) if in_body else {}) if has_body else None,
    )


def _query(named: Mapping[str, object]) -> str:
    """Every reserved character encoded: a plus sign in an address would arrive as a space."""
    return "?" + "&".join(f"{quote(name, safe='')}={quote(_text(value), safe='')}" for name, value in named.items())


def _text(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)
