"""The route table as a value: method, path, field names and evidence for each operation of a service."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Final, Literal
from urllib.parse import quote

from bot.domain.bookings.record import same_word
from bot.domain.errors import OperatorError, ServiceNever
from bot.domain.outcome import refusal
from bot.domain.overview import Assumption, Word

PLACEHOLDER: Final = re.compile(r"\{([a-z_]+)\}")

ListParameters = Literal["body", "query", "both"]
Place = Literal["path", "query", "header", "body", "both"]

A_MINUTE: Final = {"milliseconds": 60_000, "seconds": 60, "minutes": 1}
"""Units of time on the wire, with their number per minute."""


class Mark(StrEnum):
    """Evidence for an entry of the route table."""

    DOCUMENTED = "D"
    STRONG_EVIDENCE = "A1"
    ANALOGY = "A2"
    CONVENTION = "A3"

    @property
    def is_assumed(self) -> bool:
        """True if no interface document shows the entry."""
        return self is not Mark.DOCUMENTED


@dataclass(frozen=True, kw_only=True)
class Route:
    """One operation of a service.

    Attributes:
        path: relative to the base address, with placeholders such as ``{id}``.
        parameters: where parameters outside the path are sent.
        confirmed: an operator confirmed this assumed entry.
        overridden: an operator's file changed this entry.
        fields: our name of a request field -> the service's.
        reply: our name of a reply field -> the service's alternatives; the first one that isn't empty counts.
    """

    service: str
    operation: str
    method: str
    path: str
    mark: Mark
    moves_money: bool
    parameters: Place = "path"
    confirmed: bool = False
    overridden: bool = False
    fields: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    reply: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def name(self) -> str:
        """Key such as ``payments.commit_payout``, printed by ``routes`` and used in an operator's file."""
        return f"{self.service}.{self.operation}"

    @property
    def is_unconfirmed(self) -> bool:
        """True if it moves money, is assumed, and isn't confirmed by an operator."""
        return self.moves_money and self.mark.is_assumed and not self.confirmed

    @property
    def placeholders(self) -> frozenset[str]:
        """Our names of the parameters in the path."""
        return frozenset(PLACEHOLDER.findall(self.path))

    def address(self, **values: str) -> str:
        """Return the path with percent-encoded values. ValueError if one is blank, only dots, or too long for an id."""
        for name in self.placeholders:
            value = values[name]
            # "." and ".." have no percent-encoded form that every server keeps apart from the plain one.
            if not value.strip(" .") or len(value) > 200:  # noqa: PLR2004 - no identifier is that long
                raise ValueError(f"{name} is no identifier")
        return PLACEHOLDER.sub(lambda found: quote(values[found[1]], safe=""), self.path)

    @property
    def ours(self) -> Mapping[str, str]:
        """The service's name of a request field -> ours; if an item's field shares the name, the body's."""
        return {theirs: ours for ours, theirs in reversed(list(self.fields.items()))}

    def named(self, values: Mapping[str, object]) -> dict[str, object]:
        """Return the fields under the service's names, without those that are None."""
        return {self.fields[ours]: value for ours, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ServiceDialect:
    """Conventions of a service that apply to all its operations.

    Attributes:
        field_prefix: the service's own name, which replaces ``svc`` in field names.
        list_parameters: where the parameters of a list are sent.
        list_page_size: page size of our own scans.
        item_amount: whether the amount of a purchase's item is per unit or per line.
        language: value of ``content-language``, for a service that needs it.
        words: its states, kinds of events and units.
    """

    field_prefix: str = "svc"
    list_parameters: ListParameters = "both"
    list_page_size: int = 100
    item_amount: Literal["unit", "line"] = "unit"
    language: str = "en"
    words: tuple[Word, ...] = ()

    @cached_property
    def _states(self) -> Mapping[str, str]:
        return {same_word(one.theirs): one.ours for one in self.words if one.table == "states"}

    def state(self, word: str) -> str:
        """Return our state for the service's word, or the word itself if the table has no line for it."""
        return self._states.get(same_word(word), word)

    def kinds(self, ours: str) -> tuple[str, ...]:
        """Return the service's names for a kind of event; a webhook is registered for each."""
        return tuple(one.theirs for one in self.words if one.table == "events" and one.ours == ours)

    def a_minute(self, name: str) -> int:
        """Return how many units of the request field ``name`` make a minute."""
        return next(A_MINUTE[one.ours] for one in self.words if one.table == "units" and one.theirs == name)


class RouteTable:
    """Routes of all services. In production it refuses unconfirmed assumptions that move money."""

    def __init__(self, *, routes: Iterable[Route], dialects: Mapping[str, ServiceDialect], environment: str) -> None:
        self._routes = {route.name: route for route in routes}
        self._dialects = dict(dialects)
        self._is_production = environment == "production"

    def dialect(self, service: str) -> ServiceDialect:
        return self._dialects[service]

    def use(self, service: str, operation: str) -> Route:
        """Return the route for a request. ``OperatorError`` in production if it is unconfirmed and moves money."""
        route = self._routes[f"{service}.{operation}"]
        if self._is_production and route.is_unconfirmed:
            raise OperatorError(
                f"{route.name} ({route.method} {route.path}) is an assumption ({route.mark.value}) that moves money "
                "and that nobody has confirmed; nothing was sent",
                mend=f"check it against the service's documentation, then write [{route.name}] confirmed = true "
                "in the file that SERVICES_FILE names",
            )
        return route

    def words(self) -> tuple[tuple[str, Word], ...]:
        """Return every line of states, events and units with its key in an operator's file."""
        return tuple(
            (f"{service}.{one.table}.{one.theirs}", one)
            for service, dialect in self._dialects.items()
            for one in dialect.words
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """Return unconfirmed assumptions, including those that move no money."""
        return tuple(
            Assumption(
                name=route.name, method=route.method, path=route.path, mark=route.mark, blocks=route.is_unconfirmed
            )
            for route in self._routes.values()
            if route.mark.is_assumed and not route.confirmed
        )

    def rows(self) -> tuple[Route, ...]:
        """Return every route, in the order of the file."""
        return tuple(self._routes.values())


_WITH_BODY: Final = frozenset({"POST", "PUT", "PATCH"})
_PLAIN_IN_HEADER: Final = " !#$&'()*+,/:;=?@[]"


@dataclass(frozen=True, kw_only=True)
class Placed:
    """The parts of a request that depend on its parameters; ``path`` is encoded, with the query if there is one."""

    path: str = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    body: object | None = field(repr=False)


def place(route: Route, values: Mapping[str, object], *, where: Place | None = None) -> Placed:
    """Place each value where the route sends it, or at ``where``; path parameters go into the path only.

    ``values``: our name -> value; None omits it. ``ServiceNever`` (404) if a value isn't a valid id or text.
    """
    where = where or route.parameters
    given = {ours: value for ours, value in values.items() if value is not None}
    try:
        path = route.address(**{ours: _text(given.pop(ours, "")) for ours in route.placeholders})
        named = route.named(given)
        # Encode every reserved character: a plus sign in an address would arrive as a space.
        pairs = [f"{quote(name, safe='')}={quote(_text(value), safe='')}" for name, value in named.items()]
        query = "?" + "&".join(pairs) if named and where in {"query", "both"} else ""
        headers = {name: quote(_text(value), safe=_PLAIN_IN_HEADER) for name, value in named.items()}
    except ValueError as error:
        # Report 404 without sending: no service has a record with such an id.
        raise ServiceNever(route.service, refusal(404), status=404) from error
    in_body = where in {"body", "both"}
    has_body = route.method in _WITH_BODY or (in_body and bool(named))
    return Placed(
        path=path + query,
        headers=headers if where == "header" else {},
        body=(named.get("", named) if in_body else {}) if has_body else None,
    )


def _text(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)
