"""The route table as a value: for every operation of a service its method, path, names and mark."""

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
"""Units of a time on the wire: how many of each a minute has."""


class Mark(StrEnum):
    """Evidence for an entry."""

    DOCUMENTED = "D"
    STRONG_EVIDENCE = "A1"
    ANALOGY = "A2"
    CONVENTION = "A3"

    @property
    def is_assumed(self) -> bool:
        """Whether no interface document shows it."""
        return self is not Mark.DOCUMENTED


@dataclass(frozen=True, kw_only=True)
class Route:
    """One operation of a service.

    Attributes:
        path: relative to the base address, with placeholders such as ``{id}``.
        parameters: where those that are not in the path travel.
        confirmed: an operator vouches for this assumed entry.
        overridden: an operator's file changed something here.
        fields: our name of a request field -> theirs.
        reply: our name of a field of the answer -> theirs, the first that is filled counts.
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
        """``payments.commit_payout``: what ``routes`` prints and an operator's file is keyed by."""
        return f"{self.service}.{self.operation}"

    @property
    def is_unconfirmed(self) -> bool:
        """Whether it moves money, is assumed, and is not confirmed by an operator."""
        return self.moves_money and self.mark.is_assumed and not self.confirmed

    @property
    def placeholders(self) -> frozenset[str]:
        """The names the path asks for."""
        return frozenset(PLACEHOLDER.findall(self.path))

    def address(self, **values: str) -> str:
        """The path with its placeholders filled, percent-encoded: no value becomes a path. ValueError: it is no id."""
        for name in self.placeholders:
            value = values[name]
            # "." and ".." have no percent-encoded form that every server keeps apart from the plain one.
            if not value.strip(" .") or len(value) > 200:  # noqa: PLR2004 - no identifier is that long
                raise ValueError(f"{name} is no identifier")
        return PLACEHOLDER.sub(lambda found: quote(values[found[1]], safe=""), self.path)

    @property
    def ours(self) -> Mapping[str, str]:
        """The service's name of a request field -> ours; of twins the one that belongs to the body as a whole."""
        return {theirs: ours for ours, theirs in reversed(list(self.fields.items()))}

    def named(self, values: Mapping[str, object]) -> dict[str, object]:
        """The given fields under the service's names; None means "leave it out"."""
        return {self.fields[ours]: value for ours, value in values.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class ServiceDialect:
    """What holds for a service as a whole.

    Attributes:
        field_prefix: the service's own name, in place of ``svc`` in field names.
        list_parameters: where the parameters of a list travel.
        list_page_size: page size of our own scans.
        item_amount: what the amount of a purchase's item means.
        language: what ``content-language`` says, where a service asks for it.
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
        """Our state for a word of the service; the word itself where no line explains it."""
        return self._states.get(same_word(word), word)

    def kinds(self, ours: str) -> tuple[str, ...]:
        """The service's names for a kind of event, under each of which an address is registered."""
        return tuple(one.theirs for one in self.words if one.table == "events" and one.ours == ours)

    def a_minute(self, name: str) -> int:
        """How many units of a time in a request a minute has."""
        return next(A_MINUTE[one.ours] for one in self.words if one.table == "units" and one.theirs == name)


class RouteTable:
    """All routes of all services, and the rule of production: it refuses unconfirmed assumptions that move money."""

    def __init__(self, *, routes: Iterable[Route], dialects: Mapping[str, ServiceDialect], environment: str) -> None:
        self._routes = {route.name: route for route in routes}
        self._dialects = dict(dialects)
        self._is_production = environment == "production"

    def dialect(self, service: str) -> ServiceDialect:
        return self._dialects[service]

    def use(self, service: str, operation: str) -> Route:
        """The route for a request. ``OperatorError``: in production, unconfirmed, assumed, and it moves money."""
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
        """Every line of states, events and units, with the name that an operator's file gives it."""
        return tuple(
            (f"{service}.{one.table}.{one.theirs}", one)
            for service, dialect in self._dialects.items()
            for one in dialect.words
        )

    def assumptions(self) -> tuple[Assumption, ...]:
        """Unconfirmed assumptions, whether they move money or not."""
        return tuple(
            Assumption(
                name=route.name, method=route.method, path=route.path, mark=route.mark, blocks=route.is_unconfirmed
            )
            for route in self._routes.values()
            if route.mark.is_assumed and not route.confirmed
        )

    def rows(self) -> tuple[Route, ...]:
        """Every route, in the order of the file."""
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
    """Every value where the route wants it, or ``where`` instead; one that the path names goes there and nowhere else.

    ``values``: our name -> value; None leaves one out. ``ServiceNever`` (404): one can be no id, or is no text.
    """
    where = where or route.parameters
    given = {ours: value for ours, value in values.items() if value is not None}
    try:
        path = route.address(**{ours: _text(given.pop(ours, "")) for ours in route.placeholders})
        named = route.named(given)
        # Every reserved character encoded: a plus sign in an address would arrive as a space.
        pairs = [f"{quote(name, safe='')}={quote(_text(value), safe='')}" for name, value in named.items()]
        query = "?" + "&".join(pairs) if named and where in {"query", "both"} else ""
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


def _text(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)
